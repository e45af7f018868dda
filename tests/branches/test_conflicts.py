"""Conflicts are known before anybody merges: with the default branch, and between tasks that are at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.conflicts import ConflictForecast, Conflicts
from orange_tui.branches.distance import BranchDistances
from orange_tui.outside import git as git_module
from orange_tui.outside import programs
from orange_tui.outside.git_reader.reader import GitReaders
from support.live_board import LiveBoard
from support.merge_world import MENU, MergeWorld

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


READING = [("rev-list", 2), ("diff-tree", 1), ("diff-tree", 1)]  # commits, lines and files of one branch


def against(files: tuple[str, ...], others: dict[str, tuple[str, ...]]) -> Conflicts:
    return Conflicts(files, others, "origin/main")


class Lookout:
    """Somebody who looks at the branches of a repository, again and again."""

    def __init__(self, merge_world: MergeWorld, *, use_library: bool) -> None:
        self._house, readers = merge_world, GitReaders(use_library=use_library)
        self._distances, self._forecast = BranchDistances(readers), ConflictForecast(readers)

    def sees(self, *branches: str) -> dict[str, Conflicts]:
        """What stands against these branches; each task is called as its branch is."""
        project = self._house.orange.projects.get("coffee")
        self._distances.refresh(project, branches)
        return self._forecast.refresh(project, self._distances.positions(project), {name: name for name in branches})


@pytest.fixture(params=[True, False], ids=["pygit2", "git"])
def use_library(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def lookout(merge_world: MergeWorld, use_library: bool) -> Lookout:
    return Lookout(merge_world, use_library=use_library)


@pytest.fixture
def merges(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The git commands that were given something to read, with the number of lines of it."""
    seen: list[tuple[str, int]] = []
    run = programs.run

    def noting(words: Sequence[str], **more: object) -> programs.Finished:
        given = more.get("stdin")
        if isinstance(given, bytes):
            seen.append((words[3], given.count(b"\n")))
        return run(words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(git_module, "run", noting)
    return seen


def menu(first: str = "espresso", last: str = "mocha") -> str:
    return MENU.replace("espresso", first).replace("mocha", last)


def test_two_tasks_that_change_the_same_lines_conflict_and_both_still_merge(
    merge_world: MergeWorld, lookout: Lookout
) -> None:
    merge_world.branch("one", {"menu": menu("ristretto")})
    merge_world.branch("two", {"menu": menu("lungo"), "two": "2\n"})
    merge_world.branch("far", {"menu": menu(last="cocoa")})
    assert lookout.sees("one", "two", "far") == {
        "one": against((), {"two": ("menu",)}),
        "two": against((), {"one": ("menu",)}),
    }


def test_once_one_of_them_is_merged_the_other_would_not_merge(merge_world: MergeWorld, lookout: Lookout) -> None:
    one = merge_world.task("one", {"menu": menu("ristretto")})
    merge_world.branch("two", {"menu": menu("lungo")})
    assert lookout.sees("one", "two")["two"].others == {"one": ("menu",)}
    merge_world.merge(one)
    assert lookout.sees("two") == {"two": against(("menu",), {})}


def test_what_only_the_remote_has_counts_as_soon_as_it_is_fetched(merge_world: MergeWorld, lookout: Lookout) -> None:
    merge_world.branch("one", {"menu": menu("ristretto")})
    merge_world.elsewhere({"menu": menu("cortado")})
    assert lookout.sees("one") == {}
    merge_world.git("fetch", "-q")
    assert lookout.sees("one") == {"one": against(("menu",), {})}


def test_a_younger_branch_is_not_blamed_for_what_the_default_branch_has_changed(
    merge_world: MergeWorld, lookout: Lookout
) -> None:
    merge_world.branch("old", {"menu": menu("ristretto"), "shared": "old\n"})
    merge_world.write(merge_world.main, {"menu": menu("cortado")})
    merge_world.git("push", "-q")
    merge_world.branch("young", {"shared": "young\n"})
    assert lookout.sees("old", "young") == {
        "old": against(("menu",), {"young": ("shared",)}),
        "young": against((), {"old": ("shared",)}),
    }


def test_a_branch_that_is_behind_is_merged_only_where_it_may_conflict(
    merge_world: MergeWorld, lookout: Lookout, merges: list[tuple[str, int]]
) -> None:
    merge_world.branch("apart", {"apart": "own\n"})
    merge_world.branch("near", {"menu": menu("ristretto")})
    merge_world.branch("renames", {"card": "cards\n"})
    merge_world.git("switch", "-q", "renames", at=merge_world.branches)
    merge_world.git("rm", "-q", "menu", at=merge_world.branches)
    merge_world.git("commit", "-qm", "no menu", at=merge_world.branches)
    merge_world.git("switch", "-q", "--detach", at=merge_world.branches)
    merge_world.write(merge_world.main, {"menu": menu(last="cocoa"), "news": "1\n"})
    merge_world.git("push", "-q")
    assert lookout.sees("apart", "near", "renames")["renames"].files == ("menu",)
    assert ("merge-tree", 3) in merges  # near and renames with main, and with each other


def test_a_file_renamed_in_one_branch_and_changed_in_another_conflicts(
    merge_world: MergeWorld, lookout: Lookout
) -> None:
    merge_world.git("switch", "-q", "-c", "renames", "main", at=merge_world.branches)
    merge_world.git("mv", "menu", "card", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"card": menu("ristretto")})
    merge_world.git("switch", "-q", "--detach", at=merge_world.branches)
    merge_world.branch("changes", {"menu": menu("lungo")})
    assert lookout.sees("renames", "changes")["changes"].others == {"renames": ("card",)}


def test_a_file_in_one_branch_conflicts_with_a_directory_in_another(merge_world: MergeWorld, lookout: Lookout) -> None:
    merge_world.branch("file", {"tea": "green\n"})
    merge_world.branch("folder", {"tea/green": "sencha\n"})
    assert "folder" in lookout.sees("file", "folder")["file"].others


def test_a_conflicting_files_name_is_made_printable(merge_world: MergeWorld, lookout: Lookout) -> None:
    merge_world.branch("one", {"a\nb \x1b[31mc": "1\n"})
    merge_world.branch("two", {"a\nb \x1b[31mc": "2\n"})
    (name,) = lookout.sees("one", "two")["one"].others["two"]
    assert name.isprintable()


def test_branches_without_own_commits_or_common_history_have_no_conflicts(
    merge_world: MergeWorld, lookout: Lookout
) -> None:
    merge_world.branch("empty", {})
    merge_world.branch("one", {"menu": menu("ristretto")})
    merge_world.branch("stacked", {"menu": menu("lungo")}, start="one")
    merge_world.git("switch", "-q", "--orphan", "stranger", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"menu": "water\n"})
    assert lookout.sees("empty", "one", "stacked", "stranger", "never") == {}


def test_git_merges_only_what_may_conflict_and_nothing_while_no_branch_moves(
    merge_world: MergeWorld, lookout: Lookout, merges: list[tuple[str, int]], use_library: bool
) -> None:
    names = [f"apart-{number}" for number in range(8)]
    for name in names:
        merge_world.branch(name, {name: "own\n"})
    merge_world.branch("one", {"menu": menu("ristretto")})
    merge_world.branch("two", {"menu": menu("lungo")})
    first = lookout.sees("one", "two", *names)
    assert [each for each in merges if each[0] == "merge-tree"] == [("merge-tree", 1)]  # one pair; main has not moved
    assert ("diff-tree" in dict(merges)) is not use_library
    merges.clear()
    assert lookout.sees("one", "two", *names) == first
    assert merges == []
    merge_world.git("switch", "-q", "one", at=merge_world.branches)
    merge_world.write(merge_world.branches, {"menu": menu("cortado")})
    assert lookout.sees("one", "two", *names) == first
    assert merges == [*([] if use_library else READING), ("merge-tree", 1)]


def test_a_forecast_leaves_nothing_in_the_repository(merge_world: MergeWorld, lookout: Lookout) -> None:
    merge_world.branch("one", {"menu": menu("ristretto")})
    merge_world.branch("two", {"menu": menu("lungo")})
    before = (
        merge_world.git("count-objects", "-v"),
        merge_world.git("status", "--porcelain"),
        merge_world.git("for-each-ref"),
    )
    assert lookout.sees("one", "two")
    assert (
        merge_world.git("count-objects", "-v"),
        merge_world.git("status", "--porcelain"),
        merge_world.git("for-each-ref"),
    ) == before


def test_a_git_without_many_merges_at_once_makes_them_one_by_one(
    merge_world: MergeWorld, lookout: Lookout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge_world.branch("one", {"menu": menu("ristretto")})
    merge_world.branch("two", {"menu": menu("lungo")})
    merge_world.hook(
        tmp_path / "bin", "git", 'case " $* " in *" merge-tree --stdin "*) exit 129;; esac; exec /usr/bin/git "$@"'
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert lookout.sees("one", "two")["one"] == against((), {"two": ("menu",)})


def test_a_git_that_fails_leaves_conflicts_unknown(
    merge_world: MergeWorld, lookout: Lookout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge_world.branch("one", {"menu": menu("ristretto")})
    merge_world.branch("two", {"menu": menu("lungo")})
    merge_world.hook(tmp_path / "bin", "git", 'case " $* " in *" merge-tree "*) exit 3;; esac; exec /usr/bin/git "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert lookout.sees("one", "two") == {}


def test_the_board_shows_conflicts_and_what_to_do_about_them(merge_world: MergeWorld) -> None:
    ref = merge_world.task("one", {"menu": menu("ristretto")})
    boards = LiveBoard(merge_world.orange)
    (row,) = list(boards.scan())[-1].rows
    assert (row.conflicts, row.needs) == (None, "It waits for your review")
    colliding = against((), {"other": ("menu",)})
    (row,) = boards.with_conflicts("coffee", {ref.id: colliding}).rows
    assert (row.conflicts, row.needs) == (colliding, "It waits for your review")
    would_not_merge = against(("menu",), {})
    (row,) = boards.with_conflicts("coffee", {ref.id: would_not_merge}).rows
    assert row.needs == "Would not merge, r sends it back: menu"
    (again,) = boards.refresh([ref]).rows
    assert again == row
    (row,) = boards.with_conflicts("coffee", {}).rows
    assert (row.conflicts, row.needs) == (None, "It waits for your review")
