"""What a merge would give, found out without touching anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.delivery.merging._branch_tips import preview_merge, read_tips
from support.merge_world import MENU, MergeWorld

if TYPE_CHECKING:
    from orange_tui.delivery.merging._branch_tips import MergePreview
    from orange_tui.store.store import TaskRef


def previewed(merge_world: MergeWorld, ref: TaskRef) -> MergePreview:
    before = merge_world.everything(ref)
    tips = read_tips(merge_world.orange.projects.get("coffee"), merge_world.stored(ref).task.branch)
    found = preview_merge(tips, merge_world.orange.store.journal(ref))
    assert merge_world.everything(ref) == before
    return found


def test_preview_of_a_clean_branch_has_no_conflicts_and_its_distance(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    base = merge_world.write(merge_world.main, {"cups": "12\n"})
    found = previewed(merge_world, ref)
    assert (found.is_merged, found.is_empty, found.conflicts) == (False, False, ())
    assert found.behind == 1
    assert (found.base, found.head) == (base, merge_world.tip("feat/tea"))


def test_preview_finds_conflicts_whatever_is_changed_in_the_checkout(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={"menu": MENU.replace("filter", "tea")})
    merge_world.write(merge_world.main, {"menu": MENU.replace("filter", "cocoa")})
    (merge_world.main / "menu").write_text("half a thought\n")
    found = previewed(merge_world, ref)
    assert found.conflicts == ("menu",)
    marked = merge_world.git("show", f"{found.tree}:menu")
    assert "<<<<<<<" in marked
    assert "cocoa" in marked


def test_file_deleted_here_and_changed_there_conflicts(merge_world: MergeWorld) -> None:
    merge_world.write(merge_world.main, {"cups": "12\n"})
    ref = merge_world.task(files={"cups": "24\n"})
    merge_world.git("rm", "-q", "cups")
    merge_world.git("commit", "-q", "-m", "no cups")
    assert previewed(merge_world, ref).conflicts == ("cups",)


def test_conflicting_file_with_an_odd_name_keeps_its_name(merge_world: MergeWorld) -> None:
    odd = "new\nline \u00e4 'x'"
    ref = merge_world.task(files={odd: "tea\n"})
    merge_world.write(merge_world.main, {odd: "cocoa\n"})
    assert previewed(merge_world, ref).conflicts == (odd,)


def test_preview_tells_an_empty_branch_from_a_merged_one(merge_world: MergeWorld) -> None:
    empty = merge_world.task("feat/none", files={})
    merged = merge_world.task()
    merge_world.git("merge", "-q", "feat/tea")
    assert (previewed(merge_world, empty).is_empty, previewed(merge_world, empty).is_merged) == (True, False)
    assert (previewed(merge_world, merged).is_empty, previewed(merge_world, merged).is_merged) == (False, True)


def test_preview_merges_into_the_remote_branch_where_that_is_ahead(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={"menu": MENU.replace("filter", "tea")})
    theirs = merge_world.elsewhere({"menu": MENU.replace("filter", "cocoa")})
    assert not previewed(merge_world, ref).conflicts
    merge_world.git("fetch", "-q")
    found = previewed(merge_world, ref)
    assert (found.base, found.conflicts) == (theirs, ("menu",))
