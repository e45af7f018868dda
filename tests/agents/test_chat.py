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

    from support.office import Office


def chat(office: Office, words: str = "--harness demo") -> str:
    home, folder = shlex.quote(office.orange.home.root), shlex.quote(str(office.repository))
    return f"cd {folder} && ORANGE_HOME={home} {ORANGE} chat {words}; echo code-$?"


def sessions(office: Office) -> list[str]:
    return sorted(str(session.session_name) for session in office.tmux.sessions)


def test_chat_creates_a_task_and_ends_with_its_agent(office: Office, terminal: Terminal) -> None:
    terminal.type(chat(office))
    terminal.shows("I am only a demo")
    assert sessions(office) == ["orange/chat-coffee"]
    terminal.type("what can you do?")
    terminal.shows("I am only a demo")
    terminal.type("create: Warm the cups")
    office.wait(lambda: [office.task(ref).summary for ref in office.orange.store.refs()] == ["Warm the cups"])
    ref = office.orange.store.refs()[0]
    assert office.task(ref).parent is None
    office.wait(lambda: "coffee/warm-the-cups" in sessions(office))
    terminal.type("exit")
    terminal.shows("code-0")
    office.wait(lambda: "orange/chat-coffee" not in sessions(office))


def test_second_person_joins_the_same_chat(office: Office, terminal: Terminal) -> None:
    other = Terminal(office)
    try:
        terminal.type(chat(office))
        terminal.shows("I am only a demo")
        other.type(chat(office, ""))  # no agent is named: there is one
        other.shows("I am only a demo")
        terminal.type("hello there")
        other.shows("> hello there")
        assert sessions(office) == ["orange/chat-coffee"]
        other.press("C-b", "d")
        other.shows("code-0")
        assert sessions(office) == ["orange/chat-coffee"]
    finally:
        other.close()


def test_chat_command_inside_tmux_switches_to_the_chat(office: Office, terminal: Terminal) -> None:
    terminal.type(f"TMUX= tmux -L {office.socket} new-session -s person 'PS1=inside- exec /bin/sh'; echo code-$?")
    terminal.shows("inside-")
    terminal.type(chat(office))
    terminal.shows("I am only a demo")
    terminal.press("C-b", "L")
    terminal.shows("inside-")


def test_recovery_does_not_end_a_chat_as_an_orphan(office: Office) -> None:
    session = office.orange.chats.open(office.orange.projects.get("coffee"), "demo")
    assert office.orange.recover() == []
    assert office.orange.sessions.panes(fresh=True) == []
    assert office.orange.chats.open(office.orange.projects.get("coffee")) == session


def test_chat_about_a_bare_repository_opens_with_an_agent_that_is_granted_its_git_directory(office: Office) -> None:
    office.harness("sandboxed")
    with (office.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  reduced: ["{binary}", "{prompt}", --add-dir, "{worktree_git}"]\n')
    office.orange.projects.add({"name": "bare", "path": str(office.remote), "default_branch": "main"})
    session = office.orange.chats.open(office.orange.projects.get("bare"), "sandboxed")
    assert session in [each.session_id for each in office.tmux.sessions]


def seen_by(office: Office, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What an agent of our own finds when it is talked to, from within a task's window."""
    folder = office.harness()
    for name in ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW"):
        monkeypatch.setenv(name, "somebody-elses")
    office.orange.chats.open(office.orange.projects.get("coffee"), "recorder")
    office.wait((folder / "starts").exists)
    return folder


def test_chat_agent_gets_the_skill_the_projects_directory_and_no_task(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = seen_by(office, monkeypatch)
    prompt = (folder / "prompt").read_text()
    assert "orchestrator of project coffee" in prompt
    assert "orange task create" in prompt
    assert "description: >-" not in prompt
    assert (folder / "directory").read_text().strip() == os.path.realpath(office.repository)
    environment = dict(line.partition("=")[::2] for line in (folder / "environment").read_text().splitlines())
    assert environment["ORANGE_HOME"] == office.orange.home.root
    assert not {"ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW"} & environment.keys()
    assert os.access(os.path.join(environment["PATH"].split(os.pathsep)[0], "orange"), os.X_OK)
    assert office.git("status", "--porcelain") == ""


def test_chat_with_another_harness_is_refused_while_one_is_open(office: Office) -> None:
    project = office.orange.projects.get("coffee")
    office.harness()
    project = office.orange.projects.get("coffee")
    office.orange.chats.open(project, "recorder")
    with pytest.raises(Refused, match="open with recorder"):
        office.orange.chats.open(project, "demo")


def test_chat_without_an_agent_says_how_to_install_one(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(Refused, match=r"npm install -g") as refused:
        office.orange.chats.open(office.orange.projects.get("coffee"))
    assert "--harness demo" in str(refused.value)
    assert office.tmux.sessions == []


def test_chat_starts_though_its_session_name_is_taken(office: Office) -> None:
    office.tmux.new_session("orange/chat-coffee")
    session = office.orange.chats.open(office.orange.projects.get("coffee"), "demo")
    assert len(sessions(office)) == 2
    assert office.orange.chats.open(office.orange.projects.get("coffee")) == session


def test_key_in_the_app_attaches_to_the_chat_and_detaching_returns(office: Office, terminal: Terminal) -> None:
    office.harness(orders='echo "hello from the orchestrator"; exec cat')
    home = shlex.quote(office.orange.home.root)
    terminal.type(f"PATH=/usr/bin:/bin ORANGE_HOME={home} {ORANGE} --project coffee; echo code-$?")
    terminal.shows("No tasks yet.")
    terminal.press("C")
    terminal.shows("hello from the orchestrator")
    terminal.press(BACK_KEY)
    terminal.shows("No tasks yet.")
    assert sessions(office) == ["orange/chat-coffee"]
    terminal.press("C")
    terminal.shows("hello from the orchestrator")
    assert sessions(office) == ["orange/chat-coffee"]
    terminal.press("C-d")  # it ends, and the app is there again
    terminal.shows("No tasks yet.")
    terminal.press("q")
    terminal.shows("code-0")
    assert sessions(office) == []
