"""`orange chat` at a real terminal: a conversation of its own, that makes tasks and is nobody's task."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.sessions.attaching import BACK_KEY
from support.person import ORANGE, Terminal

if TYPE_CHECKING:
    from pathlib import Path

    from support.live_home import LiveHome


def chat(live_home: LiveHome, words: str = "--harness demo") -> str:
    home, folder = shlex.quote(live_home.orange.home.root), shlex.quote(str(live_home.repository))
    return f"cd {folder} && ORANGE_HOME={home} {ORANGE} chat {words}; echo code-$?"


def sessions(live_home: LiveHome) -> list[str]:
    return sorted(str(session.session_name) for session in live_home.tmux.sessions)


def test_chat_creates_a_task_and_ends_with_its_agent(live_home: LiveHome, terminal: Terminal) -> None:
    terminal.type(chat(live_home))
    terminal.shows("I am only a demo")
    assert sessions(live_home) == ["orange/chat-coffee"]
    terminal.type("what can you do?")
    terminal.shows("I am only a demo")
    terminal.type("create: Warm the cups")
    live_home.wait(lambda: [live_home.task(ref).summary for ref in live_home.orange.store.refs()] == ["Warm the cups"])
    ref = live_home.orange.store.refs()[0]
    assert live_home.task(ref).parent is None
    live_home.wait(lambda: "coffee/warm-the-cups" in sessions(live_home))
    terminal.type("exit")
    terminal.shows("code-0")
    live_home.wait(lambda: "orange/chat-coffee" not in sessions(live_home))


def test_second_person_joins_the_same_chat(live_home: LiveHome, terminal: Terminal) -> None:
    other = Terminal(live_home)
    try:
        terminal.type(chat(live_home))
        terminal.shows("I am only a demo")
        other.type(chat(live_home, ""))  # no agent is named: there is one
        other.shows("I am only a demo")
        terminal.type("hello there")
        other.shows("> hello there")
        assert sessions(live_home) == ["orange/chat-coffee"]
        other.press("C-b", "d")
        other.shows("code-0")
        assert sessions(live_home) == ["orange/chat-coffee"]
    finally:
        other.close()


def test_chat_command_inside_tmux_switches_to_the_chat(live_home: LiveHome, terminal: Terminal) -> None:
    terminal.type(f"TMUX= tmux -L {live_home.socket} new-session -s person 'PS1=inside- exec /bin/sh'; echo code-$?")
    terminal.shows("inside-")
    terminal.type(chat(live_home))
    terminal.shows("I am only a demo")
    terminal.press("C-b", "L")
    terminal.shows("inside-")


def test_recovery_does_not_end_a_chat_as_an_orphan(live_home: LiveHome) -> None:
    session = live_home.orange.chats.open(live_home.orange.projects.get("coffee"), "demo")
    assert live_home.orange.recover() == []
    assert live_home.orange.sessions.panes(fresh=True) == []
    assert live_home.orange.chats.open(live_home.orange.projects.get("coffee")) == session


def test_chat_about_a_bare_repository_opens_with_an_agent_that_is_granted_its_git_directory(
    live_home: LiveHome,
) -> None:
    live_home.harness("sandboxed")
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  reduced: ["{binary}", "{prompt}", --add-dir, "{worktree_git}"]\n')
    live_home.orange.projects.add({"name": "bare", "path": str(live_home.remote), "default_branch": "main"})
    session = live_home.orange.chats.open(live_home.orange.projects.get("bare"), "sandboxed")
    assert session in [each.session_id for each in live_home.tmux.sessions]


def seen_by(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What an agent of our own finds when it is talked to, from within a task's window."""
    folder = live_home.harness()
    for name in ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW"):
        monkeypatch.setenv(name, "somebody-elses")
    live_home.orange.chats.open(live_home.orange.projects.get("coffee"), "recorder")
    live_home.wait((folder / "starts").exists)
    return folder


def test_chat_agent_gets_the_skill_the_projects_directory_and_no_task(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = seen_by(live_home, monkeypatch)
    prompt = (folder / "prompt").read_text()
    assert "orchestrator of project coffee" in prompt
    assert "orange task create" in prompt
    assert "description: >-" not in prompt
    assert (folder / "directory").read_text().strip() == os.path.realpath(live_home.repository)
    environment = dict(line.partition("=")[::2] for line in (folder / "environment").read_text().splitlines())
    assert environment["ORANGE_HOME"] == live_home.orange.home.root
    assert not {"ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW"} & environment.keys()
    assert os.access(os.path.join(environment["PATH"].split(os.pathsep)[0], "orange"), os.X_OK)
    assert live_home.git("status", "--porcelain") == ""


def test_chat_with_another_harness_is_refused_while_one_is_open(live_home: LiveHome) -> None:
    project = live_home.orange.projects.get("coffee")
    live_home.harness()
    project = live_home.orange.projects.get("coffee")
    live_home.orange.chats.open(project, "recorder")
    with pytest.raises(Refused, match="open with recorder"):
        live_home.orange.chats.open(project, "demo")


def test_chat_without_an_agent_says_how_to_install_one(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(Refused, match=r"npm install -g") as refused:
        live_home.orange.chats.open(live_home.orange.projects.get("coffee"))
    assert "--harness demo" in str(refused.value)
    assert live_home.tmux.sessions == []


def test_chat_starts_though_its_session_name_is_taken(live_home: LiveHome) -> None:
    live_home.tmux.new_session("orange/chat-coffee")
    session = live_home.orange.chats.open(live_home.orange.projects.get("coffee"), "demo")
    assert len(sessions(live_home)) == 2
    assert live_home.orange.chats.open(live_home.orange.projects.get("coffee")) == session


def test_key_in_the_app_attaches_to_the_chat_and_detaching_returns(live_home: LiveHome, terminal: Terminal) -> None:
    live_home.harness(orders='echo "hello from the orchestrator"; exec cat')
    home = shlex.quote(live_home.orange.home.root)
    terminal.type(f"PATH=/usr/bin:/bin ORANGE_HOME={home} {ORANGE} --project coffee; echo code-$?")
    terminal.shows("No tasks yet.")
    terminal.press("C")
    terminal.shows("hello from the orchestrator")
    terminal.press(BACK_KEY)
    terminal.shows("No tasks yet.")
    assert sessions(live_home) == ["orange/chat-coffee"]
    terminal.press("C")
    terminal.shows("hello from the orchestrator")
    assert sessions(live_home) == ["orange/chat-coffee"]
    terminal.press("C-d")  # it ends, and the app is there again
    terminal.shows("No tasks yet.")
    terminal.press("q")
    terminal.shows("code-0")
    assert sessions(live_home) == []
