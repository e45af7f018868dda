"""Recording that an agent was started, or waits for its limit: once, also where whoever did it was killed."""

from __future__ import annotations

from orange_tui.sessions.liveness import last_start
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.usage.limit import Limit
    from orange_tui.outside.tmux import Pane
    from orange_tui.store.open_task import OpenTask


def record_start(opened: OpenTask, pane: Pane, harness: str, *, resumed: bool = False) -> None:
    """Record that an agent was started in a window, with its earlier conversation or without."""
    opened.record(
        "agent.spawned",
        window=pane.window,
        harness=harness,
        pid=pane.pid,
        server=pane.server,
        status=opened.task.status,
        **({"resumed": True} if resumed else {}),
    )


def record_limit_mark(opened: OpenTask, window: str, limit: Limit) -> None:
    """Record that the agent of a window waits for the end of its limit, or was not started for it: once."""
    if window not in opened.journal.at_limit():
        about = {"harness": limit.harness, "account": limit.account, "until": limit.resets_at}
        opened.record("limit.reached", window=window, **about)


def record_start_once(opened: OpenTask, pane: Pane) -> None:
    """Record the start of an agent that was found in a window, unless it is recorded already."""
    known = last_start(opened.journal, pane.window)
    if known is not None and (known.get("pid"), known.get("server")) == (pane.pid, pane.server):
        return
    record_start(opened, pane, str(Runtime(opened.directory).window(pane.window).get("agent")))
