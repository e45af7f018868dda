"""Which files tell what the agents of a task, or of a chat, have used.

Found conversations are remembered: looking one up can take a moment, and one that is not found is looked up less and
less often. An agent that keeps no record that Orange can read may write one in the task's directory,
`.orange-status/<window>.usage.jsonl`, as the demo agent does. What is in there is an agent's word, and read as such:
regular files alone, through no link, and no more of them than makes sense.
"""

from __future__ import annotations

import os
from time import monotonic

from orange_tui.agents.agent_sessions import STARTS
from orange_tui.home.files import read_signature
from orange_tui.home.paths import STATUS_FOLDER
from orange_tui.usage._counting import Owner
from orange_tui.usage.reading import DATABASE, STATUS, SessionFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orange_tui.agents.agent_sessions import AgentSession, AgentStart, SessionFinder
    from orange_tui.home.files import Signature
    from orange_tui.store.journal import Event, Journal

_OWN_RECORD = "demo"
_CLAUDE = "claude"
_LONGEST_PAUSE_SECONDS = 300.0  # between two searches for a conversation


class StartEvents:
    """The starts in a task's history, read again when it has changed."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._signature: Signature | None = None
        self._events: list[Event] = []

    def read(self) -> list[Event]:
        """Every start, oldest first."""
        now = read_signature(self._journal.path)
        if now is not None and now != self._signature:  # of a deleted task, what was read last
            self._events = [event for event in self._journal.events() if event["type"] in STARTS]
            self._signature = now
        return self._events


class SessionFiles:
    """The files of one task; `folder` is where its agents may write."""

    def __init__(self, finder: SessionFinder, folder: str) -> None:
        self._finder = finder
        self._status = os.path.join(folder, STATUS_FOLDER)
        self._found: dict[AgentStart, AgentSession | None] = {}
        self._listed: dict[str, SessionFile] = {}
        self._missing: dict[AgentStart, tuple[float, float]] = {}  # first and last searched for in vain

    def list(self, starts: Sequence[AgentStart]) -> list[SessionFile]:
        """The files of these starts, each once, what is below a conversation before the conversation itself.

        Those that were listed once stay: what an agent wrote last before it changed to another conversation counts.
        """
        times: dict[str, dict[str, None]] = {}
        for start in starts:
            times.setdefault(start.window, {})[start.since] = None
        files = [file for start in starts for file in self._files(start, tuple(times[start.window]))]
        now = {file.name: file for file in files}
        self._listed = {name: file for name, file in self._listed.items() if name not in now} | now
        return list(self._listed.values())

    def _files(self, start: AgentStart, times: tuple[str, ...]) -> Iterator[SessionFile]:
        owner = Owner(start.window, start.agent, times, start.since if start.is_reported else None)
        session = self._session(start)
        own = os.path.join(self._status, f"{start.window}.usage.jsonl")
        if session is None and os.path.lexists(own) and not os.path.islink(self._status):
            yield SessionFile(owner, _OWN_RECORD, "", own)
        if session is None:
            return
        for path in self._finder.below(session):
            yield SessionFile(owner, session.format, session.session_id, path)
        if session.format == _CLAUDE and start.until is None and not os.path.islink(self._status):
            yield SessionFile(owner, STATUS, "", os.path.join(self._status, f"{start.window}.json"))
        yield SessionFile(owner, session.format, session.session_id, session.path)

    def _session(self, start: AgentStart) -> AgentSession | None:
        if start not in self._found:
            now = monotonic()
            begun, searched = self._missing.setdefault(start, (now, now))
            if now - searched < min(_LONGEST_PAUSE_SECONDS, (searched - begun) / 2):
                return None
            found = self._finder.find(start)
            if found is None and start.until is None:
                self._missing[start] = (begun, now)  # its agent has not begun to write it
                return None
            self._found[start] = found
        return self._found[start]


def signature(file: SessionFile) -> tuple[tuple[int, int, int] | None, ...]:
    """What changes when there is something new in a file; of no link."""
    paths = (file.path, f"{file.path}-wal") if file.format == DATABASE else (file.path,)
    return tuple(_signature(path) for path in paths)


def _signature(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
