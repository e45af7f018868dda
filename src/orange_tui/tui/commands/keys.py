"""Every key: its name, what it does, when it is there, and why not when it is not.

Footer, help and command palette are made from this one table. A key about a task follows the task's workflow:
it is there where the move exists, whatever the states are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding
from textual.keys import format_key

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.workflow import spawns_an_agent, way_back

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.tui.screens.dashboard import Dashboard

    Check = Callable[["Dashboard", "TaskRow"], str | None]

DONE, CANCELLED = "done", "cancelled"


@record
class Command:
    """One key, or none: what is done seldom is in the command palette only.

    `why_not` says why it cannot be used on a task now; None means that it can.
    """

    name: str
    key: str
    title: str
    help: str
    why_not: Check | None = None  # None: it is about no task, and always there
    in_footer: bool = True


def workflow_of(dashboard: Dashboard, row: TaskRow) -> Workflow | None:
    """The workflow of a task, if it could be read: the board did, and no file is touched here."""
    snapshot = dashboard.app.snapshot
    found = snapshot.workflows.get(row.task.workflow) if snapshot is not None and row.task is not None else None
    return None if isinstance(found, str) else found


def has_move(dashboard: Dashboard, row: TaskRow, target: str, *actors: str) -> bool:
    """Whether a person may move a task there from where it is."""
    workflow = workflow_of(dashboard, row)
    if workflow is None or row.task is None:
        return False
    return any(workflow.candidates(row.task.status, target, actor) for actor in actors)  # type: ignore[arg-type]


def why_no_enter(dashboard: Dashboard, row: TaskRow) -> str | None:
    """Enter attaches to a live agent, starts one, or brings a dead one back."""
    return None if enter_does(dashboard, row) else "There is no agent here to start or to look at"


def enter_does(dashboard: Dashboard, row: TaskRow) -> str:
    """`attach`, `spawn` or `respawn`, as fits; empty where none does."""
    workflow = workflow_of(dashboard, row)
    if row.task is None or workflow is None or row.finished:
        return ""
    if row.session == "active":
        return "attach"
    state = workflow.states.get(row.task.status)
    if row.task.workspace is not None and state is not None and state.respawn_prompt is not None:
        return "respawn"
    if row.task.status != workflow.first_state:
        return "spawn" if _could_not_start(row, state) else ""
    return "spawn" if any(spawns_an_agent(move.hooks) for move in workflow.moves(row.task.status, "person")) else ""


def _could_not_start(row: TaskRow, state: State | None) -> bool:
    """Whether a task is where an agent should be, and never got one: no workspace, no session."""
    has_nothing = row.task is not None and row.task.workspace is None and row.task.tmux_session is None
    return has_nothing and state is not None and state.agent not in {None, "none"}


def why_no_answer(_dashboard: Dashboard, row: TaskRow) -> str | None:
    """Only a live agent can be told something."""
    return None if row.session == "active" else "No agent is alive to hear it"


def why_no_merge(dashboard: Dashboard, row: TaskRow) -> str | None:
    """Merging needs a way to done, if only by force."""
    return None if has_move(dashboard, row, DONE, "person", "force") else "From here there is no way to done"


def why_no_cancel(dashboard: Dashboard, row: TaskRow) -> str | None:
    """Cancelling needs a way to cancelled."""
    return None if has_move(dashboard, row, CANCELLED, "person") else "It cannot be cancelled any more"


def why_no_delete(_dashboard: Dashboard, row: TaskRow) -> str | None:
    """Only what is finished can be deleted."""
    return None if row.finished else "Only done and cancelled tasks can be deleted; cancel it first"


def why_no_send_back(dashboard: Dashboard, row: TaskRow) -> str | None:
    """Changes are asked for where the workflow has a way back; of a conflict, a live worker hears anywhere."""
    if can_go_back(dashboard, row) or (row.session == "active" and row.conflicts is not None and row.conflicts.files):
        return None
    return "There is nobody to send it back to from here"


def can_go_back(dashboard: Dashboard, row: TaskRow) -> bool:
    """Whether the workflow has a way back to the worker from where a task is."""
    workflow = workflow_of(dashboard, row)
    return workflow is not None and row.task is not None and way_back(workflow, row.task.status) is not None


def why_no_pull_request(_dashboard: Dashboard, row: TaskRow) -> str | None:
    """One that is there can be opened; to make one, there must be work under way."""
    if row.task is None:
        return "Its TASK.md cannot be read"
    if row.task.pr_url is None and (row.finished or row.task.workspace is None):
        return "There is no pull request, and no work to make one of"
    return None


def why_no_refresh(dashboard: Dashboard, row: TaskRow) -> str | None:
    """Only one that is there can be asked for."""
    if row.task is None or row.task.pr_url is not None:
        return why_no_task(dashboard, row)
    return "It has no pull request" + ("; p makes one" if why_no_pull_request(dashboard, row) is None else "")


def why_no_retry(dashboard: Dashboard, row: TaskRow) -> str | None:
    """Starting over needs a way back to where the workflow begins."""
    from orange_tui.autopilot import attempts

    workflow = workflow_of(dashboard, row)
    if row.task is None or workflow is None:
        return "Its TASK.md cannot be read" if row.task is None else "Its workflow cannot be read"
    return attempts.why_no_retry(workflow, row.task)


def is_under_way(dashboard: Dashboard, row: TaskRow) -> bool:
    """Whether somebody is at work on a task, or should be."""
    workflow = workflow_of(dashboard, row)
    state = workflow.states.get(row.task.status) if workflow is not None and row.task is not None else None
    return row.session == "active" or (state is not None and state.agent not in {None, "none"})


def why_no_task(_dashboard: Dashboard, row: TaskRow) -> str | None:
    """What only needs a readable task."""
    return None if row.task is not None else "Its TASK.md cannot be read"


COMMANDS: tuple[Command, ...] = (
    Command("enter", "enter", "open", "Attach to the agent, start it, or bring it back, as fits", why_no_enter),
    Command("answer", "a", "answer", "Send the agent a message without attaching", why_no_answer),
    Command(
        "send_back", "r", "send back", "Ask for changes: they go to ## Feedback and to the worker", why_no_send_back
    ),
    Command("retry", "u", "retry", "Start it over, or unblock it: back to where its workflow begins", why_no_retry),
    Command("merge", "m", "merge", "Merge the branch and finish the task", why_no_merge),
    Command("cancel", "x", "cancel", "Cancel the task; its work is saved", why_no_cancel),
    Command("delete", "d", "delete", "Delete a finished task", why_no_delete),
    Command("pull_request", "p", "PR", "Open its pull request, or make one", why_no_pull_request),
    Command("refresh", "R", "ask GitHub", "Ask GitHub for its pull request now", why_no_refresh),
    Command(
        "workspace", "w", "workspace", "Session, diff and history on the whole screen", why_no_task, in_footer=False
    ),
    Command("diff", "D", "diff", "What the branch changes: file by file, on the whole screen", why_no_task),
    Command("create", "c", "new task", "Create a task"),
    Command("read", "v", "read", "Read TASK.md on the whole screen", why_no_task, in_footer=False),
    Command("next", "n", "next", "Go to the next task that needs you"),
    Command("filter", "f", "filter", "Show all, active, finished, or what needs you"),
    Command("tree", "t", "tree", "Show parts below the tasks they belong to, or all in one list", in_footer=False),
    Command("search", "slash", "search", "Find tasks by branch, summary, status or id"),
    Command("tab", "tab", "tab", "Next part of the preview: task, session, diff, history", in_footer=False),
    Command("copy", "y", "copy id", "Copy the task's id", why_no_task, in_footer=False),
    Command("map", "W", "workflow", "Show the workflow of the task as a picture", why_no_task, in_footer=False),
    Command("projects", "P", "projects", "Projects: register one, change pool size and workflow", in_footer=False),
    Command("saved", "S", "saved work", "Saved work, also of deleted tasks: put it on a branch", in_footer=False),
    Command("chat", "C", "chat", "Talk to an orchestrator that makes and watches tasks", in_footer=False),
    Command("jobs", "J", "jobs", "Jobs: tasks created by the clock; add, switch off, remove", in_footer=False),
    Command("log", "L", "log", "What Orange has been doing", in_footer=False),
    Command("help", "question_mark", "help", "Every key, and whether it can be used now"),
    Command("theme", "T", "theme", "Other colours", in_footer=False),
    Command("unblock_all", "", "unblock all", "Start every blocked task in sight over", in_footer=False),
    Command("quit", "q", "quit", "Leave; agents keep running", in_footer=False),
)

MOVING_KEYS = (
    *("j", "k", "g", "G", "up", "down", "left", "right", "space", "home", "end", "pageup", "pagedown", "escape"),
    *("shift+tab", "ctrl+u", "ctrl+d", "ctrl+p", "ctrl+c", "ctrl+q"),
)
SHOWN_KEYS = {"enter": "⏎", "slash": "/", "question_mark": "?", "tab": "⇥"}


def key_name(command: Command, other_keys: Mapping[str, str]) -> str:
    """A command's key as people write it, where they have not chosen another."""
    key = other_keys.get(command.name, command.key)
    return SHOWN_KEYS.get(key) or format_key(key)


def keymap(chosen: Mapping[str, str]) -> dict[str, str]:
    """What Textual wants to know of keys a person has chosen.

    Refused: names that are no command, what is no key, and a key that would do two things.
    """
    with_keys = [command for command in COMMANDS if command.key]
    names = {command.name for command in with_keys}
    for name in chosen:
        if name not in names:
            raise Refused(f"keys: there is no command '{name}'; there are {', '.join(sorted(names))}")
    keys = {name: _named(name, key) for name, key in chosen.items()}
    taken: dict[str, str] = dict.fromkeys(MOVING_KEYS, "moving around")
    for command in with_keys:
        key = keys.get(command.name, command.key)
        if key in taken:
            shown = SHOWN_KEYS.get(key) or format_key(key)
            raise Refused(f"keys: '{shown}' is for {taken[key]} already, and cannot be for {command.name}, too")
        taken[key] = command.name
    return keys


def _named(name: str, key: str) -> str:
    """A key as Textual calls it: `?` is question_mark there."""
    if not key or not key.isprintable() or any(letter in key for letter in ", "):
        raise Refused(f"keys: {name} must be one key, such as M, f5 or ctrl+t")
    return next(iter(Binding.make_bindings([Binding(key, "")]))).key
