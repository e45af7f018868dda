"""kill -9 of a merge at every step, and merges at the same time: nothing is merged twice, and nothing half."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.home.files import not_saved
from orange_tui.store.journal import Journal
from support.killing import chosen_steps, dies_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.store.store import TaskRef
    from support.merge_world import MergeWorld


def every_death(merge_world: MergeWorld, ref: TaskRef) -> Iterator[tuple[int, str]]:
    """Let a merge die at one step after the other, each time from the same beginning.

    The strategies differ in one commit's parents, so they take turns.
    """
    pristine = merge_world.root.with_name(f"{merge_world.root.name}-pristine")
    shutil.copytree(merge_world.root, pristine, symlinks=True)
    for step in chosen_steps():
        strategy = ("merge", "squash")[step % 2]
        for entry in os.listdir(pristine):
            shutil.rmtree(merge_world.root / entry)
            shutil.copytree(pristine / entry, merge_world.root / entry, symlinks=True)
        died = dies_at(step, lambda: merge_world.merge(ref, strategy=strategy))  # noqa: B023 - it is called at once
        yield step, strategy
        if not died:
            assert step > 15, "nothing was watched"
            return
    raise AssertionError("it never came to an end")


def test_merge_killed_at_any_step_is_finished_by_the_next_merge(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.git("push", "-q", "origin", "feat/tea")
    base = merge_world.write(merge_world.main, {"cups": "12\n"})
    merge_world.git("push", "-q")
    for step, strategy in every_death(merge_world, ref):
        assert merge_world.tip() in {base, merge_world.there()}, step  # nothing is here that is not there
        if merge_world.status(ref) != "done" or merge_world.orange.store.journal(ref).unfinished() is not None:
            merge_world.merge(ref, strategy=strategy)
        assert merge_world.is_merged(ref), step
        assert merge_world.git("rev-list", "--first-parent", "--count", f"{base}..main") == "1", step
        assert merge_world.parents() == ([base, merge_world.tip("feat/tea")] if strategy == "merge" else [base]), step
        (merged,) = merge_world.events(ref, "task.merged")
        assert (merged["commit"], merged["strategy"], merged["pushed"]) == (merge_world.tip(), strategy, True), step
        assert merge_world.there("feat/tea") is None, step


@pytest.mark.parametrize("has_remote", [True, False])
@pytest.mark.parametrize("event", ["merge.started", "task.merged", "transition.started", "hook.done", "status.changed"])
def test_disk_that_is_full_at_an_event_leaves_a_merge_that_the_next_one_finishes(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch, event: str, *, has_remote: bool
) -> None:
    base, ref = merge_world.tip(), merge_world.task()
    if not has_remote:
        merge_world.git("remote", "remove", "origin")
    append = Journal.append

    def full(journal: Journal, entry: Mapping[str, object]) -> None:
        if entry["type"] == event:
            raise not_saved(journal.path, OSError(errno.ENOSPC, "full"))
        append(journal, entry)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", full)
        with pytest.raises(NotSaved):
            merge_world.merge(ref, strategy="squash")
    assert (merge_world.tip() == base) == (event == "merge.started")
    merge_world.merge(ref, strategy="squash")
    assert merge_world.status(ref) == "done"
    assert (merge_world.parents(), merge_world.message()) == ([base], merge_world.stored(ref).task.summary)
    (merged,) = merge_world.events(ref, "task.merged")
    assert (merged["commit"], merged["strategy"], merged["pushed"]) == (merge_world.tip(), "squash", has_remote)
    assert not has_remote or merge_world.there() == merge_world.tip()


def merging(ref: TaskRef, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "orange_tui", "task", "merge", ref.id, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_concurrent_merges_of_several_tasks_land_one_after_the_other(merge_world: MergeWorld) -> None:
    refs = [merge_world.task(f"feat/{number}", {f"cup-{number}": "one\n"}) for number in range(4)]
    for process in [merging(ref) for ref in refs]:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    for ref in refs:
        assert merge_world.is_merged(ref)
        assert len(merge_world.events(ref, "merge.started")) == 1
    assert sorted(path.name for path in merge_world.main.glob("cup-*")) == ["cup-0", "cup-1", "cup-2", "cup-3"]


def test_second_of_two_concurrent_merges_of_one_task_has_nothing_left_to_do(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    both = [merging(ref, "--strategy", "merge") for _ in range(2)]
    said = [process.communicate(timeout=120)[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], said
    assert any("already done" in text for text in said)
    assert merge_world.is_merged(ref)
    assert len(merge_world.parents()) == 2
    assert merge_world.git("rev-list", "--count", "--merges", "main") == "1"


def test_push_that_landed_without_an_answer_is_found_by_the_next_merge(
    merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remote has taken it, and the line went dead: git says that it failed."""
    ref = merge_world.task()
    real = shutil.which("git")
    text = f'case " $* " in *" push "*) {real} "$@"; exit 128;; esac; exec {real} "$@"'
    merge_world.hook(merge_world.root / "flaky", "git", text)
    with monkeypatch.context() as line:
        line.setenv("PATH", str(merge_world.root / "flaky"), prepend=":")
        with pytest.raises(OrangeError, match="rejected"):
            merge_world.merge(ref, strategy="squash")
    assert merge_world.there() != merge_world.tip()
    merged = merge_world.merge(ref)
    assert (merged.commit, merged.strategy) == (merge_world.there(), "squash")
    assert merge_world.is_merged(ref)
