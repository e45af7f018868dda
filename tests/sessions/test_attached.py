"""A person at an agent's session, at a real terminal: when they last did something is known."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from support.live_home import started

if TYPE_CHECKING:
    from support.live_home import LiveHome
    from support.person import Terminal


def test_last_key_of_a_person_in_an_agents_session_is_known_while_they_look(
    live_home: LiveHome, terminal: Terminal
) -> None:
    pane = live_home.orange.sessions.window(started(live_home, "fix/one").id, "worker")
    assert pane is not None
    assert live_home.orange.sessions.last_key_at(pane) == 0
    before = int(time.time())
    terminal.type(f"env -u TMUX tmux -L {live_home.socket} attach")
    live_home.wait(lambda: live_home.orange.sessions.last_key_at(pane) >= before)
    terminal.press("C-b", "d")
    live_home.wait(lambda: live_home.orange.sessions.last_key_at(pane) == 0)
