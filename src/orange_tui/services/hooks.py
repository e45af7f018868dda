"""What a hook's action does: a name, and the function that does it.

A new action is one entry here (and one in `domain.actions`, so that files may name it). Functions are named by
where they are, and imported when they run: most commands need none of them. Installed packages can add
their own through the entry point group `orange_tui.hooks`.
"""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Hook
    from orange_tui.services.open_task import OpenTask

    Run = Callable[["HookRun"], None]

ENTRY_POINT_GROUP = "orange_tui.hooks"


class HookRun:
    """One run of one hook: the task, the hook's parameters, and the fields it wants changed.

    Changes are written by the engine together with the note that the hook is done, in one step: a hook
    that is run again after a crash finds the values it found the first time.
    """

    def __init__(self, opened: OpenTask, hook: Hook) -> None:
        self.opened = opened
        self.action = hook.action
        self.params = hook.params
        self.changes: dict[str, object] = {}

    @property
    def task(self) -> Task:
        """The task as it was before this hook."""
        return self.opened.task

    def text(self, name: str) -> str:
        """A parameter the loader made sure of."""
        return str(self.params[name])

    def change(self, field: str, value: object) -> None:
        """Set a frontmatter field when this hook is done."""
        self.changes[field] = value


@record
class Action:
    """What a hook does, and what it must be sure to get before the task is moved at all."""

    run: Run
    reserve: Run | None = None


@record
class Actions:
    """The actions there are: `table` maps a name to an action, or to where one is (`module:name`)."""

    table: Mapping[str, Action | str]

    def find(self, name: str) -> Action:
        """The action of that name."""
        entry = self.table.get(name)
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


def set_field(run: HookRun) -> None:
    """Set a frontmatter field to what the workflow says."""
    run.change(run.text("field"), run.params["value"])


BUILT_IN: Mapping[str, Action | str] = {
    "increment": Action(increment),
    "set_field": Action(set_field),
}


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
