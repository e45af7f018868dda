"""Agents that were lost with tmux, and come back by themselves where the person wants that."""

from __future__ import annotations

import asyncio
import time
from itertools import takewhile

from orange_tui.domain.errors import Busy, OrangeError, Refused
from orange_tui.domain.workflow import SERVER_GONE
from orange_tui.home import clock
from orange_tui.home.settings.config_file import read_settings
from orange_tui.sessions.liveness import LOST, NONE, agent_window
from orange_tui.supervisor.exits.state_agent import StateAgent
from orange_tui.usage import budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from orange_tui.engine.agents import Agents
    from orange_tui.store.index import IndexedTask, TaskIndex
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_LOOK_SECONDS = 2.0  # between two looks for lost agents
_CONFIG_SECONDS = 10.0  # the same where config.yml does not ask for it
_START_SECONDS = 1.0  # between two starts: a machine that has just booted has enough to do
_MOST_LOSSES = 3  # of one task in an hour: whoever loses it more often does so again
_HOUR_SECONDS = 3600.0
_SETTLED = frozenset({"agent.not_restarted", "transition.started"})  # after a loss: it was tried, or is another matter


class LostAgents:
    """Brings back the agents that were lost with tmux, one by one, where config.yml says `resume: true`.

    Each loss leads to one try. Limits and budgets count as for all that Orange starts by itself.
    """

    def __init__(self, agents: Agents, index: TaskIndex) -> None:
        self._agents, self._index = agents, index
        self._engine, self._sessions = agents.tasks.engine, agents.tasks.sessions

    async def run(self, active: Callable[[], Iterable[TaskRef]]) -> None:
        """Look again and again at the tasks that have an agent."""
        while True:
            is_wanted = await asyncio.to_thread(self._is_wanted)
            for ref in self._told_lost(active()) if is_wanted else ():
                if await asyncio.to_thread(self._try, ref):
                    await asyncio.sleep(_START_SECONDS)
            await asyncio.sleep(_LOOK_SECONDS if is_wanted else _CONFIG_SECONDS)

    def _is_wanted(self) -> bool:
        try:
            return read_settings(self._engine.parts.home).flag("resume")
        except OrangeError:
            return False  # the app and `orange doctor` say why

    def _told_lost(self, active: Iterable[TaskRef]) -> list[TaskRef]:
        """The tasks of which it was recorded that their agent was lost, the oldest first."""
        entries = [entry for ref in list(active) if (entry := self._index.get(ref)) is not None]
        lost = [entry for entry in entries if entry.task is not None and SERVER_GONE in (entry.task.attention or "")]
        return [entry.ref for entry in sorted(lost, key=_age)]

    def _try(self, ref: TaskRef) -> bool:
        """Whether an agent was started; one task's trouble is logged and stops no other."""
        try:
            with self._engine.open(ref, wait=False) as opened:
                return self._bring_back(opened)
        except Busy:
            return False  # a command is at work on it
        except Exception as problem:  # noqa: BLE001 - a scribbled journal, a full disk: the others need us
            self._engine.log.write("warning", f"not brought back: {problem}", task=ref.id)
            return False

    def _bring_back(self, opened: OpenTask) -> bool:
        """Start a lost agent, with its conversation where it can; why it was not started is told once."""
        window = self._lost_window(opened)
        if window is None or budget.ask_for_more(self._agents.tasks.projects, opened, budget.START):
            return False
        try:
            _check_losses(opened)
            self._agents.go_on(opened, by="engine")
        except OrangeError as problem:
            attention = f"{SERVER_GONE}, and the agent was not brought back: {problem}"
            opened.change("agent.not_restarted", {"attention": attention}, window=window, reason=str(problem))
            return False
        return True

    def _lost_window(self, opened: OpenTask) -> str | None:
        """The window of an agent that was lost and not looked after since; None where there is none."""
        task, workflow = opened.task, self._engine.workflows.load(opened.task.workflow)
        state = workflow.states.get(task.status)
        if state is None or state.terminal or state.agent == NONE:
            return None
        if self._sessions.judge(task, state, self._sessions.windows(task.id, fresh=True)) != LOST:
            return None
        agent = StateAgent(opened, workflow, agent_window(task, state, opened.journal))
        life = agent.life() or ()
        later = list(takewhile(lambda event: event["type"] != "session.lost", life))
        is_settled = len(later) == len(life) or any(event["type"] in _SETTLED for event in later)
        if is_settled or agent.window in opened.journal.at_limit():
            return None  # at a limit, it goes on by itself when that is over
        return agent.window if self._was_no_person(opened, agent.window) else None

    def _was_no_person(self, opened: OpenTask, window: str) -> bool:
        """Whether nobody can have ended this one session by hand.

        A tmux server of the person's own ends with its last session. It was not that where the machine was started
        since, or others were lost with the same server.
        """
        if self._is_our_server():
            return True
        spawned = _last_start(opened.journal.backwards(), window)
        server = str(spawned.get("server", ""))
        started = server.partition(".")[2]
        if started.isdecimal() and int(started) < _booted_at():
            return True
        others = [entry.ref for entry in self._index.entries() if entry.task is not None and entry.task.tmux_session]
        journals = (self._engine.store.journal(ref) for ref in others if ref.id != opened.task.id)
        return any(_was_lost_with(journal.backwards(), spawned) for journal in journals)

    def _is_our_server(self) -> bool:
        """Whether tmux runs on a socket of its own, where it stays when its last session ends."""
        return self._sessions.tmux.socket is not None


def _age(entry: IndexedTask) -> tuple[str, str]:
    return (entry.task.created_at if entry.task is not None else "", entry.ref.id)


def _last_start(events: Iterable[Event], window: str | None = None) -> Event:
    """The newest start of an agent, in this window or in any; empty where there is none."""
    starts = (event for event in events if event["type"] == "agent.spawned")
    return next((event for event in starts if window in {None, event.get("window")}), {})


def _was_lost_with(events: Iterable[Event], spawned: Event) -> bool:
    """Whether another agent was lost with the server of this start, be it back since; `events`: its newest first.

    That it was started there is not enough: a person may have ended its session, too, and the last one after it.
    """
    left = iter(events)
    for event in left:
        if str(event.get("timestamp")) < str(spawned.get("timestamp")):
            return False  # what was lost before was lost with another
        if event["type"] == "session.lost" and _last_start(left).get("server") == spawned.get("server"):
            return True
    return False


def _booted_at() -> float:
    """When this machine was started, in seconds since 1970; 0 where the system cannot tell."""
    uptime = getattr(time, "CLOCK_BOOTTIME", None)
    return time.time() - time.clock_gettime(uptime) if uptime is not None else 0.0


def _check_losses(opened: OpenTask) -> None:
    """Refuse an agent that is lost again and again: it may be what ends tmux, or the machine."""
    losses: Sequence[Event] = [event for event in opened.journal.backwards() if event["type"] == "session.lost"]
    recent = [event for event in losses if 0 <= clock.seconds_since(str(event.get("timestamp"))) < _HOUR_SECONDS]
    if len(recent) > _MOST_LOSSES:
        raise Refused(f"it was lost {len(recent)} times within an hour")
