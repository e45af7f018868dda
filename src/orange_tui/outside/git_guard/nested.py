"""Repositories inside a worktree: whether anything in one would be lost with it. They may be configured by anybody."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from orange_tui.domain.errors import Refused
from orange_tui.outside.git import Repository
from orange_tui.outside.git_guard.look import look_at_bare, look_at_repository
from orange_tui.outside.git_worktree import common_directory, read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.outside.git_worktree import Worktree

_SUBMODULE = "160000"
# How git's log of HEAD tells of a commit that was made, and not only gone to.
_MADE_HERE = r"(commit|am|cherry-pick|revert)\b|(merge|pull)\b.*: Merge made|(rebase|pull)\b[^:]*\((?!start|finish)"
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
        is_elsewhere = stash is None and own.code == 0 and not own.output
        return is_elsewhere and not (only_tagged and _has_made_one(path, only_tagged))
    return False


def _is_copy(path: str) -> bool:
    """Whether a bare repository is a copy of another one, to which nobody has pushed, or has nothing of its own."""
    with suppress(Refused), look_at_bare(path) as git:
        own = git.ask("rev-list", "--max-count=1", "--all", "--not", "--remotes")
        if own.code != 0 or not own.output:
            return own.code == 0
        about_remotes = git.ask("config", "--local", "--get-regexp", r"^remote\..*\.(url|mirror)$").output.splitlines()
        is_mirror = any(line.endswith(".mirror true") for line in about_remotes)
        # A clone has all its branches in one file; one that is pushed has a file of its own.
        was_pushed = any(files for _, _, files in os.walk(os.path.join(path, "refs", "heads")))
        return is_mirror or (bool(about_remotes) and not was_pushed)
    return False


def _has_made_one(path: str, commits: Collection[str]) -> bool:
    """Whether one of these commits was made here, and has not come from elsewhere, as with a tag that was fetched.

    Git's logs of HEAD tell how each came about; where there is none, nobody knows.
    """
    own = common_directory(path) or path
    linked = os.path.join(own, "worktrees")
    places = [own, *(os.path.join(linked, name) for name in (os.listdir(linked) if os.path.isdir(linked) else ()))]
    logs = [log for place in places if os.path.isfile(log := os.path.join(place, "logs", "HEAD"))]
    entries = [line.partition("\t") for log in logs for line in read_lines(log)]
    made = {commit for about, _, how in entries for commit in about.split(" ")[1:2] if re.match(_MADE_HERE, how)}
    return not logs or not made.isdisjoint(commits)
