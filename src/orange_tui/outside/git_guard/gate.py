"""Nothing that a repository brings along runs unless the person has seen it: asked before each git that could run it.

What the person trusts, the judge of this process knows (`judge.py`). What was not seen:

- **Hooks** are left out of this one run. A push is refused where there is a `pre-push`: without it, something would
  arrive that should not, or not all of it (LFS sends its files there). So is one into a repository on this machine
  whose own hooks were not seen: they cannot be left out from here.
- **Settings that run something** (filters, drivers, a file monitor) cannot be left out: a checkout without its filter
  has other files, a merge without its driver another result. So the run is refused, before anything has changed. A
  workspace that is to be released is then set aside with that reason, and all its work in it.

Between this look and git's own there is a moment in which an agent could write a hook. The sandbox closes it: there
an agent can write neither.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import Untrusted
from orange_tui.outside.git_guard.brought import (
    HOOK,
    SETTING,
    find_directories,
    may_fetch,
    settings_that_run,
)
from orange_tui.outside.git_guard.hooks import hooks_of
from orange_tui.outside.git_guard.judge import trusted_in
from orange_tui.outside.git_guard.links import check_no_links
from orange_tui.outside.git_guard.other_end import brought_by_other_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.outside.git_guard.brought import Brought, GitDirectories
    from orange_tui.outside.git_guard.hooks import Hooks

# These read names and objects, and run nothing whatever is configured. All others are looked at.
_HARMLESS = frozenset(
    {
        "cat-file",
        "check-ref-format",
        "config",
        "for-each-ref",
        "ls-tree",
        "merge-base",
        "remote",
        "rev-list",
        "rev-parse",
        "show-ref",
        "symbolic-ref",
    }
)
_READ_NO_OBJECT = frozenset({"check-ref-format", "config", "remote", "symbolic-ref"})
_NO_FETCH = {"GIT_NO_LAZY_FETCH": "1"}
_NO_HOOKS = f"core.hooksPath={os.devnull}"
_PRE_PUSH = "pre-push"


def brought_by_git(where: GitDirectories) -> list[Brought]:
    """Everything that git would run here because the repository says so."""
    settings, hooks_path = settings_that_run(where)
    return [*settings, *hooks_of(where, hooks_path).found, *brought_by_other_end(where)]


def settings_for(path: str, git_directory: str | None, words: Sequence[str]) -> tuple[str, ...]:
    """Settings for one run of git that keep it from running what nobody has seen; refused where none can."""
    if words[0] in _HARMLESS and "-m" not in words:
        return ()
    where = find_directories(path, git_directory)
    if where is None:
        return ()
    check_no_links(where)
    settings, hooks_path = settings_that_run(where)
    hooks = hooks_of(where, hooks_path)
    trusted = trusted_in(where.shared) if settings or hooks.found else ()
    new = [each for each in settings if each.digest not in trusted]
    new += _new_at_other_end(where) if words[0] == "push" else []
    if new:
        raise Untrusted(f"git {words[0]} was not run: {_sentence(path, new)}", where.shared)
    new_hooks = [each for each in hooks.found if each.digest not in trusted]
    if new_hooks and words[0] == "push" and any(os.path.basename(each.name) == _PRE_PUSH for each in hooks.found):
        raise Untrusted(f"git push was not run: {_sentence(path, new_hooks)}", where.shared)
    return (*_hooks_setting(where, hooks, is_trusted=not new_hooks), *_no_submodules(where))


def _new_at_other_end(where: GitDirectories) -> list[Brought]:
    found = list(brought_by_other_end(where))
    trusted = trusted_in(where.shared) if found else ()
    return [each for each in found if each.digest not in trusted]


def variables_for(path: str, git_directory: str | None, words: Sequence[str]) -> Mapping[str, str]:
    """What keeps git from fetching an object that is missing by a program that nobody has seen.

    So what is harmless stays so in a partial clone, and what a repository brings along can be shown.
    """
    is_needed = words[0] in _HARMLESS - _READ_NO_OBJECT and (words[0] != "rev-parse" or "^" in "".join(words))
    where = find_directories(path, git_directory) if is_needed else None
    if where is None or not may_fetch(where):
        return {}
    settings, _ = settings_that_run(where)
    trusted = trusted_in(where.shared) if settings else ()
    return {} if all(each.digest in trusted for each in settings) else _NO_FETCH


def _hooks_setting(where: GitDirectories, hooks: Hooks, *, is_trusted: bool) -> tuple[str, ...]:
    """Where git is to look for hooks: where we have looked, however it would read its settings itself."""
    if not is_trusted or (hooks.is_in_checkout and not _is_main(where)):  # a worktree's are its agent's to write
        return (_NO_HOOKS,)
    return (f"core.hooksPath={hooks.path}",) if hooks.is_said else ()


def _no_submodules(where: GitDirectories) -> tuple[str, ...]:
    """Submodules have hooks and settings of their own, which nobody has seen: git is not to go there by itself."""
    has_any = any(os.path.isdir(os.path.join(place, "modules")) for place in {where.own, where.shared})
    return ("submodule.recurse=false", "fetch.recurseSubmodules=false") if has_any else ()


def _is_main(where: GitDirectories) -> bool:
    return os.path.realpath(where.own) == where.shared


def _sentence(path: str, new: Sequence[Brought]) -> str:
    return (
        f"{path} would have it run {names_of(new)}, which you have not seen, or not as it is now;"
        " `orange project trust` shows it"
    )


_MOST_NAMED = 3
_KINDS = {HOOK: "the hook ", SETTING: ""}


def names_of(items: Sequence[Brought]) -> str:
    """What they are called, for a sentence."""
    named = [f"{_KINDS.get(each.kind, '')}{each.name}" for each in items[:_MOST_NAMED]]
    more = len(items) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")
