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
from support.merge_world import MENU, House

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


READING = [("rev-list", 2), ("diff-tree", 1), ("diff-tree", 1)]  # commits, lines and files of one branch


def against(files: tuple[str, ...], others: dict[str, tuple[str, ...]]) -> Conflicts:
    return Conflicts(files, others, "origin/main")


class Lookout:
    """Somebody who looks at the branches of the house, again and again."""

    def __init__(self, house: House, *, use_library: bool) -> None:
        self._house, readers = house, GitReaders(use_library=use_library)
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
def lookout(house: House, use_library: bool) -> Lookout:
    return Lookout(house, use_library=use_library)


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


def test_two_tasks_that_change_the_same_lines_conflict_and_both_still_merge(house: House, lookout: Lookout) -> None:
    house.branch("one", {"menu": menu("ristretto")})
    house.branch("two", {"menu": menu("lungo"), "two": "2\n"})
    house.branch("far", {"menu": menu(last="cocoa")})
    assert lookout.sees("one", "two", "far") == {
        "one": against((), {"two": ("menu",)}),
        "two": against((), {"one": ("menu",)}),
    }


def test_once_one_of_them_is_merged_the_other_would_not_merge(house: House, lookout: Lookout) -> None:
    one = house.task("one", {"menu": menu("ristretto")})
    house.branch("two", {"menu": menu("lungo")})
    assert lookout.sees("one", "two")["two"].others == {"one": ("menu",)}
    house.merge(one)
    assert lookout.sees("two") == {"two": against(("menu",), {})}


def test_what_only_the_remote_has_counts_as_soon_as_it_is_fetched(house: House, lookout: Lookout) -> None:
    house.branch("one", {"menu": menu("ristretto")})
    house.elsewhere({"menu": menu("cortado")})
    assert lookout.sees("one") == {}
    house.git("fetch", "-q")
    assert lookout.sees("one") == {"one": against(("menu",), {})}


def test_a_younger_branch_is_not_blamed_for_what_the_default_branch_has_changed(house: House, lookout: Lookout) -> None:
    house.branch("old", {"menu": menu("ristretto"), "shared": "old\n"})
    house.write(house.main, {"menu": menu("cortado")})
    house.git("push", "-q")
    house.branch("young", {"shared": "young\n"})
    assert lookout.sees("old", "young") == {
        "old": against(("menu",), {"young": ("shared",)}),
        "young": against((), {"old": ("shared",)}),
    }


def test_a_branch_that_is_behind_is_merged_only_where_it_may_conflict(
    house: House, lookout: Lookout, merges: list[tuple[str, int]]
) -> None:
    house.branch("apart", {"apart": "own\n"})
    house.branch("near", {"menu": menu("ristretto")})
    house.branch("renames", {"card": "cards\n"})
    house.git("switch", "-q", "renames", at=house.desk)
    house.git("rm", "-q", "menu", at=house.desk)
    house.git("commit", "-qm", "no menu", at=house.desk)
    house.git("switch", "-q", "--detach", at=house.desk)
    house.write(house.main, {"menu": menu(last="cocoa"), "news": "1\n"})
    house.git("push", "-q")
    assert lookout.sees("apart", "near", "renames")["renames"].files == ("menu",)
    assert ("merge-tree", 3) in merges  # near and renames with main, and with each other


def test_a_file_renamed_in_one_branch_and_changed_in_another_conflicts(house: House, lookout: Lookout) -> None:
    house.git("switch", "-q", "-c", "renames", "main", at=house.desk)
    house.git("mv", "menu", "card", at=house.desk)
    house.write(house.desk, {"card": menu("ristretto")})
    house.git("switch", "-q", "--detach", at=house.desk)
    house.branch("changes", {"menu": menu("lungo")})
    assert lookout.sees("renames", "changes")["changes"].others == {"renames": ("card",)}


def test_a_file_in_one_branch_conflicts_with_a_directory_in_another(house: House, lookout: Lookout) -> None:
    house.branch("file", {"tea": "green\n"})
    house.branch("folder", {"tea/green": "sencha\n"})
    assert "folder" in lookout.sees("file", "folder")["file"].others


def test_a_conflicting_files_name_is_made_printable(house: House, lookout: Lookout) -> None:
    house.branch("one", {"a\nb \x1b[31mc": "1\n"})
    house.branch("two", {"a\nb \x1b[31mc": "2\n"})
    (name,) = lookout.sees("one", "two")["one"].others["two"]
    assert name.isprintable()


def test_branches_without_own_commits_or_common_history_have_no_conflicts(house: House, lookout: Lookout) -> None:
    house.branch("empty", {})
    house.branch("one", {"menu": menu("ristretto")})
    house.branch("stacked", {"menu": menu("lungo")}, start="one")
    house.git("switch", "-q", "--orphan", "stranger", at=house.desk)
    house.write(house.desk, {"menu": "water\n"})
    assert lookout.sees("empty", "one", "stacked", "stranger", "never") == {}


def test_git_merges_only_what_may_conflict_and_nothing_while_no_branch_moves(
    house: House, lookout: Lookout, merges: list[tuple[str, int]], use_library: bool
) -> None:
    names = [f"apart-{number}" for number in range(8)]
    for name in names:
        house.branch(name, {name: "own\n"})
    house.branch("one", {"menu": menu("ristretto")})
    house.branch("two", {"menu": menu("lungo")})
    first = lookout.sees("one", "two", *names)
    assert [each for each in merges if each[0] == "merge-tree"] == [("merge-tree", 1)]  # one pair; main has not moved
    assert ("diff-tree" in dict(merges)) is not use_library
    merges.clear()
    assert lookout.sees("one", "two", *names) == first
    assert merges == []
    house.git("switch", "-q", "one", at=house.desk)
    house.write(house.desk, {"menu": menu("cortado")})
    assert lookout.sees("one", "two", *names) == first
    assert merges == [*([] if use_library else READING), ("merge-tree", 1)]


def test_a_forecast_leaves_nothing_in_the_repository(house: House, lookout: Lookout) -> None:
    house.branch("one", {"menu": menu("ristretto")})
    house.branch("two", {"menu": menu("lungo")})
    before = house.git("count-objects", "-v"), house.git("status", "--porcelain"), house.git("for-each-ref")
    assert lookout.sees("one", "two")
    assert (house.git("count-objects", "-v"), house.git("status", "--porcelain"), house.git("for-each-ref")) == before


def test_a_git_without_many_merges_at_once_makes_them_one_by_one(
    house: House, lookout: Lookout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.branch("one", {"menu": menu("ristretto")})
    house.branch("two", {"menu": menu("lungo")})
    house.hook(
        tmp_path / "bin", "git", 'case " $* " in *" merge-tree --stdin "*) exit 129;; esac; exec /usr/bin/git "$@"'
    )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert lookout.sees("one", "two")["one"] == against((), {"two": ("menu",)})


def test_a_git_that_fails_leaves_conflicts_unknown(
    house: House, lookout: Lookout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.branch("one", {"menu": menu("ristretto")})
    house.branch("two", {"menu": menu("lungo")})
    house.hook(tmp_path / "bin", "git", 'case " $* " in *" merge-tree "*) exit 3;; esac; exec /usr/bin/git "$@"')
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    assert lookout.sees("one", "two") == {}


def test_the_board_shows_conflicts_and_what_to_do_about_them(house: House) -> None:
    ref = house.task("one", {"menu": menu("ristretto")})
    boards = LiveBoard(house.orange)
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
