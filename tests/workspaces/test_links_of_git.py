"""An agent in a sandbox writes its worktree's part of the git directory: a link in there leads git nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.outside.git import Repository
from orange_tui.workspaces import _save_and_reset
from support.git import git
from support.pool_world import Cafe

if TYPE_CHECKING:
    from pathlib import Path

PERSONS = "alias ls='ls --color'\n"


@pytest.fixture
def cafe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cafe:
    monkeypatch.setattr(_save_and_reset, "EXIT_WAIT_SECONDS", 0.05)
    return Cafe(tmp_path)


def plant(place: Path, target: Path) -> None:
    """Put a link where git writes, in place of what is there."""
    target.write_bytes(place.read_bytes() if place.name == "index" else PERSONS.encode())
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)


@pytest.mark.parametrize("name", ["index", "logs/HEAD", "ORIG_HEAD", "COMMIT_EDITMSG"])
def test_workspace_with_a_link_where_git_writes_is_set_aside_and_nothing_is_written_there(
    cafe: Cafe, tmp_path: Path, name: str
) -> None:
    task = cafe.task()
    workspace, bashrc = cafe.spawn(task), tmp_path / "bashrc"
    (workspace / "draft").write_text("work\n")
    plant(cafe.main / ".git/worktrees" / workspace.name / name, bashrc)
    before = bashrc.read_bytes()
    released = cafe.release(task, workspace)
    assert f"{name} is a link" in str(released.quarantined)
    assert bashrc.read_bytes() == before
    assert (workspace / "draft").read_text() == "work\n"


@pytest.mark.parametrize("name", ["logs", "refs/heads/feat/sub", "logs/refs/stash", "refs/bisect"])
def test_link_among_references_leads_no_branch_elsewhere(cafe: Cafe, tmp_path: Path, name: str) -> None:
    workspace, elsewhere = cafe.spawn(cafe.task()), tmp_path / "elsewhere"
    elsewhere.mkdir()
    own = cafe.main / ".git/worktrees" / workspace.name / name
    place = own if name == "logs" else cafe.main / ".git" / name
    if own.exists():
        own.rename(tmp_path / "logs")
    place.symlink_to(elsewhere)
    with pytest.raises(Refused, match="is a link"):
        Repository(str(workspace)).rename_current_branch("feat/sub/name")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("target", ["file", "directory"])
def test_file_that_is_copied_into_a_workspace_goes_through_no_link_of_a_branch(
    cafe: Cafe, tmp_path: Path, target: str
) -> None:
    """An agent commits a link of the name under which a copy is written, and has its workspace prepared again."""
    cafe.register(copy=[".env"])
    (cafe.main / ".env").write_text("TOKEN=1\n")
    place = tmp_path / "persons"
    place.mkdir() if target == "directory" else place.write_text(PERSONS)
    git(cafe.main, "switch", "--quiet", "--create", "feat/x")
    (cafe.main / ".env.orange-copy").symlink_to(place)
    git(cafe.main, "add", ".env.orange-copy")
    git(cafe.main, "commit", "--quiet", "--message", "link")
    git(cafe.main, "switch", "--quiet", "main")
    workspace = cafe.spawn(cafe.task())
    assert (workspace / ".env").read_text() == "TOKEN=1\n"
    assert not (workspace / ".env").is_symlink()
    assert list(place.iterdir()) == [] if target == "directory" else place.read_text() == PERSONS
    assert git(workspace, "status", "--porcelain") == ""
