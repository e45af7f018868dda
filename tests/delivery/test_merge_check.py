"""Whether a task would merge, found out without touching anything, and once for each pair of commits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.delivery.merge import Merges
from support.merge_world import MENU, House
from support.pool_world import git_calls

if TYPE_CHECKING:
    from orange_tui.delivery.merge_plan import MergeCheck
    from orange_tui.store.store import TaskRef


def checked(house: House, ref: TaskRef) -> MergeCheck:
    before = house.everything(ref)
    found = Merges(house.orange.tasks).check(ref)
    assert house.everything(ref) == before
    return found


def test_a_branch_that_would_merge(house: House) -> None:
    ref = house.task()
    base = house.write(house.main, {"cups": "12\n"})
    found = checked(house, ref)
    assert (found.merges, found.already, found.empty, found.conflicts) == (True, False, False, ())
    assert (found.ahead, found.behind) == (1, 1)
    assert (found.base, found.head) == (base, house.tip("feat/tea"))


def test_a_conflict_is_known_while_the_checkout_is_in_the_middle_of_something_else(house: House) -> None:
    ref = house.task(files={"menu": MENU.replace("filter", "tea")})
    house.write(house.main, {"menu": MENU.replace("filter", "cocoa")})
    (house.main / "menu").write_text("half a thought\n")
    found = checked(house, ref)
    assert (found.merges, found.conflicts) == (False, ("menu",))
    marked = house.git("show", f"{found.tree}:menu")
    assert "<<<<<<<" in marked
    assert "cocoa" in marked


def test_a_file_that_one_deleted_and_the_other_changed_conflicts(house: House) -> None:
    house.write(house.main, {"cups": "12\n"})
    ref = house.task(files={"cups": "24\n"})
    house.git("rm", "-q", "cups")
    house.git("commit", "-q", "-m", "no cups")
    assert checked(house, ref).conflicts == ("cups",)


def test_an_odd_name_comes_out_as_it_is(house: House) -> None:
    odd = "new\nline \u00e4 'x'"
    ref = house.task(files={odd: "tea\n"})
    house.write(house.main, {odd: "cocoa\n"})
    assert checked(house, ref).conflicts == (odd,)


def test_empty_and_already_merged_are_told_apart(house: House) -> None:
    empty = house.task("feat/none", files={})
    merged = house.task()
    house.git("merge", "-q", "feat/tea")
    assert (checked(house, empty).empty, checked(house, empty).already) == (True, False)
    assert (checked(house, merged).empty, checked(house, merged).already) == (False, True)


def test_it_is_computed_once_for_a_pair_of_commits(house: House) -> None:
    ref = house.task()
    merges = Merges(house.orange.tasks)
    assert "merge-tree" in git_calls(lambda: merges.check(ref))
    assert "merge-tree" not in git_calls(lambda: merges.check(ref))
    house.write(house.main, {"cups": "12\n"})
    assert "merge-tree" in git_calls(lambda: merges.check(ref))


def test_the_remote_that_is_ahead_is_what_counts(house: House) -> None:
    ref = house.task(files={"menu": MENU.replace("filter", "tea")})
    theirs = house.elsewhere({"menu": MENU.replace("filter", "cocoa")})
    assert checked(house, ref).merges
    house.git("fetch", "-q")
    found = checked(house, ref)
    assert (found.base, found.merges) == (theirs, False)
