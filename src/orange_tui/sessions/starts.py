"""Recording that an agent was started, or waits for its limit: once, also where whoever did it was killed."""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.sessions.liveness import last_start
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.usage.limit import Limit
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.open_task import OpenTask


@record
class StartDetails:
    """What was started, and what its conversation can be found by: the id, where that is known, else the others."""

    harness: str
    directory: str | None
    prompt: str | None  # how it begins
    session_id: str | None = None
    resumed: bool = False


def record_start(opened: OpenTask, pane: Pane, details: StartDetails) -> None:
    """Record that an agent was started in a window, with its earlier conversation or without."""
    opened.record(
        "agent.spawned",
        window=pane.window,
        pid=pane.pid,
        server=pane.server,
        status=opened.task.status,
        **as_values(details),
    )


def record_limit_mark(opened: OpenTask, window: str, limit: Limit) -> None:
    """Record that the agent of a window waits for the end of its limit, or was not started for it: once."""
    if window not in opened.journal.at_limit():
        about = {"harness": limit.harness, "account": limit.account, "until": limit.resets_at}
        opened.record("limit.reached", window=window, **about)


def as_values(details: StartDetails) -> dict[str, object]:
    """The details as fields of an event, those that are known."""
    names = ("harness", "directory", "prompt", "session_id")
    known = {name: value for name in names if (value := getattr(details, name)) is not None}
    return {**known, "resumed": True} if details.resumed else known


def record_start_once(opened: OpenTask, pane: Pane) -> None:
    """Record the start of an agent that was found in a window, unless it is recorded already."""
    known = last_start(opened.journal, pane.window)
    if known is not None and (known.get("pid"), known.get("server")) == (pane.pid, pane.server):
        return
    stored = Runtime(opened.state_directory).window(pane.window)
    directory, prompt, session_id = (_text(stored.get(name)) for name in ("directory", "prompt_mark", "session_id"))
    record_start(opened, pane, StartDetails(str(stored.get("agent")), directory, prompt, session_id))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
