"""The hooks that git would run in a repository: its own, or those that a setting leads to, the person's included."""

from __future__ import annotations

import os

from orange_tui.domain.records import record
from orange_tui.outside.git_guard.brought import HOOK, HOOKS_PATH, UNSHOWABLE, Brought, ask_git, brought, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.git_guard.brought import GitDirectories

_PERSONS_VARIABLES = (
    "HOME",
    "XDG_CONFIG_HOME",
    *(f"GIT_CONFIG_{name}" for name in ("GLOBAL", "SYSTEM", "NOSYSTEM", "COUNT", "PARAMETERS")),
)
_PERSONS_SCOPES = frozenset({"system", "global", "command"})  # else it is the repository that says so
_OF_A_PLACE = ("includeif.gitdir:", "includeif.gitdir/i:")
_ANSWERS = frozenset({0, 1})  # of git's config: there is one, there is none
_MAX_HOOK_FILES, _MAX_HOOK_BYTES = 200, 2_000_000


@record
class Hooks:
    """Where git looks for hooks, and what of it the repository brings along: the person's own is theirs and not listed.

    `is_said` where a setting leads there, and not git's own custom.
    """

    path: str
    found: tuple[Brought, ...] = ()
    is_said: bool = False
    is_in_checkout: bool = False


def hooks_of(where: GitDirectories, hooks_path: str | None) -> Hooks:
    """The hooks of a repository. Where they are in a checkout, those of the person's own count, not of a worktree."""
    said = hooks_path if hooks_path is not None else _persons_hooks_path(where.path)
    if said is None:
        place = os.path.join(where.shared, "hooks")
        return Hooks(place, tuple(_files(place)))
    place = os.path.normpath(os.path.expanduser(said))
    if os.path.isabs(place) and hooks_path is None:
        return Hooks(place, is_said=True)
    is_in_checkout = not os.path.isabs(place)
    if is_in_checkout:
        place = os.path.join(where.main, place) if where.main is not None else os.devnull
    files = _files(os.path.dirname(place) if os.path.basename(place) == "_" else place)  # husky's are one level up
    setting = [brought(HOOK, HOOKS_PATH, said)] if hooks_path is not None else []
    return Hooks(place, (*setting, *files), is_said=True, is_in_checkout=is_in_checkout)


def _persons_hooks_path(path: str) -> str | None:
    """Where the person's own settings say that hooks are; asked once, as it is nobody else's to change.

    Once for all repositories, but where a condition in the settings may make a difference between them; and each time
    where that is not about the place of a repository, but about what an agent can change: its branch, its remotes.
    """
    person = tuple(os.environ.get(name) for name in _PERSONS_VARIABLES)
    for place in (None, path):
        if (place, person) in _hooks_paths:
            return _hooks_paths[place, person]
    said, conditions = _ask_hooks_path(path)
    if conditions is not None and all(each.startswith(_OF_A_PLACE) for each in conditions):
        _hooks_paths[path if conditions else None, person] = said
    return said


_hooks_paths: dict[tuple[str | None, tuple[str | None, ...]], str | None] = {}


def _ask_hooks_path(path: str) -> tuple[str | None, list[str] | None]:
    """Where hooks are by the person's settings that count here, and the conditions in these.

    None in place of the conditions where git could not tell: because of a repository's settings perhaps, for a moment.
    """
    words = ("--show-scope", "-z", "--get-regexp", r"^(core\.hookspath|includeif\..*)$")
    finished = ask_git("-C", path, "config", *words)
    parts = finished.output.split("\0")
    entries = [
        entry.partition("\n") for scope, entry in zip(parts[::2], parts[1::2], strict=False) if scope in _PERSONS_SCOPES
    ]
    said = [value for key, _, value in entries if key == HOOKS_PATH]
    conditions = [key for key, _, _ in entries if key != HOOKS_PATH]
    return (said[-1] or None if said else None), (conditions if finished.code in _ANSWERS else None)


def _files(place: str) -> list[Brought]:
    """Everything in a directory of hooks, if git would run any of it: hooks use what is beside them."""
    try:
        return _read_files(place)
    except OSError as problem:
        return [Brought(HOOK, problem.filename or place, "it cannot be read", UNSHOWABLE)]


def _read_files(place: str) -> list[Brought]:
    found: list[Brought] = []
    left = _MAX_HOOK_BYTES
    for directory, folders, names in os.walk(place, onerror=_raise_unless_missing):
        folders.sort()
        for name in sorted(name for name in names if not name.endswith(".sample")):
            path = os.path.join(directory, name)
            data = read_file(path, left)
            if data is None:
                continue
            left -= len(data)
            if left < 0 or len(found) >= _MAX_HOOK_FILES:
                return [Brought(HOOK, place, "there is too much in it to be shown", UNSHOWABLE)]
            shown = os.path.relpath(path, place)
            text = data.decode(errors="surrogateescape")
            found.append(brought(HOOK, shown, text))
    is_any = any(_is_program(place, each.name) for each in found)
    return found if is_any else []


def _raise_unless_missing(problem: OSError) -> None:
    if not isinstance(problem, FileNotFoundError | NotADirectoryError):
        raise problem


def _is_program(place: str, name: str) -> bool:
    return os.access(os.path.join(place, name), os.X_OK)
