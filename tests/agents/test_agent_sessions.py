"""Which conversation an agent has: told apart by place, time and prompt, and believed only where its record is."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.agents import agent_sessions
from orange_tui.agents.agent_sessions import (
    AgentStart,
    SessionFinder,
    chat_starts,
    prompt_mark,
    record_chat_start,
    task_starts,
)
from orange_tui.agents.harnesses import Harnesses
from orange_tui.domain.records import replace
from orange_tui.home.clock import at
from orange_tui.home.log import Log
from orange_tui.home.paths import Home

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WORK = "Task: Brew it\nProject coffee"
REVIEW = "Review: Brew it\nProject coffee"
NOW = 1_794_859_200.0


def stamp(seconds: float) -> str:
    return at(int(seconds * 1000) * 1_000_000)


class AgentRecords:
    """A worktree, the directories of all agents, and records in them as the agents write them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.worktree = str(root / "workspaces" / "coffee--1")
        os.makedirs(self.worktree)
        self.log = Log(str(root / "orange.log"))
        self.finder = SessionFinder(Harnesses(Home(str(root))), self.log)

    def put(self, path: str, *lines: object) -> str:
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return str(full)

    def claude(self, session_id: str, created: float, prompt: str, place: str | None = None) -> str:
        del created, prompt
        folder = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in place or self.worktree)
        return self.put(f"claude/projects/{folder}/{session_id}.jsonl", {"type": "user"})

    def codex(
        self, session_id: str, created: float, prompt: str, place: str | None = None, source: object = "cli"
    ) -> str:
        day = time.strftime("%Y/%m/%d", time.localtime(created))
        meta = {"id": session_id, "timestamp": stamp(created), "cwd": place or self.worktree, "source": source}
        texts = ["<environment_context>", prompt]
        content = [[{"type": "input_text", "text": text}] for text in texts]
        lines = [{"payload": {"type": "message", "role": "user", "content": each}} for each in content]
        path = f"codex/sessions/{day}/rollout-2026-11-16T20-00-00-{session_id}.jsonl"
        return self.put(path, {"type": "session_meta", "payload": meta}, *lines)

    def pi(self, session_id: str, created: float, prompt: str, place: str | None = None) -> str:
        folder = (place or self.worktree).lstrip("/").replace("/", "-")
        head = {"type": "session", "id": session_id, "timestamp": stamp(created), "cwd": place or self.worktree}
        message = {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": prompt}]}}
        return self.put(f"pi/sessions/--{folder}--/2026_{session_id}.jsonl", head, message)

    def opencode(self, session_id: str, created: float, prompt: str, place: str | None = None) -> str:
        path = self.root / "data" / "opencode" / "opencode.db"
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE IF NOT EXISTS session (id, directory, parent_id, time_created)")
        connection.execute("CREATE TABLE IF NOT EXISTS message (id, session_id, time_created)")
        connection.execute("CREATE TABLE IF NOT EXISTS part (id, message_id, data)")
        row = (session_id, place or self.worktree, created * 1000)
        connection.execute("INSERT INTO session VALUES (?, ?, NULL, ?)", row)
        connection.execute("INSERT INTO message VALUES (?, ?, ?)", (f"m{session_id}", session_id, created * 1000))
        text = json.dumps({"type": "text", "text": f'"{prompt}"'})  # `opencode run` puts it in quotes
        connection.execute("INSERT INTO part VALUES (?, ?, ?)", (f"p{session_id}", f"m{session_id}", text))
        connection.commit()
        connection.close()
        return str(path)

    def write(self, agent: str) -> Callable[..., str]:
        found: Callable[..., str] = getattr(self, agent)
        return found

    def find(self, agent: str, prompt: str | None = None, **more: Any) -> str | None:
        mark = prompt_mark(prompt) if prompt is not None else None
        start = AgentStart("worker", 1, agent, self.worktree, stamp(NOW), prompt=mark)
        found = self.finder.find(replace(start, **more))
        return found.session_id if found is not None else None


@pytest.fixture
def records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AgentRecords:
    variables = {"CLAUDE_CONFIG_DIR": "claude", "CODEX_HOME": "codex", "XDG_DATA_HOME": "data"}
    for name, folder in {**variables, "PI_CODING_AGENT_DIR": "pi"}.items():
        monkeypatch.setenv(name, str(tmp_path / folder))
    monkeypatch.setattr(agent_sessions, "_warned", set())
    return AgentRecords(tmp_path)


SEARCHED = pytest.mark.parametrize("agent", ["codex", "opencode", "pi"])
EVERY = pytest.mark.parametrize("agent", ["claude", "codex", "opencode", "pi"])


@SEARCHED
def test_worker_and_reviewer_in_one_worktree_are_told_apart_by_their_prompts(records: AgentRecords, agent: str) -> None:
    records.write(agent)("reviews", NOW + 1, REVIEW)
    records.write(agent)("works", NOW + 2, WORK)
    assert (records.find(agent, WORK), records.find(agent, REVIEW)) == ("works", "reviews")


@SEARCHED
def test_each_start_has_the_conversation_that_began_with_it(records: AgentRecords, agent: str) -> None:
    for number in range(3):
        records.write(agent)(f"talk-{number}", NOW + 100 * number, WORK)
    records.write(agent)("elsewhere", NOW, WORK, place="/somewhere/else")
    found = [
        records.find(agent, WORK, since=stamp(NOW + 100 * number), until=stamp(NOW + 100 * number + 100))
        for number in range(-1, 4)
    ]
    assert found == [None, "talk-0", "talk-1", "talk-2", None]


@SEARCHED
def test_start_whose_prompt_is_not_known_has_the_first_conversation_after_it(records: AgentRecords, agent: str) -> None:
    records.write(agent)("earlier", NOW - 60, WORK)
    records.write(agent)("first", NOW + 10, WORK)
    records.write(agent)("second", NOW + 20, REVIEW)
    assert records.find(agent) == "first"


@EVERY
def test_known_conversation_is_found_by_its_id_as_long_as_its_record_is_there(
    records: AgentRecords, agent: str
) -> None:
    path = records.write(agent)("talk-1", NOW, WORK)
    start = AgentStart("review-1", 3, agent, records.worktree, stamp(NOW), session_id="talk-1")
    found = records.finder.find(start)
    assert found is not None
    assert (found.window, found.start, found.agent, found.session_id) == ("review-1", 3, agent, "talk-1")
    assert (found.format, found.path) == (agent, path)
    os.unlink(path)
    assert records.finder.find(start) is None


@EVERY
def test_conversation_of_another_directory_is_not_taken_for_that_of_the_worktree(
    records: AgentRecords, agent: str
) -> None:
    records.write(agent)("talk-1", NOW, WORK, place="/somewhere/else")
    assert records.find(agent, session_id="talk-1") is None


@pytest.mark.parametrize("agent", ["claude", "codex", "pi"])
def test_link_in_the_place_of_a_record_is_not_followed(records: AgentRecords, agent: str) -> None:
    path = records.write(agent)("talk-1", NOW, WORK)
    os.rename(path, records.root / "elsewhere.jsonl")
    os.symlink(records.root / "elsewhere.jsonl", path)
    assert records.find(agent, session_id="talk-1") is None
    os.unlink(path)
    os.mkfifo(path)
    assert records.find(agent, session_id="talk-1") is None


def test_directory_of_records_that_is_a_link_out_of_the_agents_own_is_not_entered(records: AgentRecords) -> None:
    folder = os.path.dirname(records.claude("talk-1", NOW, WORK))
    os.rename(folder, records.root / "elsewhere")
    os.symlink(records.root / "elsewhere", folder)
    assert records.find("claude", session_id="talk-1") is None


def test_what_codex_has_others_do_for_it_is_not_its_own_conversation(records: AgentRecords) -> None:
    records.codex("helper", NOW + 1, WORK, source={"subagent": "review"})
    records.codex("own", NOW + 2, WORK)
    assert records.find("codex", WORK) == "own"


def test_database_that_cannot_be_read_is_unknown_and_said_once(records: AgentRecords) -> None:
    path = records.opencode("talk-1", NOW, WORK)
    connection = sqlite3.connect(path)
    connection.execute("ALTER TABLE session RENAME COLUMN directory TO place")
    connection.commit()
    connection.close()
    assert [records.find("opencode", WORK), records.find("opencode", session_id="talk-1")] == [None, None]
    (said,) = records.log.entries()
    assert said["message"].startswith("opencode: its conversations are unknown: ")
    assert "no such column" in said["message"]


def test_database_that_is_being_written_is_read(records: AgentRecords) -> None:
    path = records.opencode("talk-1", NOW, WORK)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE session SET id = 'other'")
    assert records.find("opencode", WORK) == "talk-1"
    connection.close()


@given(content=st.binary(max_size=300))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_record_that_is_no_record_is_no_conversation(records: AgentRecords, content: bytes) -> None:
    for agent in ("codex", "opencode", "pi"):
        path = records.write(agent)("talk-1", NOW, WORK)
        with open(path, "wb") as file:
            file.write(content)
        assert records.find(agent, WORK) is None
        assert records.find(agent, session_id="talk-1") is None
        os.unlink(path)


def spawned(window: str, second: int, **more: object) -> dict[str, object]:
    event = {"type": "agent.spawned", "window": window, "harness": "pi", "timestamp": stamp(NOW + second)}
    return {**event, "directory": "/o/workspaces/coffee--1", **more}


def test_starts_are_counted_for_each_window_and_end_with_the_next() -> None:
    events: list[dict[str, object]] = [
        spawned("worker", 1),
        spawned("review-1", 2),
        {"type": "status.changed"},
        spawned("worker", 3),
    ]
    router = {**spawned("router", 0), "type": "router.asked"}
    starts = task_starts([router, *events], {}, ["/o/workspaces"])
    assert [(start.window, start.number, start.until is None) for start in starts] == [
        ("router", 1, True),
        ("worker", 1, False),
        ("review-1", 1, True),
        ("worker", 2, True),
    ]


def test_directory_that_the_engine_cannot_have_chosen_is_not_believed() -> None:
    places = ["/etc", "/o/workspaces/../secret", "workspaces", "/o/workspaces-2"]
    events = [spawned("worker", number, directory=place) for number, place in enumerate(places)]
    assert task_starts(events, {}, ["/o/workspaces"]) == []
    (old,) = task_starts([{**spawned("worker", 1), "directory": "/o/w"}], {}, ["/o/w"])
    assert old.directory == "/o/w"


def test_conversation_that_was_reported_belongs_to_the_last_start_of_that_agent() -> None:
    events = [spawned("worker", 1), spawned("worker", 2, session_id="chosen"), spawned("review-1", 3)]
    runtime = {"worker": {"agent": "pi", "session_id": "reported"}, "review-1": {"agent": "pi", "session_id": "r"}}
    starts = task_starts(events, runtime, ["/o/workspaces"])
    assert [start.session_id for start in starts] == [None, "chosen", "reported", "r"]
    for other in ({"agent": "codex", "session_id": "x"}, {"agent": "pi", "session_id": "../x"}, {"agent": "pi"}):
        assert [start.session_id for start in task_starts(events[:1], {"worker": other}, ["/o"])] == [None]


def test_chats_are_found_though_they_have_no_journal(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    first = AgentStart("chat", 1, "claude", "/src/coffee", stamp(NOW), session_id="talk-1", prompt="Youare")
    second = replace(first, since=stamp(NOW + 9), session_id=None)
    record_chat_start(home, "coffee", first)
    with open(tmp_path / "state" / "coffee" / ".chat" / "starts.jsonl", "a") as file:
        file.write('{"torn')
    record_chat_start(home, "coffee", second)
    found = chat_starts(home, "coffee", "/src/coffee")
    assert found == [replace(first, until=second.since), replace(second, number=2)]
    assert chat_starts(home, "tea", "/src/tea") == []


@pytest.mark.parametrize(
    "forged",
    [
        {"window": "../../secrets"},
        {"window": "w" * 5_000},
        {"window": "\0"},
        {"directory": "/o/workspaces/a\0"},
    ],
    ids=repr,
)
def test_start_that_the_engine_cannot_have_recorded_is_none(forged: dict[str, object]) -> None:
    assert task_starts([{**spawned("worker", 1), **forged}], {}, ["/o/workspaces"]) == []


@pytest.mark.parametrize("agent", ["codex", "opencode", "pi"])
@pytest.mark.parametrize("since", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "soon"])
def test_start_at_an_impossible_time_has_no_conversation(records: AgentRecords, agent: str, since: str) -> None:
    start = AgentStart("worker", 1, agent, records.worktree, since, None, None, prompt_mark(WORK))
    assert records.finder.find(start) is None


def test_forged_history_of_many_starts_is_gone_through_quickly() -> None:
    events = [spawned("worker", number % 60) for number in range(5_000)]
    found = task_starts(events, {}, ["/o/workspaces"])
    assert (found[-1].number, found[-1].until) == (5_000, None)
    assert len(found) <= 1_000


def test_question_to_a_router_is_not_one_that_was_asked_before_it(records: AgentRecords) -> None:
    records.codex("first", NOW - 2, WORK)
    start = AgentStart("router", 1, "codex", records.worktree, stamp(NOW), None, None, prompt_mark(WORK))
    assert records.finder.find(start) is None
    records.codex("second", NOW + 1, WORK)
    found = records.finder.find(start)
    assert found is not None
    assert found.session_id == "second"


def test_pipe_beside_a_database_holds_nobody_up(records: AgentRecords) -> None:
    path = records.opencode("ses_1", NOW, WORK)
    os.mkfifo(f"{path}-journal")  # sqlite would wait for its writer for ever
    start = AgentStart("worker", 1, "opencode", records.worktree, stamp(NOW), None, "ses_1")
    assert records.finder.find(start) is None


@pytest.mark.parametrize("window", ["worker", "review-12", "second opinion", "Prüfer.2"])
def test_window_is_called_as_a_workflow_likes(window: str) -> None:
    assert [start.window for start in task_starts([spawned(window, 1)], {}, ["/o/workspaces"])] == [window]
