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
    from support.merge_world import House


def every_death(house: House, ref: TaskRef) -> Iterator[tuple[int, str]]:
    """Let a merge die at one step after the other, each time from the same beginning.

    The strategies differ in one commit's parents, so they take turns.
    """
    pristine = house.root.with_name(f"{house.root.name}-pristine")
    shutil.copytree(house.root, pristine, symlinks=True)
    for step in chosen_steps():
        strategy = ("merge", "squash")[step % 2]
        for entry in os.listdir(pristine):
            shutil.rmtree(house.root / entry)
            shutil.copytree(pristine / entry, house.root / entry, symlinks=True)
        died = dies_at(step, lambda: house.merge(ref, strategy=strategy))  # noqa: B023 - it is called at once
        yield step, strategy
        if not died:
            assert step > 15, "nothing was watched"
            return
    raise AssertionError("it never came to an end")


def test_merge_killed_at_any_step_is_finished_by_the_next_merge(house: House) -> None:
    ref = house.task()
    house.git("push", "-q", "origin", "feat/tea")
    base = house.write(house.main, {"cups": "12\n"})
    house.git("push", "-q")
    for step, strategy in every_death(house, ref):
        assert house.tip() in {base, house.there()}, step  # nothing is here that is not there
        if house.status(ref) != "done" or house.orange.store.journal(ref).unfinished() is not None:
            house.merge(ref, strategy=strategy)
        assert house.is_merged(ref), step
        assert house.git("rev-list", "--first-parent", "--count", f"{base}..main") == "1", step
        assert house.parents() == ([base, house.tip("feat/tea")] if strategy == "merge" else [base]), step
        (merged,) = house.events(ref, "task.merged")
        assert (merged["commit"], merged["strategy"], merged["pushed"]) == (house.tip(), strategy, True), step
        assert house.there("feat/tea") is None, step


@pytest.mark.parametrize("has_remote", [True, False])
@pytest.mark.parametrize("event", ["merge.started", "task.merged", "transition.started", "hook.done", "status.changed"])
def test_disk_that_is_full_at_an_event_leaves_a_merge_that_the_next_one_finishes(
    house: House, monkeypatch: pytest.MonkeyPatch, event: str, *, has_remote: bool
) -> None:
    base, ref = house.tip(), house.task()
    if not has_remote:
        house.git("remote", "remove", "origin")
    append = Journal.append

    def full(journal: Journal, entry: Mapping[str, object]) -> None:
        if entry["type"] == event:
            raise not_saved(journal.path, OSError(errno.ENOSPC, "full"))
        append(journal, entry)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", full)
        with pytest.raises(NotSaved):
            house.merge(ref, strategy="squash")
    assert (house.tip() == base) == (event == "merge.started")
    house.merge(ref, strategy="squash")
    assert house.status(ref) == "done"
    assert (house.parents(), house.message()) == ([base], house.stored(ref).task.summary)
    (merged,) = house.events(ref, "task.merged")
    assert (merged["commit"], merged["strategy"], merged["pushed"]) == (house.tip(), "squash", has_remote)
    assert not has_remote or house.there() == house.tip()


def merging(ref: TaskRef, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "orange_tui", "task", "merge", ref.id, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_concurrent_merges_of_several_tasks_land_one_after_the_other(house: House) -> None:
    refs = [house.task(f"feat/{number}", {f"cup-{number}": "one\n"}) for number in range(4)]
    for process in [merging(ref) for ref in refs]:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    for ref in refs:
        assert house.is_merged(ref)
        assert len(house.events(ref, "merge.started")) == 1
    assert sorted(path.name for path in house.main.glob("cup-*")) == ["cup-0", "cup-1", "cup-2", "cup-3"]


def test_second_of_two_concurrent_merges_of_one_task_has_nothing_left_to_do(house: House) -> None:
    ref = house.task()
    both = [merging(ref, "--strategy", "merge") for _ in range(2)]
    said = [process.communicate(timeout=120)[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 1], said
    assert any("already done" in text for text in said)
    assert house.is_merged(ref)
    assert len(house.parents()) == 2
    assert house.git("rev-list", "--count", "--merges", "main") == "1"


def test_push_that_landed_without_an_answer_is_found_by_the_next_merge(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The remote has taken it, and the line went dead: git says that it failed."""
    ref = house.task()
    real = shutil.which("git")
    text = f'case " $* " in *" push "*) {real} "$@"; exit 128;; esac; exec {real} "$@"'
    house.hook(house.root / "flaky", "git", text)
    with monkeypatch.context() as line:
        line.setenv("PATH", str(house.root / "flaky"), prepend=":")
        with pytest.raises(OrangeError, match="rejected"):
            house.merge(ref, strategy="squash")
    assert house.there() != house.tip()
    merged = house.merge(ref)
    assert (merged.commit, merged.strategy) == (house.there(), "squash")
    assert house.is_merged(ref)
