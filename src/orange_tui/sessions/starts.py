"""That an agent was started: noted once for each window, also when the command that did it was killed right then."""

from __future__ import annotations

from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.tmux import Pane
    from orange_tui.store.open_task import OpenTask


def note_start(opened: OpenTask, pane: Pane, harness: str) -> None:
    """Write down that an agent was started in a window."""
    opened.record(
        "agent.spawned",
        window=pane.window,
        harness=harness,
        pid=pane.pid,
        server=pane.server,
        status=opened.task.status,
    )


def note_start_once(opened: OpenTask, pane: Pane) -> None:
    """The same for a window that was found, unless it is known."""
    for event in opened.journal.backwards():
        if event["type"] == "agent.spawned" and event.get("window") == pane.window:
            if (event.get("pid"), event.get("server")) == (pane.pid, pane.server):
                return
            break
    note_start(opened, pane, str(Runtime(opened.directory).window(pane.window).get("agent")))
