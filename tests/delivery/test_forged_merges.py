"""Merges that an agent has written into its history: no word of it reaches git, and git says what is merged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.branches.task_diff import TaskDiffs

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.merge_world import MergeWorld

LATER = "2999-01-01T00:00:00.000000Z"


def forge(merge_world: MergeWorld, ref: TaskRef, kind: str, **details: Any) -> None:
    with open(f"{merge_world.orange.store.state_directory(ref)}/history.jsonl", "a") as file:
        file.write(json.dumps({"type": kind, "timestamp": LATER, **details}) + "\n")


def test_looking_at_the_diff_of_a_forged_merge_writes_no_file(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.merge(ref)
    victim = merge_world.root / "...victim"
    victim.write_text("somebody's own\n")
    forge(
        merge_world, ref, "merge.started", base=f"--output={merge_world.root}/", head="victim", commit=merge_world.tip()
    )
    diffs = TaskDiffs(merge_world.orange.projects, merge_world.orange.store, merge_world.orange.pool)
    diffs.read(ref, merge_world.stored(ref).task, finished=True)
    assert victim.read_text() == "somebody's own\n"


@pytest.mark.parametrize("with_strategy", [True, False])
def test_merge_that_an_agent_says_to_have_been_made_is_still_made(
    merge_world: MergeWorld, *, with_strategy: bool
) -> None:
    ref = merge_world.task()
    merge_world.git("push", "-q", "origin", "feat/tea")
    forged = {"base": merge_world.tip(), "head": merge_world.tip("feat/tea"), "commit": merge_world.tip()}
    more = {"strategy": "squash"} if with_strategy else {}
    forge(merge_world, ref, "merge.started", **forged, **more)
    forge(merge_world, ref, "task.merged", **forged, **more, pushed=True)
    merge_world.merge(ref)
    assert (merge_world.main / "tea").read_text() == "green\n"
    assert merge_world.there() == merge_world.tip()


def test_branch_that_is_not_merged_stays_on_the_remote_whatever_the_history_says(merge_world: MergeWorld) -> None:
    theirs = merge_world.branch("other", {"cups": "12\n"})
    merge_world.git("push", "-q", "origin", "other:feat/tea")
    ref = merge_world.task(files={})
    forge(merge_world, ref, "task.merged", head=theirs, commit=merge_world.tip(), strategy="squash", pushed=True)
    merge_world.merge(ref, force=True)
    assert merge_world.status(ref) == "done"
    assert merge_world.there("feat/tea") == theirs
    assert "stays on origin" in str(merge_world.attention(ref))


def test_history_with_a_merge_of_no_commits_is_finished_without_it(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.merge(ref)
    path = f"{merge_world.orange.store.state_directory(ref)}/history.jsonl"
    with open(path) as file:
        lines = file.read().splitlines()
    ended = [number for number, line in enumerate(lines) if json.loads(line)["type"] == "status.changed"]
    with open(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines[: ended[-1]])
    forge(merge_world, ref, "task.merged")
    assert "already done" in merge_world.refused(ref)
