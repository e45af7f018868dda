"""The two ways into the app, which the command line calls by name: `orange` alone, and `orange demo`."""

from __future__ import annotations

import os
import select
import signal
import sys
from threading import Thread
from typing import TYPE_CHECKING

from orange_tui.tui.app import OrangeApp

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.orange import Orange

_DEMO_PACE = "1.0"
_LOOK_MILLISECONDS = 2000  # not every kernel wakes who waits for nothing but the end
_TIDY_SECONDS = 20  # after which a demo whose terminal is gone ends as it is; what it leaves, `clean_up` removes
_END_SIGNALS = (signal.SIGHUP, signal.SIGTERM)
_GONE = select.POLLHUP | select.POLLERR


def open_app(orange: Orange, project: str | None, *, is_chosen: bool = False) -> None:
    """Show one project, or all of them, until the person leaves; who has nothing yet chooses what comes next."""
    _end_with_terminal()
    while (wanted := run(orange, project, is_chosen=is_chosen)) is not None:
        from orange_tui.tui.manage.welcome import DEMO, PROJECT

        if wanted == DEMO:
            _play_demo()  # and back, to where a repository of one's own can be registered, or its tasks are
        else:
            project, is_chosen = wanted.removeprefix(PROJECT), False


def open_demo(pace: str | None = None, *, keep: bool = False) -> None:
    """Show the demo's own project while its tasks are created: the agents are scripted, the person is real."""
    _end_with_terminal()
    _play_demo(_DEMO_PACE if pace is None else pace, keep=keep)


def _play_demo(pace: str = _DEMO_PACE, *, keep: bool = False) -> None:
    from orange_tui.demo.headless import Scenario
    from orange_tui.demo.throwaway import throwaway_home
    from orange_tui.demo.world import PROJECT as COFFEE

    for number in _END_SIGNALS:
        signal.signal(number, _leave)  # a closed terminal must not leave the demo's agents behind
    with throwaway_home(pace, keep=keep) as made:
        run(made.orange, COFFEE, on_ready=Scenario(made.orange, lambda _line: None).create)


def run(
    orange: Orange, project: str | None, on_ready: Callable[[], None] | None = None, *, is_chosen: bool = False
) -> str | None:
    """Open the app, until the person leaves it; agents keep running. Returns what is wanted instead, if anything.

    `is_chosen`: the person has said which project, or all; else what was shown the last time counts for more.
    """
    app = OrangeApp(orange, project, is_chosen=is_chosen, on_ready=on_ready)
    app.read_first()
    try:
        return app.run()
    finally:
        app.presence.end()


def _leave(number: int, _frame: object) -> None:
    """End, once: a terminal that is gone may say so twice, and the second time would end the tidying up.

    That may wait for ever where a terminal is gone: Textual waits for room for what is to be drawn on it.
    """
    for each in _END_SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    if number == signal.SIGHUP:
        signal.signal(signal.SIGALRM, lambda _number, _frame: os._exit(128 + number))
        signal.alarm(_TIDY_SECONDS)
    raise SystemExit(128 + number)


def _end_with_terminal() -> None:
    """Have a terminal that is gone end the app, also where its kernel tells only another process so.

    Textual would read its end again and again, for ever, and wait where it draws. Nothing is lost with an app, and what
    is to go on without a terminal is `orange serve`; so a signal that `nohup` has us ignore counts here.
    """
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    Thread(target=_wait_for_end_of_terminal, daemon=True, name="orange terminal").start()


def _wait_for_end_of_terminal() -> None:
    terminal = sys.__stdin__.fileno() if sys.__stdin__ is not None else -1
    if not os.isatty(terminal):
        return
    waiting = select.poll()
    waiting.register(terminal, 0)
    while not (found := waiting.poll(_LOOK_MILLISECONDS)):
        pass
    if found[0][1] & _GONE:  # and not a kernel that cannot wait for terminals
        os.kill(os.getpid(), signal.SIGHUP)
