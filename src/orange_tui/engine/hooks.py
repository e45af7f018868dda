"""What a hook's action does: finding the code for a name, and one run of it.

A new action is one entry in `domain.actions`, which says where its code is. That is imported when it runs: most
commands need none of it. Installed packages can add their own through the entry point group `orange_tui.hooks`.
"""

from __future__ import annotations

from orange_tui.domain.actions import ACTIONS
from orange_tui.domain.engine_values import why_no_change_by_hook
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Hook
    from orange_tui.engine.engine import Engine
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask

    Run = Callable[["HookRun"], None]

ENTRY_POINT_GROUP = "orange_tui.hooks"


class HookRun:
    """One run of one hook: the task, the hook's parameters, and the fields it wants changed.

    Changes are written by the engine together with the event that the hook is done, in one step: a hook
    that is run again after a crash finds the values it found the first time.
    """

    def __init__(  # noqa: PLR0913 - the last two have a usual value
        self,
        engine: Engine,
        opened: OpenTask,
        hook: Hook,
        token: str,
        by: str = "engine",
        *,
        changes: dict[str, object] | None = None,
    ) -> None:
        self.engine = engine
        self.parts = engine.parts
        self.token = token  # the same for a hook and for its repetition after a crash
        self.by = by  # in whose name: a person's own start is not asked for the budget
        self.opened = opened
        self.action = hook.action
        self.params: Mapping[str, object] = hook.params
        self.changes: dict[str, object] = {} if changes is None else changes

    @property
    def task(self) -> Task:
        """The task as it will be with the changes made so far."""
        known = {name: value for name, value in self.changes.items() if name in FIELDS}
        return replace(self.opened.task, **known)

    def recorded(self, event: str) -> Event | None:
        """What this very hook has recorded in the journal, before it was interrupted and run again."""
        events = self.opened.journal.backwards()
        return next((e for e in events if e["type"] == event and e.get("hook") == self.token), None)

    def text(self, name: str) -> str:
        """A parameter that the loader has checked."""
        return str(self.params[name])

    def change(self, field: str, value: object) -> None:
        """Set a frontmatter field when this hook is done; of the engine's, only as its history may tell it."""
        reason = why_no_change_by_hook(field, getattr(self.opened.task, field, None), value)
        if reason is not None:
            raise Refused(reason)
        self.changes[field] = value


@record
class Action:
    """What a hook does, and what it must be sure to get before the task is moved at all.

    `check` refuses to start a task for whose agent something is missing: it is asked before anything is reserved.
    """

    run: Run
    reserve: Run | None = None
    check: Run | None = None


@record
class Actions:
    """The actions there are: `table` maps a name to an action, or to where one is (`module:name`)."""

    table: Mapping[str, Action | str]

    def find(self, name: str) -> Action:
        """The action of that name."""
        entry = self.table.get(name) or _ENGINES_OWN.get(name)
        if isinstance(entry, Action):
            return entry
        if entry is not None:
            return _imported(entry)
        return _from_entry_points(name)

    def has(self, name: str) -> bool:
        """Whether this Orange can do that."""
        try:
            self.find(name)
        except OrangeError:
            return False
        return True


def increment(run: HookRun) -> None:
    """Count a numeric field up by one."""
    field = run.text("field")
    run.change(field, run.task.number(field) + 1)


def increment_counter(run: HookRun) -> None:
    """`increment` is a parameter of every spawn: the round counts even when the agent does not start."""
    field = run.params.get("increment", "review_round" if run.action == "spawn_reviewer" else None)
    if isinstance(field, str):
        run.change(field, run.task.number(field) + 1)


def checksum(text: str) -> int:
    """A checksum of the body or a part of it, to tell later whether it was written to."""
    from zlib import crc32

    return crc32(text.encode())


def set_field(run: HookRun) -> None:
    """Set a frontmatter field to what the workflow says."""
    run.change(run.text("field"), run.params["value"])


INCREMENT = Action(increment)
SET_FIELD = Action(set_field)

BUILT_IN: Mapping[str, Action | str] = {name: action.implementation for name, action in ACTIONS.items()}
# What goes with no move of a workflow, and so can be named in none: with an undo.
_ENGINES_OWN = {"restore_workspace": "orange_tui.engine.actions.restoring:RESTORE"}


def _imported(where: str) -> Action:
    from importlib import import_module

    module, _, name = where.partition(":")
    found: Action = getattr(import_module(module), name)
    return found


def _from_entry_points(name: str) -> Action:
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINT_GROUP, name=name):
        loaded = entry.load()
        return loaded if isinstance(loaded, Action) else Action(loaded)
    raise Refused(f"This version of Orange cannot do {name} yet")
