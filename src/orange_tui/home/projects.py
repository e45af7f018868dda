"""projects.json: the registered projects. Keys that Orange does not know survive every change."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, OrangeError, Refused, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.tables import MODES
from orange_tui.domain.task import check_branch, check_project_name, is_dollars
from orange_tui.domain.workflow import MAX_ATTEMPTS, STUCK_TIMEOUT
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from typing import Any

    from orange_tui.home.paths import Home

DEFAULT_POOL_SIZE = 2
DEFAULT_WORKFLOW = "default"
_MAX_POOL_SIZE = 1000
MAX_PORTS = 50  # of one workspace
OWN_SETTINGS = {"parallel": 0, MAX_ATTEMPTS: 1, STUCK_TIMEOUT: 1}  # of config.yml, with the least that each can be


@record
class Project:
    """A registered repository; `entry` is everything that projects.json says about it."""

    name: str
    path: str
    default_branch: str
    pool_size: int
    workflow: str
    entry: Mapping[str, Any]

    def as_json(self) -> dict[str, object]:
        """The project with its defaults filled in."""
        known = {
            "name": self.name,
            "path": self.path,
            "default_branch": self.default_branch,
            "pool_size": self.pool_size,
            "workflow": self.workflow,
        }
        return known | {key: value for key, value in self.entry.items() if key not in known}


@record
class Projects:
    """The registered projects of one home."""

    home: Home

    def all(self) -> list[Project]:
        """Every registered project, in the order they were added."""
        return [self._registered(entry, index) for index, entry in enumerate(self._file.read_objects())]

    def get(self, name: str) -> Project:
        """The project of that name."""
        projects = self.all()
        for project in projects:
            if project.name == name:
                return project
        known = ", ".join(p.name for p in projects)
        hint = f"registered are: {known}" if known else "none is registered yet; `orange project add` adds one"
        raise NotFound(f"There is no project {name}; {hint}")

    def find(self, name: str) -> Project | None:
        """The project of that name, if it is registered and readable."""
        try:
            return self.get(name)
        except OrangeError:
            return None

    def setting(self, name: str, project: str) -> int:
        """A number of config.yml, as a project has it: what it says itself comes first."""
        from orange_tui.home.settings.config_file import read_settings

        found = self.find(project)
        own = found.entry.get(name) if found is not None else None
        return own if isinstance(own, int) else read_settings(self.home).number(name)

    def budget(self, project: str) -> float:
        """The dollars that a task of a project may use, as it says itself, else config.yml; 0 is no limit."""
        from orange_tui.home.settings.config_file import read_settings

        found = self.find(project)
        own = found.entry.get("budget") if found is not None else None
        return own if own is not None else read_settings(self.home).amount("budget")

    def auto_fix(self, project: str) -> bool:
        """Whether a pull request's failed checks and comments go back by themselves: as the project says, else all."""
        from orange_tui.home.settings.config_file import read_settings

        found = self.find(project)
        own = found.entry.get("auto_fix") if found is not None else None
        return own if isinstance(own, bool) else read_settings(self.home).flag("auto_fix")

    def failover(self, project: str) -> list[str]:
        """The agents that go on with a task at its agent's limit, as its project says itself, else config.yml."""
        from orange_tui.home.settings.config_file import read_settings

        found = self.find(project)
        own = found.entry.get("failover") if found is not None else None
        return own if own is not None else read_settings(self.home).names("failover")

    def sandbox(self, project: str) -> str:
        """Which agents of a project run in a sandbox, as it says itself, else config.yml."""
        from orange_tui.home.settings.config_file import read_settings

        found = self.find(project)
        own = found.entry.get("sandbox") if found is not None else None
        return own if own is not None else read_settings(self.home).text("sandbox")

    def containing(self, directory: str) -> Project | None:
        """The project that a directory belongs to: by the innermost repository or the workspace it is in."""
        here = os.path.realpath(directory)
        projects = self.all()
        workspaces = os.path.realpath(self.home.workspaces)
        if _is_inside(here, workspaces) and here != workspaces:
            name = os.path.relpath(here, workspaces).split(os.sep)[0].rpartition("--")[0]
            return next((project for project in projects if project.name == name), None)
        around = [p for p in projects if _is_inside(here, os.path.realpath(p.path))]
        return max(around, key=lambda project: len(os.path.realpath(project.path)), default=None)

    def add(self, entry: Mapping[str, object]) -> Project:
        """Register a project; its name and its repository must be new."""
        project = self._project(dict(entry), 0)
        with self._changing() as entries:
            for other in entries:
                if other.get("name") == project.name:
                    raise Refused(
                        f"There is already a project {project.name}, at {other.get('path')}; give it another --name"
                    )
                if os.path.realpath(str(other.get("path"))) == os.path.realpath(project.path):
                    raise Refused(f"{project.path} is already registered as {other.get('name')}")
            entries.append(dict(entry))
        return project

    def update(self, name: str, changes: Mapping[str, object]) -> Project:
        """Change some settings of a registered project; None takes back what it says itself."""
        self.get(name)
        with self._changing() as entries:
            for index, entry in enumerate(entries):
                if entry.get("name") == name:
                    after = {k: v for k, v in (entry | dict(changes)).items() if v is not None or k not in changes}
                    self._project(after, index)
                    entries[index] = after
        return self.get(name)

    def remove(self, name: str) -> None:
        """Remove a project from the list; its tasks and its repository stay."""
        self.get(name)
        with self._changing() as entries:
            entries[:] = [entry for entry in entries if entry.get("name") != name]

    @property
    def _file(self) -> JsonFile:
        lock_path = os.path.join(self.home.root, ".projects.lock")
        return JsonFile(self.home.projects_file, lock_path, title="projects")

    def _changing(self) -> AbstractContextManager[list[dict[str, Any]]]:
        make_directory(self.home.root)
        return self._file.changing_objects()

    def _registered(self, entry: dict[str, Any], index: int) -> Project:
        """A project of the file; a value that a command would have refused was written there by hand."""
        try:
            return self._project(entry, index)
        except Refused as problem:
            raise Unreadable(f"{self._where(index)}: {problem}; fix it by hand") from None

    def _where(self, index: int) -> str:
        return f"{self.home.projects_file}, project {index + 1}"

    def _project(self, entry: dict[str, Any], index: int) -> Project:
        wanted: dict[str, tuple[type, object]] = {
            "name": (str, None),
            "path": (str, None),
            "default_branch": (str, "main"),
            "pool_size": (int, DEFAULT_POOL_SIZE),
            "workflow": (str, DEFAULT_WORKFLOW),
        }
        wanted |= {key: (int, None) for key in OWN_SETTINGS if key in entry}
        values: dict[str, Any] = {}
        for key, (kind, default) in wanted.items():
            value = entry.get(key, default)
            if type(value) is not kind:
                raise Unreadable(
                    f"{self._where(index)}: `{key}` must be {'a number' if kind is int else 'text'}; fix it by hand"
                )
            values[key] = value
        for key, (is_right, what) in _OPTIONAL.items():
            if entry.get(key) is not None and not is_right(entry[key]):
                raise Unreadable(f"{self._where(index)}: `{key}` must be {what}; fix it by hand")
        check_project_name(values["name"])
        check_branch(values["default_branch"])
        if not 1 <= values["pool_size"] <= _MAX_POOL_SIZE:
            raise Refused(f"pool_size is {values['pool_size']}; it must be between 1 and {_MAX_POOL_SIZE}")
        for key, least in OWN_SETTINGS.items():
            if values.get(key, least) < least:
                raise Refused(f"{key} is {values[key]}; it must be {least} or more")
            values.pop(key, None)
        return Project(**values, entry=entry)


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


# What a project may say instead of config.yml: whether a value is one, and what it should be.
_OPTIONAL: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "budget": (is_dollars, "a number of dollars"),
    "auto_fix": (lambda value: isinstance(value, bool), "true or false"),
    "failover": (_are_names, "a list of agents"),
    "ports": (lambda value: type(value) is int and 0 <= value <= MAX_PORTS, f"a number from 0 to {MAX_PORTS}"),
    "run": (lambda value: isinstance(value, str), "a command"),
    "instructions": (lambda value: isinstance(value, str), "text"),
    "sandbox": (lambda value: value in MODES, f"one of {', '.join(MODES)}"),
    "sandbox_read": (_are_names, "a list of paths"),
    "sandbox_write": (_are_names, "a list of paths"),
}


def _is_inside(path: str, directory: str) -> bool:
    return path == directory or path.startswith(directory.rstrip(os.sep) + os.sep)
