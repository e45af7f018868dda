"""Keeps runtime.json true for agents that cannot report, and where what they have reported is in doubt.

An agent that was interrupted says nothing, and three of four say little at all. So their screens are looked at while
something changes on them, which the size of a window's log tells: a screen that stands still costs little more than a
look at a file's size. All screens that are due are read in one call to tmux, and only what has changed is written down.
"""

from __future__ import annotations

import asyncio
import os
import time

from orange_tui.domain.errors import OrangeError
from orange_tui.home import clock
from orange_tui.home.files import read_signature
from orange_tui.sessions.agent_state import GRACE_SECONDS
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.home.files import Signature
    from orange_tui.home.log import Log
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.sessions.agent_state import AgentStatus
    from orange_tui.sessions.screens import AgentScreens
    from orange_tui.store.index import IndexedTask
    from orange_tui.store.store import TaskRef

    # Told of each window that waits with a question, and of the question whose dialog is no longer on its screen.
    Settle = Callable[[TaskRef, str, str | None], None]

_TICK_SECONDS = 1.0
_QUIET_SECONDS = 3.0  # between two ticks while nobody prints
_NOBODY_SECONDS = 6.0  # likewise without agents
_MOVING_SECONDS = 5.0  # after what an agent has printed
_CALM_SECONDS = 5.0  # between two looks at an agent that says it is busy, and prints
# A log can fall behind or end (a full disk, a pipe that broke), so a screen that seems to stand still is looked at too:
# soon where the agent was at work or asked something, as it may have been interrupted or answered, and later else.
_DOUBT_SECONDS, _REST_SECONDS = 3.0, 30.0
_LINE_SECONDS = 5.0  # between two times that the last lines alone are written: who follows the files is woken for it
_AT_WORK = frozenset({"busy", "permission"})
_MAY_SHOW_DIALOG = frozenset({"permission", "starting", "unknown"})
_TOLD_BY_REPORT = "busy"


class _Watched:
    """One agent's window, and what was known of it when it was last looked at."""

    def __init__(self, ref: TaskRef, pane: Pane, runtime: Runtime) -> None:
        self.ref, self.pane, self.runtime = ref, pane, runtime
        self.log = os.path.join(runtime.directory, "logs", f"{pane.window}.log")
        self.printed: Signature | None = None  # at the last tick
        self.seen: tuple[Signature | None, Signature | None] | None = None  # log and runtime.json at the last look
        self.looked_at = 0.0
        self.moved_at = 0.0  # when it was last seen to print
        self.again_at: float | None = None  # when what was seen begins to count against a report
        self.has_question = False  # that it waits with, and that can be answered in Orange
        self.past_question: str | None = None  # that one, if its own dialog is gone: somebody has answered it there
        self.is_calm = False  # it reports that it is busy: what it prints is no news
        self.is_at_work = True
        self.problem = ""  # the last one with its file
        self.told_line_at = 0.0  # when what it printed last was written down

    def may_tell_line(self, now: float) -> bool:
        """Whether the last line that it has printed may be written down again: all of them together, and seldom."""
        if now // _LINE_SECONDS == self.told_line_at // _LINE_SECONDS:
            return False
        self.told_line_at = now
        return True

    def is_due(self, now: float) -> bool:
        """Whether to look at its screen now."""
        printed, reported = read_signature(self.log), read_signature(self.runtime.path)
        is_quiet, self.printed = printed == self.printed, printed
        self.moved_at = self.moved_at if is_quiet and self.again_at is None else now
        due = self._is_due(now, printed, reported, is_quiet=is_quiet)
        if due:
            self.seen, self.looked_at, self.again_at = (printed, reported), now, None
        return due

    def _is_due(self, now: float, printed: Signature | None, reported: Signature | None, *, is_quiet: bool) -> bool:
        if self.seen is None or self.seen[1] != reported or (self.again_at is not None and now >= self.again_at):
            return True
        if self.is_calm and not is_quiet:  # it only goes on with its work
            return now - self.looked_at >= _CALM_SECONDS
        pause = _DOUBT_SECONDS if self.is_at_work else _REST_SECONDS
        # By one clock for all of them, so that they are looked at together: each call to tmux costs.
        return printed != self.seen[0] or now // pause != self.looked_at // pause


class ScreenWatcher:
    """Looks at the screens of one home's agents for as long as a supervisor acts."""

    def __init__(
        self, screens: AgentScreens, find: Callable[[str], IndexedTask | None], settle: Settle, log: Log
    ) -> None:
        self._screens, self._find, self._settle, self._log = screens, find, settle, log
        self._watched: dict[str, _Watched] = {}  # by pane
        self._problem = ""

    async def run(self) -> None:
        """Watch for ever."""
        while True:
            await asyncio.to_thread(self.tick, time.monotonic())
            await asyncio.sleep(self.pause(time.monotonic()))

    def pause(self, now: float) -> float:
        """Seconds until the next tick: few while something prints, more where all are quiet, most without agents."""
        if not self._watched:
            return _NOBODY_SECONDS
        is_moving = any(now - each.moved_at < _MOVING_SECONDS or each.has_question for each in self._watched.values())
        return _TICK_SECONDS if is_moving else _QUIET_SECONDS

    def tick(self, now: float) -> int:
        """Look at the screens that are due, and write down what has changed; says how many were looked at."""
        try:
            due = self._due(now)
            sights = self._screens.look((each.ref, each.pane) for each in due) if due else {}
            self._problem = ""
        except OrangeError as problem:  # tmux does not answer
            self._problem = self._warn(problem, self._problem)
            return 0
        for each in due:
            try:
                self._note(each, sights.get(each.pane.pane_id), now)
                each.problem = ""
            except OrangeError as problem:  # the disk is full, or the agent has put something else there
                each.problem = self._warn(problem, each.problem)
        for each in self._watched.values():
            try:
                if each.has_question:
                    self._settle(each.ref, each.pane.window, each.past_question)
            except OrangeError as problem:  # the disk is full, or the agent has put something else there
                each.problem = self._warn(problem, each.problem)
        return len(due)

    def _warn(self, problem: OrangeError, last: str) -> str:
        """Say what is wrong, once; one window's trouble is no other's."""
        if str(problem) != last:
            self._log.write("warning", f"agents' screens were not looked at: {problem}")
        return str(problem)

    def _due(self, now: float) -> list[_Watched]:
        panes = {pane.pane_id: pane for pane in self._screens.sessions.panes()}
        for gone in self._watched.keys() - panes.keys():
            del self._watched[gone]
        for pane_id, pane in panes.items():
            known = self._watched.get(pane_id)
            if known is None or known.pane.spawn != pane.spawn:
                task = self._find(pane.task)
                if task is not None:
                    runtime = Runtime(self._screens.store.state_directory(task.ref))
                    self._watched[pane_id] = _Watched(task.ref, pane, runtime)
        return [each for each in self._watched.values() if each.is_due(now)]

    def _note(self, watched: _Watched, sight: AgentStatus | None, tick: float) -> None:
        """Write down what is seen, if it is news, or if by now it counts against what the agent has reported."""
        if sight is None:  # a window was closed, and tmux went no further
            watched.seen = None
            self._screens.sessions.forget_panes()
            return
        known, now = watched.runtime.window(watched.pane.window), time.time()
        reported = known.get("asks") if known.get("state") == "permission" else None
        asks = (reported or sight.asks) if known.get("question") else (sight.asks or reported)
        values = {"seen": sight.state, "asks": asks, "advice": sight.advice}
        counts_from, seen_at = _counts_from(known, now), clock.in_seconds(known.get("seen_at")) or 0.0
        if any(known.get(name) != value for name, value in values.items()) or seen_at < counts_from <= now:
            watched.runtime.update(watched.pane.window, **values, last=sight.last_line, seen_at=clock.now())
            seen_at = now
        elif watched.may_tell_line(tick) and sight.last_line != known.get("last"):
            watched.runtime.update(watched.pane.window, last=sight.last_line)
        watched.again_at = time.monotonic() + counts_from - now if seen_at < counts_from else None
        watched.is_at_work = sight.state in _AT_WORK
        watched.has_question = bool(known.get("question"))
        is_shown = sight.state in _MAY_SHOW_DIALOG or bool(known.get("held")) or counts_from > now
        watched.past_question = None if is_shown else known.get("question")
        watched.is_calm = known.get("state") == sight.state == _TOLD_BY_REPORT


def _counts_from(values: Mapping[str, object], now: float) -> float:
    """Since when what is seen counts for more than what was reported last; a report of the future is none."""
    reported_at = clock.in_seconds(values.get("event_at"))
    return 0.0 if reported_at is None or reported_at > now + GRACE_SECONDS else reported_at + GRACE_SECONDS
