"""The links in a worktree that lead to the task's own files.

`sed -i` and many editors replace a link by a plain file. Nothing is lost by that: the text is merged
into the task directory, and the link is restored, in a swap that loses nothing written meanwhile.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from orange_tui.domain.errors import NotSaved, Unreadable
from orange_tui.domain.text import task_file
from orange_tui.home import clock
from orange_tui.home.files import exchange, read_bytes, replace_file
from orange_tui.store._task_swap import keep_conflict_copy, keep_replaced

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

    def let_go(displaced: str, seen: bytes) -> None:
        """Whoever has it open may yet write to it: it is kept like any other version that was swapped out."""
        keep_replaced(displaced, text.directory, seen)
        text.recover()

    _clear_leftover(_aside(link), text)
    return replaced if _restore(link, text.path, merge, let_go) else None


def restore_outcome_link(link: str, target: str) -> bool:
    """The same for `.orange-outcome`, of which the newest version is the one that counts."""

    def merge(data: bytes) -> None:
        replace_file(target, data)

    def let_go(displaced: str, seen: bytes) -> None:
        if (data := read_bytes(displaced, follow=False)) != seen:
            merge(data)
        os.unlink(displaced)

    return _restore(link, target, merge, let_go)


def _clear_leftover(path: str, text: TaskText) -> None:
    """Clear away what a command had swapped out when it was killed; lines that were not merged are kept."""
    if not _is_plain_file(path):
        return
    data = read_bytes(path, follow=False)
    try:
        known = set(text.read().body.splitlines())
        is_merged = known.issuperset(task_file.decode(data).body.splitlines())
    except Unreadable:
        is_merged = False
    if not is_merged:
        keep_conflict_copy(text.directory, data)
    os.unlink(path)


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


def _restore(link: str, target: str, merge: Callable[[bytes], None], let_go: Callable[[str, bytes], None]) -> bool:
    restored = False
    while _is_plain_file(link):
        seen = read_bytes(link, follow=False)
        merge(seen)
        restored = True
        try:
            displaced = _swap_link_in(link, target)
            if displaced is not None:
                let_go(displaced, seen)
        except OSError as problem:
            raise NotSaved(f"The link {link} could not be restored: {problem.strerror}") from None
    return restored


def _aside(link: str) -> str:
    return f"{link}.orange-link"


def _is_plain_file(path: str) -> bool:
    with suppress(OSError):
        return stat.S_ISREG(os.lstat(path).st_mode)
    return False


def _swap_link_in(link: str, target: str) -> str | None:
    """Put the link in the file's place; returns where the file is now."""
    aside = _aside(link)
    with suppress(FileNotFoundError):
        os.unlink(aside)
    os.symlink(target, aside)
    if not exchange(aside, link):
        os.replace(aside, link)
        return None
    if _is_plain_file(aside):
        return aside
    os.unlink(aside)
    return None
