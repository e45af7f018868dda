"""Agents at their limit: seen, left alone until it is over, and then let go on, one after the other.

An agent that has reached its limit has neither crashed nor failed. `limit.reached` in its task's journal says that it
waits, `limit.ended` or a new start that it does not any more; limits.json has when it should be over, and whose turn it
is to try. So what one supervisor has begun another one goes on with, and forty tasks of one account do not all run into
the same wall: one tries, and once it works, the others follow one by one.
"""

from __future__ import annotations

import asyncio
from itertools import takewhile

from orange_tui.agents import messages
from orange_tui.agents.limit_words import limit_said_at, limit_words
from orange_tui.board.needs import is_for_review, waits_for_a_person
from orange_tui.domain.errors import Busy, OrangeError
from orange_tui.domain.usage.budget import without_budget
from orange_tui.home import clock
from orange_tui.outside.backoff import pause
from orange_tui.outside.tmux.screens import read_screens
from orange_tui.sessions.agent_state import GOES_ON, GRACE_SECONDS, judge, look
from orange_tui.sessions.liveness import agent_window, find_window, last_start
from orange_tui.sessions.runtime import Runtime
from orange_tui.usage import budget
from orange_tui.usage.limits import Sighting, record_limit, still_at_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.domain.usage.limit import Limit
    from orange_tui.engine.agents import Agents
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.sessions.agent_state import AgentStatus
    from orange_tui.store.feed import TaskFeed
    from orange_tui.store.index import IndexedTask
    from orange_tui.store.journal import LimitMark
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

GO_ON = "Your limit should be over by now. Go on where you stopped."
WORKS_AFTER_SECONDS = 10.0  # without a word of its limit, an agent that went on works
_SHORTEST_SECONDS = 0.5  # between two looks: agents report all the time
_GOES_ON = [WORKS_AFTER_SECONDS]
_RETRY_SECONDS = 2.0  # until a task that a command holds is looked at again, or an agent that took no message
_BUDGET_SECONDS = 60.0  # until it is looked at again whether there is more: config.yml may say so


class LimitedAgents:
    """Looks after the agents of one home that have reached their limit."""

    def __init__(self, tasks: Tasks, agents: Agents, feed: TaskFeed) -> None:
        self._tasks, self._agents, self._feed = tasks, agents, feed
        self._engine, self._index = tasks.engine, feed.index
        self._limits = tasks.engine.parts.limits
        self._changed: set[TaskRef] = set()
        self._again: set[TaskRef] = set()  # those that could not be looked at
        self._failed_over: set[tuple[TaskRef, LimitMark]] = set()
        self._logged: dict[TaskRef | None, str] = {}  # the last problem of each task
        self._wake: asyncio.Event

    async def run(self) -> None:
        """Look at what has changed, and when time has come for one to go on."""
        self._wake = asyncio.Event()
        listening = asyncio.create_task(self._listen())
        try:
            while True:
                changed, self._changed = self._changed, set()
                self._wake.clear()
                seconds = await asyncio.to_thread(self.look, changed)
                await asyncio.sleep(_SHORTEST_SECONDS)
                await pause(seconds, self._wake)
                if listening.done():
                    listening.result()
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)

    async def _listen(self) -> None:
        async for changed in self._feed.changes():
            found = await asyncio.to_thread(self._index.refs) if changed is None else changed  # thousands, perhaps
            self._changed |= found
            self._wake.set()

    def look(self, changed: Iterable[TaskRef]) -> float | None:
        """See who has reached a limit and who has gone on; returns after how many seconds time alone changes that."""
        due: list[float] = []
        changed, self._again = {*changed, *self._again}, set()
        for ref in changed:
            entry = self._index.get(ref)
            if entry is not None and entry.task is not None and entry.task.tmux_session is not None:
                due += self._attempt(ref, lambda entry=entry: self._see(entry))
        waiting = self._waiting()
        known = {(limit.harness, limit.account): limit for limit in self._limits.all()}
        for key in known.keys() | waiting.keys():
            due += self._attempt(None, lambda key=key: self._go_on(known.get(key), waiting.get(key, [])))
        return min(due, default=None)

    def _attempt(self, ref: TaskRef | None, work: Any) -> list[float]:
        """One task's trouble is logged, once, and stops no other."""
        try:
            seconds = work()
        except Busy:
            if ref is not None:
                self._again.add(ref)
            return [_RETRY_SECONDS]
        except Exception as problem:  # noqa: BLE001 - a scribbled journal, a full disk: the others need us
            reason = str(problem) if isinstance(problem, OrangeError) else repr(problem)
            if self._logged.get(ref) != reason:
                self._logged[ref] = reason
                about = {} if ref is None else {"task": ref.id}
                self._engine.log.write("warning", f"its limit was not looked at: {reason}", **about)
            return [_RETRY_SECONDS * 10]
        return [] if seconds is None else [max(0.0, seconds)]

    def _waiting(self) -> dict[tuple[str, str], list[tuple[LimitMark, TaskRef]]]:
        """Who waits for which account, whoever has waited longest first."""
        found: dict[tuple[str, str], list[tuple[LimitMark, TaskRef]]] = {}
        for entry in self._index.entries():
            for mark in entry.at_limit:
                if entry.task is not None and self._is_concerned(entry, mark.window):
                    found.setdefault((mark.harness, mark.account), []).append((mark, entry.ref))
        return {key: sorted(marks, key=lambda each: each[0].since) for key, marks in found.items()}

    def _is_concerned(self, entry: IndexedTask, window: str) -> bool:
        """Whether it is the turn of the agent in a window; another one goes on when its turn has come.

        Whoever's turn it is, and whether the person reviews it by now: what was sent to it reaches it.
        """
        task, state = entry.task, self._engine.state_of(entry.task) if entry.task is not None else None
        if task is None or state is None or state.terminal:
            return False
        workflow, journal = self._engine.workflows.load(task.workflow), self._engine.store.journal(entry.ref)
        if entry.has_message and any(each.window == window for each in messages.undelivered(journal)):
            return True
        is_reviewed = waits_for_a_person(workflow, state.name) and is_for_review(workflow, state.name)
        return not is_reviewed and window == agent_window(task, state, journal)

    # --- what is seen --------------------------------------------------------------------------------------------

    def _see(self, entry: IndexedTask) -> float | None:
        """Whether the agents of a task have just used up their budget, or reached a limit, or go on by themselves."""
        if entry.task is not None and budget.why_not(self._tasks.projects, entry.task) is not None:
            with self._engine.open(entry.ref, wait=False) as opened:
                budget.tell_if_reached(self._tasks.projects, opened)
        marked = {mark.window for mark in entry.at_limit}
        for window, values in Runtime(self._engine.store.state_directory(entry.ref)).read().items():
            if judge(values).state == ("busy" if window in marked else "limit"):
                with self._engine.open(entry.ref, wait=False) as opened:
                    self._judge_again(opened, window)
        return None

    def _judge_again(self, opened: OpenTask, window: str, *, is_new: bool = False) -> None:
        """The same under the task's lock, as everything is now."""
        pane, harness, values, status, text = self._read(opened, window)
        if pane is None or harness is None:
            return  # it has ended, which is another matter
        mark = opened.journal.at_limit().get(window)
        if status.state == "limit" and mark is None:
            last_end = _last_end(opened, window)
            said_at = limit_said_at(opened.state_directory, window, values, last_end)
            if not is_new and said_at <= last_end:
                return  # that is what it said before it went on
            at, words = clock.now() if is_new else said_at, limit_words(harness, text)
            if words is None and 0 <= clock.seconds_since(at) < GRACE_SECONDS:
                raise Busy("it has not drawn yet when its limit ends")
            seen = Sighting(window, harness.name, words or "", at, "screen")
            record_limit(self._limits, opened, seen)
        elif status.state == "busy" and mark is not None:
            self._limits.begin_trial(mark.harness, mark.account, opened.task.id)
            self._record_end(opened, window)

    def _read(
        self, opened: OpenTask, window: str
    ) -> tuple[Pane | None, Harness | None, Mapping[str, Any], AgentStatus, str]:
        """A window, its agent, what is known of it, what it does, and what it shows."""
        parts = self._engine.parts
        values = Runtime(opened.state_directory).window(window)
        pane = find_window(self._tasks.sessions.windows(opened.task.id, fresh=True), window)
        harness = messages.harness_of_window(parts.harnesses, opened.journal, window)
        screen = read_screens(parts.tmux, [pane.pane_id]).get(pane.pane_id) if pane is not None else None
        sight = look(harness, screen.title, screen.text) if screen is not None and harness is not None else None
        return pane, harness, values, judge(values, sight), screen.text if screen is not None else ""

    def _fail_over(self, mark: LimitMark, ref: TaskRef) -> bool:
        """Hand a task over to the first of the person's other agents that can take it, and has not had it before."""
        names, harnesses = self._tasks.projects.failover(ref.project), self._engine.parts.harnesses
        free = [name for name in names if self._limits.why_wait(name) is None and harnesses.is_installed(name)]
        if not set(free) - {mark.harness} or (ref, mark) in self._failed_over:
            return False
        with self._engine.open(ref, wait=False) as opened:
            since = takewhile(lambda event: event["type"] != "transition.started", opened.journal.backwards())
            had = {mark.harness, *(str(e.get("from")) for e in since if e["type"] == "agent.handed_over")}
            name = next((name for name in free if name not in had), None)
            is_over_budget = budget.why_not(self._tasks.projects, opened.task) is not None
            if name is None or is_over_budget or mark.window not in opened.journal.at_limit():
                return False
            if self._read(opened, mark.window)[3].state in GOES_ON:
                return False
            self._failed_over.add((ref, mark))  # one that cannot be handed over is tried once
            self._agents.hand_over_opened(opened, name, None, self._limits.sentence(mark.harness, mark.account))
            return True

    # --- going on ------------------------------------------------------------------------------------------------

    def _go_on(self, limit: Limit | None, waiting: list[tuple[LimitMark, TaskRef]]) -> float | None:
        """What is to be done about one account now: judge who tries, or let the next one try."""
        if limit is not None and limit.trial is not None:
            rests = self._attempt(None, lambda trial=limit: self._judge_trial(trial))
            if rests and limit.is_blocked(clock.now()):
                return rests[0]
            limit = self._limits.find(limit.harness, limit.account)
        is_blocked = limit is not None and limit.is_blocked(clock.now())
        rest = -clock.seconds_since(str(limit.blocked_until)) if limit is not None and is_blocked else 0.0
        due: list[float] = []
        for mark, ref in waiting:
            if is_blocked:
                due += self._attempt(ref, lambda mark=mark, ref=ref: None if self._fail_over(mark, ref) else rest)
            elif (tried := self._attempt(ref, lambda mark=mark, ref=ref: self._let_go_on(mark, ref))) == _GOES_ON:
                return WORKS_AFTER_SECONDS
            else:
                due += tried
        return min(due, default=None)

    def _judge_trial(self, limit: Limit) -> float | None:
        """Whether the one that tries works: seconds until that can be told, None where it is told."""
        since, entry = clock.seconds_since(str(limit.tried_at)), self._index.find(str(limit.trial))
        if entry is None or entry.task is None:
            self._limits.end_trial(limit.harness, limit.account)
            return None
        if 0 <= since < WORKS_AFTER_SECONDS:  # a clock that was set back is no reason to wait
            return WORKS_AFTER_SECONDS - since
        with self._engine.open(entry.ref, wait=False) as opened:
            window = agent_window(opened.task, self._engine.state_of(opened.task), opened.journal)
            pane, _, _, status, _ = self._read(opened, window)
            if pane is not None and status.state == "limit":
                self._judge_again(opened, window, is_new=True)
            elif pane is not None and status.state in {"starting", "unknown"} and limit.is_blocked(clock.now()):
                return -clock.seconds_since(str(limit.blocked_until))
            elif pane is None and not _was_started(opened, window, str(limit.tried_at)):
                self._limits.end_trial(limit.harness, limit.account)  # which tells nothing
            else:
                self._limits.end(limit.harness, limit.account)
        return None

    def _let_go_on(self, mark: LimitMark, ref: TaskRef) -> float | None:
        """Let one agent go on: seconds until it is to be looked at again.

        None where it does not wait any more, or cannot go on, which its task says.
        """
        with self._engine.open(ref, wait=False) as opened:
            if mark.window not in opened.journal.at_limit():
                return None
            pane, harness, _, status, _ = self._read(opened, mark.window)
            works = status.state in GOES_ON
            if not works and budget.ask_for_more(self._tasks.projects, opened, budget.MESSAGE):
                return _BUDGET_SECONDS
            starts = pane is None or (status.state == "limit" and status.asks is not None)
            self._limits.begin_trial(mark.harness, mark.account, ref.id)
            try:
                if pane is None or starts:
                    self._restart(opened, pane)
                elif not works and not self._send(opened, mark, pane, harness):
                    self._limits.end_trial(mark.harness, mark.account)
                    return _RETRY_SECONDS
            except OrangeError as problem:
                self._limits.end_trial(mark.harness, mark.account)
                attention = f"Its limit is over, but the agent could not go on: {problem}"
                event = "agent.not_restarted" if starts else "task.updated"
                opened.change(event, {"attention": attention}, window=mark.window, reason=str(problem))
                self._record_end(opened, mark.window)
                return None
            self._record_end(opened, mark.window)
            return WORKS_AFTER_SECONDS

    def _restart(self, opened: OpenTask, pane: Pane | None) -> None:
        """Start an agent that has ended, with its conversation; one with an open menu is ended, nothing is pressed."""
        if pane is not None:
            self._tasks.sessions.end_window(pane)
        self._agents.go_on(opened, by="engine")

    def _send(self, opened: OpenTask, mark: LimitMark, pane: Pane, harness: Harness | None) -> bool:
        """Tell a live agent to go on: by what waits for it, or by a message that it gets once."""
        name = f"limit {mark.since}"
        if messages.was_delivered(opened.journal, name):
            return True
        waiting = [each for each in messages.undelivered(opened.journal) if each.window == mark.window]
        message = waiting[0] if waiting else messages.queue(opened, name, mark.window, GO_ON)
        return messages.deliver(opened, message, pane, self._engine.parts.tmux, harness, limit_is_over=True)

    def _record_end(self, opened: OpenTask, window: str) -> None:
        """Record that an agent does not wait any more, nor the person for that; nor for more budget, if there is."""
        attention = opened.task.attention or ""
        is_told = attention == still_at_limit(self._harness_name(opened, window))
        has_budget = budget.why_not(self._tasks.projects, opened.task) is None
        left = "" if is_told else without_budget(attention) if has_budget else attention
        if left != attention:
            opened.change("limit.ended", {"attention": left or None}, window=window)
        else:
            opened.record("limit.ended", window=window)

    def _harness_name(self, opened: OpenTask, window: str) -> str:
        mark = opened.journal.at_limit().get(window)
        return mark.harness if mark is not None else ""


def _last_end(opened: OpenTask, window: str) -> str:
    ends = (e for e in opened.journal.backwards() if e["type"] in {"limit.ended", "agent.spawned"})
    return next((str(e.get("timestamp")) for e in ends if e.get("window") == window), "")


def _was_started(opened: OpenTask, window: str, since: str) -> bool:
    started = last_start(opened.journal, window)
    return started is not None and str(started.get("timestamp")) >= since and window not in opened.journal.at_limit()
