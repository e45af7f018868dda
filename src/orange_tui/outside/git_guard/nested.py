"""Repositories inside a worktree: whether anything in one would be lost with it. They may be configured by anybody."""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import Refused
from orange_tui.outside.git import Repository
from orange_tui.outside.git_guard.look import look_at_repository
from orange_tui.outside.git_worktree import common_directory, read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.git_worktree import Worktree

_SUBMODULE = "160000"
_FLAGS = frozenset("Sshmrck")  # of `ls-files -v`: not to be compared


def is_settled_submodule(worktree: Worktree, path: str) -> bool:
    """Whether a repository inside is a submodule left from another branch, with nothing in it to be lost."""
    inner = Repository(os.path.join(worktree.path, path))
    git_directory = inner.answer("rev-parse", "--absolute-git-dir")
    modules = os.path.join(worktree.git_directory, "modules") + os.sep
    if git_directory is None or not os.path.realpath(git_directory).startswith(modules):
        return False
    return has_nothing_uncommitted(inner.path)


def has_nothing_uncommitted(path: str) -> bool:
    """Whether a repository inside a worktree is clean; its own configuration could say so of anything.

    Git would look at its submodules by theirs, so each of them is looked at like itself.
    """
    with suppress(Refused), look_at_repository(path) as git:
        status = git.ask("status", "--porcelain", "--untracked-files=all", "--ignore-submodules=dirty")
        entries = _entries(git)
        there = [os.path.join(path, name) for name in _submodules_there(path, entries)]
        # Of a file that is flagged, git does not say whether it was changed.
        flagged = [name for about, _, name in entries if about[:1] in _FLAGS and os.path.lexists(f"{path}/{name}")]
        settled = status.code == 0 and not status.output and not flagged
        return settled and all(map(has_nothing_uncommitted, there))
    return False


def ignored_inside(path: str) -> list[str]:
    """What a repository inside ignores, and those inside of it: files, and directories with a slash at the end."""
    found: list[str] = []
    with suppress(Refused), look_at_repository(path) as git:
        words = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
        found += [each for each in git.must("ls-files", *words, exact=True).split("\0") if each]
        for name in _submodules_there(path, _entries(git)):
            found += [f"{name}/{each}" for each in ignored_inside(os.path.join(path, name))]
    return found


def _entries(git: Repository) -> list[tuple[str, str, str]]:
    """The index, entry by entry: a letter with mode and object, a tab, the path."""
    return [each.partition("\t") for each in git.must("ls-files", "-v", "--stage", "-z", exact=True).split("\0")]


def _submodules_there(path: str, entries: list[tuple[str, str, str]]) -> list[str]:
    names = dict.fromkeys(name for about, _, name in entries if about[2:].startswith(_SUBMODULE))
    return [name for name in names if os.path.lexists(os.path.join(path, name, ".git"))]


def is_settled_repository(path: str) -> bool:
    """Whether all that is in a repository is elsewhere too: every commit on its remote, nothing uncommitted."""
    if not os.path.lexists(os.path.join(path, ".git")):
        return _is_copy(path)
    if not has_nothing_uncommitted(path):
        return False
    with suppress(Refused), look_at_repository(path) as git:
        stash = git.answer("rev-parse", "--verify", "--quiet", "refs/stash")
        own = git.ask("rev-list", "--max-count=1", "--branches", "HEAD", "--not", "--remotes", "--tags")
        only_tagged = git.must("rev-list", "--tags", "--not", "--remotes").split()
        return stash is None and own.code == 0 and not own.output and _made_in(path).isdisjoint(only_tagged)
    return False


def _is_copy(path: str) -> bool:
    """Whether a bare repository is a copy of another one, or empty: else what was pushed to it may be nowhere else."""
    with suppress(Refused), look_at_repository(path) as git:
        is_empty = not git.must("for-each-ref", "--count=1")
        return is_empty or git.answer("config", "--local", "--get-regexp", r"^remote\..*\.url$") is not None
    return False


def _made_in(path: str) -> set[str]:
    """The commits that git's log of HEAD does not tell to have come from elsewhere, as with a tag that was fetched."""
    log = os.path.join(common_directory(path) or path, "logs", "HEAD")
    entries = [line.partition("\t") for line in read_lines(log)]
    return {
        commit
        for about, _, how in entries
        for commit in about.split(" ")[1:2]
        if not how.startswith(("clone: ", "checkout: ", "reset: ")) and not how.endswith("Fast-forward")
    }
