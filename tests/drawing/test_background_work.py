"""Work beside the screen: what is done to many tasks leaves it its threads, and what is replaced is never begun."""

from __future__ import annotations

import asyncio
import re
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from textual.app import App

from orange_tui.home.log import Log
from orange_tui.store.store import TaskRef
from orange_tui.tui.background_work import BackgroundWork, give_threads
from orange_tui.tui.workers import begin_work
from support.source import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

_MANY, _PATIENCE_SECONDS = 100, 60


class _App:
    """As much of an app as work needs."""

    def __init__(self) -> None:
        self.workers: list[asyncio.Task[None]] = []

    def run_worker(self, work: Callable[[], Coroutine[Any, Any, None]], **_how: object) -> None:
        self.workers.append(asyncio.create_task(work()))


def test_board_is_read_while_a_hundred_tasks_are_being_cancelled(tmp_path: Path) -> None:
    app, may_end = _App(), Event()
    ended: list[bool] = []

    def cancel(_report: object) -> None:
        ended.append(may_end.wait())

    async def cancel_all() -> None:
        give_threads()
        given: Any = app
        work = BackgroundWork(given, Log(str(tmp_path / "log")), lambda: None, lambda *_: None, lambda ref: ref.id)
        for number in range(_MANY):
            work.start(TaskRef("coffee", f"t{number}"), "Cancelling", cancel)
        await asyncio.sleep(0)  # each has its turn
        assert len(work.running) == _MANY
        read = asyncio.create_task(asyncio.to_thread(may_end.is_set))
        await asyncio.wait([read], timeout=_PATIENCE_SECONDS)
        was_read = read.done()
        may_end.set()
        assert was_read
        await asyncio.gather(*app.workers)
        assert work.running == {}

    asyncio.run(cancel_all())
    assert len(ended) == _MANY


def test_work_that_is_replaced_before_it_has_begun_is_never_made() -> None:
    done: list[int] = []

    async def work(number: int) -> None:
        done.append(number)

    async def replace_it() -> None:
        app: App[None] = App()
        async with app.run_test() as pilot:
            for number in range(3):
                begin_work(app, partial(work, number), group="reading", exclusive=True)
            while not done:
                await pilot.pause()

    asyncio.run(replace_it())  # a coroutine that nobody has awaited would be a warning, and that an error
    assert done == [2]


def test_no_screen_makes_a_coroutine_that_may_never_be_awaited() -> None:
    texts = {name: source.text for name, source in sources().items() if name.startswith("tui.")}
    calls = {name: re.findall(r"run_worker\([^\n]*", text) for name, text in texts.items() if name != "tui.workers"}
    assert {name for name, found in calls.items() if any("thread=True" not in call for call in found)} == set()
