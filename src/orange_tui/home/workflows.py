"""The workflows of a home by their names, with a cache of the checked ones.

Every command on a task begins by loading its workflow, and parsing the YAML would take most of that command's time. So
a checked workflow is cached as JSON, together with the text it was made from. The cache is used only while that text
and this version of Orange are the same, so it cannot be out of date, and it may be deleted at any time.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from zlib import crc32

from orange_tui import __version__
from orange_tui.domain.errors import NotFound, OrangeError, Refused, Unreadable
from orange_tui.domain.workflow_file.data import from_data, to_data
from orange_tui.home import clock
from orange_tui.home.files import PRIVATE_FILE, make_directory, read_bytes, read_signature, replace_file
from orange_tui.home.locks import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.text.findings import Problem
    from orange_tui.domain.workflow import Workflow
    from orange_tui.domain.workflow_file.loader import LoadedWorkflow
    from orange_tui.home.files import Signature


CACHE_FORMAT = 8  # raise it whenever the JSON of `workflow_file.data`, or what is judged in it, changes
_ENDINGS = (".yml", ".yaml")
_HOOKS_GROUP = "orange_tui.hooks"
_MAX_BYTES = 1024 * 1024
_MOST_EARLIER = 100
_CACHE_ERRORS = (OrangeError, ValueError, LookupError, TypeError, AttributeError, RecursionError)


class Workflows:
    """The user's workflows and the shipped ones; a user's hides a shipped one of the same name."""

    def __init__(self, home: str, shipped: str) -> None:
        self._own = os.path.join(home, "workflows")
        self._shipped = shipped
        self._cache_folder = os.path.join(home, ".cache", "workflows")
        self._loaded: dict[str, tuple[Signature | None, Workflow]] = {}

    def names(self) -> list[str]:
        """Every workflow's name, sorted."""
        return sorted({*_names_in(self._own), *_names_in(self._shipped)})

    def path(self, name: str) -> str:
        """The file of a workflow; the user's own hides a shipped one even when it cannot be read."""
        if _is_name(name):
            for folder in (self._own, self._shipped):
                for ending in _ENDINGS:
                    path = os.path.join(folder, name + ending)
                    if _exists(path):
                        return path
        known = ", ".join(self.names()) or "none"
        raise NotFound(f"There is no workflow named {name[:100]!r}; there are: {known}")

    def is_own(self, name: str) -> bool:
        """Whether a workflow is the user's: their own, or one in the place of a shipped one."""
        return os.path.dirname(self.path(name)) == self._own

    def load(self, name: str) -> Workflow:
        """A valid workflow; one that is not raises `Unreadable` with all its problems."""
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
        except Unreadable as error:
            raise Unreadable(str(_as_problem(path, error))) from None
        cached = self._read_cache(name, text)
        if cached is not None:
            return cached
        plugins = _InstalledActions()
        loaded = _parse(text, path, plugins)
        if loaded.workflow is None:
            raise Unreadable("\n".join(str(problem) for problem in loaded.problems))
        if not plugins.were_loaded:  # a plugin can be removed while the text stays as it is
            self._write_cache(name, text, loaded.workflow)
        return loaded.workflow

    def has_changed_since(self, name: str, stamp: str) -> bool:
        """Whether a workflow may have been another one at a time: its file, or one that hid it, came or went since."""
        try:
            places = [self.path(name), *([self._own] if os.path.isdir(self._own) else [])]
            return clock.at(max(os.stat(place).st_ctime_ns for place in places)) > stamp
        except (OSError, OrangeError):
            return True

    def earlier(self, name: str) -> Iterator[Workflow]:
        """What a workflow was before it was changed, as far as that is known; files and clocks tell it less surely."""
        folder = self._earlier_folder(name)
        for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            with suppress(*_CACHE_ERRORS):
                yield from_data(json.loads(read_bytes(os.path.join(folder, file)))["workflow"])

    def check(self, name_or_path: str) -> LoadedWorkflow:
        """Everything that is wrong with a workflow, given by its name or by the path of a file."""
        from orange_tui.domain.workflow_file.loader import LoadedWorkflow

        is_path = "/" in name_or_path or name_or_path.endswith(_ENDINGS)
        path = _existing(name_or_path) if is_path else self.path(name_or_path)
        try:
            text = _read(path)
        except Unreadable as error:
            return LoadedWorkflow(None, (_as_problem(path, error),))
        return _parse(text, path, _InstalledActions())

    def text(self, name: str) -> str:
        """The text of a workflow's file, as it is."""
        path = self.path(name)
        try:
            return _read(path)
        except Unreadable as error:
            raise Unreadable(str(_as_problem(path, error))) from None

    def copy(self, name: str, new: str) -> str:
        """Copy a workflow to one of the user's own, under its new name; returns the path of its file."""
        if not _is_name(new) or new.endswith(_ENDINGS):
            how = "write it without slashes, a dot in front or an ending"
            raise Refused(f"{new[:100]!r} cannot be the name of a workflow: {how}")
        path = os.path.join(self._own, new + _ENDINGS[0])
        text = self.text(name)
        if _parse(text, path, _InstalledActions()).workflow is None:
            raise Refused(f"{name} was not copied; `orange workflow check {name}` says what is wrong with it")
        text = _renamed(text, new)
        make_directory(self._own)
        with locked(os.path.join(self._own, ".lock"), what="the workflows"):
            taken = [file for end in _ENDINGS if _exists(file := os.path.join(self._own, new + end))]
            if taken:
                raise Refused(f"There is a workflow of yours with that name: {taken[0]}. Choose another one")
            replace_file(path, text.encode())
        return path

    def _read_cache(self, name: str, text: str) -> Workflow | None:
        try:
            cached = json.loads(read_bytes(self._cache_path(name)))
            if cached["format"] != CACHE_FORMAT or cached["orange"] != __version__ or cached["source"] != text:
                return None
            return from_data(cached["workflow"])
        except _CACHE_ERRORS:  # missing, incomplete or edited: it is made again
            return None

    def _write_cache(self, name: str, text: str, workflow: Workflow) -> None:
        """Write the cache, if possible: a full or read-only disk is no reason to fail."""
        data = json.dumps(
            {"format": CACHE_FORMAT, "orange": __version__, "source": text, "workflow": to_data(workflow)}
        )
        path = self._cache_path(name)
        new_path = f"{path}.{os.urandom(6).hex()}"
        try:
            make_directory(self._cache_folder)
            self._keep_earlier(name, path, text)
            _replace(path, new_path, data)
        except (OSError, OrangeError):
            return

    def _keep_earlier(self, name: str, path: str, text: str) -> None:
        """Put aside what was made from another text: a task's history may tell of moves that only that one has."""
        if not os.path.exists(path):
            return
        with suppress(*_CACHE_ERRORS):
            source = json.loads(read_bytes(path))["source"]
            if source != text:
                folder = self._earlier_folder(name)
                make_directory(folder)
                os.rename(path, os.path.join(folder, f"{crc32(source.encode()):08x}.json"))
                for oldest in sorted(os.scandir(folder), key=lambda file: file.stat().st_mtime_ns)[:-_MOST_EARLIER]:
                    os.unlink(oldest)

    def _earlier_folder(self, name: str) -> str:
        return os.path.join(self._cache_folder, "earlier", name)

    def _cache_path(self, name: str) -> str:
        return os.path.join(self._cache_folder, name + ".json")


class _InstalledActions:
    """The actions that plugins add. Finding them takes as long as a command, so it waits for an unknown name."""

    def __init__(self) -> None:
        self._names: tuple[str, ...] = ()
        self.were_loaded = False

    def _known(self) -> tuple[str, ...]:
        if not self.were_loaded:
            from importlib.metadata import entry_points

            self.were_loaded = True
            self._names = tuple(point.name for point in entry_points(group=_HOOKS_GROUP))
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


def _as_problem(path: str, error: Unreadable) -> Problem:
    from orange_tui.domain.text.findings import Findings

    findings = Findings(path)
    findings.add_unreadable(error, 1)
    return findings.problems[0]


def _names_in(folder: str) -> list[str]:
    try:
        files = os.listdir(folder)
    except OSError:
        return []
    parts = [os.path.splitext(file) for file in files]
    return [name for name, ending in parts if ending in _ENDINGS and name and not name.startswith(".")]


def _renamed(text: str, name: str) -> str:
    """A valid workflow file with another name in it."""
    from orange_tui.domain.text.yaml_change import set_value

    return set_value(text, "name", name)


def _is_name(name: str) -> bool:
    """Whether this can be a workflow's name: it becomes the name of a file."""
    return bool(name) and name.isprintable() and name[0] != "." and "/" not in name and "\\" not in name


def _exists(path: str) -> bool:
    """Whether there is a file; a broken link counts, so that reading it says what is wrong."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}") from None
    return True


def _existing(path: str) -> str:
    if "\x00" in path or not _exists(path):
        raise NotFound(f"There is no file {path!r}")
    return path


def _read(path: str) -> str:
    """The file's text."""
    try:
        data = read_bytes(path, max_bytes=_MAX_BYTES)
    except NotFound:
        raise Unreadable("this cannot be read: No such file; it is a link that leads nowhere") from None
    except Unreadable as problem:
        raise Unreadable(str(problem).replace(path, "this", 1)) from None
    if len(data) > _MAX_BYTES:
        raise Unreadable(f"this is longer than {_MAX_BYTES:,} bytes; a workflow needs far less")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("this is not UTF-8 text; save the file as UTF-8", line=line) from None


def _replace(path: str, new_path: str, data: str) -> None:
    """Replace a file in one step, without a lock: two processes that do so write two new files."""
    try:
        descriptor = os.open(new_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(data)
        os.replace(new_path, path)
    except OSError:
        if os.path.lexists(new_path):
            os.unlink(new_path)
        raise
