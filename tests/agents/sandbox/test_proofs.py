"""`orange doctor` says that a sandbox holds only where it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.agents.sandbox import proofs as sandbox_proofs
from orange_tui.agents.sandbox.proofs import PROOFS, failed_proofs
from orange_tui.domain.sandbox import repository
from orange_tui.supervisor import doctor
from support.sandboxed_home import need_sandbox

if TYPE_CHECKING:
    import pytest

    from support.driver import World


def test_sandbox_holds_here() -> None:
    need_sandbox()
    assert failed_proofs() == []


def test_agent_that_is_in_no_sandbox_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox_proofs, "in_sandbox", lambda words, _plan, _root: ("env", "-C", "/", *words))
    failed = failed_proofs()
    assert {
        name for name in PROOFS if name.startswith(("cannot read", "cannot write in", "cannot reach", "sees"))
    } <= set(failed)
    assert "its commits are not in the repository" in failed


def test_git_that_finds_its_lock_elsewhere_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    need_sandbox()
    monkeypatch.setattr(repository, "_LINKS", 1)  # as if git followed more links than it does
    assert failed_proofs() == ["can commit, cherry-pick and rebase"]


def test_missing_bubblewrap_is_a_note_and_trouble_where_it_is_wanted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "why_no_sandbox", lambda: "bubblewrap is not installed")
    assert ("note", "agents cannot be put in a sandbox: bubblewrap is not installed") in findings(world)
    world.orange.projects.update("coffee", {"sandbox": "all"})
    assert ("bad", "agents of coffee cannot be started: bubblewrap is not installed") in findings(world)


def findings(world: World) -> list[tuple[str, str]]:
    found = doctor.examine(doctor.Doctor(world.orange.home, world.orange.tasks, list))
    return [(each.level, each.what) for each in found]
