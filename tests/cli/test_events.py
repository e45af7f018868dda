"""`orange task event` runs inside agents' hooks: it records what they report, prints nothing, and never fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.cli.commands.events import event
from orange_tui.cli.parsing.grammar import Parsed
from orange_tui.cli.parsing.parser import parse
from orange_tui.cli.table.events import EVENT
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime

if TYPE_CHECKING:
    from pathlib import Path

TITLE = "Generate a concise, single-line task title of at most 40 characters"


class Agent:
    """An agent in its window, and the hooks it runs."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = Home(str(root / "home"))
        self.orange = assemble(self.home)
        with self.orange.store.project_lock("coffee"):
            self.ref = self.orange.store.add(
                "coffee", {"branch": "fix", "status": "pending", "workflow": "default"}, ""
            )
        self.directory = self.orange.store.directory(self.ref)
        self.runtime = Runtime(self.orange.store.state_directory(self.ref))
        self._patch = monkeypatch
        monkeypatch.setenv("ORANGE_HOME", self.home.root)
        monkeypatch.setenv("ORANGE_TASK", self.ref.id)
        monkeypatch.setenv("ORANGE_TASK_FILE", os.path.join(self.directory, "TASK.md"))
        monkeypatch.setattr("os.isatty", lambda _descriptor: True)

    def says(self, *words: str) -> None:
        """Run the command in this process, with nothing on standard input."""
        parsed = parse(["task", "event", *words], (EVENT,))
        assert isinstance(parsed, Parsed)
        reply = event(parsed, self.orange)
        assert (reply.text, reply.notes, reply.code) == ("", (), 0)

    def claude(self, name: str, **report: object) -> None:
        """A hook of Claude's, with its report."""
        text = json.dumps({"session_id": "s1", "hook_event_name": name, **report})
        self.says("--agent", "claude", "--event", name, self.ref.id, text)

    def codex(self, thread: str, *messages: str) -> None:
        """What codex runs at the end of a turn: its report behind the words it was given."""
        report = {"type": "agent-turn-complete", "thread-id": thread, "input-messages": messages}
        self.says("--agent", "codex", "--event", "notify", json.dumps(report))

    def window(self, name: str = "worker") -> dict[str, Any]:
        return self.runtime.window(name)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    return Agent(tmp_path, monkeypatch)


def test_claude_reports_its_turn_from_start_to_stop(agent: Agent) -> None:
    agent.claude("SessionStart", source="startup", transcript_path="/t.jsonl")
    assert agent.window()["state"] == "idle"
    assert (agent.window()["session_id"], agent.window()["transcript"]) == ("s1", "/t.jsonl")
    agent.claude("UserPromptSubmit", prompt="Fix it " * 100)
    assert agent.window()["state"] == "busy"
    assert agent.window()["submitted"] == ("Fix it " * 100)[:300]
    agent.claude("PermissionRequest", tool_name="Bash")
    assert agent.window()["state"] == "permission"
    agent.claude("Stop")
    assert (agent.window()["state"], agent.window()["event"], agent.window()["agent"]) == ("idle", "Stop", "claude")


def test_notice_that_claude_is_still_idle_leaves_when_it_stopped(agent: Agent) -> None:
    agent.claude("UserPromptSubmit")
    agent.claude("Stop")
    stopped_at = agent.window()["event_at"]
    agent.claude("Notification", notification_type="idle_prompt")
    assert (agent.window()["event"], agent.window()["event_at"]) == ("Notification", stopped_at)


def test_limit_stands_until_somebody_says_something(agent: Agent) -> None:
    agent.claude("UserPromptSubmit")
    agent.claude("StopFailure", error="rate_limit", error_details="You've hit your session limit")
    assert agent.window()["state"] == "limit"
    agent.claude("Notification", notification_type="idle_prompt")
    assert (agent.window()["state"], agent.window()["event"]) == ("limit", "StopFailure")
    agent.claude("UserPromptSubmit")
    assert agent.window()["state"] == "busy"


def test_pi_reports_its_turn_and_the_conversation_it_changes_to(agent: Agent) -> None:
    def pi(kind: str, session: str, **more: object) -> tuple[object, object]:
        agent.says("--agent", "pi", "--event", kind, json.dumps({"type": kind, "session_id": session, **more}))
        return agent.window()["state"], agent.window()["session_id"]

    assert pi("session_start", "s1", source="startup") == ("idle", "s1")
    assert pi("before_agent_start", "s1", prompt="Fix it") == ("busy", "s1")
    assert agent.window()["submitted"] == "Fix it"
    assert pi("agent_end", "s1") == ("idle", "s1")
    assert pi("session_start", "s2", source="new") == ("idle", "s2")
    assert pi("before_agent_start", "s1") == ("idle", "s2")


def test_each_window_has_its_own_state(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    agent.claude("UserPromptSubmit")
    monkeypatch.setenv("ORANGE_WINDOW", "review-1")
    agent.claude("Stop", session_id="s2")
    assert agent.window()["state"] == "busy"
    assert agent.window("review-1")["session_id"] == "s2"


def test_event_of_an_agent_that_the_agent_runs_does_not_change_the_window(agent: Agent) -> None:
    agent.claude("SessionStart", source="startup")
    agent.claude("UserPromptSubmit")
    agent.claude("SessionStart", session_id="inner", source="startup")
    agent.claude("Stop", session_id="inner")
    assert (agent.window()["state"], agent.window()["session_id"]) == ("busy", "s1")


def test_cleared_conversation_continues_under_its_new_id(agent: Agent) -> None:
    agent.claude("UserPromptSubmit")
    agent.claude("SessionStart", session_id="s2", source="clear")
    agent.claude("UserPromptSubmit", session_id="s2")
    assert (agent.window()["state"], agent.window()["session_id"]) == ("busy", "s2")


def test_codex_is_idle_after_its_turn_and_not_while_it_looks_for_a_title(agent: Agent) -> None:
    agent.codex("hidden", TITLE)
    assert agent.window() == {}
    agent.codex("t1", "Task: fix it")
    assert (agent.window()["state"], agent.window()["session_id"]) == ("idle", "t1")
    agent.runtime.update("worker", state="busy")
    agent.codex("hidden", TITLE)
    agent.codex("t2", "something else")
    assert (agent.window()["state"], agent.window()["session_id"]) == ("busy", "t1")


def test_codex_thread_without_the_windows_prompt_is_ignored(agent: Agent) -> None:
    agent.runtime.update("worker", prompt="Task: fix it\n\nand more")
    agent.codex("helper", "Look at the tests")
    assert "session_id" not in agent.window()
    agent.codex("t1", "Task: fix it\nand   more")
    assert agent.window()["session_id"] == "t1"


def test_any_agent_can_report_a_state_by_name(agent: Agent) -> None:
    agent.says("--agent", "pi", "--event", "busy")
    assert agent.window()["state"] == "busy"
    agent.says("--agent", "opencode", "--event", "Nonsense")
    assert agent.window()["state"] == "busy"


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--event", "Stop"],
        ["--agent", "nobody", "--event", "Stop"],
        ["--agent", "claude"],
        ["zzzz", "--agent", "claude", "--event", "Stop"],
        ["../../etc", "--agent", "claude", "--event", "Stop"],
        ["--agent", "codex", "{not json"],
        ["--agent", "codex", "{}"],
        ["--agent", "claude", "--event", "Preparing"],
    ],
)
def test_bad_event_prints_nothing_and_records_nothing(agent: Agent, words: list[str]) -> None:
    agent.says(*words)
    assert agent.runtime.read() == {}


def test_agent_that_a_person_runs_in_a_worktree_is_not_the_tasks(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORANGE_TASK")
    agent.says("--agent", "claude", "--event", "Stop")
    assert agent.runtime.read() == {}


def test_task_file_outside_the_home_is_not_trusted(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    elsewhere = tmp_path / agent.ref.id
    elsewhere.mkdir()
    monkeypatch.setenv("ORANGE_TASK_FILE", str(elsewhere / "TASK.md"))
    agent.says("--agent", "claude", "--event", "Stop")
    assert os.listdir(elsewhere) == []
    assert agent.window()["state"] == "idle"


def test_event_of_a_deleted_task_is_ignored(agent: Agent) -> None:
    agent.orange.store.remove(agent.ref)
    agent.says("--agent", "claude", "--event", "Stop")
    assert not os.path.exists(agent.directory)
    assert not os.path.exists(agent.runtime.directory)


def _run(report: bytes | None) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, "-m", "orange_tui", "task", "event", "--agent", "claude", "--event", "Stop"]
    if report is not None:
        return subprocess.run(words, input=report, capture_output=True, timeout=60, check=False)
    reader, writer = os.pipe()
    try:
        return subprocess.run(words, stdin=reader, capture_output=True, timeout=60, check=False)
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.parametrize(
    ("report", "state"),
    [
        (b'{"hook_event_name": "PermissionRequest", "session_id": "s1"}', "permission"),
        (b"", "idle"),
        (b"{torn", "idle"),
        (b"\xff\xfe", "idle"),
        (b"[" * 200_000, "idle"),
        (b'{"hook_event_name": "Stop", "x": "' + b"y" * 300_000 + b'"}', "idle"),
        (None, "idle"),
    ],
    ids=["a report", "nothing", "torn", "not text", "very deep", "very long", "a pipe that nobody closes"],
)
def test_report_is_read_from_standard_input(agent: Agent, report: bytes | None, state: str) -> None:
    ran = _run(report)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
    assert agent.window()["state"] == state
