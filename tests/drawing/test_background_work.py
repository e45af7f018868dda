"""What is done to many tasks at once leaves the threads alone in which the screen is kept true."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import TYPE_CHECKING, Any

from orange_tui.home.log import Log
from orange_tui.store.store import TaskRef
from orange_tui.tui.background_work import BackgroundWork, give_threads

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

_MANY, _PATIENCE_SECONDS = 100, 60


class _App:
    """As much of an app as work needs."""

    def __init__(self) -> None:
        self.workers: list[asyncio.Task[None]] = []

    def run_worker(self, work: Coroutine[Any, Any, None], **_how: object) -> None:
        self.workers.append(asyncio.create_task(work))


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
