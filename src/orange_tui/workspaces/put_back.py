"""Putting saved work back into a workspace: its files as they were, byte by byte, and what was staged.

Only where the branch is as it was: on other commits the files would undo what is there. What is saved stays saved.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import local
from orange_tui.outside.git_saved import STAGED, SUBMODULE, WORK
from orange_tui.outside.git_worktree import find_worktree
from orange_tui.workspaces._checkout import check_not_elsewhere
from orange_tui.workspaces._contents import LINKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from orange_tui.outside.git import Repository
    from orange_tui.outside.git_saved import Saved

_SYMLINK, _EXECUTABLE, _NOTHING = "120000", "100755", "000000"
_AT_ONCE = 200  # files that are read by one git


@record
class _Change:
    """What became of one file: `mode` and `blob` as git has them."""

    path: str
    mode: str
    blob: str


def check_can_come_back(repository: Repository, branch: str, path: str) -> None:
    """Refuse while a worktree has the branch besides the one that it is to be in: its work could not be put back."""
    check_not_elsewhere(branch, repository.refs(local(branch)).get(local(branch)), path)


def put_back(path: str, saved: Saved) -> str | None:
    """Put saved work into a worktree that was just prepared; returns why that cannot be done.

    It can be repeated: a killed one is done again from the start, before anybody works there.
    """
    worktree = find_worktree(path)
    if worktree is None:
        return f"{path} is no worktree"
    git = worktree.git
    if not _subject(git, saved.commit).startswith(WORK):
        return "it is commits that were on no branch"
    if not saved.parents or saved.parents[0] != git.head():
        return "its branch is not where it was"
    changes = [change for change in _changes(git, saved) if change.path not in LINKS and change.mode != SUBMODULE]
    for change in changes:
        if change.mode == _NOTHING:
            _remove(path, change.path)
    there = [change for change in changes if change.mode != _NOTHING]
    for first in range(0, len(there), _AT_ONCE):
        some = there[first : first + _AT_ONCE]
        for change, content in zip(some, _contents(git, some), strict=True):
            _write(path, change, content)
    _stage(git, saved)
    return None


def _subject(git: Repository, commit: str) -> str:
    return git.must("show", "--no-patch", "--format=%s", commit)


def _changes(git: Repository, saved: Saved) -> Iterator[_Change]:
    words = ("diff-tree", "-r", "-z", "--no-renames", saved.parents[0], saved.commit)
    fields = git.must(*words, exact=True).split("\0")
    for about, path in zip(fields[::2], fields[1::2], strict=False):
        _, mode, _, blob, _ = about.split(" ")
        yield _Change(path, mode, blob)


def _contents(git: Repository, changes: Iterable[_Change]) -> Iterator[bytes]:
    """The bytes of these files, as git stored them: no filter is run."""
    names = "".join(f"{change.blob}\n" for change in changes)
    output = git.must("cat-file", "--batch", stdin=names, exact=True).encode(errors="surrogateescape")
    place = 0
    while place < len(output):
        end = output.index(b"\n", place)
        size = int(output[place:end].split()[2])
        yield output[end + 1 : end + 1 + size]
        place = end + size + 2


def _write(root: str, change: _Change, content: bytes) -> None:
    full = _inside(root, change.path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    _remove(root, change.path)
    if change.mode == _SYMLINK:
        os.symlink(os.fsdecode(content), full)
        return
    mode = 0o777 if change.mode == _EXECUTABLE else 0o666
    with open(os.open(full, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode), "wb") as file:
        file.write(content)


def _remove(root: str, path: str) -> None:
    full = _inside(root, path)
    if os.path.lexists(full):
        os.unlink(full)


def _inside(root: str, path: str) -> str:
    """Where a file belongs; refused where a link on the way leads elsewhere."""
    full = os.path.join(os.path.realpath(root), path)
    if os.path.realpath(os.path.dirname(full)) != os.path.dirname(full):
        raise Refused(f"{path} is behind a link")
    return full


def _stage(git: Repository, saved: Saved) -> None:
    """What was staged is staged again; else the index is that of the branch."""
    staged = next((commit for commit in saved.parents[1:] if _subject(git, commit).startswith(STAGED)), None)
    if staged is not None:
        git.must("read-tree", staged)
    git.ask("update-index", "-q", "--refresh")
