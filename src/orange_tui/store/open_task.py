"""One task, held under its lock: the only thing that writes its journal and its TASK.md.

The journal comes first, always. An event with the new values is synced to disk before TASK.md is replaced, so
whatever a crash keeps from TASK.md is in the journal. `updated_at` tells which events TASK.md has seen: engine
fields that differ from what the journal said by then were changed by somebody whose they are not.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotSaved, Unreadable
from orange_tui.domain.records import replace
from orange_tui.domain.task import ENGINE_FIELDS
from orange_tui.home import clock
from orange_tui.store.journal import Journal
from orange_tui.store.task_links import heal_outcome_link, heal_task_link
from orange_tui.store.task_swap import kept
from orange_tui.store.task_text import TaskText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.text.task_file import TaskFile
    from orange_tui.home.paths import Home
    from orange_tui.store.journal import Event


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

    def _accept(self, file: TaskFile, engine: Mapping[str, object] | None = None) -> None:
        """Go on with the file as it is; by the time we read it again, it may be an agent's, with old engine fields."""
        self._file = file
        self.task = replace(self._complete(file.task), **(engine or {}))

    def _restore(self, event: Event) -> None:
        """Give TASK.md what the journal says and it does not: our own lost writes, and what a hand has changed."""
        truth = replace(self.task, **event["engine"])
        values: dict[str, object] = {name: getattr(truth, name) for name in self._differing(event)}
        earlier = self._differing(self.journal.engine_event(not_after=self.task.updated_at)) if values else []
        tampered = [name for name in values if name in earlier]  # an old copy of the file has old values: no forgery
        missed = self._missed_changes()
        if not values and not missed:
            return
        values |= missed
        if tampered:
            found = {name: getattr(self.task, name) for name in tampered}
            self.record("task.tampered", fields=found, restored={name: getattr(truth, name) for name in tampered})
            names = ", ".join(tampered)
            values["attention"] = f"{names} was changed by hand in TASK.md; only the engine may, so it was put back"
        self._write({**event["engine"], **values}, updated_at=clock.now())

    def _differing(self, event: Event | None) -> list[str]:
        engine = event["engine"] if event is not None else {}
        return [name for name, value in engine.items() if value != getattr(self.task, name)]

    def _missed_changes(self) -> dict[str, object]:
        """Fields that were noted as changed and never got into TASK.md; one that a person has set since is theirs."""
        present = self.task.as_json()
        missed: dict[str, object] = {}
        for event in self.journal.changes_after(self.task.updated_at):
            for name, (before, after) in event["changes"].items():
                if _as_noted((present | missed).get(name)) == before != after:
                    missed[name] = after
        return missed

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
        except NotSaved as problem:
            self._accept(self._text.read_settled(), self.task.engine_fields())
            self._set_attention(str(problem))
            return
        if healed is not None:
            self._accept(self._text.read_settled(), self.task.engine_fields())
            self.record("task.link_restored", file="TASK.md", **({"replaced": healed} if healed else {}))
        if heal_outcome_link(os.path.join(worktree, ".orange-outcome"), outcome):
            self.record("task.link_restored", file=".orange-outcome")

    def _point_at_kept_versions(self) -> None:
        versions = kept(self.directory)
        if versions:
            self._set_attention(
                f"{', '.join(versions)} beside TASK.md: written at the same time and not merged;"
                " take from it what is missing, then delete it",
            )

    def _set_attention(self, sentence: str) -> None:
        if self.task.attention != sentence:
            self.change("task.updated", {"attention": sentence})

    def record(self, event: str, **details: object) -> None:
        """Note something that changes no field."""
        self._begin_journal()
        self.journal.append({"type": event, "timestamp": clock.now(), **details})

    def record_once(self, event: str, **details: object) -> None:
        """The same, unless the last event of this type says just that: a retry after a crash repeats nothing."""
        known = self.journal.last(event)
        if known is None or any(known.get(name) != value for name, value in details.items()):
            self.record(event, **details)

    def change(self, event: str, changes: Mapping[str, object], **details: object) -> Event:
        """Note something and change fields with it: journal first, then TASK.md, which is written aside by then."""
        self._begin_journal()
        stamp = clock.now()
        entry: Event = {"type": event, "timestamp": stamp, **details}
        present = self.task.as_json()
        engine = {name: value for name, value in changes.items() if name in ENGINE_FIELDS}
        others = {name: [present.get(name), value] for name, value in changes.items() if name not in ENGINE_FIELDS}
        if engine:
            entry["engine"] = self.task.engine_fields() | engine
        if others:
            entry["changes"] = others
        self._write(changes, updated_at=stamp, note=lambda: self.journal.append(entry))
        return entry

    def edit_body(self, event: str, edit: Callable[[str], str], **details: object) -> None:
        """Change the body, as it is at that moment. The body comes first: of what is in it, the note is no copy."""
        self._begin_journal()
        self._write({}, updated_at=clock.now(), edit=edit)
        self.record(event, **details)

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
        note: Callable[[], None] | None = None,
    ) -> None:
        fields = {**self.task.engine_fields(), **changes, "updated_at": updated_at}

        def apply(file: TaskFile) -> TaskFile:
            changed = file.with_fields(fields)
            return changed.with_body(edit(changed.body)) if edit else changed

        file = self._text.rewrite(apply, note)
        self._accept(file, {name: fields[name] for name in ENGINE_FIELDS})


def _as_noted(value: object) -> object:
    """A value as it comes back from JSON."""
    return list(value) if isinstance(value, tuple) else value
