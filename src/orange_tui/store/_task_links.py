"""The links in a worktree that lead to the task's own files.

`sed -i` and many editors replace a link by a plain file. Nothing is lost by that: the text is merged
into the task directory, and the link is restored, in a swap that loses nothing written meanwhile.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from orange_tui.domain.errors import NotSaved
from orange_tui.domain.text import task_file
from orange_tui.home import clock
from orange_tui.home.files import exchange, read_bytes, replace_file
from orange_tui.store._task_swap import keep_conflict_copy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.text.task_file import TaskFile
    from orange_tui.store.task_text import TaskText

_ENGINE_WRITES_WITHIN = 2_000_000_000  # nanoseconds after it has taken the time that it writes


def restore_task_link(link: str, text: TaskText) -> list[str] | None:
    """Take over a TASK.md that replaced its link; returns the lines it no longer has, or None if there was none."""
    replaced: list[str] = []
    written_at = _written_at(text.path)
    ours_is_newer = written_at is None or written_at > (_written_at(link) or 0)

    def merge(data: bytes) -> None:
        theirs = task_file.decode(data)

        def edit(current: TaskFile) -> TaskFile:
            their_lines = set(theirs.body.splitlines())
            missing = [line for line in current.body.splitlines() if line not in their_lines]
            if missing and (ours_is_newer or not _was_made_from(current, theirs, written_at)):
                # Written to on both sides: the lines they do not have are not lost, and the person is told.
                keep_conflict_copy(text.directory, current.encode())
            replaced.extend(line for line in missing if line not in replaced)
            return _with_their_edits(current, theirs)

        text.rewrite(edit)

    return replaced if _restore(link, text.path, merge) else None


def restore_outcome_link(link: str, target: str) -> bool:
    """The same for `.orange-outcome`, of which the newest version is the one that counts."""
    return _restore(link, target, lambda data: replace_file(target, data))


def _written_at(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return None


def _was_made_from(current: TaskFile, theirs: TaskFile, written_at: int | None) -> bool:
    """Whether they had read all that is there now: the engine has written nothing since, and nobody else after it."""
    stamp = current.task.updated_at
    return theirs.task.updated_at == stamp and clock.at((written_at or 0) - _ENGINE_WRITES_WITHIN) <= stamp


def _with_their_edits(current: TaskFile, theirs: TaskFile) -> TaskFile:
    """Their body and their fields, under the engine's own values."""
    ours = current.task
    return theirs.with_fields(
        ours.engine_fields() | {"attention": ours.attention, "updated_at": ours.updated_at},
    )


def _restore(link: str, target: str, merge: Callable[[bytes], None]) -> bool:
    restored = False
    while _is_plain_file(link):
        seen = read_bytes(link)
        merge(seen)
        restored = True
        displaced = _swap_link_in(link, target)
        if displaced is not None and displaced != seen:
            merge(displaced)
    return restored


def _is_plain_file(path: str) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(os.lstat(path).st_mode)
    return False


def _swap_link_in(link: str, target: str) -> bytes | None:
    aside = f"{link}.orange-link"
    with suppress(FileNotFoundError):
        os.unlink(aside)
    try:
        os.symlink(target, aside)
        if not exchange(aside, link):
            os.replace(aside, link)
            return None
        displaced = read_bytes(aside) if _is_plain_file(aside) else None
        os.unlink(aside)
    except OSError as problem:
        raise NotSaved(f"The link {link} could not be restored: {problem.strerror}") from None
    return displaced
