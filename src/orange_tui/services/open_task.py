"""One task, held under its lock: the only thing that writes its journal and its TASK.md.

The journal comes first, always. An event with the new values of engine fields is synced to disk before TASK.md
is rewritten, so a crash in between is told from an agent's tampering by `updated_at`: when TASK.md is older
than the event, our own write is missing; when it is not, somebody changed what is not theirs.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import replace
from orange_tui.domain.task import ENGINE_FIELDS
from orange_tui.services import clock
from orange_tui.services.journal import Journal
from orange_tui.services.task_links import heal_outcome_link, heal_task_link
from orange_tui.services.task_text import TaskText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.task_file import TaskFile
    from orange_tui.services.journal import Event
    from orange_tui.services.paths import Home


class OpenTask:
    """A task somebody holds the lock of."""

    def __init__(self, home: Home, directory: str, complete: Callable[[Task], Task]) -> None:
        self.directory = directory
        self.journal = Journal(os.path.join(directory, "history.jsonl"))
        self._home = home
        self._text = TaskText(directory)
        self._complete = complete
        self._file: TaskFile
        self._has_journal = False
        self.task: Task

    @property
    def body(self) -> str:
        """The Markdown under the frontmatter."""
        return self._file.body

    def put_right(self) -> None:
        """Finish interrupted writes, take over replaced links, and restore tampered fields."""
        self._text.settle()
        self._accept(self._text.read_settled())
        event = self.journal.engine_event()
        self._has_journal = event is not None
        if event is not None:
            self._restore(event)
        self._heal_links()
        self._point_at_kept_versions()

    def _accept(self, file: TaskFile) -> None:
        self._file = file
        self.task = self._complete(file.task)

    def _restore(self, event: Event) -> None:
        truth = replace(self.task, **event["engine"])
        changed = [name for name in ENGINE_FIELDS if getattr(truth, name) != getattr(self.task, name)]
        if not changed:
            return
        values: dict[str, object] = {name: getattr(truth, name) for name in changed}
        if self.task.updated_at >= event["timestamp"]:
            found = {name: getattr(self.task, name) for name in changed}
            self.record("task.tampered", fields=found, restored=values)
            names = ", ".join(changed)
            values["attention"] = f"{names} was changed by hand in TASK.md; only the engine may, so it was put back"
        self._write(values, updated_at=max(event["timestamp"], self.task.updated_at))

    def _heal_links(self) -> None:
        if self.task.workspace is None:
            return
        worktree = os.path.join(self._home.workspaces, self.task.workspace)
        outcome = os.path.join(self.directory, ".orange-outcome")
        try:
            healed = heal_task_link(os.path.join(worktree, "TASK.md"), self._text)
        except Unreadable as problem:
            attention = f"TASK.md in {self.task.workspace} replaced its link and cannot be read: {problem}"
            self._set_attention(attention)
            return
        if healed:
            self._accept(self._text.read_settled())
            self.record("task.link_restored", file="TASK.md")
        if heal_outcome_link(os.path.join(worktree, ".orange-outcome"), outcome):
            self.record("task.link_restored", file=".orange-outcome")

    def _point_at_kept_versions(self) -> None:
        kept = self._text.kept()
        if kept:
            self._set_attention(
                f"{', '.join(kept)} beside TASK.md: written at the same time and not merged;"
                " take from it what is missing, then delete it",
            )

    def _set_attention(self, sentence: str) -> None:
        if self.task.attention != sentence:
            self.change("task.updated", {"attention": sentence})

    def record(self, event: str, **details: object) -> None:
        """Note something that changes no field."""
        self._begin_journal()
        self.journal.append({"type": event, "timestamp": clock.now(), **details})

    def change(self, event: str, changes: Mapping[str, object], **details: object) -> None:
        """Note something and change fields with it: journal first, then TASK.md."""
        self._begin_journal()
        stamp = clock.now()
        entry: dict[str, object] = {"type": event, "timestamp": stamp, **details}
        if any(name in ENGINE_FIELDS and getattr(self.task, name) != value for name, value in changes.items()):
            engine = {name: value for name, value in changes.items() if name in ENGINE_FIELDS}
            entry["engine"] = self.task.engine_fields() | engine
        self.journal.append(entry)
        self._write(changes, updated_at=stamp)

    def edit_body(self, event: str, edit: Callable[[str], str], **details: object) -> None:
        """Change the body, as it is at that moment."""
        self.record(event, **details)
        self._write({}, updated_at=clock.now(), edit=edit)

    def _begin_journal(self) -> None:
        """A task without history is taken as it stands, from its first change on."""
        if not self._has_journal:
            self._has_journal = True
            self.journal.append(
                {"type": "task.adopted", "timestamp": clock.now(), "engine": self.task.engine_fields()},
            )

    def _write(
        self,
        changes: Mapping[str, object],
        *,
        updated_at: str,
        edit: Callable[[str], str] | None = None,
    ) -> None:
        engine = self.task.engine_fields()
        fields = {
            **{name: engine[name] for name in ENGINE_FIELDS},
            **changes,
            "updated_at": updated_at,
        }

        def apply(file: TaskFile) -> TaskFile:
            changed = file.with_fields(fields)
            return changed.with_body(edit(changed.body)) if edit else changed

        self._accept(self._text.rewrite(apply))
