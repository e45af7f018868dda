"""What is typed is saved a moment later, and never after somebody else has taken the text over."""

from __future__ import annotations

import asyncio
import threading

from orange_tui.tui.review.writing import Autosave


def test_text_that_was_sent_is_not_kept_again_by_a_saving_that_came_late() -> None:
    kept: list[str] = []
    began, may_end = threading.Event(), threading.Event()

    def save(text: str) -> None:
        began.set()
        may_end.wait(10)
        kept.append(text)

    async def play() -> None:
        autosave = Autosave(save, lambda _problem: None)
        autosave.typed("half")
        saving = asyncio.create_task(autosave.flush())
        await asyncio.to_thread(began.wait, 10)
        autosave.typed("whole")
        stopping = asyncio.create_task(autosave.stop())
        await asyncio.sleep(0)
        assert not stopping.done()
        may_end.set()
        await asyncio.gather(saving, stopping)
        await autosave.run()

    asyncio.run(play())
    assert kept == ["half"]
