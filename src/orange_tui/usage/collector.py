"""The collector: it reads on in the session files of all live agents, for as long as its supervisor acts.

A file is read when it has changed, and a task's turn comes every few seconds, later the more agents there are: so that
fifty agents that write all the time cost next to nothing. A piece at a time, so that a long file holds up no other.
When an agent's task has ended, there is one last reading, also where Orange was closed at the time, or where it began
and ended between two rounds: what ended since is known by its history, which is then newer than its usage.json.
"""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import suppress
from datetime import UTC
from functools import partial

from orange_tui.agents.agent_sessions import SessionFinder, chat_starts, task_starts
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.usage.prices import Tokens
from orange_tui.home import clock
from orange_tui.home.files import read_signature
from orange_tui.home.paths import CHAT
from orange_tui.home.settings.config_file import read_settings
from orange_tui.sessions.runtime import Runtime
from orange_tui.store.store import TaskRef
from orange_tui.usage._session_files import SessionFiles, StartEvents, signature
from orange_tui.usage.limits import Limits
from orange_tui.usage.prices_file import Prices
from orange_tui.usage.reading import TaskReading
from orange_tui.usage.summary import usage_directories
from orange_tui.usage.usage_file import UsageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import tzinfo

    from orange_tui.agents.agent_sessions import AgentStart
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project, Projects
    from orange_tui.store.index import TaskIndex
    from orange_tui.store.store import Store
    from orange_tui.usage.reading import Outcome

_ROUND_SECONDS = 1.0
_LONGEST_REST_SECONDS = 10.0  # between two rounds, and between two turns of a task that nobody writes to
_PIECE_SECONDS = 0.05  # between two pieces of a long file
_SHORTEST_TURN_SECONDS = 2.0  # between two readings for one task
_TURN_SECONDS_EACH = 0.4  # the same, for each task with live agents: hardly three readings a second
_RETRY_SECONDS = 60.0  # until the last reading of a task is tried again, where it failed
_CAUGHT_UP_EACH_ROUND = 5
_LOOKED_AT_EACH_ROUND = 500  # ended tasks, for whether there is anything to catch up with
_NEWEST_SECONDS = 31 * 86400.0  # agents throw away older conversations themselves
_SETTINGS_SECONDS = 30.0
_PRICED_EACH_ROUND = 50


@record
class CollectorParts:
    """What the collector works with."""

    home: Home
    store: Store
    projects: Projects
    harnesses: Harnesses
    log: Log


class UsageCollector:
    """Collects what the agents of one home use."""

    def __init__(self, parts: CollectorParts, index: TaskIndex) -> None:
        self._parts = parts
        self._index = index
        self._finder = SessionFinder(parts.harnesses, parts.log)
        self._prices = Prices(parts.home, self._warn_once)
        self._limits = Limits(parts.home)
        self._said: set[str] = set()
        self._watched: dict[TaskRef, _Watched] = {}
        self._ended: list[TaskRef] = []  # tasks whose agents have ended, perhaps while nobody collected
        self._histories: set[int] = set()  # of ended tasks, as they were when they came to stand there
        self._zone: tzinfo = UTC
        self._settings_at = float("-inf")
        self._priced_with: object = None  # the prices by which everything was priced, or is being priced
        self._to_price: list[tuple[str, str, str]] = []

    async def run(self) -> None:
        """Collect, until cancelled."""
        while True:
            has_more = self._index.is_complete and await asyncio.to_thread(self.collect)
            await asyncio.sleep(_PIECE_SECONDS if has_more else self.rest())

    def rest(self) -> float:
        """Seconds until the next turn of a task; whoever has just started is seen within the longest of them."""
        if self._ended or self._to_price or not self._index.is_complete:
            return _ROUND_SECONDS
        turns = [watched.next_at - time.monotonic() for watched in self._watched.values()]
        return max(_ROUND_SECONDS, min([_LONGEST_REST_SECONDS, *turns]))

    def collect(self) -> bool:
        """One round: a turn for every task whose time has come. Says whether there is more to read at once."""
        self._read_settings()
        self._price_anew()
        self._watch_live()
        now = time.monotonic()
        pause = max(_SHORTEST_TURN_SECONDS, _TURN_SECONDS_EACH * len(self._watched))
        due = [(ref, watched) for ref, watched in self._watched.items() if watched.next_at <= now]
        for ref, watched in due:
            is_done = self._take_turn_safely(watched)
            watched.calm_turns = watched.calm_turns + 1 if watched.is_calm else 0
            watched.next_at = now + max(pause, min(_LONGEST_REST_SECONDS, pause * watched.calm_turns))
            if watched.has_more:
                watched.next_at = now
            elif watched.is_last and not is_done:
                watched.next_at = now + _RETRY_SECONDS
            elif watched.is_last:
                watched.note_end()
                self._watched.pop(ref, None)
        return any(watched.has_more for watched in self._watched.values())

    def _take_turn_safely(self, watched: _Watched) -> bool:
        """A turn of one task; says whether it went well. Whatever is wrong with its files, the others need us."""
        try:
            return self._take_turn(watched)
        except OrangeError as problem:
            self._warn_once(str(problem))
        except Exception as problem:  # noqa: BLE001 - see above
            self._warn_once(f"what the agents of {watched.ref.id} have used is not read: {problem!r}")
        watched.has_more = False
        return False

    def _take_turn(self, watched: _Watched) -> bool:
        outcome = watched.read_on(self._prices, self._zone)
        watched.is_calm = outcome is None
        if outcome is None:
            return True
        for problem in outcome.problems:
            self._warn_once(problem)
        for agent, windows in outcome.limits.items():
            self._limits.see_use(agent, self._limits.account_of(agent), windows, "session file")
        self._tell_boards(watched.ref, outcome)
        return not outcome.unread

    def _price_anew(self) -> None:
        """Once prices have changed, price what was used without one, of ended tasks as well: a few in each round."""
        signatures = self._prices.signatures()
        if signatures != self._priced_with:
            known = usage_directories(self._parts.home)  # of thousands of tasks, and most may have used nothing
            self._to_price = [each for each in known if os.path.exists(UsageFile(each[2]).path)]
            self._priced_with = signatures
        due, self._to_price = self._to_price[:_PRICED_EACH_ROUND], self._to_price[_PRICED_EACH_ROUND:]
        for project, task, state in due:
            with suppress(OrangeError):  # whoever reads on for it says so
                found = UsageFile(state).read()
                unpriced = set(found.total().unpriced) if found is not None else set()
                if any(self._prices.table().cost(model, Tokens()) is not None for model in unpriced):
                    outcome = TaskReading(state).read_on((), self._prices.table(), self._zone)
                    self._tell_boards(TaskRef(project, task), outcome)

    def _watch_live(self) -> None:
        """Watch the tasks that have a session, and the chats; one that has none any more has its last turn."""
        live = self._live()
        self._catch_up(live)
        chats = {TaskRef(project.name, CHAT) for project in self._projects()}
        for ref in (live | chats) - self._watched.keys():
            if ref.id != CHAT or os.path.isdir(self._parts.home.task_state(ref.project, CHAT)):
                self._watched[ref] = self._new(ref)
        for ref, watched in self._watched.items():
            if ref not in live and ref not in chats and not watched.is_last:
                # Soon, but not at once: Claude Code writes what it has cost when it is told to end.
                watched.is_last, watched.next_at = True, time.monotonic() + _SHORTEST_TURN_SECONDS

    def _catch_up(self, live: set[TaskRef]) -> None:
        """Watch a few of the ended tasks of which there is something to read; the others only cost a look."""
        looked_at = caught_up = 0
        for ref in self._ended[:_LOOKED_AT_EACH_ROUND]:
            looked_at += 1
            if ref not in live and self._is_news(ref):
                self._watched.setdefault(ref, self._new(ref, is_last=True))
                caught_up += 1
                if caught_up == _CAUGHT_UP_EACH_ROUND:
                    break
        del self._ended[:looked_at]

    def _live(self) -> set[TaskRef]:
        """The tasks that have a session; those that have none, and are not known as they are now, have ended."""
        live: set[TaskRef] = set()
        for entry in self._index.entries():
            if entry.task is not None and entry.task.tmux_session:
                live.add(entry.ref)
            elif entry.task is not None and entry.start.has_begun and entry.text_revision not in self._histories:
                self._histories.add(entry.text_revision)
                self._ended.append(entry.ref)
        return live

    def _is_news(self, ref: TaskRef) -> bool:
        """Whether a task that has ended has a history that is newer than what is known of its use."""
        history = read_signature(self._parts.store.journal(ref).path)
        usage = read_signature(UsageFile(self._parts.home.task_state(ref.project, ref.id)).path)
        if history is None or time.time() - history[1] / 1e9 > _NEWEST_SECONDS:
            return False
        return usage is None or usage[1] < history[1]

    def _new(self, ref: TaskRef, *, is_last: bool = False) -> _Watched:
        home, store = self._parts.home, self._parts.store
        find: Callable[[], list[AgentStart]]
        if ref.id == CHAT:
            find = partial(chat_starts, home, ref.project, self._project_path(ref))
        else:
            find = partial(self._task_starts, ref, StartEvents(store.journal(ref)))
        state = home.task_state(ref.project, ref.id)
        chat = os.path.join(home.root, "chats", ref.project)
        folder = chat if ref.id == CHAT else store.directory(ref)
        return _Watched(ref, state, find, SessionFiles(self._finder, folder), is_last=is_last)

    def _tell_boards(self, ref: TaskRef, outcome: Outcome) -> None:
        """Note that there is something new: runtime.json is what boards of other processes watch."""
        for window in outcome.windows if ref.id != CHAT else ():
            values = {"usage_at": clock.now(), "context_percent": outcome.contexts.get(window)}
            with suppress(OrangeError):  # the task was deleted, or its runtime.json is held: the next one tells
                runtime = Runtime(self._parts.store.made_state(ref))
                runtime.update(window, **{name: value for name, value in values.items() if value})

    def _task_starts(self, ref: TaskRef, events: StartEvents) -> list[AgentStart]:
        """The starts of a task's agents: in its worktree, or in the repository where it has none."""
        entry = self._index.get(ref)
        workspaces, project = self._parts.home.workspaces, self._project_path(ref)
        workspace = entry.task.workspace if entry is not None and entry.task is not None else None
        first = os.path.join(workspaces, workspace) if workspace else project
        runtime = Runtime(self._parts.store.state_directory(ref)).read()
        return task_starts(events.read(), runtime, [first, workspaces, project])

    def _projects(self) -> list[Project]:
        try:
            return list(self._parts.projects.all())
        except OrangeError:
            return []  # projects.json cannot be read, which is said elsewhere

    def _project_path(self, ref: TaskRef) -> str:
        project = self._parts.projects.find(ref.project)
        return project.path if project is not None else self._parts.home.workspaces

    def _read_settings(self) -> None:
        if time.monotonic() - self._settings_at < _SETTINGS_SECONDS:
            return
        self._settings_at = time.monotonic()
        with suppress(OrangeError):  # config.yml or TZ is wrong, which is said elsewhere
            self._zone = read_settings(self._parts.home).time_zone()

    def _warn_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._parts.log.write("warning", text)


class _Watched:
    """One task, or one chat, whose agents' files are looked at."""

    def __init__(
        self,
        ref: TaskRef,
        state: str,
        find_starts: Callable[[], list[AgentStart]],
        files: SessionFiles,
        *,
        is_last: bool,
    ) -> None:
        self.ref = ref
        self.is_last = is_last  # its agents have ended: it has one more turn
        self.has_more = False
        self.next_at = 0.0
        self.is_calm = False  # nothing was written since its last turn
        self.calm_turns = 0
        self._find_starts = find_starts
        self._files = files
        self._usage = UsageFile(state)
        self._reading = TaskReading(state)
        self._signatures: Mapping[str, object] = {}

    def read_on(self, prices: Prices, zone: tzinfo) -> Outcome | None:
        """Read what is new; None where there is nothing."""
        self.has_more = False
        files = self._files.list(self._find_starts())
        signatures = {file.name: signature(file) for file in files}  # what changes while we read is read the next time
        changed = [file for file in files if signatures[file.name] != self._signatures.get(file.name)]
        if not changed:
            return None
        outcome = self._reading.read_on(changed, prices.table(), zone)
        self.has_more = outcome.has_more
        if not outcome.has_more:
            self._signatures = {name: found for name, found in signatures.items() if name not in outcome.unread}
        return outcome

    def note_end(self) -> None:
        """Remember that all was read: usage.json is then newer than the history."""
        with suppress(OSError):  # there is none: nothing is known of its use
            os.utime(self._usage.path)
