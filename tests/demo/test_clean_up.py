"""What is left of a demo when it has ended, however it ended: nothing that it had started."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from orange_tui.demo import clean_up
from orange_tui.demo.clean_up import KEEP, home_in, socket_in
from orange_tui.outside.processes import processes_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., subprocess.Popen[bytes]]

pytestmark = [
    pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux"),
    pytest.mark.skipif(not os.path.isdir("/proc"), reason="needs /proc"),
]


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A demo's directory; the demo itself has ended, and with it the input of who cleans up."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    with tempfile.TemporaryDirectory(prefix="od-", ignore_cleanup_errors=True) as place:
        os.makedirs(home_in(os.path.join(place, "demo")))
        yield os.path.join(place, "demo")


@pytest.fixture
def start(root: str) -> Iterator[Start]:
    """`start(script)` runs what the demo had started, with its environment; at the latest, it ends with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(script: str, directory: str = "/") -> subprocess.Popen[bytes]:
        environment = {**os.environ, "ORANGE_HOME": home_in(root), "SOCKET": socket_in(root)}
        started.append(subprocess.Popen(["sh", "-c", script], env=environment, cwd=directory))
        return started[-1]

    yield begin
    subprocess.run(["tmux", "-S", socket_in(root), "kill-server"], capture_output=True, check=False)
    for each in started:
        each.kill()
        each.wait()


def test_what_is_at_work_elsewhere_is_ended_too(root: str, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clean_up, "_COMMANDS_SECONDS", 0.1)
    agent = start("exec sleep 1000")

    assert clean_up.main([root]) == 0

    assert agent.wait(10) != 0
    assert not os.path.exists(root)


def test_tmux_that_was_being_started_when_the_demo_was_killed_is_waited_for_and_ended(root: str, start: Start) -> None:
    start("sleep 0.5; exec tmux -S $SOCKET -f /dev/null new-session -d 'exec sleep 1000'")

    assert clean_up.main([root, KEEP]) == 0

    assert processes_with("ORANGE_HOME", home_in(root)) == []


def test_command_that_takes_too_long_starts_nothing_any_more(
    root: str, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clean_up, "_COMMANDS_SECONDS", 0.1)
    command = start("sleep 2; exec tmux -S $SOCKET -f /dev/null new-session -d 'exec sleep 1000'", root)

    assert clean_up.main([root, KEEP]) == 0

    assert command.wait(10) != 0
    assert processes_with("ORANGE_HOME", home_in(root)) == []
