"""Who gets which workspace, and what becomes of bindings that were left behind."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.home.json_file import JsonFile
from orange_tui.store.store import TaskRef
from support.git import commit, git

if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from support.pool_world import Cafe


def reserve(cafe: Cafe, task: Task) -> str:
    return cafe.pool.reserve(cafe.project, task)


def test_tasks_get_slots_in_order_and_the_same_again(cafe: Cafe) -> None:
    first, second = cafe.task("a"), cafe.task("b")
    assert [reserve(cafe, first), reserve(cafe, second)] == ["coffee--1", "coffee--2"]
    assert [reserve(cafe, first), reserve(cafe, second)] == ["coffee--1", "coffee--2"]
    assert [(slot.state, slot.task) for slot in cafe.pool.slots()] == [("bound", first.id), ("bound", second.id)]


def test_with_none_free_the_refusal_says_who_holds_them(cafe: Cafe) -> None:
    for name in ("login-fix", "csv-export"):
        task = cafe.task(name)
        cafe.hold(task, reserve(cafe, task))
    held = "coffee--1 is held by login-fix, coffee--2 is held by csv-export"
    with pytest.raises(Refused, match=f"no free workspace for coffee: {held}") as refusal:
        reserve(cafe, cafe.task("c"))
    assert "--pool-size 3" in str(refusal.value)


def test_three_tasks_share_a_pool_of_one(cafe: Cafe) -> None:
    cafe.register(pool_size=1)
    for number in range(3):
        task = cafe.task(f"feat/{number}")
        workspace = cafe.spawn(task)
        cafe.hold(task, workspace.name)
        with pytest.raises(Refused, match=f"held by {task.branch}"):
            reserve(cafe, cafe.task(f"waits/{number}"))
        commit(workspace, f"file{number}")
        cafe.release(task, workspace)
        cafe.hold(task, None)
    assert [git(cafe.main, "log", "-1", "--format=%s", f"feat/{n}") for n in range(3)] == [
        f"add file{n}" for n in range(3)
    ]


def test_first_slot_that_is_written_right_after_the_file_was_read_makes_it_no_broken_one(
    cafe: Cafe, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = JsonFile.read_object
    file = Path(cafe.root / "home/workspaces/.pool.json")

    def read_before_it_comes(given: JsonFile) -> dict[str, Any]:
        found = read(given)
        file.parent.mkdir(exist_ok=True)
        file.write_text('{"slots": {}}')
        return found

    monkeypatch.setattr(JsonFile, "read_object", read_before_it_comes)
    assert not file.exists()
    assert [slot.state for slot in cafe.pool.slots()] == ["free", "free"]


def test_concurrent_tasks_never_get_the_same_workspace(cafe: Cafe) -> None:
    cafe.register(pool_size=6)
    tasks = [cafe.task(f"feat/{number}") for number in range(6)]
    with ThreadPoolExecutor(6) as workers:
        names = list(workers.map(lambda task: reserve(cafe, task), tasks))
    assert sorted(names) == [f"coffee--{number}" for number in range(1, 7)]


def test_a_task_that_says_it_has_a_workspace_gets_that_one(cafe: Cafe) -> None:
    task = cafe.hold(cafe.task(), "coffee--2")
    assert reserve(cafe, task) == "coffee--2"


def test_a_task_whose_workspace_went_to_another_gets_a_free_one(cafe: Cafe) -> None:
    other = cafe.task("b")
    cafe.hold(other, reserve(cafe, other))
    assert reserve(cafe, cafe.hold(cafe.task("a"), "coffee--1")) == "coffee--2"


def test_orphaned_slot_of_a_killed_command_is_released_when_needed(cafe: Cafe) -> None:
    left_behind = [reserve(cafe, cafe.task(name)) for name in ("a", "b")]  # killed before the task moved
    assert reserve(cafe, cafe.task("c")) == left_behind[0]


def test_a_task_whose_transition_is_unfinished_keeps_its_slot(cafe: Cafe) -> None:
    cafe.register(pool_size=1)
    task = cafe.task("a")
    reserve(cafe, task)
    with cafe.store.open(TaskRef("coffee", task.id)) as opened:
        started = {"from": "pending", "to": "working", "by": "person", "hooks": [{"action": "acquire_workspace"}]}
        opened.change("transition.started", {"status": "working"}, **started)
    with pytest.raises(Refused, match=f"held by {task.branch}"):
        reserve(cafe, cafe.task("b"))
    assert cafe.gc() == []


def test_locked_task_keeps_its_slot(cafe: Cafe) -> None:
    cafe.register(pool_size=1)
    task = cafe.task("a")
    with cafe.store.open(TaskRef("coffee", task.id)):
        reserve(cafe, task)
        with pytest.raises(Refused, match=f"held by {task.branch}"):
            reserve(cafe, cafe.task("b"))


def test_a_task_that_cannot_be_read_keeps_its_slot(cafe: Cafe) -> None:
    cafe.register(pool_size=1)
    task = cafe.task("a")
    reserve(cafe, task)
    (cafe.task_directory(task) / "TASK.md").write_text("not a task")
    with pytest.raises(Refused, match=f"held by {task.id}"):  # what its branch is, nobody can tell
        reserve(cafe, cafe.task("b"))


@pytest.mark.parametrize("place", ["tasks", "tasks/coffee"])
@pytest.mark.parametrize("by_link", [False, True])
def test_tasks_that_are_not_where_they_were_keep_their_slots(cafe: Cafe, place: str, by_link: bool) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    cafe.hold(task, workspace.name)
    (workspace / "draft").write_text("unsaved\n")
    there, away = os.path.join(cafe.home.root, place), os.path.join(cafe.home.root, "away")
    os.rename(there, away)
    if by_link:
        os.symlink("/nonexistent/disk", there)
    else:
        os.mkfifo(there)
    with pytest.raises(Unreadable, match=there):
        cafe.pool.gc(lambda project, task_id: cafe.store.has(TaskRef(project, task_id)))
    with pytest.raises(Unreadable, match=there):
        cafe.store.refs("coffee")
    assert (cafe.states()[0], (workspace / "draft").read_text()) == ("bound", "unsaved\n")
    os.unlink(there)
    os.rename(away, there)
    assert cafe.gc() == []


def test_the_slot_of_a_deleted_task_is_given_back_with_its_work_saved(cafe: Cafe) -> None:
    cafe.register(pool_size=1)
    task = cafe.task("a")
    workspace = cafe.spawn(task)
    cafe.hold(task, workspace.name)
    (workspace / "draft").write_text("unsaved\n")
    shutil.rmtree(cafe.task_directory(task))
    assert reserve(cafe, cafe.task("b")) == "coffee--1"
    assert cafe.in_saved(f"refs/orange/{task.id}/1", "draft") == "unsaved"


def test_gc_says_what_it_did(cafe: Cafe) -> None:
    task, kept = cafe.task("a"), cafe.task("b")
    workspace = cafe.spawn(task)
    cafe.hold(kept, cafe.spawn(kept).name)
    (workspace / "draft").write_text("unsaved\n")
    shutil.rmtree(cafe.task_directory(task))
    (sentence,) = cafe.gc()
    assert "coffee--1 is free again" in sentence
    assert f"orange task restore {task.id}" in sentence
    assert cafe.states() == ["free", "bound"]
    assert cafe.is_clean(workspace)
    assert cafe.gc() == []


def test_gc_leaves_projects_alone_that_are_not_registered(cafe: Cafe) -> None:
    task = cafe.task()
    workspace = cafe.spawn(task)
    shutil.rmtree(cafe.task_directory(task))
    cafe.register(name="tea")
    assert cafe.gc() == ["coffee--1 is left alone: coffee is no longer registered"]
    assert (workspace / "README").exists()


def test_lost_pool_file_is_recovered_from_the_workspaces(cafe: Cafe) -> None:
    task = cafe.task("a")
    workspace = cafe.spawn(task)
    cafe.hold(task, workspace.name)
    (workspace / "draft").write_text("mine\n")
    (cafe.root / "home/workspaces/.pool.json").unlink()
    assert cafe.slot().task == task.id
    assert reserve(cafe, cafe.task("b")) == "coffee--2"
    assert cafe.spawn(task) == workspace
    assert (workspace / "draft").read_text() == "mine\n"


def test_with_links_lost_too_the_work_is_saved_before_the_next_task_gets_it(cafe: Cafe) -> None:
    workspace = cafe.spawn(cafe.task("a"))
    (workspace / "draft").write_text("whose is this?\n")
    (workspace / "TASK.md").unlink()
    (cafe.root / "home/workspaces/.pool.json").unlink()
    task = cafe.task("b")
    assert cafe.spawn(task) == workspace
    assert not (workspace / "draft").exists()
    assert cafe.in_saved(f"refs/orange/{task.id}/1", "draft") == "whose is this?"


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"slots": {"coffee--1": {}}}', '{"slots": {"coffee--1": 3}}'])
def test_damaged_pool_file_is_refused_and_left_alone(cafe: Cafe, text: str) -> None:
    os.makedirs(cafe.home.workspaces)
    path = cafe.root / "home/workspaces/.pool.json"
    path.write_text(text)
    with pytest.raises(Unreadable, match="fix it by hand, or delete it"):
        reserve(cafe, cafe.task())
    assert path.read_text() == text


def test_a_smaller_pool_hands_out_no_more_than_its_size(cafe: Cafe) -> None:
    first, second = cafe.task("a"), cafe.task("b")
    cafe.spawn(first)
    last = cafe.spawn(second)
    cafe.hold(first, "coffee--1")
    cafe.register(pool_size=1)
    assert reserve(cafe, second) == last.name
    cafe.release(second, last)
    with pytest.raises(Refused, match="no free workspace"):
        reserve(cafe, cafe.task("c"))
