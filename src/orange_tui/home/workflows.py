"""Which workflows there are, and one of them by its name, quickly.

Every command on a task begins with its workflow, and parsing the YAML would be most of what that command
costs. So a checked workflow is kept as JSON beside the very text it was made from: it is used only while
that text and this Orange are the same, which is why it can not be out of date and may be deleted any time.
"""

from __future__ import annotations

import json
import os
import stat

from orange_tui import __version__
from orange_tui.domain.errors import NotFound, Unreadable
from orange_tui.domain.workflow_file.data import from_data, to_data
from orange_tui.home.files import read_signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.text.findings import Problem
    from orange_tui.domain.workflow import Workflow
    from orange_tui.domain.workflow_file.loader import LoadedWorkflow
    from orange_tui.home.files import Signature


_CACHE_FORMAT = 2  # raise it whenever `workflow_file.data` writes something else
_ENDINGS = (".yml", ".yaml")
_HOOKS = "orange_tui.hooks"
_MOST_BYTES = 1024 * 1024
_NOT_KEPT = (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Workflows:
    """The user's workflows and the shipped ones; a user's hides a shipped one of the same name."""

    def __init__(self, home: str, shipped: str) -> None:
        self._own = os.path.join(home, "workflows")
        self._shipped = shipped
        self._kept = os.path.join(home, ".cache", "workflows")
        self._loaded: dict[str, tuple[Signature | None, Workflow]] = {}

    def names(self) -> list[str]:
        """Every workflow's name, sorted."""
        return sorted({*_names_in(self._own), *_names_in(self._shipped)})

    def path(self, name: str) -> str:
        """The file a name stands for; a user's own hides a shipped one even when it can not be read."""
        if name.isprintable() and name and name[0] != "." and "/" not in name and "\\" not in name:
            for folder in (self._own, self._shipped):
                for ending in _ENDINGS:
                    path = os.path.join(folder, name + ending)
                    if _is_there(path):
                        return path
        known = ", ".join(self.names()) or "none at all"
        raise NotFound(f"There is no workflow named {name[:100]!r}; there are: {known}")

    def load(self, name: str) -> Workflow:
        """A workflow that is fit for use; one that is not raises `Unreadable` with all its problems."""
        path = self.path(name)
        signature = read_signature(path)
        seen = self._loaded.get(path)
        if seen is not None and seen[0] == signature:
            return seen[1]
        workflow = self._load(name, path)
        self._loaded[path] = (signature, workflow)
        return workflow

    def _load(self, name: str, path: str) -> Workflow:
        try:
            text = _read(path)
        except Unreadable as fault:
            raise Unreadable(str(_as_problem(path, fault))) from None
        kept = self._recall(name, text)
        if kept is not None:
            return kept
        plugins = _InstalledActions()
        loaded = _parse(text, path, plugins)
        if loaded.workflow is None:
            raise Unreadable("\n".join(str(problem) for problem in loaded.problems))
        if not plugins.were_asked:  # a plugin can be removed while the text stays as it is
            self._keep(name, text, loaded.workflow)
        return loaded.workflow

    def check(self, name_or_path: str) -> LoadedWorkflow:
        """Everything that is wrong with a workflow, given by its name or by the path of a file."""
        from orange_tui.domain.workflow_file.loader import LoadedWorkflow

        is_path = "/" in name_or_path or name_or_path.endswith(_ENDINGS)
        path = _existing(name_or_path) if is_path else self.path(name_or_path)
        try:
            text = _read(path)
        except Unreadable as fault:
            return LoadedWorkflow(None, (_as_problem(path, fault),))
        return _parse(text, path, _InstalledActions())

    def _recall(self, name: str, text: str) -> Workflow | None:
        try:
            with open(self._keeping_place(name), encoding="utf-8") as file:
                kept = json.load(file)
            if kept["format"] != _CACHE_FORMAT or kept["orange"] != __version__ or kept["source"] != text:
                return None
            return from_data(kept["workflow"])
        except _NOT_KEPT:  # missing, torn or meddled with: it will be made again
            return None

    def _keep(self, name: str, text: str, workflow: Workflow) -> None:
        """Nothing depends on this, so a disk that is full or read-only is no reason to fail."""
        data = json.dumps(
            {"format": _CACHE_FORMAT, "orange": __version__, "source": text, "workflow": to_data(workflow)}
        )
        place = self._keeping_place(name)
        aside = f"{place}.{os.urandom(6).hex()}"
        try:
            os.makedirs(self._kept, exist_ok=True)
            _replace(place, aside, data)
        except OSError:
            return

    def _keeping_place(self, name: str) -> str:
        return os.path.join(self._kept, name + ".json")


class _InstalledActions:
    """The actions that plugins add. Asking costs as much as a command, so it waits for an unknown name."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self.were_asked = False

    def _known(self) -> tuple[str, ...]:
        if not self.were_asked:
            from importlib.metadata import entry_points

            self.were_asked = True
            self._names = tuple(point.name for point in entry_points(group=_HOOKS))
        return self._names

    def __contains__(self, name: object) -> bool:
        return name in self._known()

    def __iter__(self) -> Iterator[str]:
        return iter(self._known())

    def __len__(self) -> int:
        return len(self._known())


def _parse(text: str, path: str, plugins: _InstalledActions) -> LoadedWorkflow:
    from orange_tui.domain.workflow_file.loader import load_workflow

    return load_workflow(text, path, extra_actions=plugins)


def _as_problem(path: str, fault: Unreadable) -> Problem:
    from orange_tui.domain.text.findings import Findings

    findings = Findings(path)
    findings.add_unreadable(fault, 1)
    return findings.problems[0]


def _names_in(folder: str) -> list[str]:
    try:
        files = os.listdir(folder)
    except OSError:
        return []
    parts = [os.path.splitext(file) for file in files]
    return [name for name, ending in parts if ending in _ENDINGS and name and not name.startswith(".")]


def _is_there(path: str) -> bool:
    """A link that leads nowhere is there, too: someone put it there, and should hear of it."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise Unreadable(f"{path} can not be read: {error.strerror}") from None
    return True


def _existing(path: str) -> str:
    if "\x00" in path or not _is_there(path):
        raise NotFound(f"There is no file {path!r}")
    return path


def _read(path: str) -> str:
    """The file's text. A pipe would keep us waiting for ever and a device might never end: files only."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise Unreadable("this is not a file; move it away, or put a workflow file in its place")
        with open(path, "rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"this can not be read: {error.strerror}; make it a file that you may read") from None
    if len(data) > _MOST_BYTES:
        raise Unreadable(f"this is longer than {_MOST_BYTES:,} bytes; a workflow needs far less")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("this is not UTF-8 text; save the file as UTF-8", line=line) from None


def _replace(place: str, aside: str, data: str) -> None:
    """A reader sees the old file or the new one, never half of it."""
    try:
        with open(aside, "x", encoding="utf-8") as file:
            file.write(data)
        os.replace(aside, place)
    except OSError:
        if os.path.lexists(aside):
            os.unlink(aside)
        raise
