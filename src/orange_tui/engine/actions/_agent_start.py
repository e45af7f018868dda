"""Starting an agent in a window of its task's session: its files, its command line, its prompt."""

from __future__ import annotations

import os

from orange_tui.agents import launch, messages, reports
from orange_tui.agents.agent_files import write_agent_files
from orange_tui.agents.agent_sessions import SessionFinder, prompt_mark, task_starts
from orange_tui.domain.errors import CannotTell, NoAgent, OrangeError, Refused
from orange_tui.domain.harnesses.harness import PROMPT, build_command, environment, resume_mode
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.tables import is_sandboxed
from orange_tui.domain.workflow import RESUME, RESUME_IF_POSSIBLE
from orange_tui.engine.actions._agent_prompts import prompt_text
from orange_tui.engine.actions.workspaces import acquire, reserve
from orange_tui.home import clock
from orange_tui.outside.tmux.windows import Window
from orange_tui.sessions.liveness import agents_among, find_window
from orange_tui.sessions.runtime import Runtime
from orange_tui.sessions.starts import StartDetails, record_limit_mark, record_start, record_start_once
from orange_tui.usage.budget import check_start, is_persons
from orange_tui.workspaces.ports import port_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.agents.agent_sessions import AgentStart
    from orange_tui.agents.sandbox.planning import SandboxSpec
    from orange_tui.domain.harnesses.harness import Harness, Mode
    from orange_tui.engine.hooks import HookRun
    from orange_tui.outside.tmux.server import Pane

_REMEMBERED_PROMPT = 300  # enough to tell the agent's own conversation from one it has with itself
_AFTER = (
    "Another agent ({}) has worked on this before you, in this directory. What it left is there, committed or not: look"
    " at it first (git status, git log, what it wrote into TASK.md), and go on from there."
)


@record
class _PreparedWindow:
    """A window about to be opened, and whose it is."""

    window: Window
    details: StartDetails


def start_agent(run: HookRun, window: str, role: str, windows: list[Pane]) -> None:
    """Start the task's or the review's agent beside the task's windows, all that the caller has just asked tmux for.

    One that cannot be started for the first time keeps no workspace.
    """
    if _waits_for_limit(run, window, role):
        return
    if _is_one_shot(run):
        reports.archive_report(run.opened, window)
    try:
        check_start(run.parts.projects, run.opened, run.by)
        prepared = _prepare_window(run, window, role)
        pane = _open_window(run, prepared, windows)
    except CannotTell:
        raise  # it may be at work in there
    except OrangeError:
        _release_new_workspace(run)
        raise
    run.change("tmux_session", pane.session)
    record_start(run.opened, pane, prepared.details)
    messages.queue_prompt(run.opened, window, run.token)


def _waits_for_limit(run: HookRun, window: str, role: str) -> bool:
    """Whether this agent would run into its limit: it is started when that is over. A person may try."""
    limit = None if is_persons(run.by) else run.parts.limits.blocked(_harness_name(run, role))
    if limit is None or limit.is_tried_by(run.task.id, clock.now()):
        return False
    record_limit_mark(run.opened, window, limit)
    return True


def _harness_name(run: HookRun, role: str) -> str:
    """Who is to do it; a task from before any agent was installed takes the first there is by now."""
    task = run.task
    name = task.review_harness or task.harness if role == "review" else task.harness
    if name is not None:
        return name
    found = run.parts.harnesses.first_installed()
    if found is None:
        raise NoAgent("No agent is installed. `orange doctor` says how to get one, H in the app")
    run.change("review_harness" if role == "review" else "harness", found)
    return found


def check_installed(run: HookRun) -> None:
    """Refuse a start for which the agent is not installed, or none is."""
    name = _harness_name(run, "review" if run.params.get("harness") == "review" else "task")
    try:
        run.parts.harnesses.get_installed(name)
    except Refused as problem:
        raise NoAgent(str(problem)) from None


def _release_new_workspace(run: HookRun) -> None:
    """Release the workspace that this very move has acquired."""
    unfinished = run.opened.journal.unfinished()
    workspace = run.task.workspace
    if unfinished is None or workspace is None or unfinished.started["engine"]["workspace"] is not None:
        return
    project = run.parts.projects.get(run.task.project)
    run.parts.pool.release(project, run.task.id, workspace)
    run.change("workspace", None)


def _prepare_window(run: HookRun, window: str, role: str) -> _PreparedWindow:
    """Write all that the window needs when it starts."""
    harness = run.parts.harnesses.get_installed(_harness_name(run, role))
    directory = _working_directory(run)
    values = _placeholder_values(run, directory, window, harness)
    for note in write_agent_files(harness, directory, values) if run.task.workspace else ():
        run.parts.log.write("warning", note, task=run.task.id)
    resumes = _resumes(run, harness, values, window)
    words, prompt = _command_and_prompt(run, harness, values, role, resumes=resumes)
    task_directory = run.opened.directory
    variables = launch.task_environment(task_directory, run.task.id, window, run.parts.home.root)
    variables |= environment(harness, values) | port_environment(run.parts.pool.ports(run.task.workspace))
    sandbox = _sandbox(run, harness, role, directory)
    is_confined = sandbox is not None or resumes or _mode(run) != "full"
    spec = launch.LaunchSpec(
        words,
        prompt,
        directory,
        task_directory,
        variables,
        commands_in=values["repository"] if is_confined else "",
        keep_output=_is_one_shot(run),
        sandbox=sandbox,
    )
    made = launch.write_launcher(run.opened.state_directory, window, spec)
    session_id = values["session_id"] if resumes else launch.chosen_session(values, words)
    details = StartDetails(harness.name, directory, prompt_mark(prompt), session_id, resumes)
    Runtime(run.opened.state_directory).replace(
        window,
        agent=harness.name,
        session_id=details.session_id,
        directory=directory,
        prompt=prompt[:_REMEMBERED_PROMPT],
        prompt_mark=details.prompt,
        unsent=None if PROMPT in words else prompt,  # it comes as a message
    )
    wanted = Window(run.parts.home.root, run.task.id, window, run.token, directory, made.command, made.log_command)
    return _PreparedWindow(wanted, details)


def _sandbox(run: HookRun, harness: Harness, role: str, directory: str) -> SandboxSpec | None:
    """The sandbox that an agent is to run in, if it is to run in one."""
    if not is_sandboxed(run.parts.projects.sandbox(run.task.project), reviews=role == "review"):
        return None
    from orange_tui.agents.sandbox.commands import sandbox_of

    return sandbox_of(run.parts.home, run.task, directory, harness)


def _working_directory(run: HookRun) -> str:
    """The task's worktree. An agent that only answers can do without, and reads the repository where it is."""
    if not needs_workspace(run):
        return run.parts.projects.get(run.task.project).path
    # It may never have had one, or it was deleted by hand, or given back by a command that was killed.
    if run.task.workspace is None or not run.parts.pool.is_ready(run.task):
        acquire(run)
    return run.parts.pool.worktree(str(run.task.workspace))


def needs_workspace(run: HookRun) -> bool:
    """Whether the agent works in a worktree: one that only answers is content with the repository, if it has none."""
    return run.task.workspace is not None or run.params.get("mode") != "one_shot"


def reserve_workspace(run: HookRun) -> None:
    """Make sure of a workspace for an agent whose task has none: it was created in a state without."""
    if run.task.workspace is None and needs_workspace(run):
        run.change("workspace", reserve(run))


def _open_window(run: HookRun, prepared: _PreparedWindow, others: list[Pane]) -> Pane:
    wanted = prepared.window
    try:
        return _open_beside(run, wanted, others)
    except Refused:  # tmux may have been killed once it had done it, or the session has ended meanwhile
        live = run.parts.sessions.every_window(run.task.id)
        opened = find_window(live, wanted.name)
        if opened is not None and opened.spawn == run.token:
            return opened
        if others and not live:
            return _open_beside(run, wanted, live)
        raise
    finally:
        run.parts.sessions.forget_panes()


def _open_beside(run: HookRun, wanted: Window, others: list[Pane]) -> Pane:
    """Open a window in the task's session; the project's own command may be all that runs there."""
    if others:
        return run.parts.tmux.start_window((agents_among(others) or others)[0].session_id, wanted)
    return run.parts.tmux.start_session(f"{run.task.project}/{run.task.branch}", wanted)


def resume_start(run: HookRun, pane: Pane) -> bool:
    """Whether this very hook started that agent before it was interrupted.

    The start is recorded now, if the task does not know of it: whoever started the agent may have failed right then.
    """
    is_ours = pane.spawn == run.token
    if is_ours or run.task.tmux_session is None:
        if run.task.workspace is None and needs_workspace(run):  # it was bound and prepared with that start
            run.change("workspace", run.parts.pool.reserve(run.parts.projects.get(run.task.project), run.task))
        run.change("tmux_session", pane.session)
        record_start_once(run.opened, pane)
        messages.queue_prompt(run.opened, pane.window, pane.spawn)
    return is_ours


def _command_and_prompt(
    run: HookRun, harness: Harness, values: dict[str, str], role: str, *, resumes: bool
) -> tuple[tuple[str, ...], str]:
    """The agent's command line and its prompt; the system prompt comes first where the agent has no flag for it."""
    reviews = role == "review"
    system = prompt_text(run, run.text("system")) if "system" in run.params else ""
    prompt = prompt_text(run, run.text("prompt"))
    words = build_command(
        harness,
        "resume" if resumes else _mode(run),
        values,
        model=None if reviews else run.task.model,
        effort=run.task.review_effort if reviews else run.task.effort,
        system=system,
        root=os.geteuid() == 0,
    )
    prompt = prompt if harness.system_prompt or not system else f"{system}\n\n{prompt}"
    return words, f"{prompt}\n\n{_AFTER.format(run.params['after'])}" if run.params.get("after") else prompt


def _is_one_shot(run: HookRun) -> bool:
    return str(run.params.get("mode") or "").startswith("one_shot")


def _resumes(run: HookRun, harness: Harness, values: Mapping[str, str], window: str) -> bool:
    """Whether the agent resumes its conversation: where it must or can, unless it has just crashed on that."""
    wanted, task_id = run.params.get("resume"), run.task.id
    can = resume_mode(harness, "resume", values) == "resume"
    if wanted == RESUME and not can:
        why = _why_not_resumed(run, values["worktree"], window, harness)
        raise Refused(f"{task_id} {why}; `orange task restart {task_id} --fresh` starts a new one")
    return can and (wanted == RESUME or (wanted == RESUME_IF_POSSIBLE and not _crashed_on_resuming(run, window)))


def _crashed_on_resuming(run: HookRun, window: str) -> bool:
    """Whether the last agent of this window had resumed its conversation, and crashed: it would again."""
    crashed = False
    for event in run.opened.journal.backwards():
        if event["type"] == "agent.spawned" and event.get("window") == window:
            return crashed and event.get("resumed") is True
        crashed = crashed or (event["type"] == "agent.crashed" and event.get("window") == window)
    return False


def _mode(run: HookRun) -> Mode:
    """How much the agent may do unasked; where that is not everything, it has a door."""
    if run.params.get("mode") == "one_shot":
        return "one_shot"
    if run.params.get("mode") == "one_shot_work":
        return "one_shot_work"
    return "reduced" if run.params.get("permissions") == "reduced" or run.action == "spawn_reviewer" else "full"


def _placeholder_values(run: HookRun, worktree: str, window: str, harness: Harness) -> dict[str, str]:
    """The placeholders of a harness's command line and files, with the conversation to resume, if it is its own."""
    repository = run.parts.projects.get(run.task.project).path
    values = launch.placeholder_values(run.parts.home.root, run.opened.directory, repository, worktree, harness)
    return {**values, "session_id": _last_session(run, worktree, window, harness)}


def _last_session(run: HookRun, worktree: str, window: str, harness: Harness) -> str:
    """The last conversation of a window, if its record is still there; an agent without any is believed."""
    wants_it = harness.resume and run.params.get("resume") in {RESUME, RESUME_IF_POSSIBLE}
    last = _last_start(run, worktree, window, harness) if wants_it else None
    if last is None or not harness.session_format:
        return (last.session_id if last is not None else None) or ""
    found = SessionFinder(run.parts.harnesses, run.parts.log).find(last)
    return found.session_id if found is not None else ""


def _last_start(run: HookRun, worktree: str, window: str, harness: Harness) -> AgentStart | None:
    """The last start of a window, if it was this agent's, in this worktree."""
    starts = task_starts(run.opened.journal.events(), Runtime(run.opened.state_directory).read(), [worktree])
    last = next((start for start in reversed(starts) if start.window == window), None)
    return last if last is not None and last.agent == harness.name else None


def _why_not_resumed(run: HookRun, worktree: str, window: str, harness: Harness) -> str:
    if not harness.resume:
        return f"has {harness.title}, which can resume none"
    last = _last_start(run, worktree, window, harness)
    if last is None or last.session_id is None or not harness.session_format:
        return "knows no conversation of its agent"
    return f"cannot resume its conversation: {harness.title} has no record of it"
