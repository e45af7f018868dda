"""The `task` commands that create, list, show, change, cancel and delete tasks."""

from __future__ import annotations

import os
import sys

from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import current_directory, listed_project, target_project, target_task
from orange_tui.domain.errors import Refused, Unreadable, UsageError
from orange_tui.domain.records import replace
from orange_tui.options.task_options import (
    TASK_OPTIONS,
    TaskChanges,
    next_start_note,
    read_budget,
    read_options,
    update_task,
)
from orange_tui.store.store import BrokenTask, StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.domain.task import Task
    from orange_tui.engine.creation import Created
    from orange_tui.engine.engine import Moved
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef


def create(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task create`."""
    from orange_tui.domain.task import check_label
    from orange_tui.engine.creation import NewTask

    project = target_project(parsed, orange)
    branch, summary, names_branch = _branch_and_summary(parsed)
    created = orange.tasks.create(
        NewTask(
            project=project.name,
            branch=branch,
            summary=summary,
            names_branch=names_branch,
            context=text_or_stdin(parsed.text("context")),
            status=parsed.text("status"),
            workflow=parsed.text("workflow"),
            harness=parsed.text("harness"),
            review_harness=parsed.text("review-harness"),
            effort=parsed.text("effort"),
            review_effort=parsed.text("review-effort"),
            model=parsed.text("model"),
            budget=read_budget(parsed.text("budget")),
            blocked_by=parsed.texts("blocked-by"),
            parent=parsed.text("parent"),
            labels=tuple(map(check_label, parsed.texts("label"))),
            fields=_worktree_field(parsed, project, orange),
            spawn=not parsed.flag("no-spawn"),
            by="agent" if os.environ.get("ORANGE_TASK") else "person",
        ),
    )
    return created_reply(created, orange, is_to_start=not parsed.flag("no-spawn"))


def _branch_and_summary(parsed: Parsed) -> tuple[str | None, str, bool]:
    """What was given of both; one text that has spaces, as no branch has, is the summary, which names the branch."""
    branch, summary = parsed.text("branch"), parsed.text("summary")
    if branch and summary is None and " " in branch.strip():
        return None, branch, True
    return branch or None, summary or "", False


def created_reply(created: Created, orange: Orange, *, is_to_start: bool = True) -> Reply:
    """A new task, and why its agent does not run yet where one was to be started."""
    from orange_tui.engine.starting import goes_on_by_itself

    task = read_task(created.ref, orange).task
    notes: tuple[str, ...] = (f"{task.id} waits in {task.status}: {created.waits}",) if created.waits else ()
    if goes_on_by_itself(orange.engine, task) and is_to_start:
        notes = (f"{task.id} starts by itself while the app or `orange serve` runs",)
    notes = (*notes, *limit_notes(task, orange), *_hook_failures(created.moved))
    text = printable_text(f"{task.id}  {task.project}/{task.branch}  {task.status}")
    return Reply(text, lambda: _as_json(task, created.moved, orange), notes)


def _worktree_field(parsed: Parsed, project: Project, orange: Orange) -> dict[str, object]:
    """What --no-worktree sets; only a workflow that routes its tasks can do without a worktree."""
    if not parsed.flag("no-worktree"):
        return {}
    from orange_tui.domain.route import WORKTREE_FIELD

    workflow = orange.workflows.load(parsed.text("workflow") or project.workflow)
    if not workflow.has_action("route"):
        raise Refused(f"{workflow.name} always works in a worktree; --no-worktree is for workflows that route")
    return {WORKTREE_FIELD: False}


def text_or_stdin(text: str | None) -> str:
    """The text that was given, or all of standard input if it is a dash."""
    if text != "-":
        return text or ""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise Refused("The text on standard input is not UTF-8") from None


def list_tasks(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task list`."""
    from orange_tui.cli.task_table import task_list

    project = listed_project(parsed, orange)
    found = orange.store.read_all(project.name if project else None)
    found = [orange.tasks.repair(task) if isinstance(task, StoredTask) and task.tampered else task for task in found]
    shown = orange.tasks.in_order([task for task in found if _is_wanted(task, parsed, orange)])
    if parsed.json:
        from orange_tui.cli.task_json import tasks_as_json

        return Reply("", tasks_as_json(shown, orange))
    return task_list(shown, orange)


def _is_wanted(found: StoredTask | BrokenTask, parsed: Parsed, orange: Orange) -> bool:
    from orange_tui.engine.starting import is_ready

    status, ready = parsed.text("status"), parsed.flag("ready")
    if isinstance(found, BrokenTask):
        return status is None and not ready
    return (status is None or found.task.status == status) and (not ready or is_ready(orange.engine, found.task))


def show(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task show`."""
    from orange_tui.cli.task_table import task_details

    found = read_task(target_task(parsed, orange), orange)
    if found.tampered:
        repaired = orange.tasks.repair(found)
        found = repaired if isinstance(repaired, StoredTask) else found
    history = orange.store.journal(found.ref).events()
    if parsed.json:
        allowed = [rule.text for rule in orange.approvals.rules(found.ref)]
        about = {"body": found.body, "history": history, "allowed": allowed}
        return Reply("", _as_json(found.task, None, orange) | about)
    return task_details(found, history, orange)


def context(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task context`: what an agent is told about a task."""
    from orange_tui.prompt_context.rows import ContextReader, as_markdown

    found = read_task(target_task(parsed, orange), orange)
    reader = ContextReader(orange.store, orange.projects, orange.workflows, orange.pool, orange.log)
    sections = reader.read(found.task, found.body)
    return Reply(printable_text(as_markdown(sections)), [section.as_json() for section in sections])


def update(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task update`, the command agents use."""
    options = {each.name: value for each in TASK_OPTIONS if (value := parsed.values[each.name]) is not None}
    if not options and all(parsed.values[name] is None for name in ("status", "summary", "branch")):
        raise UsageError("What should change? Give --status, --summary, --branch, --harness or another of its options")
    wanted = TaskChanges(
        parsed.text("status"), parsed.text("summary"), parsed.text("branch"), parsed.flag("branch"), options
    )
    ref = target_task(parsed, orange)
    directory = current_directory() if wanted.follows_branch else ""
    task, moved = update_task(orange.tasks, ref, wanted, directory=directory, actor="agent")
    note = next_start_note(task, read_options(options))
    return task_reply(task, moved, orange, (note,) if note else ())


def complete(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task complete`, for agents' stop hooks."""
    moved = orange.tasks.complete(target_task(parsed, orange))
    return task_reply(moved.task, moved, orange)


def stuck(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task stuck`, for agents' stop hooks."""
    task, moved = orange.tasks.report_stuck(target_task(parsed, orange), parsed.text("reason"))
    return task_reply(task, moved, orange)


def cancel(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task cancel`."""
    ref = target_task(parsed, orange)
    task = read_task(ref, orange).task
    held = f" Its workspace {task.workspace} is released; uncommitted work is saved first." if task.workspace else ""
    confirm(f"Cancel {ref.id} ({printable_text(task.summary) or task.branch})? This ends its session.{held}", parsed)
    moved = orange.tasks.cancel(ref)
    reply = task_reply(moved.task, moved, orange)
    return replace(reply, notes=(*reply.notes, f"`orange task undo {ref.id}` brings it back, for a minute"))


def undo(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task undo`."""
    moved = orange.tasks.undo_cancel(target_task(parsed, orange))
    return task_reply(moved.task, moved, orange)


def delete(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task delete`."""
    ref = target_task(parsed, orange)
    confirm(f"Delete {ref.id} with its TASK.md, history and logs? Its branch stays, saved work for 30 days.", parsed)
    orange.tasks.delete(ref)
    return Reply(printable_text(f"{ref.id}  deleted"), {"id": ref.id, "project": ref.project, "deleted": True})


def confirm(question: str, parsed: Parsed, flag: str = "yes") -> None:
    """Ask before something that cannot be undone; no is the default answer."""
    if parsed.flag(flag):
        return
    if not (os.isatty(0) and os.isatty(2)):
        raise Refused(f"{question} There is no terminal to ask on; add --{flag}")
    print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        raise Refused("Cancelled; nothing was changed")


def read_task(ref: TaskRef, orange: Orange) -> StoredTask:
    """Read a task, or raise why it cannot be read."""
    found = orange.store.read(ref)
    if isinstance(found, BrokenTask):
        raise Unreadable(found.error)
    return found


def task_reply(task: Task, moved: Moved | None, orange: Orange, notes: tuple[str, ...] = ()) -> Reply:
    """The reply about a task that was moved, or changed without moving."""
    change = f"{moved.source} → {moved.target}" if moved else task.status
    text = printable_text(f"{task.id}  {change}")
    return Reply(text, lambda: _as_json(task, moved, orange), (*notes, *_hook_failures(moved)))


def limit_notes(task: Task, orange: Orange) -> tuple[str, ...]:
    """That an agent was started although its limit is reached, or nearly: a person may."""
    if not os.path.exists(orange.home.limits_file):  # none was ever reached: what reads it need not be imported
        return ()
    from orange_tui.sessions.liveness import last_start

    started = last_start(orange.store.journal(orange.store.ref_of(task))) if task.tmux_session else None
    reason = orange.engine.parts.limits.why_wait(str(started.get("harness"))) if started is not None else None
    return (f"{task.id} was started all the same: {reason}",) if reason is not None else ()


def _hook_failures(moved: Moved | None) -> tuple[str, ...]:
    return tuple(f"The task has moved, but {error}" for error in moved.hook_errors) if moved else ()


def _as_json(task: Task, moved: Moved | None, orange: Orange) -> dict[str, object]:
    from orange_tui.cli.task_json import task_as_json

    hooks = {"hooks_run": moved.hooks_run, "hook_errors": moved.hook_errors} if moved else {}
    return task_as_json(task, orange) | hooks
