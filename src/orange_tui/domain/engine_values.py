"""What a line of a task's history may say about the engine's own fields.

The history lies where the task's agents can write, so a line that the engine cannot have written is not believed: one
about another task, with a value of the wrong kind, a field that no such event changes, or a move that the workflow does
not have. What nobody can tell apart is a line that the engine could have written just so: a forged move is believed
where the workflow has it for whoever is said to have made it, and so is a whole history that was made up.

No move leaves a terminal state. That a cancel was undone is believed where it undoes just the last move, a person's
cancel, soon after it: so it leads nowhere but to where the task was, and who forges one has gained no state by it.
"""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import ENGINE_FIELDS, FIELDS, check_branch, check_web_address, is_dollars, printable
from orange_tui.domain.workflow import UNDO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.domain.task import Task

    Values = Mapping[str, object]

_ENGINE_FIELDS = frozenset(ENGINE_FIELDS)
_ADDED = ("budget",)  # since the first version: what an event of an earlier one does not tell stays as it was
_FIXED = ("workflow", "created_at", "parent")  # once the task is there
_BY_A_HOOK = frozenset({"workspace", "tmux_session", "review_round", "crash_count", "pr_url"})
_CHANGED_BY: Mapping[str, frozenset[str]] = {
    "transition.started": frozenset({"status", "branch", "budget"}),
    "hook.done": _BY_A_HOOK,
    "hook.failed": _BY_A_HOOK,
    "status.changed": frozenset({"crash_count"}),
    "agent.crashed": frozenset({"crash_count"}),
    "agent.respawned": frozenset({"workspace", "tmux_session"}),
    "task.updated": frozenset({"branch", "tmux_session", "budget", "pr_url"}),  # the last one by version 0.2
    "pr.created": frozenset({"pr_url"}),
    "pr.adopted": frozenset({"pr_url"}),
    "pr.moved": frozenset({"pr_url"}),
}
_MAX_TEXT_CHARACTERS = 10_000
UNDO_SECONDS = 60  # after its end, that a cancel can be undone
_MOST_UNDO_SECONDS = UNDO_SECONDS + 600  # after its beginning: much work takes long to be saved
_CLOCK_SLACK_SECONDS = 5.0


@record
class RecordedMove:
    """A move as the history tells it."""

    workflow: str
    source: str
    target: str
    actor: str
    start: str | None  # how an agent is started where the move is none: in an initial state, again, or anew
    stamp: str


@record
class Judge:
    """What is known of a task besides its history: which one it is, what moves there are, and what workspace it has.

    `confirm_workspace` gives the one it has by the pool, for the one that its history tells.
    """

    id: str
    project: str
    may_move: Callable[[RecordedMove], bool]
    confirm_workspace: Callable[[str, str], str | None]


def why_impossible(
    event: Values, known: Values | None, judge: Judge, stamp: str, last_move: Values | None = None
) -> str | None:
    """Why the engine cannot have written the `engine` values of an event, after those it had before; None if it can.

    `stamp` is the latest time that the history has told so far, `last_move` the start of the last move in it.
    """
    values = event.get("engine")
    if not isinstance(values, dict) or values.keys() != _ENGINE_FIELDS or not isinstance(event.get("timestamp"), str):
        return "it has not the values that the engine writes"
    changed = [name for name in ENGINE_FIELDS if known is None or not _is_same(name, values[name], known[name])]
    for name in changed:  # the others were judged before
        if not is_of_its_kind(name, values[name]):
            return f"{name} cannot be {printable(repr(values[name])[:100])}"
    if values["id"] != judge.id or values["project"] != judge.project:
        return f"it is about another task, {printable(values['project'])}/{printable(values['id'])}"
    if known is not None:
        reason = _why_not_changed(event, known, values, changed) or _why_not_moved(event, known, values, judge, stamp)
        if reason is None and event.get("start") == UNDO:
            reason = why_no_undo(last_move, event.get("to"), event.get("timestamp"))
        if reason is not None:
            return reason
    return next((reason for name in changed if (reason := _why_no_value(name, values[name], judge.project))), None)


def with_added_fields(values: object, known: Values | None) -> object:
    """The engine's values of an event, with the fields that an earlier version did not write."""
    if not isinstance(values, dict) or all(name in values for name in _ADDED):
        return values
    return {name: known[name] if known is not None else FIELDS[name].default for name in _ADDED} | values


def without_impossible_values(task: Task, project: str) -> Task:
    """A task of a project as its TASK.md has it, without what no engine would have written there."""
    given = [(name, getattr(task, name)) for name in ENGINE_FIELDS]
    wrong = [n for n, value in given if not is_of_its_kind(n, value) or _why_no_value(n, value, project)]
    return replace(task, **{name: FIELDS[name].default for name in wrong}) if wrong else task


def why_no_change_by_hook(name: str, before: object, after: object) -> str | None:
    """Why a hook cannot give an engine field this value: it would not be believed later; None where it can."""
    if name not in _ENGINE_FIELDS or before == after:
        return None
    if name not in _BY_A_HOOK:
        return f"a hook does not change {name}"
    if not is_of_its_kind(name, after) or not _is_next_number(name, before, after):
        return f"{name} does not go from {before!r} to {printable(repr(after)[:100])}"
    return None


def is_of_its_kind(name: str, value: object) -> bool:
    """Whether a value is what a field holds, as it comes from JSON; of fields that are not ours, any may be."""
    field = FIELDS.get(name)
    if field is None or (value is None and field.default is None):
        return True
    if field.kind == "texts":
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    if field.kind == "number":
        return type(value) is int and value >= 0
    if field.kind == "dollars":
        return is_dollars(value)
    return isinstance(value, str)


def _is_same(name: str, value: object, known: object) -> bool:
    if value is known or value != known:
        return value is known
    is_amount = FIELDS[name].kind == "dollars" and is_dollars(value)  # $5.0 is $5; for JSON, true is not 1
    return is_amount or type(value) is type(known)


def _why_not_changed(event: Values, known: Values, values: Values, changed: list[str]) -> str | None:
    """No event changes more than its kind does; a number grows by one, or is reset."""
    kind = str(event.get("type"))
    for name in changed:
        is_given_up = name == "workspace" and values[name] is None  # whatever was written when that was found out
        if name in _FIXED or (name not in _CHANGED_BY.get(kind, ()) and not is_given_up):
            return f"{printable(kind[:100])} does not change {name}"
        if not _is_next_number(name, known[name], values[name]):
            return f"{name} does not go from {known[name]} to {values[name]}"
    return None


def _is_next_number(name: str, before: object, after: object) -> bool:
    return FIELDS[name].kind != "number" or after in {0, int(str(before)) + 1}


def _why_not_moved(event: Values, known: Values, values: Values, judge: Judge, stamp: str) -> str | None:
    """A status comes from a move of the workflow that begins where the task was."""
    if event.get("type") != "transition.started":
        return None
    source, target, actor, start = (event.get(key) for key in ("from", "to", "by", "start"))
    if source != known["status"] or target != values["status"] or not isinstance(actor, str):
        return f"it was not in {printable(str(source)[:100])} then"
    move = RecordedMove(
        str(values["workflow"]), str(source), str(target), actor, start if type(start) is str else None, stamp
    )
    if judge.may_move(move):
        return None
    return f"there is no such move: {printable(f'{source} → {target}'[:200])}, by {printable(actor[:100])}"


def why_no_undo(last_move: Values | None, target: object, stamp: object) -> str | None:
    """Why what is said to undo a cancel undoes none; None where it does."""
    if last_move is None or last_move.get("by") != "person" or last_move.get("start") is not None:
        return "there was no cancel to undo"
    if last_move.get("from") != target:
        return f"an undo does not lead to {printable(str(target)[:100])}"
    seconds = _seconds_between(last_move.get("timestamp"), stamp)
    return None if -_CLOCK_SLACK_SECONDS <= seconds <= _MOST_UNDO_SECONDS else "that cancel was too long ago to undo"


def _seconds_between(earlier: object, later: object) -> float:
    from datetime import datetime

    try:
        return (datetime.fromisoformat(str(later)) - datetime.fromisoformat(str(earlier))).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return float("inf")


def _why_no_value(name: str, value: object, project: str) -> str | None:
    """What goes into paths, commands and addresses is what the engine itself would have let through."""
    if not isinstance(value, str):
        return None
    if len(value) > _MAX_TEXT_CHARACTERS or not value.isprintable():
        return f"{name} cannot be {printable(value[:100])}"
    if name == "workspace" and not _is_workspace_of(project, value):
        return f"{value} is no workspace of {project}"
    try:
        if name == "pr_url":
            check_web_address(value)
        if name == "branch":
            check_branch(value)
    except Refused as problem:
        return str(problem)
    return None


def _is_workspace_of(project: str, name: str) -> bool:
    number = name.removeprefix(f"{project}--")
    return number != name and number.isascii() and number.isdecimal()
