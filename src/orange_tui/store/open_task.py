"""One task, held under its lock: the only thing that writes its journal and its TASK.md.

The journal comes first, always. An event with the new values is synced to disk before TASK.md is replaced, so
whatever a crash keeps from TASK.md is in the journal. `updated_at` tells which events TASK.md has seen: engine
fields that differ from what the journal said by then were tampered with.
"""

from __future__ import annotations

import os

from orange_tui.domain.engine_values import is_of_its_kind
from orange_tui.domain.errors import NotSaved, Unreadable
from orange_tui.domain.records import replace
from orange_tui.domain.task import ENGINE_FIELDS
from orange_tui.home import clock
from orange_tui.store._engine_history import REFUSED
from orange_tui.store._task_links import restore_outcome_link, restore_task_link
from orange_tui.store._task_swap import conflict_copies
from orange_tui.store.task_text import TaskText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from orange_tui.domain.task import Task
    from orange_tui.domain.text.task_file import TaskFile
    from orange_tui.home.paths import Home
    from orange_tui.store._engine_history import EngineHistory, RefusedLine
    from orange_tui.store.journal import Event, Journal

_MAX_REFUSED, _MAX_REASONS = 1000, 20  # of the lines that are told of in one event


class OpenTask:
    """A task somebody holds the lock of."""

    def __init__(
        self, home: Home, directory: str, state_directory: str, journal: Journal, complete: Callable[[Task], Task]
    ) -> None:
        self.directory = directory  # what its agents may write
        self.state_directory = state_directory  # what only the engine does
        self.journal = journal
        self._home = home
        self._text = TaskText(directory)
        self._complete = complete
        self._file: TaskFile
        self._has_journal = False
        self.task: Task
        self.refused: Sequence[str] = ()  # why lines of the history were not believed, of which the person is told now

    @property
    def body(self) -> str:
        """The Markdown under the frontmatter."""
        return self._file.body

    def recover(self) -> None:
        """Finish interrupted writes, restore tampered fields and replaced links, and report conflict copies."""
        self._text.recover()
        self._accept(self._text.read_with_retry())
        history = self.journal.engine_history()
        event = history.truth()
        self._has_journal = event is not None
        if event is not None:
            self._restore_fields(event, history)
        else:
            self.task = self._complete(history.possible(self._file.task))
        if history.refused:
            self._tell_refused(history.refused)
        self._restore_links()
        self._report_leftovers()

    def _accept(self, file: TaskFile, known: Mapping[str, object] | None = None) -> None:
        """Go on with the file as it is; by the time we read it again, it may be an agent's, with old engine fields."""
        engine = {name: known[name] for name in ENGINE_FIELDS} if known is not None else {}
        self._file = file
        self.task = replace(self._complete(file.task), **engine)

    def _tell_refused(self, lines: Sequence[RefusedLine]) -> None:
        """Tell the person, once, of lines in the history that the engine cannot have written."""
        self.refused = [line.reason for line in lines]
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        reason = f"{lines[0].reason}{more}"
        attention = f"history.jsonl has a line that Orange did not write, so it was not believed: {reason}"
        told = [line.checksum for line in lines][:_MAX_REFUSED]
        self.change("task.tampered", {"attention": attention}, **{REFUSED: told}, reasons=self.refused[:_MAX_REASONS])

    def _restore_fields(self, event: Event, history: EngineHistory) -> None:
        """Bring TASK.md up to the journal: writes that a crash kept from it, and tampered engine fields."""
        truth = replace(self.task, **event["engine"])
        values: dict[str, object] = {name: getattr(truth, name) for name in self._differing(event)}
        earlier = self._differing(history.at(self.task.updated_at)) if values else []
        tampered = [name for name in values if name in earlier]  # an old copy of the file has old values: no forgery
        missed = self._missed_changes()
        if not values and not missed:
            return
        values |= missed
        if tampered:
            found = {name: getattr(self.task, name) for name in tampered}
            self.record("task.tampered", fields=found, restored={name: getattr(truth, name) for name in tampered})
            names = ", ".join(tampered)
            values["attention"] = f"{names} was changed by hand in TASK.md; only the engine may, so it was restored"
        fields = self._fields({**event["engine"], **values}, clock.now())
        self._accept(self._text.rewrite(lambda file: file.with_fields(fields)), fields)

    def _differing(self, event: Event | None) -> list[str]:
        engine = event["engine"] if event is not None else {}
        return [name for name, value in engine.items() if value != getattr(self.task, name)]

    def _missed_changes(self) -> dict[str, object]:
        """Changes in the journal that never got into TASK.md; a field that a person has set since keeps their value."""
        present = self.task.as_json()
        missed: dict[str, object] = {}
        for event in self.journal.changes_after(self.task.updated_at):
            for name, (before, after) in event["changes"].items():
                if _as_json((present | missed).get(name)) == before != after and is_of_its_kind(name, after):
                    missed[name] = after
        return missed

    def _restore_links(self) -> None:
        if self.task.workspace is None:
            return
        worktree = os.path.join(self._home.workspaces, self.task.workspace)
        outcome = os.path.join(self.directory, ".orange-outcome")
        try:
            replaced = restore_task_link(os.path.join(worktree, "TASK.md"), self._text)
        except Unreadable as problem:
            attention = f"TASK.md in {self.task.workspace} replaced its link and cannot be read: {problem}"
            self.set_attention(attention)
            return
        except NotSaved as problem:
            self._accept(self._text.read_with_retry(), self.task.engine_fields())
            self.set_attention(str(problem))
            return
        if replaced is not None:
            self._accept(self._text.read_with_retry(), self.task.engine_fields())
            self.record("task.link_restored", file="TASK.md", **({"replaced": replaced} if replaced else {}))
        if restore_outcome_link(os.path.join(worktree, ".orange-outcome"), outcome):
            self.record("task.link_restored", file=".orange-outcome")

    def _report_leftovers(self) -> None:
        """Ask the person to look at what lies beside TASK.md and is not the engine's to clear away."""
        versions = conflict_copies(self.directory)
        if versions:
            self.set_attention(
                f"{', '.join(versions)} beside TASK.md: written at the same time and not merged;"
                " take from it what is missing, then delete it",
            )
        elif os.path.lexists(os.path.join(self.directory, "history.jsonl")):
            self.set_attention(
                "history.jsonl beside TASK.md was not written by this Orange and is not believed; look at it, then"
                " delete it",
            )

    def set_attention(self, sentence: str) -> None:
        """Ask for a person, with the reason; once, if nothing else has been asked since."""
        if self.task.attention != sentence:
            self.change("task.updated", {"attention": sentence})

    def record(self, event: str, /, **details: object) -> None:
        """Record an event that changes no field."""
        self._begin_journal()
        self.journal.append({"type": event, "timestamp": clock.now(), **details})

    def record_once(self, event: str, **details: object) -> None:
        """The same, unless the last event of this type says just that: a retry after a crash repeats nothing."""
        known = self.journal.last(event)
        if known is None or any(known.get(name) != value for name, value in details.items()):
            self.record(event, **details)

    def change(self, event: str, changes: Mapping[str, object], /, **details: object) -> Event:
        """Record an event and change fields with it. Journal first: what a crash keeps from TASK.md is in the journal.

        The new TASK.md lies beside the old one by then, so that a full disk is noticed before anything is recorded.
        """
        self._begin_journal()
        entry = self._entry(event, changes, details)
        fields = self._fields(changes, entry["timestamp"])
        rewrite = self._text.prepare(lambda file: file.with_fields(fields))
        try:
            self.journal.append(entry)
        except BaseException:
            rewrite.discard()
            raise
        self._accept(rewrite.commit(), fields)
        return entry

    def _entry(self, event: str, changes: Mapping[str, object], details: Mapping[str, object]) -> Event:
        """The journal's line for a change: all engine fields if one changes; other fields with the values they had."""
        entry: Event = {"type": event, "timestamp": clock.now(), **details}
        present = self.task.as_json()
        engine = {name: value for name, value in changes.items() if name in ENGINE_FIELDS}
        others = {name: [present.get(name), value] for name, value in changes.items() if name not in ENGINE_FIELDS}
        if engine:
            entry["engine"] = self.task.engine_fields() | engine
        if others:
            entry["changes"] = others
        return entry

    def _fields(self, changes: Mapping[str, object], updated_at: str) -> dict[str, object]:
        """What TASK.md is to say: the changes, and the engine's own fields, whatever it says of them now."""
        return {**self.task.engine_fields(), **changes, "updated_at": updated_at}

    def edit_body(self, event: str, edit: Callable[[str], str], **details: object) -> None:
        """Change the body, as it is at that moment. The journal holds no copy of the body, so the body comes first."""
        self._begin_journal()
        stamp = clock.now()
        fields = self._fields({}, stamp)

        def apply(file: TaskFile) -> TaskFile:
            changed = file.with_fields(fields)
            return changed.with_body(edit(changed.body))

        self._accept(self._text.rewrite(apply), fields)
        self.record(event, **{"timestamp": stamp, **details})

    def _begin_journal(self) -> None:
        """Adopt a task without history as it stands, at its first change."""
        if not self._has_journal:
            self._has_journal = True
            self.journal.append(
                {"type": "task.adopted", "timestamp": clock.now(), "engine": self.task.engine_fields()},
            )


def _as_json(value: object) -> object:
    """A value as it comes back from JSON."""
    return list(value) if isinstance(value, tuple) else value
