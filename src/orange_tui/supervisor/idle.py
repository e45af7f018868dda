"""Agents that stopped: one that has ended its turn without handing in is reminded, then a person is asked.

How often it was reminded is counted in the journal, from where its turn began: its start, a move of the task, or a
person's words to it. A reminder is recorded before its message is queued, and a message that was not queued because
whoever did it was killed is queued by the next one: nobody is reminded twice of the same stop. All that was seen
without the task's lock is looked at again under it.
"""

from __future__ import annotations

import asyncio
import time

from orange_tui.agents import messages
from orange_tui.board.needs import works_again
from orange_tui.domain.errors import Busy, OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.workflow import STOPPED
from orange_tui.home import clock
from orange_tui.home.settings.config_file import read_settings
from orange_tui.sessions.agent_state import judge
from orange_tui.sessions.liveness import agent_window, find_window, last_start
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor._hand_in import is_agents_turn, reminder
from orange_tui.supervisor.exits.state_agent import StateAgent
from orange_tui.usage import budget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.index import TaskIndex
    from orange_tui.store.journal import Journal
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

PAUSE_SECONDS = 60.0  # how long an agent has stopped before it is reminded, and from then until a person is asked
_LOOKS_IN_A_PAUSE = 2  # so that the end of a pause is known before it comes
_PERSON_SECONDS = 300.0  # for so long after the last key of a person who looks at its session, the agent is theirs
_SHORTEST_SECONDS = 0.05  # between two looks
_RETRY_SECONDS = 2.0  # until a task that a command holds is looked at again
IDLE = "idle"


@record
class Turn:
    """What the journal tells of an agent's turn: how often it was reminded in it, and since when it was left alone."""

    reminders: int
    last_news: str  # when the last thing came to it: its start, a move, a message, or a reminder
    unsent: str | None = None  # the last reminder, where its message was not queued


def read_turn(journal: Journal, window: str) -> Turn:
    """The present turn of the agent in a window."""
    count, last_news, queued = 0, "", set()
    unsent: str | None = None
    for event in journal.backwards():
        kind, is_its_own = event["type"], event.get("window") == window
        if kind == "message.queued":
            queued.add(str(event.get("message")))
        begins = kind == "transition.started" or (is_its_own and (kind == "agent.spawned" or _is_from_person(event)))
        if begins or (is_its_own and kind in {"agent.notified", "agent.nudged"}):
            last_news = max(last_news, str(event.get("timestamp")))
        if begins:
            break
        if is_its_own and kind == "agent.nudged":
            message = str(event.get("message"))
            unsent = message if not count and message not in queued else unsent
            count += 1
    return Turn(count, last_news, unsent)


def _is_from_person(event: Mapping[str, Any]) -> bool:
    return event["type"] == "message.queued" and event.get("by") == messages.PERSON


def _stopped_at(values: Mapping[str, Any]) -> str:
    """Since when a window's agent is idle, as it reports or as was seen; empty where nobody says so.

    A time that is none, or still to come, tells nothing: an agent can write these values.
    """
    stamps = [values.get(at) for what, at in (("state", "event_at"), ("seen", "seen_at")) if values.get(what) == "idle"]
    times = (stamp for stamp in stamps if isinstance(stamp, str) and clock.in_seconds(stamp) is not None)
    return min((stamp for stamp in times if stamp <= clock.now()), default="")


@record
class _AgentInTurn:
    """An agent whose turn it is, and what is known of it."""

    workflow: Workflow
    pane: Pane
    values: Mapping[str, Any]
    journal: Journal

    @property
    def state(self) -> str:
        """What it does."""
        return judge(self.values).state

    def turn(self) -> Turn:
        """Its present turn."""
        return read_turn(self.journal, self.pane.window)


class IdleAgents:
    """Looks after the agents that have stopped."""

    def __init__(self, tasks: Tasks, index: TaskIndex) -> None:
        self._tasks = tasks
        self._engine = tasks.engine
        self._index = index
        self._logged: dict[TaskRef, str] = {}  # the last problem of each task

    async def run(self, active: Callable[[], Iterable[TaskRef]]) -> None:
        """Look again and again at the tasks that have an agent, each time when something can be due."""
        while True:
            seconds = await asyncio.to_thread(self.look, list(active()))
            await asyncio.sleep(seconds)

    def look(self, refs: Iterable[TaskRef]) -> float:
        """Do what is due about these tasks; returns after how many seconds something can be due again."""
        often = PAUSE_SECONDS / _LOOKS_IN_A_PAUSE
        return max(_SHORTEST_SECONDS, min([often, *(self._try(ref) for ref in refs)]))

    def _try(self, ref: TaskRef) -> float:
        """One task's trouble is logged, once, and stops no other."""
        try:
            return self._look_at(ref)
        except Busy:
            return _RETRY_SECONDS  # a command is at work on it
        except Exception as problem:  # noqa: BLE001 - a scribbled journal, a full disk: the others need us
            reason = str(problem) if isinstance(problem, OrangeError) else repr(problem)
            if self._logged.get(ref) != reason:
                self._logged[ref] = reason
                self._engine.log.write("warning", f"not looked at while it is idle: {reason}", task=ref.id)
            return PAUSE_SECONDS

    def _look_at(self, ref: TaskRef) -> float:
        """Whether something is to be done about a task is seen without its lock, which many others may want."""
        entry = self._index.get(ref)
        if entry is None or entry.task is None:
            return PAUSE_SECONDS
        store = self._engine.store
        agent = self._find(entry.task, store.journal(ref), store.state_directory(ref), fresh=False)
        if agent is None:
            return PAUSE_SECONDS
        left = self._seconds_left(entry.task, agent)
        if left > 0:
            return left
        with self._engine.open(ref, wait=False) as opened:
            return self._act(opened)

    def _find(self, task: Task, journal: Journal, state_directory: str, *, fresh: bool) -> _AgentInTurn | None:
        """The agent that has to hand in, if there is one and it is alive."""
        if task.tmux_session is None:
            return None
        workflow = self._engine.workflows.load(task.workflow)
        if not is_agents_turn(workflow, task.status):
            return None
        window = agent_window(task, workflow.states[task.status], journal)
        pane = find_window(self._tasks.sessions.windows(task.id, fresh=fresh), window)
        return None if pane is None else _AgentInTurn(workflow, pane, Runtime(state_directory).window(window), journal)

    def _seconds_left(self, task: Task, agent: _AgentInTurn) -> float:
        """Until something is to be done about an agent."""
        if agent.state != IDLE:
            return 0.0 if works_again(task.attention, agent.state) else PAUSE_SECONDS
        turn = agent.turn()
        if turn.unsent is not None:
            return 0.0
        if task.attention is not None and turn.reminders >= self._most_reminders():
            return PAUSE_SECONDS  # a person is asked already
        return PAUSE_SECONDS - clock.seconds_since(max(_stopped_at(agent.values), turn.last_news))

    def _most_reminders(self) -> int:
        return read_settings(self._engine.store.home).number("nudge")

    def _act(self, opened: OpenTask) -> float:
        """Remind the agent, ask for a person, or ask no longer: as everything is now."""
        agent = self._find(opened.task, opened.journal, opened.state_directory, fresh=True)
        if agent is None:
            return PAUSE_SECONDS
        left = self._seconds_left(opened.task, agent)
        if left > 0:
            return left
        if agent.state != IDLE:
            opened.change("task.updated", {"attention": None})
            return PAUSE_SECONDS
        return self._seconds_held(opened, agent) or self._remind_or_ask(opened, agent)

    def _remind_or_ask(self, opened: OpenTask, agent: _AgentInTurn) -> float:
        turn, window = agent.turn(), agent.pane.window
        if turn.unsent is None and turn.reminders >= self._most_reminders():
            opened.set_attention(STOPPED)
            return PAUSE_SECONDS
        message = turn.unsent or f"nudge {clock.now()}"
        if turn.unsent is None:
            opened.record("agent.nudged", window=window, message=message)
        words = reminder(self._engine, StateAgent(opened, agent.workflow, window))
        messages.queue(opened, message, window, words)
        return PAUSE_SECONDS

    def _seconds_held(self, opened: OpenTask, agent: _AgentInTurn) -> float:
        """For how long nothing is done about it: something waits for it, or a person types in its session."""
        window = agent.pane.window
        waits = any(message.window == window for message in messages.undelivered(opened.journal))
        if waits or window in opened.journal.at_limit() or self._is_used_up(opened, agent):
            return PAUSE_SECONDS
        last_key_at = self._tasks.sessions.last_key_at(agent.pane)
        return max(0.0, last_key_at + _PERSON_SECONDS - time.time())

    def _is_used_up(self, opened: OpenTask, agent: _AgentInTurn) -> bool:
        """Whether more words would only run into a limit, or cost more than the task's budget has."""
        started = last_start(opened.journal, agent.pane.window)
        parts = self._engine.parts
        is_limited = started is not None and parts.limits.blocked(str(started.get("harness"))) is not None
        return is_limited or budget.why_not(parts.projects, opened.task) is not None
