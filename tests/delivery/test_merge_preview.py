"""What a merge would give, found out without touching anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.delivery.merging._branch_tips import preview_merge, read_tips
from support.merge_world import MENU, House

if TYPE_CHECKING:
    from orange_tui.delivery.merging._branch_tips import MergePreview
    from orange_tui.store.store import TaskRef


def previewed(house: House, ref: TaskRef) -> MergePreview:
    before = house.everything(ref)
    tips = read_tips(house.orange.projects.get("coffee"), house.stored(ref).task.branch)
    found = preview_merge(tips, house.orange.store.journal(ref))
    assert house.everything(ref) == before
    return found


def test_preview_of_a_clean_branch_has_no_conflicts_and_its_distance(house: House) -> None:
    ref = house.task()
    base = house.write(house.main, {"cups": "12\n"})
    found = previewed(house, ref)
    assert (found.is_merged, found.is_empty, found.conflicts) == (False, False, ())
    assert found.behind == 1
    assert (found.base, found.head) == (base, house.tip("feat/tea"))


def test_preview_finds_conflicts_whatever_is_changed_in_the_checkout(house: House) -> None:
    ref = house.task(files={"menu": MENU.replace("filter", "tea")})
    house.write(house.main, {"menu": MENU.replace("filter", "cocoa")})
    (house.main / "menu").write_text("half a thought\n")
    found = previewed(house, ref)
    assert found.conflicts == ("menu",)
    marked = house.git("show", f"{found.tree}:menu")
    assert "<<<<<<<" in marked
    assert "cocoa" in marked


def test_file_deleted_here_and_changed_there_conflicts(house: House) -> None:
    house.write(house.main, {"cups": "12\n"})
    ref = house.task(files={"cups": "24\n"})
    house.git("rm", "-q", "cups")
    house.git("commit", "-q", "-m", "no cups")
    assert previewed(house, ref).conflicts == ("cups",)


def test_conflicting_file_with_an_odd_name_keeps_its_name(house: House) -> None:
    odd = "new\nline \u00e4 'x'"
    ref = house.task(files={odd: "tea\n"})
    house.write(house.main, {odd: "cocoa\n"})
    assert previewed(house, ref).conflicts == (odd,)


def test_preview_tells_an_empty_branch_from_a_merged_one(house: House) -> None:
    empty = house.task("feat/none", files={})
    merged = house.task()
    house.git("merge", "-q", "feat/tea")
    assert (previewed(house, empty).is_empty, previewed(house, empty).is_merged) == (True, False)
    assert (previewed(house, merged).is_empty, previewed(house, merged).is_merged) == (False, True)


def test_preview_merges_into_the_remote_branch_where_that_is_ahead(house: House) -> None:
    ref = house.task(files={"menu": MENU.replace("filter", "tea")})
    theirs = house.elsewhere({"menu": MENU.replace("filter", "cocoa")})
    assert not previewed(house, ref).conflicts
    house.git("fetch", "-q")
    found = previewed(house, ref)
    assert (found.base, found.conflicts) == (theirs, ("menu",))
