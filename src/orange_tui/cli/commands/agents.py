"""The commands about agents: start, restart and retry them, watch them, talk to them, allow what they ask for."""

from __future__ import annotations

from orange_tui.cli.commands.tasks import limit_notes, task_reply
from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import own_task, target_project, target_task
from orange_tui.domain.approvals.question import visible_lines
from orange_tui.domain.errors import OrangeError, Refused, UsageError
from orange_tui.domain.task import printable
from orange_tui.store.store import BrokenTask, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.agents.approvals.approvals import Decision
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.domain.approvals.question import Question
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

    Asked = tuple[TaskRef, Question]

_MAX_LOG_BYTES = 2_600_000


def spawn(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task start`."""
    moved = orange.tasks.spawn(target_task(parsed, orange))
    return task_reply(moved.task, moved, orange, limit_notes(moved.task, orange))


def respawn(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task restart`."""
    resume = True if parsed.flag("resume") else False if parsed.flag("fresh") else None
    if parsed.flag("lost"):
        return _respawn_lost(orange, resume=resume)
    if parsed.text("id") is None:
        raise UsageError("Which task? Give its id, or --lost for every task whose tmux server is gone")
    task = orange.agents.respawn(target_task(parsed, orange), resume=resume)
    return task_reply(task, None, orange, limit_notes(task, orange))


def hand_over(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task hand-over`."""
    harness = parsed.text("harness")
    if harness is None:
        raise UsageError("To which agent? Give --harness, such as --harness codex")
    task = orange.agents.hand_over(target_task(parsed, orange), harness, parsed.text("model"))
    return task_reply(task, None, orange, limit_notes(task, orange))


def _respawn_lost(orange: Orange, *, resume: bool | None) -> Reply:
    results = orange.agents.respawn_lost(resume=resume)
    return _batch_reply(results, "respawned", "restarted", "could not be restarted", nothing="No session was lost")


def _batch_reply(
    results: Sequence[tuple[TaskRef, str | None]], key: str, done_word: str, failed_words: str, *, nothing: str
) -> Reply:
    """The reply about several tasks at once, each done or failed with a problem; one failure makes it a failure."""
    done = [ref.id for ref, problem in results if problem is None]
    failed = {ref.id: problem for ref, problem in results if problem is not None}
    text = f"{', '.join(done)}  {done_word}" if done else "" if failed else nothing
    notes = tuple(f"{task} {failed_words}: {problem}" for task, problem in failed.items())
    return Reply(text, {key: done, "failed": failed}, notes, code=1 if failed else 0)


def retry(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task retry`."""
    from orange_tui.autopilot import attempts

    moved = attempts.retry(orange.engine, target_task(parsed, orange))
    return task_reply(moved.task, moved, orange)


def unblock(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task unblock`."""
    if parsed.flag("all"):
        return _unblock_all(orange, parsed.text("project"))
    if parsed.text("id") is None:
        raise UsageError("Which task? Give its id, or --all for every blocked task")
    from orange_tui.autopilot import attempts

    moved = attempts.unblock(orange.engine, target_task(parsed, orange))
    return task_reply(moved.task, moved, orange)


def _unblock_all(orange: Orange, project: str | None) -> Reply:
    from orange_tui.autopilot import attempts

    results = attempts.unblock_all(orange.engine, project)
    return _batch_reply(results, "unblocked", "unblocked", "is still blocked", nothing="No task is blocked")


def attach(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task attach`: this process becomes tmux."""
    ref = own_task(orange) if parsed.text("id") is None else target_task(parsed, orange)
    if ref is None:
        raise UsageError(_what_can_be_attached(parsed, orange))
    windows = orange.sessions.windows(ref.id, fresh=True)
    if not windows:
        raise Refused(f"{ref.id} has no running session. `orange task logs {ref.id}` shows what it printed")
    orange.approvals.leave_to_dialog(ref)
    return show_session(orange, windows[0].session_id)


def _what_can_be_attached(parsed: Parsed, orange: Orange) -> str:
    """The tasks that have a session, for who has not said which one is meant."""
    from orange_tui.cli.task_table import aligned_columns

    live = {pane.task for pane in orange.sessions.panes()}
    found = [each.task for each in readable(orange.store.read_all(parsed.text("project"))) if each.ref.id in live]
    if not found:
        return "Which task? None has a running session now; `orange task list --all` shows them all"
    rows = [(task.id, printable(f"{task.project}/{task.branch}"), printable(task.summary)) for task in found]
    return "\n  ".join(["Which task? Give the id of one of these:", *aligned_columns(rows)])


def chat(parsed: Parsed, orange: Orange) -> Reply:
    """`orange chat`: the same for the project's orchestrator, which is started if it does not run."""
    return show_session(orange, orange.chats.open(target_project(parsed, orange), parsed.text("harness")))


def show_session(orange: Orange, session_id: str) -> Reply:
    """Replace this process by tmux, showing a session."""
    from orange_tui.outside.programs import replace_process
    from orange_tui.sessions.attaching import attach_command, back_key

    command = attach_command(orange.tmux, session_id, back_key(orange.home))
    replace_process(command.words, environment=command.environment)


def logs(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task logs`: what each window printed, newest window last."""
    from orange_tui.sessions.window_logs import log_files, read_log

    ref = target_task(parsed, orange)
    found = log_files(orange.store.state_directory(ref))
    wanted = parsed.text("window")
    if wanted is not None:
        found = {name: path for name, path in found.items() if name == wanted}
    if not found:
        raise Refused(f"{ref.id} has no logs{f' of window {wanted}' if wanted else ' yet'}")
    texts = {name: printable_text(read_log(path, max_bytes=_MAX_LOG_BYTES)) for name, path in found.items()}
    return Reply("\n".join(f"── {name} ──\n{text}" for name, text in texts.items()), texts)


def run(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task run`."""
    ref = target_task(parsed, orange)
    if parsed.flag("stop"):
        ended = orange.runs.stop(ref)
        return Reply(f"{ref.id}  {'ended' if ended else 'was not running'}", orange.runs.state(ref).as_json())
    state = orange.runs.start(ref)
    where = f" at {state.address}" if state.address else ""
    return Reply(printable_text(f"{ref.id}  runs `{state.command}`{where}"), state.as_json())


def answer(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task answer`."""
    ref = target_task(parsed, orange)
    delivered = orange.agents.answer(ref, parsed.required("text"))
    text = f"{ref.id}  delivered" if delivered else f"{ref.id}  will be delivered when the agent can take it"
    return Reply(text, {"id": ref.id, "project": ref.project, "delivered": delivered})


def approve(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task approve`."""
    from orange_tui.outside.processes import is_inside

    if is_inside(pane.pid for pane in orange.sessions.panes()):
        raise Refused("`orange task approve` is for a person, and this runs in the window of an agent")
    ref = target_task(parsed, orange) if parsed.text("id") is not None else None
    asked = orange.approvals.of_tasks([ref]) if ref else orange.approvals.everywhere(parsed.text("project"))
    if parsed.flag("list"):
        text = "\n\n".join(_question_text(*each) for each in asked) or "No agent asks for permission"
        return Reply(text, [_question_json(*each) for each in asked])
    chosen = _chosen(parsed, ref, asked, orange)
    if parsed.flag("equal"):
        others = orange.approvals.everywhere(chosen[0].project)
        return _answer_all([each for each in others if each[1].subject == chosen[1].subject], parsed, orange)
    return _answer_all([chosen], parsed, orange)


def _chosen(parsed: Parsed, ref: TaskRef | None, asked: Sequence[Asked], orange: Orange) -> Asked:
    """The question that is meant: the only one, or the one that was named."""
    wanted = parsed.text("question")
    found = [each for each in asked if wanted is None or each[1].id == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        which = "\n".join(f"  {ref.id}  --question {question.id}  {question.line()}" for ref, question in found)
        raise Refused(f"{len(found)} questions are open, and none was answered; name one of them:\n{which}")
    if wanted is not None:
        raise Refused(f"There is no open question {wanted}: it was answered elsewhere, or the agent went on")
    raise Refused(_why_nothing(ref, orange))


def _why_nothing(ref: TaskRef | None, orange: Orange) -> str:
    from orange_tui.cli.task_json import agent_status

    if ref is None:
        return "No agent asks for permission through Orange; `orange task list` shows who asks on its own screen"
    found = orange.store.read(ref)
    status = None if isinstance(found, BrokenTask) else agent_status(found.task, orange)
    if status is not None and status.state == "permission":
        return f"{ref.id} asks on its own screen only: answer it there, with `orange task attach {ref.id}`"
    return f"{ref.id} asks for nothing now"


def _answer_all(asked: Sequence[Asked], parsed: Parsed, orange: Orange) -> Reply:
    decision = _decision(parsed)
    done, failed = [], {}
    for ref, question in asked:
        try:
            orange.approvals.answer(ref, question, decision)
            done.append((ref, question))
        except OrangeError as problem:
            failed[ref.id] = str(problem)
    if not done and len(failed) == 1:
        raise Refused(*failed.values())
    texts = [f"{decision.kind}: {_question_text(*each)}" for each in done]
    data = [{**_question_json(*each), "decision": decision.kind} for each in done]
    notes = tuple(f"{task}: {problem}" for task, problem in failed.items())
    return Reply("\n\n".join(texts), {"answered": data, "failed": failed}, notes, code=1 if failed else 0)


def _decision(parsed: Parsed) -> Decision:
    from orange_tui.agents.approvals.approvals import ALLOWED, DENIED, FOR_THIS_TASK, Decision

    words = parsed.text("deny")
    if words is not None:
        return Decision(DENIED, words.strip()).checked()
    return Decision(FOR_THIS_TASK if parsed.flag("always") else ALLOWED)


def _question_text(ref: TaskRef, question: Question) -> str:
    reason = f"\n(The agent's own words: {visible_lines(question.reason)})" if question.reason else ""
    head = f"{ref.id}  {question.agent} in {question.window} asks for {visible_lines(question.tool)}"
    # Indented, so that nothing in it can be taken for a line of ours.
    lines = [f"    {line}" for line in f"{question.full_text()}{reason}".split("\n")]
    return "\n".join([f"{head}, --question {question.id}", *lines])


def _question_json(ref: TaskRef, question: Question) -> dict[str, object]:
    return {"id": ref.id, "project": ref.project, "question": question.id} | {
        "window": question.window,
        "harness": question.agent,
        "tool": question.tool,
        "input": question.values,
        "asked_at": question.asked_at,
    }
