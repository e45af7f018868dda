"""`orange task attach` at a real terminal: a pane of another tmux server, which nobody but this test knows."""

from __future__ import annotations

import shlex
import subprocess
import sys
import uuid
from typing import TYPE_CHECKING

import pytest

from office import Office, office

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["office"]

ORANGE = f"{shlex.quote(sys.executable)} -m orange_tui"


class Terminal:
    """A person's terminal with a shell in it."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._tmux = ("tmux", "-L", f"orange-person-{uuid.uuid4().hex[:12]}", "-f", "/dev/null")
        self._ask("new-session", "-d", "-x", "120", "-y", "30", "env", "PS1=at-the-shell ", "/bin/sh")
        self.shows("at-the-shell")

    def _ask(self, *words: str) -> str:
        return subprocess.run([*self._tmux, *words], check=True, capture_output=True, text=True).stdout

    def type(self, line: str) -> None:
        self._ask("send-keys", "-l", line)
        self._ask("send-keys", "Enter")

    def press(self, *keys: str) -> None:
        self._ask("send-keys", *keys)

    def screen(self) -> str:
        return self._ask("capture-pane", "-p")

    def shows(self, text: str) -> None:
        self._office.wait(lambda: text in self.screen())

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def terminal(office: Office) -> Iterator[Terminal]:
    terminal = Terminal(office)
    yield terminal
    terminal.close()


def test_attaching_shows_the_agent_and_detaching_leads_back_to_the_shell(office: Office, terminal: Terminal) -> None:
    office.harness(orders='echo "hello from the agent"; exec cat')
    ref = office.create("fix/attach", harness="recorder")
    terminal.type(f"{ORANGE} task attach {ref.id}; echo code-$?")
    terminal.shows("hello from the agent")
    terminal.type("typed by a person")
    terminal.shows("typed by a person\ntyped by a person")  # the terminal's echo, and what the agent says to it
    terminal.press("C-b", "d")
    terminal.shows("code-0")
    assert "hello from the agent" not in terminal.screen().partition("code-0")[2]
    assert office.windows(ref) == ["worker"]


def test_inside_the_agents_own_server_attaching_goes_over_to_the_session(office: Office, terminal: Terminal) -> None:
    office.harness(orders='echo "hello from the agent"; exec cat')
    ref = office.create("fix/attach", harness="recorder")
    terminal.type(f"TMUX= tmux -L {office.socket} new-session -s person 'PS1=inside- exec /bin/sh'; echo code-$?")
    terminal.shows("inside-")
    terminal.type(f"{ORANGE} task attach {ref.id}")
    terminal.shows("hello from the agent")
    terminal.press("C-b", "L")  # the last session: where the person came from
    terminal.shows("inside-")
    terminal.type("exit")
    terminal.shows("code-0")
    assert office.windows(ref) == ["worker"]


def test_a_task_without_a_session_says_where_its_words_are(office: Office, terminal: Terminal) -> None:
    office.harness()
    ref = office.create("fix/attach", harness="recorder", spawn=False)
    terminal.type(f"{ORANGE} task attach {ref.id}; echo code-$?")
    terminal.shows("code-1")
    assert f"{ref.id} has no live session" in terminal.screen()
