"""Moves a home of an earlier version over, once: what is the engine's alone goes from tasks/ to state/.

Until version 0.8 a task's history, locks and logs lay beside its TASK.md, where its agents could write them. Whichever
command comes first moves them, the others wait for it, and nobody looks at a task before all are moved. The locks of
projects come first, so that the earlier version creates no task meanwhile. For each task:

1. The old lock is taken: no command of the earlier version is at work on the task. A link takes the lock's place. The
   earlier version opens no link, so an app of it that is still open is refused from here on: it can write no line that
   would be lost.
2. The history is copied, synced and put in place in one step. A copy, because an agent may have the old file open.
3. `logs/` is moved as a whole: whoever is running writes to it by the directory it is in, or has its files open. What a
   running agent's status line is told goes to a path that is not there any more, until the agent is started again.
4. What was copied is removed.

Killed anywhere, the next command does what is left. When all is done `state/.layout` says so: from then on a history
beside a TASK.md is not the engine's, and is never believed.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import ExitStack, contextmanager, suppress

from orange_tui.domain.errors import NotFound, Unreadable
from orange_tui.home.files import make_directory, not_saved, open_regular, replace_file, sync_directory, write_all
from orange_tui.home.locks import locked
from orange_tui.home.paths import STATUS_FOLDER
from orange_tui.store._task_directories import LOCK, subdirectories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from orange_tui.store.store import Store, TaskRef

_LAYOUT = b"2\n"
_REFUSAL = "moved to state/ by a newer Orange; quit the old one and start it again"
_LOCK_WAIT_SECONDS = 60.0  # for a command of the earlier version; it may itself be waiting for one of ours
_HISTORY, _RUNTIME = "history.jsonl", "runtime.json"
_CHUNK = 1_000_000
# What agents themselves write, by the end of its name before and after.
_STATUS_ENDINGS = ((".status.json", ".json"), (".usage.jsonl", ".usage.jsonl"))


def _report_to_nobody(_sentence: str) -> None:
    """The default: who has a person to tell passes something else."""


def move_over(store: Store, report: Callable[[str], None] = _report_to_nobody) -> None:
    """Move every task of a home that has not been moved yet; a home without tasks is of this version from now on."""
    home = store.home
    make_directory(home.state)
    with locked(os.path.join(home.state, ".layout.lock"), what="this home, whose files are being moved"):
        if os.path.exists(home.layout_file):
            return
        count = len(store.refs())
        if count:
            tasks = "one task" if count == 1 else f"{count:,} tasks"
            report(f"moving what an earlier version wrote of {tasks} to {home.state} …")
        for project in subdirectories(home.tasks):
            _move_project(store, project)
        os.sync()
        replace_file(home.layout_file, _LAYOUT)
        if count and _is_held(os.path.join(home.root, ".supervisor.lock")):
            report(
                "an app of the earlier version is still open, and is refused from now on: quit it, and start it again"
            )


def _is_held(lock: str) -> bool:
    if not os.path.exists(lock):
        return False
    with locked(lock, what="the supervisor", wait=False) as was_free:
        return not was_free


def _move_project(store: Store, project: str) -> None:
    with _earlier_version_shut_out(os.path.join(store.home.tasks, project), f"project {project}"):
        for ref in store.refs(project):
            try:
                _move_task(store, ref)
            except NotFound:
                if store.has(ref):  # else an app of the earlier version has just deleted it
                    raise


def _move_task(store: Store, ref: TaskRef) -> None:
    old, new = store.directory(ref), store.state_directory(ref)
    with _earlier_version_shut_out(old, f"task {ref.id}"):
        make_directory(new)
        with locked(os.path.join(new, LOCK), what=f"task {ref.id}"):
            for name in (_HISTORY, _RUNTIME):
                _copy(os.path.join(old, name), os.path.join(new, name))
            if _is_folder(os.path.join(old, "logs")):
                _move_status(old)
                _move_logs(os.path.join(old, "logs"), os.path.join(new, "logs"))
            sync_directory(new)
            for name in (_HISTORY, _RUNTIME):
                _remove_copied(os.path.join(old, name), os.path.join(new, name))
            _remove_file(os.path.join(old, ".runtime.lock"))


@contextmanager
def _earlier_version_shut_out(directory: str, what: str) -> Iterator[None]:
    """Wait until no command of the earlier version has a task or project, and let none have it any more."""
    path = os.path.join(directory, LOCK)
    with ExitStack() as held:
        try:
            held.enter_context(locked(path, what=f"{what} of an earlier version", timeout=_LOCK_WAIT_SECONDS))
        except Unreadable:  # the link is there, or an agent has put something there, which is as good
            if _is_regular(path):
                raise
        else:
            _refuse_at(path)
        yield


def _refuse_at(path: str) -> None:
    aside = f"{path}.moved"
    try:
        _remove_file(aside)
        os.symlink(_REFUSAL, aside)
        os.rename(aside, path)
    except OSError as problem:
        raise not_saved(path, problem) from None


def _copy(source: str, target: str) -> None:
    """Copy a file of the engine's; what an agent has put in its place stays there, and who opens the task is told."""
    if os.path.lexists(target) or not _is_regular(source):
        return
    aside = f"{target}.moving"
    _remove_file(aside)
    try:
        _write_copy(source, aside)
        os.rename(aside, target)
        sync_directory(os.path.dirname(target))
    except OSError as problem:
        _remove_file(aside)
        raise not_saved(target, problem) from None


def _write_copy(source: str, target: str) -> None:
    reading = open_regular(source, follow=False)
    try:
        writing = open_regular(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, follow=False)
        try:
            while piece := os.read(reading, _CHUNK):
                write_all(writing, piece)
            os.fsync(writing)
        finally:
            os.close(writing)
    finally:
        os.close(reading)


def _remove_copied(source: str, target: str) -> None:
    """Remove what was copied; where the two differ, somebody else wrote one of them, and both stay."""
    import filecmp

    if _is_regular(source) and _is_regular(target) and filecmp.cmp(source, target, shallow=False):
        _remove_file(source)


def _move_status(directory: str) -> None:
    """What agents wrote of themselves stays theirs to write; where it cannot, nothing is lost that counts."""
    logs, folder = os.path.join(directory, "logs"), os.path.join(directory, STATUS_FOLDER)
    for name in os.listdir(logs):
        for before, after in _STATUS_ENDINGS:
            if name.endswith(before) and _is_regular(os.path.join(logs, name)):
                make_directory(folder)
                with suppress(OSError):  # an agent has put something there
                    if _is_folder(folder):
                        os.rename(os.path.join(logs, name), os.path.join(folder, name.removesuffix(before) + after))


def _move_logs(source: str, target: str) -> None:
    if os.path.lexists(target):
        return
    try:
        os.rename(source, target)
        if not _is_folder(target):  # an agent was quick: what it put there is not for the engine to follow
            os.rename(target, source)
    except OSError as problem:
        if problem.errno != errno.EXDEV:  # to another disk: the old logs stay where they are, new ones begin
            raise not_saved(target, problem) from None


def _remove_file(path: str) -> None:
    with suppress(FileNotFoundError, IsADirectoryError):
        os.unlink(path)


def _is_regular(path: str) -> bool:
    return _has_mode(path, stat.S_ISREG)


def _is_folder(path: str) -> bool:
    return _has_mode(path, stat.S_ISDIR)


def _has_mode(path: str, test: Callable[[int], bool]) -> bool:
    """What a path is itself, and not what a link of that name leads to."""
    try:
        return test(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
