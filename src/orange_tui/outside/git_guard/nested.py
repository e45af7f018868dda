"""Repositories inside a worktree: whether anything in one would be lost with it. They may be configured by anybody."""

from __future__ import annotations

import os
import re
from contextlib import suppress

from orange_tui.domain.errors import Refused
from orange_tui.outside.git import Repository
from orange_tui.outside.git_guard.look import look_at_bare, look_at_repository
from orange_tui.outside.git_worktree import common_directory, find_worktree, read_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.outside.git_worktree import Worktree

_SUBMODULE = "160000"
# How git's log of HEAD tells of a commit that was made, and not only gone to.
_MADE_HERE = r"(commit|am|cherry-pick|revert)\b|(merge|pull)\b.*: Merge made|(rebase|pull)\b.*\((?!start|finish)"
_LOG_BEGINS = r"0+ \w+ .*> (\d+) "  # nothing was there before, and when that was
_COMMIT = r"[0-9a-f]{40,64}"
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
        own_directory = common_directory(path) or path
        is_linked = find_worktree(path) is not None  # what has a name is in another repository
        names = ("--branches",) if is_linked else ("--all", *_checked_out_linked(own_directory))
        stash = git.answer("rev-parse", "--verify", "--quiet", "refs/stash")
        own = git.ask("rev-list", "--max-count=1", *names, "HEAD", "--not", "--remotes", "--tags")
        lines = git.must("rev-list", "--timestamp", "--tags", "--not", "--remotes").splitlines()
        only_tagged = {commit: int(seconds) for seconds, _, commit in (line.partition(" ") for line in lines)}
        is_elsewhere = stash is None and own.code == 0 and not own.output
        if is_linked or not only_tagged:
            return is_elsewhere
        return is_elsewhere and not _may_have_made_one(own_directory, only_tagged)
    return False


def _is_copy(path: str) -> bool:
    """Whether a bare repository is a copy of another one, to which nobody has pushed, or has nothing of its own."""
    with suppress(Refused), look_at_bare(path) as git:
        own = git.ask("rev-list", "--max-count=1", "--all", *_checked_out_linked(path), "--not", "--remotes")
        if own.code != 0 or not own.output:
            return own.code == 0
        has_remote = git.answer("config", "--local", "--get-regexp", r"^remote\..*\.url$") is not None
        return has_remote and not _was_written_to(path)
    return False


def _was_written_to(path: str) -> bool:
    """Whether somebody may have pushed to a bare clone, or worked in a worktree of it.

    A clone has all its names in one file. One that is pushed, or fetched, has a file of its own until git tidies up.
    """
    if any(os.path.exists(os.path.join(path, name)) for name in ("objects/info/packs", "worktrees")):
        return True
    remotes = os.path.join(path, "refs", "remotes")
    found = os.walk(os.path.join(path, "refs"))
    return any(files for directory, _, files in found if not f"{directory}/".startswith(f"{remotes}/"))


def _linked(own_directory: str) -> list[str]:
    """The git directories of the worktrees that are linked to a repository."""
    linked = os.path.join(own_directory, "worktrees")
    return [os.path.join(linked, name) for name in (os.listdir(linked) if os.path.isdir(linked) else ())]


def _checked_out_linked(own_directory: str) -> list[str]:
    """The commits that worktrees linked to a repository have checked out without a branch."""
    heads = [line for place in _linked(own_directory) for line in read_lines(os.path.join(place, "HEAD"))[:1]]
    commits = [head for head in heads if not head.startswith("ref: ")]
    wrong = next((commit for commit in commits if not re.fullmatch(_COMMIT, commit)), None)
    if wrong is not None:  # it would be an option of git's, or anything
        raise Refused(f"A worktree of {own_directory} has {wrong} checked out, which is no commit")
    return commits


def _may_have_made_one(own_directory: str, commits: Mapping[str, int]) -> bool:
    """Whether one of these commits may have been made here, and not have come from elsewhere, as with a fetched tag.

    Git's logs of HEAD tell how most came about, and what is older than the repository was not made in it. Where the
    beginning of its log is missing, nobody knows.
    """
    places = [os.path.join(place, "logs", "HEAD") for place in (own_directory, *_linked(own_directory))]
    logs = [read_lines(place) for place in places]
    begins = re.match(_LOG_BEGINS, next(iter(logs[0]), ""))
    if begins is None or max(commits.values()) > int(begins[1]):
        return True
    entries = [line.partition("\t") for log in logs for line in log]
    made = {commit for about, _, how in entries for commit in about.split(" ")[1:2] if re.match(_MADE_HERE, how)}
    return not made.isdisjoint(commits)
