"""What a hook's action does: a name, and the function that does it.

A new action is one entry here (and one in `domain.actions`, so that files may name it). Functions are named by
where they are, and imported when they run: most commands need none of them. Installed packages can add
their own through the entry point group `orange_tui.hooks`.
"""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import FIELDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Hook
    from orange_tui.engine.engine import Engine
    from orange_tui.store.open_task import OpenTask

    Run = Callable[["HookRun"], None]

ENTRY_POINT_GROUP = "orange_tui.hooks"


class HookRun:
    """One run of one hook: the task, the hook's parameters, and the fields it wants changed.

    Changes are written by the engine together with the note that the hook is done, in one step: a hook
    that is run again after a crash finds the values it found the first time.
    """

    def __init__(self, engine: Engine, opened: OpenTask, hook: Hook, token: str) -> None:
        self.engine = engine
        self.services = engine.services
        self.token = token  # the same for a hook and for its repetition after a crash
        self.opened = opened
        self.action = hook.action
        self.params: Mapping[str, object] = hook.params
        self.changes: dict[str, object] = {}

    @property
    def task(self) -> Task:
        """The task as it will be with the changes made so far."""
        known = {name: value for name, value in self.changes.items() if name in FIELDS}
        return replace(self.opened.task, **known)

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
    "acquire_workspace": "orange_tui.engine.actions.workspaces:ACQUIRE",
    "release_workspace": "orange_tui.engine.actions.workspaces:RELEASE",
    "spawn_agent": "orange_tui.engine.actions.agents:SPAWN_AGENT",
    "spawn_reviewer": "orange_tui.engine.actions.agents:SPAWN_REVIEWER",
    "route": "orange_tui.autopilot.route_hook:ROUTE",
    "kill_session": "orange_tui.engine.actions.agents:KILL_SESSION",
    "kill_reviewer": "orange_tui.engine.actions.agents:KILL_REVIEWER",
    "notify_worker": "orange_tui.engine.actions.agents:NOTIFY_WORKER",
    "spawn_next": "orange_tui.engine.actions.others:SPAWN_NEXT",
    "push_branch": "orange_tui.delivery.hooks:PUSH_BRANCH",
    "create_pr": "orange_tui.delivery.hooks:CREATE_PR",
    "delete_remote_branch": "orange_tui.delivery.hooks:DELETE_REMOTE_BRANCH",
    "run_command": "orange_tui.engine.actions.others:RUN_COMMAND",
    "notify": "orange_tui.engine.actions.others:NOTIFY",
    "take_report": "orange_tui.autopilot.report_hooks:TAKE_REPORT",
    "commit_work": "orange_tui.autopilot.report_hooks:COMMIT_WORK",
    "delegate": "orange_tui.autopilot.report_hooks:DELEGATE",
    "register_branch": "orange_tui.issues.hooks:REGISTER_BRANCH",
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
