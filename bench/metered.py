"""Orange in a terminal, with a meter on its event loop: `metered.py FILE` keeps the longest step there.

What is counted begins when the first frame is on the screen: before that there is nobody to keep waiting.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Self


class Meter:
    """The most processor time that one step of the loop has taken: a busy machine adds nothing to it."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self.longest_ms = 0.0
        self.where = ""
        self._run = asyncio.Handle._run  # noqa: SLF001 - asyncio tells of slow steps, but only by the clock

    def __enter__(self) -> Self:
        def measured(handle: asyncio.Handle) -> None:
            start = time.thread_time()
            self._run(handle)
            taken = (time.thread_time() - start) * 1000
            if taken > self.longest_ms:
                self.longest_ms, self.where = taken, _name(handle)
                self._write()

        asyncio.Handle._run = measured  # type: ignore[method-assign, assignment]  # noqa: SLF001
        return self

    def _write(self) -> None:
        if self._file is not None:
            self._file.write_text(json.dumps({"longest_ms": self.longest_ms, "where": self.where}))

    def __exit__(self, *_: object) -> None:
        asyncio.Handle._run = self._run  # type: ignore[method-assign]  # noqa: SLF001


def _name(handle: asyncio.Handle) -> str:
    """Whose step it was."""
    callback = handle._callback  # type: ignore[attr-defined]  # noqa: SLF001 - the only way to know
    task = getattr(callback, "__self__", None)
    return task.get_name() if isinstance(task, asyncio.Task) else getattr(callback, "__qualname__", "")


def main(path: str) -> None:
    """Run the app until the person leaves it."""
    from orange_tui.__main__ import main as run_orange
    from orange_tui.tui.app import OrangeApp

    meter = Meter(Path(path))
    begin = OrangeApp._start_background  # noqa: SLF001 - that is when the first frame is on the screen

    def begin_metered(app: OrangeApp) -> None:
        begin(app)
        meter.__enter__()

    OrangeApp._start_background = begin_metered  # type: ignore[method-assign, assignment]  # noqa: SLF001
    sys.argv = ["orange"]
    run_orange()


if __name__ == "__main__":
    main(sys.argv[1])
