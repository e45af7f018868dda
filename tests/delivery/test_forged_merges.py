"""Merges that an agent has written into its history: no word of it reaches git, and git says what is merged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.branches.task_diff import TaskDiffs

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.merge_world import House

LATER = "2999-01-01T00:00:00.000000Z"


def forge(house: House, ref: TaskRef, kind: str, **details: Any) -> None:
    with open(f"{house.orange.store.state_directory(ref)}/history.jsonl", "a") as file:
        file.write(json.dumps({"type": kind, "timestamp": LATER, **details}) + "\n")


def test_looking_at_the_diff_of_a_forged_merge_writes_no_file(house: House) -> None:
    ref = house.task()
    house.merge(ref)
    victim = house.root / "...victim"
    victim.write_text("somebody's own\n")
    forge(house, ref, "merge.started", base=f"--output={house.root}/", head="victim", commit=house.tip())
    diffs = TaskDiffs(house.orange.projects, house.orange.store, house.orange.pool)
    diffs.read(ref, house.stored(ref).task, finished=True)
    assert victim.read_text() == "somebody's own\n"


@pytest.mark.parametrize("with_strategy", [True, False])
def test_merge_that_an_agent_says_to_have_been_made_is_still_made(house: House, *, with_strategy: bool) -> None:
    ref = house.task()
    house.git("push", "-q", "origin", "feat/tea")
    forged = {"base": house.tip(), "head": house.tip("feat/tea"), "commit": house.tip()}
    more = {"strategy": "squash"} if with_strategy else {}
    forge(house, ref, "merge.started", **forged, **more)
    forge(house, ref, "task.merged", **forged, **more, pushed=True)
    house.merge(ref)
    assert (house.main / "tea").read_text() == "green\n"
    assert house.there() == house.tip()


def test_branch_that_is_not_merged_stays_on_the_remote_whatever_the_history_says(house: House) -> None:
    theirs = house.branch("other", {"cups": "12\n"})
    house.git("push", "-q", "origin", "other:feat/tea")
    ref = house.task(files={})
    forge(house, ref, "task.merged", head=theirs, commit=house.tip(), strategy="squash", pushed=True)
    house.merge(ref, force=True)
    assert house.status(ref) == "done"
    assert house.there("feat/tea") == theirs
    assert "stays on origin" in str(house.attention(ref))


def test_history_with_a_merge_of_no_commits_is_finished_without_it(house: House) -> None:
    ref = house.task()
    house.merge(ref)
    path = f"{house.orange.store.state_directory(ref)}/history.jsonl"
    with open(path) as file:
        lines = file.read().splitlines()
    ended = [number for number, line in enumerate(lines) if json.loads(line)["type"] == "status.changed"]
    with open(path, "w") as file:
        file.writelines(f"{line}\n" for line in lines[: ended[-1]])
    forge(house, ref, "task.merged")
    assert "already done" in house.refused(ref)
