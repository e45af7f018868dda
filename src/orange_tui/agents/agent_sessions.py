"""Which conversation an agent has: its id, and the record that the agent keeps of it.

Claude Code is given the id; pi and codex report theirs; where nothing is known, the record is found by the directory,
the time of the start and the prompt. So a worker and a reviewer in one worktree are never mixed up. What a report says
is believed only where the agent's own directory has such a record, of a conversation in the same worktree.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress

from orange_tui.agents.harnesses import agent_path
from orange_tui.domain.errors import OrangeError, Unreadable
from orange_tui.domain.records import record, replace
from orange_tui.home.files import make_directory, open_regular, read_end
from orange_tui.home.paths import CHAT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from orange_tui.agents._session_records import RecordFormat, SessionRecord
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home

ROUTER = "router"  # the window of the question who does a task, though it has none
STARTS = frozenset({"agent.spawned", "router.asked"})
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_WINDOW = re.compile(r"[^./\0][^/\0]{0,99}")  # it is part of a file's name
_COMPARED_CHARACTERS = 300
_COMPARED_LETTERS = 120
_MOST_STARTS = 500  # of one task; the last ones
_MAX_CHAT_BYTES = 1_000_000
_CLOCK_SLACK_SECONDS = 5.0  # an agent may begin its record before its start is in the journal
_LATEST_SECOND = 2.0**33  # since 1970
_warned: set[str] = set()


@record
class AgentStart:
    """One start of an agent, as the journal tells it."""

    window: str
    number: int  # the how manieth start of that window, from 1
    agent: str
    directory: str
    since: str
    until: str | None = None  # when the window's next agent was started
    session_id: str | None = None
    prompt: str | None = None  # the beginning of what it was told (`prompt_mark`)
    is_reported: bool = False  # the conversation is one that its agent says it has now, and may have begun earlier


@record
class AgentSession:
    """The conversation of one start: `path` is a regular file of the agent's own, of the `format` that it has."""

    window: str
    start: int
    agent: str
    format: str
    session_id: str
    path: str


def task_starts(
    events: Iterable[Mapping[str, Any]], runtime: Mapping[str, Mapping[str, Any]], directories: Sequence[str]
) -> list[AgentStart]:
    """Every start of a task's agents, oldest first; one that has changed to another conversation stands twice.

    `directories` are those its agents can have worked in, or that contain them: others are not believed. The first is
    that of starts from before directories were recorded.
    """
    roots = [os.path.join(directory, "") for directory in directories]
    found: list[AgentStart] = []
    counts: dict[str, int] = {}
    last: dict[str, int] = {}  # where the last start of each window is found
    for event in events:
        values = [event.get(name) for name in ("window", "harness", "timestamp")]
        if event.get("type") not in STARTS or not all(isinstance(value, str) for value in values):
            continue
        window, agent, since = map(str, values)
        directory = str(event.get("directory", directories[0]))
        if not _WINDOW.fullmatch(window) or "\0" in directory:
            continue
        if window in last:
            found[last[window]] = _ended(found[last[window]], since)
        counts[window] = counts.get(window, 0) + 1
        if os.path.isabs(directory) and os.path.join(os.path.normpath(directory), "").startswith(tuple(roots)):
            session_id, prompt = _text(event.get("session_id")), _text(event.get("prompt"))
            last[window] = len(found)
            found.append(AgentStart(window, counts[window], agent, directory, since, None, session_id, prompt))
    return [each for start in found[-_MOST_STARTS:] for each in _with_reported(start, runtime.get(start.window, {}))]


def record_chat_start(home: Home, project: str, start: AgentStart) -> None:
    """Write down that an orchestrator is started: a chat has no task, and so no journal."""
    path = _chat_starts_file(home, project)
    make_directory(os.path.dirname(path))
    values = {
        "type": "agent.spawned",
        "timestamp": start.since,
        "window": start.window,
        "harness": start.agent,
        "directory": start.directory,
        "session_id": start.session_id,
        "prompt": start.prompt,
    }
    descriptor = open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, follow=False)
    with open(descriptor, "wb") as file:
        file.write(b"\n" + json.dumps(values).encode() + b"\n")  # the line before may be torn


def chat_starts(home: Home, project: str, directory: str) -> list[AgentStart]:
    """Every start of a project's orchestrator, as `task_starts`."""
    lines = read_end(_chat_starts_file(home, project), _MAX_CHAT_BYTES).decode(errors="replace").splitlines()
    events = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            events.append(json.loads(line))
    return task_starts([event for event in events if isinstance(event, dict)], {}, [directory])


def _chat_starts_file(home: Home, project: str) -> str:
    return os.path.join(home.task_state(project, CHAT), "starts.jsonl")


def prompt_mark(prompt: str) -> str:
    """The letters and digits a prompt begins with: agents change the rest, and it tells a worker from a reviewer."""
    return re.sub(r"[\W_]+", "", prompt[:_COMPARED_CHARACTERS])[:_COMPARED_LETTERS]


@record
class SessionFinder:
    """Looks up the agents' own records; what cannot be read is unknown, and said in the log once."""

    harnesses: Harnesses
    log: Log

    def find(self, start: AgentStart) -> AgentSession | None:
        """The conversation of a start; None where there is no record, or none that can be told apart."""
        from orange_tui.agents._session_records import FORMATS

        try:
            harness = self.harnesses.get(start.agent)
            records = FORMATS.get(harness.session_format)
            if records is None or not harness.sessions:
                return None
            root = agent_path(harness.sessions, {**os.environ, **harness.environment})
            if start.session_id is not None:
                found = records.find(root, start.session_id, start.directory)
            else:
                found = _search(records, root, start)
        except Unreadable as problem:
            self._warn(f"{start.agent}: its conversations are unknown: {problem}")
            return None
        except OrangeError:  # an agent that is no more in harnesses.yml
            return None
        if found is None or not _ID.fullmatch(found.session_id):
            return None
        return AgentSession(
            start.window, start.number, start.agent, harness.session_format, found.session_id, found.path
        )

    def below(self, session: AgentSession) -> list[str]:
        """The records of agents that an agent has started itself, as far as they are files of their own."""
        from orange_tui.agents._subagents import files_below

        return files_below(session.format, session.path, session.session_id)

    def _warn(self, text: str) -> None:
        if text not in _warned:
            _warned.add(text)
            self.log.write("warning", text)


def _search(records: RecordFormat, root: str, start: AgentStart) -> SessionRecord | None:
    """The first conversation that began after the start, with its prompt; only by time where that is not known."""
    from orange_tui.agents._session_records import to_seconds

    slack = _CLOCK_SLACK_SECONDS if start.window != ROUTER else 0.0  # a router is asked once that is in the journal
    since = to_seconds(start.since) - slack
    until = to_seconds(start.until) - slack if start.until is not None else float("inf")
    if not 0 < since < _LATEST_SECOND:
        return None  # the engine has not written that
    for found in records.search(root, start.directory, since, until):
        if start.prompt is None or any(prompt_mark(text) == start.prompt for text in records.prompts(found)):
            return found
    return None


def _with_reported(start: AgentStart, reported: Mapping[str, Any]) -> list[AgentStart]:
    """The start, and once more with the conversation its agent has reported meanwhile, if that is another."""
    session_id = _text(reported.get("session_id"))
    is_its_own = start.until is None and reported.get("agent") == start.agent
    if not is_its_own or session_id is None or session_id == start.session_id or not _ID.fullmatch(session_id):
        return [start]
    other = replace(start, session_id=session_id, is_reported=True)
    return [other] if start.session_id is None else [start, other]


def _ended(start: AgentStart, until: str) -> AgentStart:
    return start if start.until is not None else replace(start, until=until)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
