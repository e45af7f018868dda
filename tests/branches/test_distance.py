"""How far branches are from the default branch, held against what git itself says of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.distance import BranchDistances
from orange_tui.branches.stats import Stats
from orange_tui.home.projects import Project
from orange_tui.outside import git as git_module
from orange_tui.outside import programs
from orange_tui.outside.git_reader.reader import GitReaders
from support.git import git

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture
def project(repository: Path) -> Project:
    return Project("coffee", str(repository), "main", 2, "default", {})


@pytest.fixture(params=[True, False], ids=["pygit2", "git"])
def use_library(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def distances(use_library: bool) -> BranchDistances:
    return BranchDistances(GitReaders(use_library=use_library))


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that were run."""
    seen: list[str] = []
    run = programs.run

    def noting(words: Sequence[str], **more: object) -> programs.Finished:
        seen.append(words[3])
        return run(words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(git_module, "run", noting)
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


def test_commits_ahead_and_lines_since_the_branch_left(
    distances: BranchDistances, repository: Path, project: Project
) -> None:
    commit(repository, "fix/login", "login.py", "one\ntwo\nthree\n")
    commit(repository, "fix/login", "README", "tea\n")
    commit(repository, "main", "news", "main goes on\n")
    found = distances.refresh(project, ["fix/login", "main", "never"])
    assert found == {"fix/login": Stats(2, 4, 1), "main": Stats(0, 0, 0)}


def test_every_shape_of_branch_is_measured_as_git_does(
    distances: BranchDistances, repository: Path, project: Project
) -> None:
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
    assert distances.refresh(project, branches) == {name: said_by_git(repository, name) for name in branches}


def test_a_renamed_file_counts_no_new_lines(distances: BranchDistances, repository: Path, project: Project) -> None:
    commit(repository, "main", "long", "".join(f"{n}\n" for n in range(100)))
    git(repository, "checkout", "--quiet", "-b", "rename")
    git(repository, "mv", "long", "longer")
    git(repository, "commit", "--quiet", "--message=moved")
    git(repository, "checkout", "--quiet", "main")
    assert distances.refresh(project, ["rename"]) == {"rename": Stats(1, 0, 0)}


def test_a_branch_without_common_history_has_commits_and_no_lines(
    distances: BranchDistances, repository: Path, project: Project
) -> None:
    git(repository, "checkout", "--quiet", "--orphan", "stranger")
    git(repository, "commit", "--quiet", "--allow-empty", "--message=from nowhere")
    assert distances.refresh(project, ["stranger"]) == {"stranger": Stats(1, 0, 0)}


def test_branches_are_compared_with_the_remotes_default_branch(
    distances: BranchDistances, repository: Path, project: Project, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "remote.git")
    git(repository, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(repository, "fetch", "--quiet", "origin")
    commit(repository, "fix", "fix", "1\n")
    git(repository, "merge", "--quiet", "fix")
    assert distances.refresh(project, ["fix"]) == {"fix": Stats(1, 1, 0)}
    git(repository, "push", "--quiet", "origin", "main")
    assert distances.refresh(project, ["fix"]) == {"fix": Stats(0, 0, 0)}


def test_pygit2_takes_no_process_and_git_one_while_nothing_moves_and_three_for_any_number(
    distances: BranchDistances, repository: Path, project: Project, processes: list[str], use_library: bool
) -> None:
    names = [f"fix/{number}" for number in range(12)]
    for number, name in enumerate(names):
        commit(repository, name, "work", "line\n" * number)
    first = distances.refresh(project, names)
    assert [first[name].added for name in names] == list(range(12))
    assert processes == ([] if use_library else ["for-each-ref", "rev-list", "diff-tree"])
    processes.clear()
    assert distances.refresh(project, names) == first
    assert processes == ([] if use_library else ["for-each-ref"])
    processes.clear()
    commit(repository, names[3], "more", "1\n")
    assert distances.refresh(project, names)[names[3]] == Stats(2, 4, 0)
    assert processes == ([] if use_library else ["for-each-ref", "rev-list", "diff-tree"])


def test_a_default_branch_that_moves_changes_what_is_ahead(
    distances: BranchDistances, repository: Path, project: Project
) -> None:
    commit(repository, "fix", "fix", "1\n")
    assert distances.refresh(project, ["fix"]) == {"fix": Stats(1, 1, 0)}
    git(repository, "merge", "--quiet", "fix")
    assert distances.refresh(project, ["fix"]) == {"fix": Stats(0, 0, 0)}


def test_no_repository_and_no_default_branch_say_nothing_and_no_git_where_it_is_needed(
    distances: BranchDistances,
    repository: Path,
    project: Project,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    use_library: bool,
) -> None:
    gone = Project("gone", str(tmp_path / "gone"), "main", 2, "default", {})
    other = Project("coffee", str(repository), "trunk", 2, "default", {})
    assert distances.refresh(gone, ["main"]) == {}
    assert distances.refresh(other, ["main"]) == {}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert distances.refresh(project, ["main"]) == ({"main": Stats(0, 0, 0)} if use_library else {})
