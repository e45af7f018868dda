"""Orange run in a tmux window itself, where most people have it: what it starts is known as its own all the same."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from support.office import kill_agent, started

if TYPE_CHECKING:
    from support.office import Office


def test_session_started_from_an_agents_window_gets_its_own_marks(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command without a target is to tmux about the window it comes from, also one of another server."""
    office.harness()
    first = office.create("feat/tea", harness="recorder")
    (pane,) = office.orange.sessions.windows(first.id, fresh=True)
    monkeypatch.setenv("TMUX_PANE", pane.pane_id)
    second = office.create("feat/coffee", harness="recorder")
    assert office.windows(first) == ["worker"]
    assert office.windows(second) == ["worker"]
    (same,) = office.orange.sessions.windows(first.id, fresh=True)
    assert same == pane


def test_agents_death_is_noticed_while_a_persons_shell_beside_it_lives(office: Office) -> None:
    ref = started(office, "feat/tea")
    (pane,) = office.orange.sessions.windows(ref.id, fresh=True)
    office.tmux.cmd("split-window", "-t", pane.pane_id, "cat")
    assert office.windows(ref) == ["", "worker"]
    kill_agent(office, ref)
    office.supervised(lambda: office.task(ref).crash_count == 1)
    assert office.windows(ref) == [""]
    office.orange.agents.respawn(ref)
    assert office.windows(ref) == ["", "worker"]


@pytest.mark.parametrize("place", ["new-window", "split-window"])
def test_task_cancelled_in_a_pane_of_its_own_session_is_cancelled_to_the_end(office: Office, place: str) -> None:
    """The person is attached to the agent, and opens a shell beside it: it ends with the session."""
    office.harness()
    ref = office.create("feat/tea", harness="recorder")
    (office.worktree(ref) / "draft.txt").write_text("work\n")
    (pane,) = office.orange.sessions.windows(ref.id, fresh=True)
    command = f"exec env -u ORANGE_TASK -u ORANGE_WINDOW {sys.executable} -m orange_tui task cancel {ref.id} --yes"
    office.tmux.cmd(place, "-t", pane.pane_id if place == "split-window" else f"{pane.session_id}:", command)
    office.wait(lambda: office.rests(ref, "cancelled"))
    assert (office.task(ref).workspace, office.windows(ref)) == (None, [])
    assert all(slot.state == "free" for slot in office.orange.pool.slots())
    (saved,) = office.events(ref, "work.saved")
    assert office.git("show", f"{saved['ref']}:draft.txt") == "work"
