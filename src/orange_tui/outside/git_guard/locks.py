"""Locks that a killed git has left behind: those of ours are removed, and others are found for whoever asks.

Git locks a file with a file beside it (`index.lock`, `HEAD.lock`, `refs/heads/main.lock`). It outlives the git that is
killed, and every other git then refuses to work. So each git of ours that takes locks leaves a note in the repository
while it runs, and Orange holds the lock of that note. Where nobody holds it, and no git is at work there any more, a
git of ours was killed: the locks that were taken since, and that no process has open, are its. So is a worktree that
was only begun: while git has written nothing into its `commondir`, every git in the repository fails.

Who is at work is read from /proc. Where there is none, nothing is noted and nothing removed.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager, suppress

from orange_tui.domain.records import record
from orange_tui.outside.processes import git_processes, is_open_anywhere

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NOTES = "orange-git"
_LOCKING = frozenset(
    {
        *("add", "am", "bisect", "branch", "checkout", "checkout-index", "cherry-pick", "commit", "config", "fetch"),
        *("merge", "push", "read-tree", "rebase", "restore", "switch", "symbolic-ref", "update-index", "update-ref"),
        "worktree",
    }
)
_WITHOUT_LOCKS = ("objects", "modules", "logs", "hooks", "lfs", _NOTES)
_BEGUN = "initializing"  # as git locks a worktree while it adds it
_MARGIN_NS = 1_000_000_000  # by which a file can seem older than the clock says
_LONGEST_NS = 3_600_000_000_000  # that a git of ours can have taken a lock after its note: it is ended long before
_OLD_SECONDS = 60.0  # after which a lock that nobody holds is told of, whoever has left it


@record
class Note:
    """That a git of ours is at work in a repository: the git directory its worktrees share, and the note's file."""

    shared: str
    path: str
    descriptor: int


def begin(path: str, git_directory: str | None, command: str) -> Note | None:
    """Note that git is about to be run, where it is a command that takes locks; clears up after earlier ones first."""
    shared = _shared_directory(path, git_directory) if command in _LOCKING and os.path.isdir("/proc") else None
    if shared is None:
        return None
    settle(shared)
    name = f"{time.time_ns()}-{os.getpid()}-{time.monotonic_ns()}"
    note, unheld = os.path.join(shared, _NOTES, name), os.path.join(shared, _NOTES, f".{name}")
    with suppress(OSError):  # without a note there is nothing to find afterwards, but git can work
        os.makedirs(os.path.dirname(note), exist_ok=True)
        descriptor = os.open(unheld, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.rename(unheld, note)
        return Note(shared, note, descriptor)
    return None


def end(note: Note | None, *, was_killed: bool) -> None:
    """Git has ended; what a killed one has left is removed, now or when no other git is at work there."""
    if note is None:
        return
    if not was_killed:
        with suppress(OSError):
            os.unlink(note.path)
    _give_up(note.descriptor)
    if was_killed:
        settle(note.shared)


def clear(path: str, git_directory: str | None) -> None:
    """Clear up after killed gits of ours, in the repository of a path."""
    shared = _shared_directory(path, git_directory)
    if shared is not None:
        settle(shared)


def settle(shared: str) -> None:
    """Remove the locks that killed gits of ours have left in a repository, and the worktrees they had only begun."""
    notes = _dead_notes(shared)
    if not notes:
        return
    import shutil

    with _alone(os.path.join(shared, _NOTES)) as is_alone:
        notes = _dead_notes(shared) if is_alone else {}
        if not notes:
            return
        # A note may be found days later. What is locked then is not ours, and whose it is cannot always be seen from
        # here: they may be in a container.
        since, until = min(notes.values()) - _MARGIN_NS, max(notes.values()) + _LONGEST_NS
        # These are listed first: whoever has made one of them, and is alive, is found after that.
        locks, begun = _locks(shared), _begun_worktrees(shared, since)
        if _is_at_work(shared):
            return
        same = [lock for lock, taken in _locks(shared).items() if since <= taken <= until and locks.get(lock) == taken]
        left = [lock for lock in same if not is_open_anywhere(lock)]
        for path in begun:
            shutil.rmtree(path, ignore_errors=True)
        for path in (*left, *notes):
            with suppress(OSError):
                os.unlink(path)


def abandoned_locks(path: str) -> list[str]:
    """The locks in a repository that have been there for a while and belong to nobody who is alive."""
    shared = _shared_directory(path, None)
    if shared is None or not os.path.isdir("/proc"):
        return []
    settle(shared)
    until = (time.time() - _OLD_SECONDS) * 1e9
    old = [lock for lock, taken in _locks(shared).items() if taken < until]
    return [] if not old or _is_at_work(shared) else [lock for lock in old if not is_open_anywhere(lock)]


@contextmanager
def _alone(directory: str) -> Iterator[bool]:
    """Two that clear up at once could remove a lock that was taken in between."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
        else:
            yield True
    finally:
        _give_up(descriptor)


def _dead_notes(shared: str) -> dict[str, int]:
    """The notes that nobody holds, with their times."""
    with suppress(OSError):
        directory = os.path.join(shared, _NOTES)
        notes = {os.path.join(directory, name): name.partition("-")[0] for name in os.listdir(directory)}
        return {path: int(began) for path, began in notes.items() if began.isdecimal() and not _is_held(path)}
    return {}


def _is_held(path: str) -> bool:
    """Whether whoever wrote a note is alive."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return True  # it is gone, so its git has ended
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        _give_up(descriptor)
    return False


def _give_up(descriptor: int) -> None:
    """To close it is not enough: a program that another thread is starting just now has it open as well."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    os.close(descriptor)


def _is_at_work(shared: str) -> bool:
    """Whether a git runs in any of the repository's worktrees."""
    places = [shared]
    if os.path.basename(shared) == ".git":
        places.append(os.path.dirname(shared))
    listed = os.path.join(shared, "worktrees")
    with suppress(OSError):
        for name in os.listdir(listed):
            with suppress(OSError, UnicodeDecodeError):
                if pointer := _read(os.path.join(listed, name, "gitdir")):  # empty while it is only begun
                    places.append(os.path.dirname(os.path.join(listed, name, pointer)))
    return bool(git_processes(*places))


def _locks(shared: str) -> dict[str, int]:
    """Every lock there is, with the time it was taken or last written."""
    found = {}
    for directory, names, files in os.walk(shared):
        if directory == shared:
            names[:] = [name for name in names if name not in _WITHOUT_LOCKS]
        for path in (os.path.join(directory, name) for name in files if name.endswith(".lock")):
            with suppress(OSError):
                found[path] = os.lstat(path).st_mtime_ns
    return found


def _begun_worktrees(shared: str, since: int) -> list[str]:
    """What git keeps about worktrees that it had only begun to add: nobody has worked in them."""
    listed = os.path.join(shared, "worktrees")
    found = [os.path.join(listed, name) for name in (os.listdir(listed) if os.path.isdir(listed) else [])]
    return [path for path in found if _is_only_begun(path, since)]


def _is_only_begun(path: str, since: int) -> bool:
    with suppress(OSError, UnicodeDecodeError):
        if os.stat(path).st_mtime_ns < since:
            return False
        has_begun = _read(os.path.join(path, "locked")) == _BEGUN and not os.path.exists(os.path.join(path, "index"))
        return has_begun and not _read(os.path.join(path, "commondir"))
    return False


def _shared_directory(path: str, git_directory: str | None) -> str | None:
    """The git directory that all worktrees share; None where there is none that could be noted in."""
    own = git_directory or os.path.join(path, ".git")
    with suppress(OSError, UnicodeDecodeError):
        if os.path.isfile(own):
            own = os.path.join(path, _read(own).removeprefix("gitdir: "))
        elif not os.path.isdir(own):
            own = path
        link = os.path.join(own, "commondir")
        shared = os.path.join(own, _read(link)) if os.path.isfile(link) else own
        return os.path.realpath(shared) if os.path.isdir(os.path.join(shared, "objects")) else None
    return None


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read().strip()
