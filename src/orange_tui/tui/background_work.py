"""Work that takes time: done in a thread, one thing at a time for each task, shown in the task's row while it lasts."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from orange_tui.domain.errors import OrangeError, Untrusted
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from textual.app import App

    from orange_tui.home.log import Log
    from orange_tui.store.store import TaskRef

    ReportStep = Callable[[str], None]
    Work = Callable[[ReportStep], str | None]
    AskTrust = Callable[[str, str, Callable[[], None]], None]  # a project, why, and what to do once it is trusted

_Result = TypeVar("_Result")
_READING_SECONDS = 8.0  # a sentence about one's work is worth them

_MOST_AT_ONCE, _THREADS = 8, 16  # that something is done in, and in all: reading what the screen shows needs some, too
_RETRY_SECONDS = 1.0  # until what goes on for as long as the app begins again after a failure


def give_threads() -> None:
    """Give the event loop enough threads for work and for what the screen shows; it waits for them at its end."""
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(_THREADS, "orange"))


class Unexpected(OrangeError):
    """What nobody thought of: it is in the log, and told like a refusal, so that the app goes on."""


async def run_in_thread(log: Log, doing: str, work: Callable[[], _Result], **about: Any) -> _Result:
    """Do something in a thread; whatever goes wrong there is a sentence to tell the person."""

    def logged() -> _Result:
        try:
            return work()
        except OrangeError:
            raise
        except Exception as problem:
            log.write("error", f"{doing}: {problem!r}", **about)
            raise Unexpected(f"{problem!r}. See `orange log`.") from problem

    return await asyncio.to_thread(logged)


class BackgroundWork:
    """What is being done to which task. Two actions on one task wait for each other; neither is lost.

    All tasks may be marked: the screen is kept true meanwhile, so only some of them are worked on at once.
    """

    def __init__(
        self,
        app: App[Any],
        log: Log,
        on_change: Callable[[], None],
        ask_trust: AskTrust,
        name_of: Callable[[TaskRef], str],
    ) -> None:
        self._app, self._log, self._on_change, self._ask_trust = app, log, on_change, ask_trust
        self._name_of = name_of
        self._turns = asyncio.Semaphore(_MOST_AT_ONCE)
        self._locks: dict[TaskRef, asyncio.Lock] = {}
        self.running: dict[TaskRef, str] = {}
        self.cancelled: list[TaskRef] = []  # what was cancelled here, the last one last: that is undone first

    def start(self, ref: TaskRef, title: str, work: Work) -> None:
        """Do something to a task; the person is told the result, whatever it is."""
        begin_work(self._app, partial(self._run, ref, title, work), group="work")

    async def _run(self, ref: TaskRef, title: str, work: Work) -> None:
        async with self._locks.setdefault(ref, asyncio.Lock()):
            self._show(ref, f"{title} …")
            about = f"{self._name_of(ref)} · {title}"
            try:
                async with self._turns:
                    steps = partial(work, lambda step: self._show_from_thread(ref, f"{title}: {step} …"))
                    result = await run_in_thread(self._log, title, steps, task=ref.id)
            except Untrusted as problem:  # the person is asked, and who trusts it need not press the key again
                self._ask_trust(ref.project, str(problem), lambda: self.start(ref, title, work))
            except OrangeError as problem:
                how = about if isinstance(problem, Unexpected) else f"{about}: refused"
                self._app.notify(str(problem), title=how, severity="error", timeout=15, markup=False)
            else:
                if result:
                    self._app.notify(result, title=self._name_of(ref), timeout=_READING_SECONDS, markup=False)
            finally:
                self._show(ref, None)

    def _show_from_thread(self, ref: TaskRef, text: str) -> None:
        self._app.call_from_thread(self._show, ref, text)

    def _show(self, ref: TaskRef, text: str | None) -> None:
        if text is None:
            self.running.pop(ref, None)
        else:
            self.running[ref] = text
        self._on_change()


async def keep_running(app: App[Any], log: Log, work: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Begin again what has failed, whatever the reason, and say so: a screen that stands still looks alive."""
    shown = ""
    while True:
        try:
            await work()
        except Exception as problem:  # noqa: BLE001 - logged and shown
            told = str(problem) if isinstance(problem, OrangeError) else repr(problem)
            await asyncio.to_thread(log.write, "error", f"app: {told}")
            if told != shown:
                shown = told
                app.notify(f"It begins again: {shown}", title="Something failed", severity="error", markup=False)
        else:
            return
        await asyncio.sleep(_RETRY_SECONDS)
