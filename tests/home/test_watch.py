"""What changes on disk is told at once, together, and without ever falling silent."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from orange_tui.home import watch
from orange_tui.home.inotify import FileEvent, Inotify
from orange_tui.home.paths import Home
from orange_tui.home.watch import Watch
from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime
from orange_tui.store.store import TaskRef

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from orange_tui.store.feed import Change, TaskFeed
    from support.driver import World

    Story = Callable[["Ear"], Awaitable[None]]

PATIENCE = 60.0


class Ear:
    """Somebody who listens."""

    def __init__(self, feed: TaskFeed, *, runtime: bool = True) -> None:
        self._changes = feed.changes(runtime=runtime)

    async def next(self) -> Change:
        return await asyncio.wait_for(anext(self._changes), PATIENCE)

    async def until(self, wanted: Change) -> None:
        """Listen until this is told; a change may be told in more than one piece."""
        heard: list[Change] = []
        while wanted not in heard:
            heard.append(await self.next())

    async def close(self) -> None:
        await self._changes.aclose()  # type: ignore[attr-defined]


def listening(world: World, story: Story) -> None:
    """Tell a story to somebody who has been told by now that nothing will be missed."""

    async def run() -> None:
        ear = Ear(world.orange.new_feed())
        try:
            assert await ear.next() is None
            await story(ear)
        finally:
            await ear.close()

    asyncio.run(run())


@pytest.fixture(params=["inotify", "watchfiles"])
def _each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "watchfiles":
        monkeypatch.setattr(watch, "_HAS_INOTIFY", False)


@pytest.mark.usefixtures("_each_way")
def test_change_to_any_file_of_a_task_is_reported_as_that_task(world: World) -> None:
    ref = world.task()
    directory, state = world.directory(ref), world.state(ref)
    (state / "logs").mkdir()

    async def story(ear: Ear) -> None:
        world.write_body(ref, "\n## Notes\nan agent writes\n")
        await ear.until({ref})
        world.orange.tasks.update(ref, summary="The engine swaps the file")
        await ear.until({ref})
        Runtime(str(state)).update("worker", state="busy")
        await ear.until({ref})
        (directory / ".orange-outcome").write_text("{}")
        await ear.until({ref})
        (state / "logs" / "worker.exit").write_text("0")
        await ear.until({ref})

    listening(world, story)


@pytest.mark.usefixtures("_each_way")
def test_created_and_deleted_tasks_are_reported(world: World) -> None:
    first = world.task(status="done")

    async def story(ear: Ear) -> None:
        second = world.task()
        await ear.until({second})
        world.write_body(second, "a new directory is watched, too\n")
        await ear.until({second})
        world.orange.tasks.delete(first)
        await ear.until({first})

    listening(world, story)


@pytest.mark.usefixtures("_each_way")
def test_changed_settings_projects_or_workflows_are_reported_as_everything(world: World) -> None:
    async def story(ear: Ear) -> None:
        (world.root / "config.yml").write_text("{}")
        await ear.until(None)
        world.project("tea", "/elsewhere")
        await ear.until(None)
        world.workflow("other", "name: other\n")
        await ear.until(None)
        first = world.task(project="tea")
        await ear.until(None)
        world.write_body(first, "in a new project\n")
        await ear.until({first})

    listening(world, story)


@pytest.mark.usefixtures("_each_way")
def test_changed_pool_file_is_reported_as_no_task(world: World) -> None:
    (world.root / "workspaces").mkdir()

    async def story(ear: Ear) -> None:
        aside = world.root / "workspaces" / ".pool.json.new"
        aside.write_text(json.dumps({"slots": {}}))
        aside.rename(world.root / "workspaces" / ".pool.json")
        await ear.until(set())

    listening(world, story)


def test_locks_temporary_files_logs_and_worktrees_are_not_reported(world: World) -> None:
    ref, other = world.task(), world.task()
    directory, state = world.directory(ref), world.state(ref)
    (state / "logs").mkdir()
    (world.root / "workspaces" / "coffee--1").mkdir(parents=True)

    async def story(ear: Ear) -> None:
        for path in (
            state / ".lock",
            state / "usage.json",
            directory / ".TASK.md.new-1",
            state / "logs" / "worker.log",
            directory / ".orange-status",
            directory.parent / ".lock",
            world.root / "orange.log",
            world.root / "workflows" / ".steps.yml.swp",
            world.root / "workspaces" / "coffee--1" / "main.py",
        ):
            path.write_text("noise")
        world.write_body(other, "news\n")
        assert await ear.next() == {other}

    listening(world, story)


def test_burst_of_changes_is_reported_once(world: World) -> None:
    refs = {world.task() for _ in range(30)}

    async def story(ear: Ear) -> None:
        for _ in range(5):
            for ref in refs:
                world.write_body(ref, "x")
        assert await ear.next() == refs

    listening(world, story)


@pytest.mark.usefixtures("_each_way")
def test_file_that_is_written_all_the_time_is_reported_all_the_time(world: World) -> None:
    ref = world.task()

    async def story(ear: Ear) -> None:
        stop = asyncio.Event()

        async def write() -> None:
            while not stop.is_set():
                world.write_body(ref, "again\n")
                await asyncio.wait([asyncio.create_task(stop.wait())], timeout=0.08)

        writing = asyncio.create_task(write())
        for _ in range(5):  # not only once the writing has stopped, for it does not
            assert await ear.next() == {ref}
        stop.set()
        await writing

    listening(world, story)


def test_slow_listener_gets_everything_it_missed_at_once(world: World) -> None:
    first, second = world.task(), world.task()

    async def story(ear: Ear) -> None:
        world.write_body(first, "x")
        assert await ear.next() == {first}
        quick = asyncio.create_task(asyncio.to_thread(world.write_body, second, "x"))
        await quick
        world.write_body(first, "y")
        assert await ear.next() == {first, second}

    listening(world, story)


def test_board_and_supervisor_listen_to_one_feed(world: World) -> None:
    ref = world.task()

    async def run() -> None:
        watching = world.orange.new_feed()
        board, supervisor = Ear(watching), Ear(watching, runtime=False)
        assert await board.next() is None
        assert await supervisor.next() is None
        Runtime(str(world.state(ref))).update("worker", state="busy")
        assert await board.next() == {ref}
        waiting = asyncio.create_task(supervisor.next())
        world.write_body(ref, "x")
        assert await board.next() == {ref}
        assert await waiting == {ref}
        await board.close()
        world.write_body(ref, "y")
        assert await supervisor.next() == {ref}
        await supervisor.close()
        again = Ear(watching)
        assert await again.next() is None
        await again.close()

    asyncio.run(run())


def test_without_inotify_watches_left_everything_is_polled(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_self: Inotify, _directory: str, _mask: int) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Inotify, "add", full)
    monkeypatch.setattr(watch, "_POLL_SECONDS", 0.01)

    async def story(ear: Ear) -> None:
        assert [await ear.next(), await ear.next()] == [None, None]

    listening(world, story)


def test_inotify_overflow_is_reported_as_everything(world: World) -> None:
    ref = world.task()
    with open("/proc/sys/fs/inotify/max_queued_events", encoding="utf-8") as file:
        most = int(file.read())

    async def story(ear: Ear) -> None:
        one, other = world.directory(ref) / "a", world.directory(ref) / "b"
        one.write_text("")
        for _ in range(most // 4 + 100):  # two events each, and nobody listens meanwhile
            os.rename(one, other)
            os.rename(other, one)
        await ear.until(None)
        world.write_body(ref, "x")
        await ear.until({ref})

    listening(world, story)


def test_task_that_appeared_in_an_inotify_overflow_is_watched_from_then_on(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Inotify.read

    def overflow(inotify: Inotify) -> list[FileEvent]:
        return [FileEvent(None, appeared=False)] if real(inotify) else []

    async def story(ear: Ear) -> None:
        monkeypatch.setattr(Inotify, "read", overflow)
        ref = world.task()
        await ear.until(None)
        monkeypatch.undo()
        world.write_body(ref, "x")
        await ear.until({ref})

    listening(world, story)


def test_home_whose_directories_cannot_be_made_is_polled(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_watch: Watch) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Watch, "_make_folders", full)
    monkeypatch.setattr(watch, "_POLL_SECONDS", 0.01)

    async def story(ear: Ear) -> None:
        assert await ear.next() is None

    listening(world, story)


def test_home_that_is_moved_away_and_back_is_watched_again(world: World) -> None:
    ref = world.task()

    async def story(ear: Ear) -> None:
        os.rename(world.root / "tasks", world.root / "elsewhere")
        await ear.until(None)
        shutil.copytree(world.root / "elsewhere", world.root / "tasks")
        await ear.until(None)
        world.write_body(ref, "x")
        while await ear.next() not in ({ref}, None):
            pass

    listening(world, story)


def test_home_that_does_not_exist_yet_is_watched_once_it_does(world: World) -> None:
    async def run() -> None:
        changes = assemble(Home(str(world.root / "new"))).new_feed().changes()
        assert await asyncio.wait_for(anext(changes), PATIENCE) is None
        os.makedirs(world.root / "new" / "tasks" / "coffee")
        assert await asyncio.wait_for(anext(changes), PATIENCE) is None
        os.makedirs(world.root / "new" / "tasks" / "coffee" / "abc")
        assert await asyncio.wait_for(anext(changes), PATIENCE) == {TaskRef("coffee", "abc")}
        await changes.aclose()  # type: ignore[attr-defined]

    asyncio.run(run())
