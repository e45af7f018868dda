"""Commits that HEAD leaves while we move it: an agent may detach it and commit at any moment, also just before us.

Git writes every move of HEAD into a log of its own, so what was left is known for certain once it has been left. Where
that is no file of its own, as with a reftable, git is asked for its end.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.home.files import open_regular
from orange_tui.outside.git_guard.brought import find_directories
from orange_tui.outside.git_saved import save_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.outside.git import Repository
    from orange_tui.store.open_task import OpenTask

_LEFT = re.compile(rb"^([0-9a-f]{40,64}) [0-9a-f]{40,64} ", re.MULTILINE)
_MAX_BYTES = 1_000_000  # of a log that has grown meanwhile, at its end: that is where we move HEAD
_MOST_WALKED = "--max-count=4"  # where it is no file: we move HEAD twice at most
_MOST_LOOKED_AT = 100  # of all that it names: each takes a few gits, and the project waits
_MOST_NAMED = 10
_FEW = 4  # each is looked at anyway


@contextmanager
def keeping_left_commits(worktree: Repository, opened: OpenTask) -> Iterator[None]:
    """Whatever moves HEAD within: commits that it leaves and that are on no branch are saved, also where it fails."""
    path = _head_log(worktree)
    start, head = _status(path), worktree.head()
    try:
        yield
    finally:
        left = _left_since(path, start)
        if left is None:
            left = worktree.ask("rev-list", "--walk-reflogs", _MOST_WALKED, "HEAD", "--").output.split()
        last = [*dict.fromkeys(reversed(left))][:_MOST_LOOKED_AT]
        named = [*dict.fromkeys([*last, *([head] if head is not None else ())])]
        _save_each(worktree, _commits_among(worktree, named), opened)


def _commits_among(worktree: Repository, names: list[str]) -> list[str]:
    """Those of the names that are commits, asked at once: an agent can write any number of them into the log."""
    if len(names) <= _FEW:
        return names
    told = worktree.ask("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin="\n".join(names) + "\n")
    found = {name for name, _, kind in (line.partition(" ") for line in told.output.splitlines()) if kind == "commit"}
    return [name for name in names if name in found] if told.code == 0 else names


def _save_each(worktree: Repository, commits: list[str], opened: OpenTask) -> None:
    """Save each of them, whatever becomes of the others; what cannot be saved the second time either is named."""
    again: list[str] = []
    for commit in commits:
        try:
            save_loose_commit(worktree, commit, opened)
        except OrangeError:
            again.append(commit)
    problems: list[str] = []
    for commit in again:
        try:
            save_loose_commit(worktree, commit, opened)
        except OrangeError as problem:
            problems.append(f"commit {commit} may be on no branch and was not saved: {problem}")
    if problems:
        raise Refused("\n".join(problems[:_MOST_NAMED]))


def save_loose_commit(worktree: Repository, revision: str, opened: OpenTask) -> None:
    """Save a commit that is on no branch, and tell so in the task's history."""
    saved = save_commit(worktree, opened.task.id, revision)
    last = opened.journal.last("work.saved")
    if saved is not None and (last is None or last.get("ref") != saved):
        opened.record("work.saved", ref=saved, workspace=opened.task.workspace)


def _head_log(worktree: Repository) -> str | None:
    where = find_directories(worktree.path)
    return os.path.join(where.own, "logs", "HEAD") if where is not None else None


def _status(path: str | None) -> os.stat_result | None:
    try:
        return os.stat(path) if path is not None else None
    except OSError:
        return None


def _left_since(path: str | None, start: os.stat_result | None) -> list[str] | None:
    """What HEAD was before each move since then; None where there is no such file.

    A log that git has shortened meanwhile is another file, and read from its beginning.
    """
    if path is None:
        return None
    try:
        descriptor = open_regular(path, follow=False)
    except OrangeError:
        return None
    try:
        now = os.fstat(descriptor)
        is_grown = start is not None and os.path.samestat(start, now) and now.st_size >= start.st_size
        first = start.st_size if start is not None and is_grown else 0
        grown = os.pread(descriptor, _MAX_BYTES, max(first, now.st_size - _MAX_BYTES))
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return [found.decode() for found in _LEFT.findall(grown) if found.strip(b"0")]
