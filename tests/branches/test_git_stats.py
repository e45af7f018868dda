"""How far branches are from the default branch, held against what git itself says of each."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.branches import distance
from orange_tui.branches.distance import GitStats, Stats
from orange_tui.home.projects import Project
from orange_tui.outside import programs
from support.git import git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture
def project(repository: Path) -> Project:
    return Project("coffee", str(repository), "main", 2, "default", {})


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were run."""
    seen: list[str] = []
    run = programs.run

    def noting(words: Sequence[str], **more: object) -> programs.Finished:
        seen.append(words[3])
        return run(words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(distance, "run", noting)
    return seen


def commit(repository: Path, branch: str, name: str, text: str) -> None:
    """Another commit on a branch, which is made from main where it is not there."""
    exists = git(repository, "branch", "--list", branch)
    git(repository, "checkout", "--quiet", *([] if exists else ["-b"]), branch, *([] if exists else ["main"]))
    (repository / name).write_text(text)
    git(repository, "add", name)
    git(repository, "commit", "--quiet", "--message", f"{branch}: {name}")
    git(repository, "checkout", "--quiet", "main")


def said_by_git(repository: Path, branch: str, base: str = "main") -> Stats:
    lines = git(repository, "diff", "--numstat", f"{base}...{branch}").splitlines()
    added, removed = (sum(int(line.split()[column]) for line in lines) for column in (0, 1))
    return Stats(int(git(repository, "rev-list", "--count", f"{base}..{branch}")), added, removed)


def test_commits_ahead_and_lines_since_the_branch_left(repository: Path, project: Project) -> None:
    commit(repository, "fix/login", "login.py", "one\ntwo\nthree\n")
    commit(repository, "fix/login", "README", "tea\n")
    commit(repository, "main", "news", "main goes on\n")
    found = GitStats().refresh(project, ["fix/login", "main", "never"])
    assert found == {"fix/login": Stats(2, 4, 1), "main": Stats(0, 0, 0)}


def test_every_shape_of_branch_is_measured_as_git_does(repository: Path, project: Project) -> None:
    commit(repository, "behind", "a", "1\n")
    git(repository, "branch", "same-as-behind", "behind")
    commit(repository, "main", "b", "1\n2\n")
    commit(repository, "merged-in", "c", "1\n")
    git(repository, "merge", "--quiet", "--no-edit", "merged-in")
    commit(repository, "took-main-over", "d", "1\n2\n3\n")
    commit(repository, "main", "e", "1\n")
    git(repository, "checkout", "--quiet", "took-main-over")
    git(repository, "merge", "--quiet", "--no-edit", "main")
    git(repository, "checkout", "--quiet", "main")
    commit(repository, "took-main-over", "d", "1\n3\n4\n")
    git(repository, "mv", "README", "LIESMICH")
    git(repository, "stash", "--quiet")
    commit(repository, "empty", "f", "")
    branches = ["behind", "same-as-behind", "merged-in", "took-main-over", "empty", "main"]
    assert GitStats().refresh(project, branches) == {name: said_by_git(repository, name) for name in branches}


def test_a_renamed_file_is_not_all_new_lines(repository: Path, project: Project) -> None:
    commit(repository, "main", "long", "".join(f"{n}\n" for n in range(100)))
    git(repository, "checkout", "--quiet", "-b", "rename")
    git(repository, "mv", "long", "longer")
    git(repository, "commit", "--quiet", "--message=moved")
    git(repository, "checkout", "--quiet", "main")
    assert GitStats().refresh(project, ["rename"]) == {"rename": Stats(1, 0, 0)}


def test_a_history_that_shares_nothing_has_commits_and_no_lines(repository: Path, project: Project) -> None:
    git(repository, "checkout", "--quiet", "--orphan", "stranger")
    git(repository, "commit", "--quiet", "--allow-empty", "--message=from nowhere")
    assert GitStats().refresh(project, ["stranger"]) == {"stranger": Stats(1, 0, 0)}


def test_the_remotes_default_branch_is_what_counts(repository: Path, project: Project, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "remote.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(repository, "fetch", "--quiet", "origin")
    commit(repository, "fix", "fix", "1\n")
    git(repository, "merge", "--quiet", "fix")
    assert GitStats().refresh(project, ["fix"]) == {"fix": Stats(1, 1, 0)}
    git(repository, "push", "--quiet", "origin", "main")
    assert GitStats().refresh(project, ["fix"]) == {"fix": Stats(0, 0, 0)}


def test_one_process_while_nothing_moves_and_three_for_any_number(
    repository: Path, project: Project, processes: list[str]
) -> None:
    names = [f"fix/{number}" for number in range(12)]
    for number, name in enumerate(names):
        commit(repository, name, "work", "line\n" * number)
    stats = GitStats()
    first = stats.refresh(project, names)
    assert [first[name].added for name in names] == list(range(12))
    assert processes == ["for-each-ref", "rev-list", "diff-tree"]
    processes.clear()
    assert stats.refresh(project, names) == first
    assert processes == ["for-each-ref"]
    processes.clear()
    commit(repository, names[3], "more", "1\n")
    assert stats.refresh(project, names)[names[3]] == Stats(2, 4, 0)
    assert processes == ["for-each-ref", "rev-list", "diff-tree"]


def test_a_default_branch_that_moves_changes_what_is_ahead(repository: Path, project: Project) -> None:
    commit(repository, "fix", "fix", "1\n")
    stats = GitStats()
    assert stats.refresh(project, ["fix"]) == {"fix": Stats(1, 1, 0)}
    git(repository, "merge", "--quiet", "fix")
    assert stats.refresh(project, ["fix"]) == {"fix": Stats(0, 0, 0)}


def test_work_that_is_not_committed_counts_for_who_asks(repository: Path, project: Project, tmp_path: Path) -> None:
    commit(repository, "fix", "fix", "1\n2\n")
    worktree = tmp_path / "worktree"
    git(repository, "worktree", "add", "--quiet", str(worktree), "fix")
    (worktree / "fix").write_text("1\n2\n3\n")
    (worktree / "new").write_text("not added\nno end")
    (worktree / "binary").write_bytes(b"\0\n\n\n")
    git(worktree, "rm", "--quiet", "README")
    stats = GitStats()
    assert stats.refresh(project, ["fix"]) == {"fix": Stats(1, 2, 0)}
    assert stats.with_uncommitted(project, "fix", str(worktree)) == Stats(1, 5, 1)
    shutil.rmtree(worktree)
    assert stats.with_uncommitted(project, "fix", str(worktree)) == Stats(1, 2, 0)
    assert stats.with_uncommitted(project, "never", str(worktree)) is None


def test_no_repository_no_default_branch_and_no_git_say_nothing(
    repository: Path, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = Project("gone", str(tmp_path / "gone"), "main", 2, "default", {})
    other = Project("coffee", str(repository), "trunk", 2, "default", {})
    stats = GitStats()
    assert stats.refresh(gone, ["main"]) == {}
    assert stats.refresh(other, ["main"]) == {}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert stats.refresh(project, ["main"]) == {}
