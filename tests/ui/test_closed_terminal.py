"""A terminal that goes away takes the app with it, also where nobody sends it a signal; agents keep running."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from support.live_home import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 60.0
# As a shell starts what is to go on without it, with or without `nohup`.
START = (
    "import os, signal, sys; signal.signal(signal.SIGHUP, signal.{}); os.execv(sys.executable, [sys.executable, {}])"
)
APP, DEMO = "'-m', 'orange_tui', '--all'", "'-m', 'orange_tui', 'demo'"
# Something that it waits for never comes, such as room for what is to be drawn on a terminal that is gone.
NEVER_TIDY = (
    "import threading; from orange_tui.demo import throwaway; from orange_tui.tui import opening; "
    "opening._TIDY_SECONDS = 1; "
    "throwaway.wait_for_starts = threading.Event().wait; "
    "from orange_tui.__main__ import main; main()"
)
STUCK_DEMO = f"'-c', {NEVER_TIDY!r}, 'demo'"


@pytest.fixture(params=[("SIG_DFL", APP), ("SIG_IGN", APP)], ids=["app", "nohup"])
def app(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The app at a terminal that is not the one that controls it: its end is told to nobody."""
    outside, inside = pty.openpty()
    termios.tcsetwinsize(inside, (30, 100))
    environment = {**os.environ, "TERM": "xterm-256color", "ORANGE_TMUX_SOCKET": f"orange-test-none-{tmp_path.name}"}
    environment["TMPDIR"] = str(tmp_path / "tmp")
    (tmp_path / "home").mkdir()
    (tmp_path / "tmp").mkdir()
    (tmp_path / "home" / "projects.json").write_text('{"projects": []}')
    words = [sys.executable, "-c", START.format(*request.param)]
    program = subprocess.Popen(
        words, stdin=inside, stdout=inside, stderr=inside, env=environment, cwd=tmp_path, start_new_session=True
    )
    os.close(inside)
    yield program, outside
    program.kill()
    program.wait()
    with suppress(OSError):
        os.close(outside)


def shows(terminal: int, text: bytes) -> None:
    """Wait until the text was written to a terminal."""
    seen, deadline = b"", time.monotonic() + PATIENCE
    while text not in seen:
        assert select.select([terminal], [], [], max(0.0, deadline - time.monotonic()))[0], seen
        seen += os.read(terminal, 65536)


def test_app_ends_when_its_terminal_is_gone(app: tuple[subprocess.Popen[bytes], int]) -> None:
    program, terminal = app
    shows(terminal, b"help")
    os.close(terminal)
    assert program.wait(PATIENCE) == -signal.SIGHUP


@pytest.mark.parametrize("app", [("SIG_DFL", DEMO)], ids=["demo"], indirect=True)
def test_demo_whose_terminal_is_gone_tidies_up_and_ends_however_often_it_is_told(
    app: tuple[subprocess.Popen[bytes], int], tmp_path: Path
) -> None:
    program, terminal = app
    shows(terminal, b"help")
    os.close(terminal)
    ended = threading.Event()

    def tell() -> None:
        while not ended.wait(0.002):
            program.send_signal(signal.SIGHUP)

    telling = threading.Thread(target=tell)
    telling.start()
    try:
        assert program.wait(PATIENCE) == 128 + signal.SIGHUP
    finally:
        ended.set()
        telling.join()
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("app", [("SIG_DFL", STUCK_DEMO)], ids=["demo"], indirect=True)
def test_demo_whose_terminal_is_gone_ends_also_where_its_tidying_up_does_not(
    app: tuple[subprocess.Popen[bytes], int], tmp_path: Path
) -> None:
    program, terminal = app
    shows(terminal, b"help")
    os.close(terminal)
    assert program.wait(PATIENCE) == 128 + signal.SIGHUP
    wait_for(lambda: list((tmp_path / "tmp").iterdir()) == [])
