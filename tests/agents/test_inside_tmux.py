"""Orange run in a tmux window itself, where most people have it: what it starts is known as its own all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

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
