"""The hooks that are about neither agents nor worktrees: the next task, a command, a word to the person."""

from __future__ import annotations

import os

from orange_tui.domain.actions import PROMPT_VARIABLES
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.prompts import render_prompt
from orange_tui.engine.hooks import Action
from orange_tui.store.store import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun

_COMMAND_TIMEOUT = 600.0
_MOST_OUTPUT = 2000


def spawn_next(run: HookRun) -> None:
    """Start the project's oldest task that could start; none, or no workspace for it, is nothing to do."""
    from orange_tui.engine.tasks import Tasks

    tasks = Tasks(run.engine)
    found = [each for each in readable(run.services.store.read_all(run.task.project)) if each.ref.id != run.task.id]
    earlier = _noted(run, "next.chosen")  # by this very hook, before it was interrupted
    could_start = [each for each in found if tasks.is_ready(each.task) and not tasks.starts_by_itself(each.task)]
    ready = [each for each in could_start if earlier in {None, each.ref.id}]
    if not ready:
        return
    ref = min(ready, key=lambda each: each.task.created_at).ref
    if earlier is None:
        run.opened.record("next.chosen", task=ref.id, hook=run.token)
    try:
        tasks.spawn(ref)
    except Refused as refusal:
        run.services.log.write("info", f"next task not started: {refusal}", task=ref.id)


def _noted(run: HookRun, kind: str) -> object:
    """What this hook has noted of itself when it ran before; None when it did not."""
    events = (e for e in run.opened.journal.backwards() if e["type"] == kind and e.get("hook") == run.token)
    return next((e.get("task") or e.get("message") for e in events), None)


def run_command(run: HookRun) -> None:
    """Run the workflow author's command in the worktree; it finds the task in its environment."""
    from orange_tui.outside.programs import run as run_program

    if run.task.workspace is None:
        raise Refused("there is no workspace to run a command in")
    seconds = run.params.get("timeout")
    finished = run_program(
        ["/bin/sh", "-c", run.text("command")],
        directory=run.services.pool.worktree(run.task.workspace),
        environment={**os.environ, **_as_environment(run)},
        timeout=float(seconds) if isinstance(seconds, int | float) else _COMMAND_TIMEOUT,
    )
    if finished.code != 0:
        raise Refused(f"`{run.text('command')}` ended with {finished.code}: {finished.message[-_MOST_OUTPUT:]}")


def _as_environment(run: HookRun) -> dict[str, str]:
    fields = {f"ORANGE_TASK_{name.upper()}": str(getattr(run.task, name)) for name in PROMPT_VARIABLES}
    return {
        "ORANGE_TASK": run.task.id,
        "ORANGE_TASK_FILE": os.path.join(run.opened.directory, "TASK.md"),
        "ORANGE_HOME": run.services.home.root,
        **fields,
    }


def notify(run: HookRun) -> None:
    """Tell the person. The note in the history is what the app rings for; the rest is best effort."""
    values = {name: getattr(run.task, name) for name in PROMPT_VARIABLES}
    message, via = render_prompt(run.text("message"), values), str(run.params.get("via") or "desktop")
    if _noted(run, "person.notified") is not None:
        return
    try:
        _send(via, run, message)
    except OrangeError as problem:
        run.services.log.write("warning", f"notice not sent: {problem}", task=run.task.id)
    run.opened.record("person.notified", message=message, via=via, hook=run.token)


def _send(via: str, run: HookRun, message: str) -> None:
    """Send a notice the way it was asked for; the bell is rung by the app, which reads the history."""
    from orange_tui.home.settings import read_settings
    from orange_tui.outside import notifications

    if via == "desktop":
        notifications.show_on_desktop(f"Orange: {run.task.project}/{run.task.branch}", message)
    elif via == "webhook" and (url := read_settings(run.services.home).text("webhook")):
        notifications.post_to_webhook(url, run.task, message)


SPAWN_NEXT = Action(spawn_next)
RUN_COMMAND = Action(run_command)
NOTIFY = Action(notify)
