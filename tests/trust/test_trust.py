"""`.orange.yml` counts as it is committed on the default branch, once the person has seen it, and not otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from orange_tui.trust.trust import Trust
from support.git import commit, git

if TYPE_CHECKING:
    from support.pool_world import Cafe


def share(cafe: Cafe, text: str) -> None:
    """The team puts this into the repository."""
    commit(cafe.main, ".orange.yml", text)
    git(cafe.main, "push", "--quiet")


def test_a_repository_that_brings_nothing_needs_no_trust(cafe: Cafe) -> None:
    assert Trust(cafe.home).brought(cafe.project) == []
    cafe.spawn(cafe.task())
    assert not (cafe.root / "home/state/.trust.json").exists()


def test_setup_of_the_repository_runs_once_it_is_trusted(cafe: Cafe) -> None:
    share(cafe, "setup: echo ran >../ran\ncopy: [.env]\n")
    (cafe.main / ".env").write_text("KEY=1\n")
    task = cafe.task()
    assert ".orange.yml: setup, .orange.yml: copy" in cafe.refusal(task)
    assert cafe.states() == ["free", "free"]
    cafe.trust()
    workspace = cafe.spawn(task)
    assert (workspace.parent / "ran").read_text() == "ran\n"
    assert (workspace / ".env").read_text() == "KEY=1\n"


def test_changed_it_is_asked_again_for_what_has_changed(cafe: Cafe) -> None:
    share(cafe, "setup: echo one\nkeep: [.cache]\n")
    cafe.trust()
    share(cafe, "setup: echo two\nkeep: [.cache]\n")
    assert [(each.name, each.text) for each in Trust(cafe.home).untrusted(cafe.project)] == [
        (".orange.yml: setup", "echo two")
    ]
    share(cafe, "keep: [.cache]\n")
    assert Trust(cafe.home).untrusted(cafe.project) == []


def test_what_a_tasks_branch_or_worktree_says_changes_nothing(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    (workspace / ".orange.yml").write_text("setup: touch ../ran\nkeep: [.env]\n")
    commit(workspace, ".orange.yml", "setup: touch ../ran\nkeep: [.env]\n")
    git(cafe.main, "merge", "--quiet", "--ff-only", "feat/x")  # here, and not on the remote, where tasks start
    assert Trust(cafe.home).brought(cafe.project) == []
    (workspace / ".env").write_text("secret\n")
    assert cafe.release(task, workspace).quarantined is None
    assert not (workspace / ".env").exists()
    cafe.spawn(cafe.task("b"))
    assert not (workspace.parent / "ran").exists()


def test_what_the_person_says_wins_and_needs_no_trust_of_its_own(cafe: Cafe) -> None:
    cafe.register(setup="echo person >../ran", keep=[])
    cafe.spawn(cafe.task())
    assert (cafe.root / "home/workspaces/ran").read_text() == "person\n"
    share(cafe, "setup: echo team >../ran\nkeep: [a]\nports: 2\n")
    cafe.trust()
    setup = Trust(cafe.home).setup(cafe.project)
    assert setup == {"setup": "echo person >../ran", "keep": [], "ports": 2}


def test_what_the_fetch_of_a_start_brings_counts_from_the_next_one(cafe: Cafe) -> None:
    git(cafe.root, "clone", "--quiet", str(cafe.remote), "other")
    commit(cafe.root / "other", ".orange.yml", "setup: touch ../ran\n")
    git(cafe.root / "other", "push", "--quiet")
    workspace = cafe.spawn(cafe.task())
    assert (workspace / ".orange.yml").exists()
    assert not (workspace.parent / "ran").exists()
    assert "setup" in cafe.refusal(cafe.task("b"))


def test_a_mistake_in_the_file_is_told_with_its_line(cafe: Cafe) -> None:
    share(cafe, "setup: make\nkepe: [a]\nports: many\n")
    said = cafe.refusal(cafe.task())
    assert ".orange.yml:2: the file has the unknown key 'kepe'; did you mean 'keep'?" in said
    assert ".orange.yml:3: `ports` is no number of ports" in said


@pytest.mark.parametrize("damage", ["[]", "{", '{"repositories": 3}', '{"repositories": {"x": []}}'])
def test_a_damaged_file_trusts_nothing(cafe: Cafe, damage: str) -> None:
    share(cafe, "setup: make\n")
    cafe.trust()
    place = cafe.root / "home/state/.trust.json"
    assert "setup" in place.read_text()
    place.write_text(damage)
    assert cafe.refusal(cafe.task())


def test_trust_is_of_one_repository_and_survives_its_project(cafe: Cafe) -> None:
    share(cafe, "setup: make\n")
    cafe.trust()
    known = json.loads((cafe.root / "home/state/.trust.json").read_text())
    assert list(known["repositories"]) == [str(cafe.main / ".git")]
    assert (cafe.root / "home/state/.trust.json").stat().st_mode & 0o077 == 0
