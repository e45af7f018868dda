"""A person edits TASK.md in their editor, while agents and Orange go on writing it.

What is edited is a copy in the state directory, with what it was made from beside it. So an editor that is open for an
hour overwrites nothing that was written meanwhile: both are put together when it is closed. What can't be taken over
(a broken frontmatter, the same lines changed on both sides) stays in the copy, and so does what was left when Orange
was killed; the next edit goes on from there.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from orange_tui.domain.errors import NotFound, Refused, Unreadable
from orange_tui.domain.task import ENGINE_FIELDS
from orange_tui.domain.text import task_file
from orange_tui.home.files import make_directory, read_bytes, replace_file
from orange_tui.home.locks import locked
from orange_tui.store.task_text import TaskText
from orange_tui.tui.session.merge_text import find_mark, merge_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.text.task_file import TaskFile
    from orange_tui.engine.engine import Engine
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_NOT_A_PERSONS = frozenset({*ENGINE_FIELDS, "updated_at"})
_AGAIN = "Nothing was taken over; e opens your text again."
_BOTH = "Others have changed the same lines meanwhile; e opens both versions, marked."


class HandEdit:
    """One task's TASK.md, as a person edits it. Everything here reads and writes files."""

    def __init__(self, engine: Engine, ref: TaskRef) -> None:
        self._engine, self._ref = engine, ref
        self._text = TaskText(engine.store.directory(ref))
        self._folder = os.path.join(engine.store.state_directory(ref), "edit")
        self.path = os.path.join(self._folder, "TASK.md")
        self._base_path = os.path.join(self._folder, "base")

    @contextmanager
    def editing(self) -> Iterator[str]:
        """Have a copy to edit, an unfinished one where there is one; for as long as an editor is open."""
        with self._alone():
            if not self._is_unfinished():
                self._start_from(self._read(self._text.path))
            yield self.path

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A second editor would begin from another text than the first, and take back what came in between."""
        make_directory(os.path.join(self._engine.store.made_state(self._ref), "edit"))
        with locked(os.path.join(self._folder, "lock"), what="the editor", wait=False) as is_held:
            if not is_held:
                raise Refused(f"TASK.md of {self._ref.id} is open in an editor already, perhaps from another Orange")
            yield

    def _is_unfinished(self) -> bool:
        try:
            return self._read(self.path) != self._read(self._base_path)
        except NotFound:
            return False

    def _start_from(self, base: bytes, text: bytes | None = None) -> None:
        """Never a copy beside what it was not made from: it would seem to take back what was written in between."""
        self._remove(self.path)
        replace_file(self._base_path, base)
        replace_file(self.path, base if text is None else text)

    def finish(self) -> str:
        """Take over what was edited; says what became of it, and refuses what can't be."""
        with self._alone():
            mine, base = self._read(self.path), self._read(self._base_path)
            if mine == base:
                return "Nothing was changed."
            said = self._take_over(mine, base)
            # An editor that does not say when it is closed may save once more: that is made from this.
            replace_file(self._base_path, mine)
            self._remove(self.path)
        return said

    def _take_over(self, mine: bytes, base: bytes) -> str:
        edited = self._decoded(mine)
        try:
            original = task_file.decode(base)
        except Unreadable:
            self._merge_unreadable(mine, base)
            return "TASK.md can be read again."
        return self._merge(edited, original)

    def _decoded(self, data: bytes) -> TaskFile:
        """What was edited, if it is a TASK.md."""
        try:
            edited = task_file.decode(data)
        except Unreadable as problem:
            raise Refused(f"{self.path}:{problem.line or 1}: {problem.reason}. {_AGAIN}") from None
        mark = find_mark(edited.text)
        if mark is not None:
            raise Refused(f"{self.path}:{mark}: both versions still stand there, with marks around them. {_AGAIN}")
        return edited

    def _merge_unreadable(self, mine: bytes, base: bytes) -> None:
        """A file that could not be read is mended by hand: its lines are all there is to put together."""

        def merged(now: bytes) -> bytes:
            found = merge_text(*(each.decode(errors="surrogateescape") for each in (base, mine, now)))
            data = found.text.encode(errors="surrogateescape")
            if found.has_conflict:
                self._start_from(now, data)
                raise Refused(_BOTH)
            self._decoded(data)
            return data

        with self._engine.store.lock(self._ref):
            self._text.rewrite_unreadable(merged)

    def _merge(self, edited: TaskFile, original: TaskFile) -> str:
        was, now = original.task.as_json(), edited.task.as_json()
        # Only fields that Orange does not know can be missing. They are kept without a value: the journal has no word
        # for one that is gone, and to a workflow both are the same.
        deleted = {name: None for name, value in was.items() if value is not None and name not in now}
        changed = deleted | {name: value for name, value in now.items() if value != was.get(name)}
        fields = {name: value for name, value in changed.items() if name not in _NOT_A_PERSONS}
        with self._engine.open(self._ref) as opened:
            if edited.body != original.body:
                self._merge_body(opened, edited, original)
            if fields:
                opened.change("task.updated", fields, fields=fields)
        kept = [name for name in changed if name in ENGINE_FIELDS]
        taken = ["TASK.md was changed"] if fields or edited.body != original.body else []
        empty = [f"{name} has no value any more" for name in deleted]
        stays = [f"{', '.join(kept)} stayed as it was: only Orange changes that"] if kept else []
        return f"{'; '.join([*taken, *empty, *stays]) or 'Nothing was changed'}."

    def _merge_body(self, opened: OpenTask, edited: TaskFile, original: TaskFile) -> None:
        def merged(now: str) -> str:
            found = merge_text(original.body, edited.body, now)
            if found.has_conflict:
                self._start_from(original.with_body(now).encode(), edited.with_body(found.text).encode())
                raise Refused(_BOTH)
            return found.text

        opened.edit_body("task.edited", merged)

    @staticmethod
    def _read(path: str) -> bytes:
        return read_bytes(path, follow=False)  # a link leads to what the agent who put it there may not read

    @staticmethod
    def _remove(path: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(path)
