"""One index for board, supervisor and starter: never older than what they were told, and it reads only what changed."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import threading
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Unreadable
from orange_tui.home import files
from orange_tui.store import journal, task_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from orange_tui.store.feed import Change, TaskFeed
    from orange_tui.store.store import TaskRef
    from support.driver import World

    Story = Callable[[TaskFeed, AsyncIterator[Change]], Awaitable[None]]


def let_time_pass(world: World, *refs: TaskRef) -> None:
    """Make files older than the moment in which another change could not be told from the last one."""
    for ref in refs:
        for path in (world.file(ref), world.history_file(ref)):
            os.utime(path, (1_000_000_000, 1_000_000_000))


def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of tasks that are read from now on."""
    found: list[str] = []
    real = files.read_bytes

    def counting(path: str, **more: Any) -> bytes:
        found.append(path)
        return real(path, **more)

    monkeypatch.setattr(task_text, "read_bytes", counting)
    return found


def test_index_reads_a_task_again_only_when_its_files_have_changed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = world.task(), world.task()
    let_time_pass(world, one, other)
    index = world.orange.new_index()
    index.refresh_all()
    before = index.get(one)
    opened = reads(monkeypatch)
    index.refresh_all()
    index.refresh([one, other])
    assert opened == []
    world.edit(other, "summary: ", "summary: changed ")
    index.refresh_all()
    assert opened == [str(world.file(other))]
    assert index.get(one) is before


def test_file_that_has_just_changed_is_read_again_though_it_looks_the_same(world: World) -> None:
    ref = world.task(summary="one")
    index = world.orange.new_index()
    index.refresh_all()
    stamp = os.stat(world.file(ref)).st_mtime_ns
    text = world.file(ref).read_text()
    world.file(ref).write_text(text.replace("one", "two"))  # of the same size, and within a tick of the clock
    os.utime(world.file(ref), ns=(stamp, stamp))
    index.refresh([ref])
    entry = index.get(ref)
    assert entry is not None
    assert entry.task is not None
    assert entry.task.summary == "two"


def test_text_revision_follows_the_body_and_the_history_and_nothing_else(world: World) -> None:
    ref = world.task(body="Grind the beans.")
    index = world.orange.new_index()
    index.refresh_all()
    first = index.get(ref)
    world.file(ref).touch()
    index.refresh([ref])
    assert index.get(ref) is first
    stamp = os.stat(world.file(ref)).st_mtime_ns
    world.edit(ref, "Grind", "Mince")  # of the same size, and within a tick of the clock
    os.utime(world.file(ref), ns=(stamp, stamp))
    index.refresh([ref])
    second = index.get(ref)
    world.orange.store.journal(ref).append({"type": "note", "text": "They are minced"})
    index.refresh([ref])
    third = index.get(ref)
    assert first is not None
    assert second is not None
    assert third is not None
    assert len({first.text_revision, second.text_revision, third.text_revision}) == 3
    assert first.task == second.task == third.task


def test_index_knows_what_decides_where_to_look(world: World) -> None:
    ref = world.task()
    index = world.orange.new_index()
    index.refresh_all()
    with world.orange.engine.open(ref) as opened:
        opened.record("task.waiting", reason="There is no free workspace")
    index.refresh([ref])
    entry = index.get(ref)
    assert entry is not None
    assert (entry.start.is_wanted, entry.start.waits, entry.has_unfinished_move) == (True, True, False)
    with world.orange.store.open(ref) as opened:
        details = {"from": "todo", "to": "doing", "by": "person", "hooks": []}
        opened.change("transition.started", {"status": "doing"}, **details)
    index.refresh([ref])
    entry = index.get(ref)
    assert entry is not None
    assert (entry.start.is_wanted, entry.has_unfinished_move) == (False, True)


def test_index_finds_subtasks_and_dependents_and_forgets_them_with_their_task(world: World) -> None:
    plan = world.task()
    subtask, waiting = world.task(parent=plan.id), world.task(blocked_by=(plan.id,))
    index = world.orange.new_index()
    index.refresh_all()
    assert (list(index.subtasks_of(plan.id)), index.dependents_of(plan.id)) == ([subtask], [waiting])
    world.file(subtask).write_text("unreadable")
    index.refresh([subtask])
    assert list(index.subtasks_of(plan.id)) == [subtask]  # it keeps its place until it can be read again
    for ref in (subtask, waiting):
        world.directory(ref).rename(world.root / ref.id)
    index.refresh_all()
    assert (index.subtasks_of(plan.id), index.dependents_of(plan.id), index.find(subtask.id)) == ({}, [], None)


def test_task_without_a_workflow_follows_the_workflow_of_its_project(world: World) -> None:
    ref = world.task()
    (world.history_file(ref)).unlink()
    lines = world.file(ref).read_text().splitlines(keepends=True)
    world.file(ref).write_text("".join(line for line in lines if not line.startswith(("workflow:", "status:"))))
    os.utime(world.file(ref), (1_000_000_000, 1_000_000_000))
    index = world.orange.new_index()
    index.refresh_all()
    world.orange.projects.update("coffee", {"workflow": "minimal"})
    index.refresh_all()
    entry = index.get(ref)
    assert entry is not None
    assert entry.task is not None
    assert entry.task.workflow == "minimal"


def test_threads_that_read_at_once_leave_the_newest_state(world: World) -> None:
    ref = world.task()
    index = world.orange.new_index()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            index.refresh_all()

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(20):
        world.orange.tasks.update(ref, summary=f"round {number}")
    stop.set()
    for reader in readers:
        reader.join()
    index.refresh([ref])
    entry = index.get(ref)
    assert entry is not None
    assert entry.task is not None
    assert entry.task.summary == "round 19"


def test_index_is_told_of_a_change_before_anybody_else(world: World) -> None:
    ref = world.task()

    async def run() -> list[str]:
        feed = world.orange.new_feed()
        changes = feed.changes()
        seen: list[str] = []
        assert await asyncio.wait_for(anext(changes), 10) is None
        assert feed.index.is_complete
        for number in range(10):
            world.orange.tasks.update(ref, summary=f"round {number}")
            await asyncio.wait_for(anext(changes), 10)
            entry = feed.index.get(ref)
            assert entry is not None
            assert entry.task is not None
            seen.append(entry.task.summary)
        await changes.aclose()  # type: ignore[attr-defined]
        return seen

    assert asyncio.run(run()) == [f"round {number}" for number in range(10)]


def without_workflow(world: World, *fields: str) -> TaskRef:
    """A task that was copied in without a history, and says neither of these fields."""
    ref = world.task()
    (world.history_file(ref)).unlink()
    lines = world.file(ref).read_text().splitlines(keepends=True)
    world.file(ref).write_text("".join(line for line in lines if not line.startswith(fields)))
    os.utime(world.file(ref), (1_000_000_000, 1_000_000_000))
    return ref


def test_task_without_a_status_follows_the_first_state_of_its_workflow(world: World) -> None:
    ref = without_workflow(world, "status:")
    index = world.orange.new_index()
    index.refresh_all()
    path = world.root / "workflows" / "steps.yml"
    path.write_text(path.read_text().replace("todo", "backlog"))
    index.refresh_all()
    entry = index.get(ref)
    assert entry is not None
    assert entry.task is not None
    assert entry.task.status == "backlog"


def test_one_task_is_found_by_its_id_after_its_copy_in_another_project_was_deleted(world: World) -> None:
    ref = world.task()
    world.project("tea", "/elsewhere")
    index = world.orange.new_index()
    index.refresh_all()
    copy = world.root / "tasks" / "tea" / ref.id
    shutil.copytree(world.directory(ref), copy)
    index.refresh_all()
    shutil.rmtree(copy)
    index.refresh_all()
    found = index.find(ref.id)
    assert found is not None
    assert found.ref == ref


def following(world: World, story: Story) -> None:
    """Tell a story to somebody who listens, once all tasks were read."""

    async def run() -> None:
        feed = world.orange.new_feed()
        changes = feed.changes()
        assert await asyncio.wait_for(anext(changes), 10) is None
        await story(feed, changes)
        await changes.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())


@pytest.mark.parametrize(
    "damage",
    [
        '{"type": "message.queued", "message": ["unhashable"], "window": "worker", "text": "x"}',
        '{"type": "message.queued"}',
        '{"type": "hook.done", "index": []}',
        '{"type": "task.waiting"}',
    ],
)
def test_whatever_somebody_scribbles_in_a_journal_the_other_tasks_are_still_followed(world: World, damage: str) -> None:
    ref, other = world.task(workspace="coffee--1"), world.task()

    async def story(_feed: TaskFeed, changes: AsyncIterator[Change]) -> None:
        with (world.history_file(ref)).open("a") as journal:
            journal.write(damage + "\n")
        assert await asyncio.wait_for(anext(changes), 10) == {ref}
        world.orange.tasks.update(other, summary="still followed")
        assert await asyncio.wait_for(anext(changes), 10) == {other}

    following(world, story)


def test_task_that_could_not_be_read_for_a_moment_is_read_again_though_its_files_are_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = world.task()
    let_time_pass(world, ref)
    index = world.orange.new_index()

    def fail(path: str, **_more: int) -> bytes:
        raise Unreadable(f"{path} cannot be read: Too many open files")

    with monkeypatch.context() as moment:
        moment.setattr(task_text, "read_bytes", fail)
        index.refresh_all()
    entry = index.get(ref)
    assert entry is not None
    assert entry.task is None
    index.refresh_all()
    entry = index.get(ref)
    assert entry is not None
    assert entry.task is not None


def test_index_opens_the_history_of_a_task_once(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task()
    opened: list[str] = []

    def open_noted(path: str, *how: int, follow: bool = True) -> int:
        opened.append(os.path.basename(path))
        return files.open_regular(path, *how, follow=follow)

    monkeypatch.setattr(journal, "open_regular", open_noted)
    world.orange.new_index().refresh_all()
    assert opened == ["history.jsonl"]


def test_reading_many_tasks_leaves_no_file_open(world: World) -> None:
    for _ in range(20):
        world.task()
    index = world.orange.new_index()
    gc.disable()  # as it is while an app begins
    try:
        before = len(os.listdir("/proc/self/fd"))
        index.refresh_all()
        assert len(os.listdir("/proc/self/fd")) == before
    finally:
        gc.enable()
