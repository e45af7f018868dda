"""A person at an agent's session, at a real terminal: when they last did something is known."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from support.office import started

if TYPE_CHECKING:
    from support.office import Office
    from support.person import Terminal


def test_last_key_of_a_person_in_an_agents_session_is_known_while_they_look(office: Office, terminal: Terminal) -> None:
    pane = office.orange.sessions.window(started(office, "fix/one").id, "worker")
    assert pane is not None
    assert office.orange.sessions.last_key_at(pane) == 0
    before = int(time.time())
    terminal.type(f"env -u TMUX tmux -L {office.socket} attach")
    office.wait(lambda: office.orange.sessions.last_key_at(pane) >= before)
    terminal.press("C-b", "d")
    office.wait(lambda: office.orange.sessions.last_key_at(pane) == 0)
