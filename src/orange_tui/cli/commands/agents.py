"""The `task` commands about agents: start, bring back, look at, talk to, give up."""

from __future__ import annotations

import os

from orange_tui.cli.commands.tasks import confirm, moved_reply, read_task
from orange_tui.cli.reply import Reply, safe
from orange_tui.cli.where import the_project, the_task
from orange_tui.domain.errors import Refused, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef


def spawn(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task spawn`."""
    moved = orange.tasks.spawn(the_task(parsed, orange))
    return moved_reply(moved.task, moved, orange)


def respawn(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task respawn`."""
    if parsed.flag("lost"):
        return _respawn_lost(orange)
    if parsed.text("id") is None:
        raise UsageError("Which task? Give its id, or --lost for all whose tmux server is gone")
    task = orange.agents.respawn(the_task(parsed, orange))
    return moved_reply(task, None, orange)


def _respawn_lost(orange: Orange) -> Reply:
    results = orange.agents.respawn_lost()
    back = [ref.id for ref, problem in results if problem is None]
    notes = tuple(f"{ref.id} did not come back: {problem}" for ref, problem in results if problem is not None)
    text = f"{', '.join(back)}  respawned" if back else "Nothing was lost" if not results else ""
    return Reply(text, {"respawned": back, "failed": {r.id: p for r, p in results if p}}, notes, code=1 if notes else 0)


def attach(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task attach`: this process becomes tmux."""
    ref = the_task(parsed, orange)
    windows = orange.sessions.windows(ref.id, fresh=True)
    if not windows:
        raise Refused(f"{ref.id} has no live session. `orange task logs {ref.id}` shows what it printed")
    return show_session(orange, windows[0].session_id)


def chat(parsed: Parsed, orange: Orange) -> Reply:
    """`orange chat`: the same for the conversation about a project, which begins where there is none."""
    return show_session(orange, orange.chats.open(the_project(parsed, orange), parsed.text("harness")))


def show_session(orange: Orange, session_id: str) -> Reply:
    """This process becomes tmux, and shows a session."""
    from orange_tui.outside.programs import replace_process

    command = orange.services.tmux.attaching(session_id)
    replace_process(command.words, environment=command.environment)


def logs(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task logs`: what each window printed, newest window last."""
    ref = the_task(parsed, orange)
    found = _log_files(orange, ref)
    wanted = parsed.text("window")
    if wanted is not None:
        found = {name: path for name, path in found.items() if name == wanted}
    if not found:
        raise Refused(f"{ref.id} has no logs{f' of a window {wanted}' if wanted else ' yet'}")
    texts = {name: _printed(path) for name, path in found.items()}
    return Reply("\n".join(f"── {name} ──\n{text}" for name, text in texts.items()), texts)


def _log_files(orange: Orange, ref: TaskRef) -> dict[str, str]:
    folder = os.path.join(orange.store.directory(ref), "logs")
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".log")]
    except FileNotFoundError:
        return {}
    paths = sorted((os.path.join(folder, name) for name in names), key=os.path.getmtime)
    return {os.path.basename(path).removesuffix(".log"): path for path in paths}


def _printed(path: str) -> str:
    """What was printed, without what only a terminal understands."""
    import re

    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    text = re.sub(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])", "", text)
    lines = [line.rsplit("\r", 1)[-1].rstrip() for line in text.replace("\r\n", "\n").split("\n")]
    return safe("\n".join(lines).strip("\n"))


def cancel(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task cancel`."""
    ref = the_task(parsed, orange)
    task = read_task(ref, orange).task
    held = f" Workspace {task.workspace} is released; uncommitted work in it is saved first." if task.workspace else ""
    confirm(f"Cancel {ref.id} ({safe(task.summary) or task.branch})? Its session ends.{held}", parsed)
    moved = orange.tasks.cancel(ref)
    return moved_reply(moved.task, moved, orange)


def answer(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task answer`."""
    ref = the_task(parsed, orange)
    delivered = orange.agents.answer(ref, parsed.needed("text"))
    text = f"{ref.id}  delivered" if delivered else f"{ref.id}  waits until the agent can take it"
    return Reply(text, {"id": ref.id, "project": ref.project, "delivered": delivered})


def serve(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange serve`: the engine without the app, until it is interrupted."""
    import asyncio
    import gc
    import signal
    import sys

    from orange_tui.supervisor.supervisor import Supervisor

    gc.enable()
    orange.services.use_libtmux()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a script that puts it in the background has it ignored
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # `kill` ends it like Ctrl+C

    def say(what: str) -> None:
        print(f"orange: {what}", file=sys.stderr, flush=True)

    say(f"watching {orange.home.root}; Ctrl+C ends this, agents keep running")
    waits = "another Orange acts for this home (the app, or another serve); this one takes over when that ends"
    asyncio.run(Supervisor(orange).run(when_waiting=lambda: say(waits)))
    return Reply("")
