"""Undoing a cancel: the task is where it was, its workspace has its uncommitted files again, its agent goes on.

It is no move of the workflow, which has none from a terminal state: the journal tells it as the start of what the
cancel ended (`start: undo`), and `domain.engine_values` believes it only right after that cancel. Killed in the middle,
it is finished like every move.
"""

from __future__ import annotations

from contextlib import contextmanager

from orange_tui.domain.engine_values import UNDO_SECONDS, why_no_undo
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.workflow import UNDO
from orange_tui.engine._move_hooks import undo_hooks
from orange_tui.engine.actions.workspaces import acquire, reserve
from orange_tui.engine.creation import check_branch_is_free
from orange_tui.engine.hooks import Action
from orange_tui.home import clock
from orange_tui.outside.git import Repository
from orange_tui.outside.git_saved import all_saved_work, saved_work
from orange_tui.workspaces.put_back import check_can_come_back, put_back

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.task import Task
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.engine.hooks import HookRun
    from orange_tui.outside.git_saved import Saved
    from orange_tui.store.journal import Event, Journal
    from orange_tui.store.open_task import OpenTask


def undo_cancel(engine: Engine, opened: OpenTask) -> Moved:
    """Have a task back that was just cancelled, or refuse and leave it as it is."""
    task, workflow = opened.task, engine.workflows.load(opened.task.workflow)
    if not workflow.is_cancelled(task.status):
        raise Refused(f"{task.id} is {task.status}: there is no cancel to undo")
    cancel, _ = last_cancel(opened.journal)
    if cancel is None:
        raise Refused(f"{task.id}: {why_no_undo(None, None, None)}. {_what_instead(task)}")
    reason = _too_late(opened.journal) or why_no_undo(cancel, cancel["from"], clock.now())
    if reason is not None:
        raise Refused(f"{task.id}: {reason}. {_what_instead(task)}")
    hooks = undo_hooks(engine, opened, cancel)
    check_branch_is_free(engine, task.project, task.branch, but=task.id)  # before a workspace is bound for it
    if workspace := cancel["engine"]["workspace"]:
        repository = Repository(engine.parts.projects.get(task.project).path)
        check_can_come_back(repository, task.branch, engine.parts.pool.worktree(workspace))
    return engine.start(
        opened,
        cancel["from"],
        hooks,
        by="person",
        how=UNDO,
        changes={"attention": _attention_before(cancel)},
        around=_own_branch(engine, task, cancel),
    )


def _too_late(journal: Journal) -> str | None:
    ended = journal.last("status.changed")
    seconds = clock.seconds_since(str(ended["timestamp"])) if ended is not None else 0.0
    if seconds <= UNDO_SECONDS:
        return None
    minutes = int(seconds // 60)
    return f"it was cancelled {minutes} minute{'s' if minutes != 1 else ''} ago, and that can be undone for one minute"


def _what_instead(task: Task) -> str:
    return f"Its commits are on branch {task.branch}; `orange task restore {task.id}` puts saved work on a branch"


@contextmanager
def _own_branch(engine: Engine, task: Task, cancel: Event) -> Iterator[None]:
    """Nobody gets the task's branch while it comes back: a cancelled one had given it up."""
    with engine.store.project_lock(task.project):
        check_branch_is_free(engine, task.project, task.branch, but=task.id)
        reason = why_no_undo(cancel, cancel["from"], clock.now())  # by now: nobody would believe it later
        if reason is not None:
            raise Refused(f"{task.id}: {reason}. {_what_instead(task)}")
        yield


def _attention_before(cancel: Event) -> str | None:
    """Why a person should have looked when the task was cancelled."""
    changes = cancel.get("changes")
    pair = changes.get("attention") if isinstance(changes, dict) else None
    return pair[0] if isinstance(pair, list) and pair and isinstance(pair[0], str) else None


def last_cancel(journal: Journal) -> tuple[Event | None, str | None]:
    """The start of the move that ended a task, whatever was begun to undo it, and under which ref it saved work."""
    saved, history = None, journal.engine_history()
    for event in journal.backwards():
        if event["type"] == "work.saved":
            saved = saved or event.get("ref")
        if event["type"] != "transition.started" or not history.has_move(event):
            continue
        if event.get("start") is None:
            return event, saved if isinstance(saved, str) else None
        saved = None
    return None, None


def reserve_former(run: HookRun) -> None:
    """Make sure of a workspace; of the one that the task had, where nobody has taken it."""
    cancel, _ = last_cancel(run.opened.journal)
    run.change("workspace", reserve(run, cancel["engine"]["workspace"] if cancel is not None else None))


def restore(run: HookRun) -> None:
    """Bind the workspace and prepare it, and put back what the cancel saved of it; what cannot be is said."""
    cancel, ref = last_cancel(run.opened.journal)
    if cancel is None:
        raise Refused("there was no cancel to undo")
    acquire(run, cancel["engine"]["workspace"])
    name = str(run.task.workspace)
    saved = _find_saved(run, cancel, ref)
    if saved is None:
        return
    try:
        reason = put_back(run.parts.pool.worktree(name), saved)
    except (OrangeError, OSError) as problem:
        reason = str(problem)
    if reason is None:
        run.opened.record_once("work.put_back", ref=saved.name, workspace=name, move=cancel["timestamp"])
        return
    way_out = f"`orange task restore {run.task.id}` puts it on a branch"
    run.change("attention", run.task.attention_and(f"its uncommitted work is saved, not put back: {reason}; {way_out}"))


def _find_saved(run: HookRun, cancel: Event, ref: str | None) -> Saved | None:
    """What the cancel saved; one that was killed may have done so without saying it."""
    repository = Repository(run.parts.projects.get(run.task.project).path)
    known = saved_work(repository, run.task.id)
    if ref is not None:
        return next((each for each in known if each.name == ref), None)
    since = int(clock.in_seconds(cancel["timestamp"]) or 0)
    found = {
        each.number for each in all_saved_work(repository) if each.task == run.task.id and _is_since(each.when, since)
    }
    return next((each for each in reversed(known) if each.number in found), None)


def _is_since(stamp: str, since: int) -> bool:
    seconds = clock.in_seconds(stamp)
    return seconds is not None and seconds >= since


RESTORE = Action(run=restore, reserve=reserve_former)
