"""Orange run in a tmux window itself, where most people have it: what it starts is known as its own all the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from support.live_home import kill_agent, started

if TYPE_CHECKING:
    from support.live_home import LiveHome


def test_session_started_from_an_agents_window_gets_its_own_marks(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command without a target is to tmux about the window it comes from, also one of another server."""
    live_home.harness()
    first = live_home.create("feat/tea", harness="recorder")
    (pane,) = live_home.orange.sessions.windows(first.id, fresh=True)
    monkeypatch.setenv("TMUX_PANE", pane.pane_id)
    second = live_home.create("feat/coffee", harness="recorder")
    assert live_home.windows(first) == ["worker"]
    assert live_home.windows(second) == ["worker"]
    (same,) = live_home.orange.sessions.windows(first.id, fresh=True)
    assert same == pane


def test_agents_death_is_noticed_while_a_persons_shell_beside_it_lives(live_home: LiveHome) -> None:
    ref = started(live_home, "feat/tea")
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    live_home.tmux.cmd("split-window", "-t", pane.pane_id, "cat")
    assert live_home.windows(ref) == ["", "worker"]
    kill_agent(live_home, ref)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)
    assert live_home.windows(ref) == [""]
    live_home.orange.agents.respawn(ref)
    assert live_home.windows(ref) == ["", "worker"]


@pytest.mark.parametrize("place", ["new-window", "split-window"])
def test_task_cancelled_in_a_pane_of_its_own_session_is_cancelled_to_the_end(live_home: LiveHome, place: str) -> None:
    """The person is attached to the agent, and opens a shell beside it: it ends with the session."""
    live_home.harness()
    ref = live_home.create("feat/tea", harness="recorder")
    (live_home.worktree(ref) / "draft.txt").write_text("work\n")
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    command = f"exec env -u ORANGE_TASK -u ORANGE_WINDOW {sys.executable} -m orange_tui task cancel {ref.id} --yes"
    live_home.tmux.cmd(place, "-t", pane.pane_id if place == "split-window" else f"{pane.session_id}:", command)
    live_home.wait(lambda: live_home.rests(ref, "cancelled"))
    assert (live_home.task(ref).workspace, live_home.windows(ref)) == (None, [])
    assert all(slot.state == "free" for slot in live_home.orange.pool.slots())
    (saved,) = live_home.events(ref, "work.saved")
    assert live_home.git("show", f"{saved['ref']}:draft.txt") == "work"
