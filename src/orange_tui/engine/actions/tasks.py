"""The hooks about tasks: start the next one, and tell the person about this one."""

from __future__ import annotations

from orange_tui.domain.errors import NoWorkspace, OrangeError, Refused
from orange_tui.domain.prompts import render_prompt, task_values
from orange_tui.engine.hooks import Action
from orange_tui.store.store import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun
    from orange_tui.store.journal import Event
    from orange_tui.store.store import Store, TaskRef


def spawn_next(run: HookRun) -> None:
    """Start the project's oldest task that could start; none, or no workspace for it, is nothing to do."""
    from orange_tui.engine.starting import goes_on_by_itself, is_ready, start_by_itself

    engine, store, log = run.engine, run.parts.store, run.parts.log
    found = [each for each in readable(store.read_all(run.task.project)) if each.ref.id != run.task.id]
    chosen = run.recorded("next.chosen")
    if chosen is not None and any(_was_started(store, each.ref, chosen) for each in found):
        return
    ready = [each for each in found if is_ready(engine, each.task) and not goes_on_by_itself(engine, each.task)]
    for ref in [each.ref for each in sorted(ready, key=lambda each: (each.task.created_at, each.ref.id))]:
        if store.journal(ref).start().is_held:
            continue
        run.opened.record("next.chosen", task=ref.id, hook=run.token)
        try:
            if start_by_itself(engine, ref, is_next=True) is not None:
                return
        except Refused as refusal:
            log.write("info", f"next task not started: {refusal}", task=ref.id)
            if isinstance(refusal, NoWorkspace):
                return


def _was_started(store: Store, ref: TaskRef, chosen: Event) -> bool:
    """Whether this is the task that was chosen before the hook was interrupted, and has begun since."""
    return ref.id == chosen.get("task") and store.journal(ref).start().has_begun


def notify(run: HookRun) -> None:
    """Tell the person. The note in the history is what the app rings for; the rest is best effort."""
    if run.recorded("person.notified") is not None:
        return
    message = render_prompt(run.text("message"), task_values(run.task))
    via = str(run.params.get("via") or "desktop")
    try:
        _send(via, run, message)
    except OrangeError as problem:
        run.parts.log.write("warning", f"notice not sent: {problem}", task=run.task.id)
    run.opened.record("person.notified", message=message, via=via, hook=run.token)


def _send(via: str, run: HookRun, message: str) -> None:
    """Send a notice the way it was asked for; the bell is rung by the app, which reads the history."""
    from orange_tui.home.settings.config_file import read_settings
    from orange_tui.outside import notifications

    if via == "desktop":
        notifications.show_on_desktop(f"Orange: {run.task.project}/{run.task.branch}", message)
    elif via == "webhook" and (url := read_settings(run.parts.home).text("webhook")):
        notifications.post_to_webhook(url, run.task, message)


SPAWN_NEXT = Action(spawn_next)
NOTIFY = Action(notify)
