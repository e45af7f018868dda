"""Every way of starting a program, and that none outlives us."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.outside import programs
from support.live_home import wait_for

if TYPE_CHECKING:
    from pathlib import Path

LEAVES = """
import subprocess, sys, threading
from orange_tui.outside.programs import run

words = ["sh", "-c", 'echo $$ >"$0.new" && mv "$0.new" "$0" && exec sleep 600', sys.argv[1]]
{more}
threading.Thread(target=run, args=(words,), daemon=True).start()
input()
"""
SLOW_START = """
import time
start = subprocess.Popen.__init__

def slow(*words, **options):
    start(*words, **options)
    time.sleep(0.5)

subprocess.Popen.__init__ = slow
"""
ENDS = """
import atexit
atexit.register(lambda: print(problem()))
from orange_tui.domain.errors import Refused
from orange_tui.outside.programs import run

def problem():
    try:
        run(["true"])
    except Refused as problem:
        return problem
"""
BECOMES = """
import sys
from orange_tui.outside.programs import replace_process
replace_process(["sh", "-c", "echo $WORD $$"], environment={"WORD": "coffee"})
"""
GOES_ON = """
import os, sys
from orange_tui.outside.programs import continue_in_new_session
held = os.open("lock", os.O_RDWR | os.O_CREAT)
print("before", os.getppid() == int(sys.argv[1]))
continue_in_new_session()
print("after", os.getsid(0) == os.getpid(), os.getppid() != int(sys.argv[1]))
sys.stdout.flush()
exec(sys.argv[2])
"""
INTERRUPTED = """
import fcntl, os, signal
from orange_tui.home.locks import locked
from orange_tui.outside.programs import continue_in_new_session
fork = os.fork

def fork_and_interrupt():
    child = fork()
    if child:
        os.kill(os.getpid(), signal.SIGINT)
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return child

os.fork = fork_and_interrupt
with locked("lock", what="it"):
    continue_in_new_session()
    try:
        fcntl.flock(os.open("lock", os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)
        print("given up")
    except BlockingIOError:
        print("held")
"""


@pytest.mark.parametrize("more", ["", SLOW_START], ids=["running", "just being started"])
def test_a_program_that_only_a_daemon_thread_waits_for_does_not_outlive_us(tmp_path: Path, more: str) -> None:
    note = tmp_path / "pid"
    script = LEAVES.replace("{more}", more)
    us = subprocess.Popen([sys.executable, "-c", script, str(note)], stdin=subprocess.PIPE)
    wait_for(note.exists)
    us.communicate(b"\n")
    assert us.returncode == 0
    wait_for(lambda: not _is_alive(int(note.read_text())))


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return b") Z " not in _status(pid)


def _status(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read()
    except OSError:
        return b""


def output_of(script: str) -> str:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


def test_nothing_is_started_any_more_once_orange_ends() -> None:
    assert output_of(ENDS) == "true was not started: Orange is ending\n"


def test_a_program_that_takes_too_long_is_ended_with_all_it_started() -> None:
    with pytest.raises(Refused, match=r"took longer than 0\.2 s and was ended"):
        programs.run(["sh", "-c", "sleep 600 & sleep 600"], timeout=0.2)


def test_a_program_that_prints_too_much_is_refused_also_where_it_has_ended_before_anybody_looked() -> None:
    """What is cut off may be what was wanted, as the end of a log."""
    limits: dict[str, Any] = {"directory": "/", "environment": dict(os.environ), "timeout": 60, "most": 1000}
    with pytest.raises(Refused, match="sh printed more than 1,000 bytes and was ended"):
        programs.run_capped(["sh", "-c", "head -c 1001 /dev/zero"], **limits)
    assert len(programs.run_capped(["sh", "-c", "head -c 1000 /dev/zero"], **limits).output) == 1000


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(NotFound, match="no-such-program is not there"):
        programs.run(["no-such-program"])
    with pytest.raises(NotFound, match="no-such-program is not there"):
        asyncio.run(programs.run_in_terminal(["no-such-program"]))
    with pytest.raises(NotFound, match="no-such-program is not there"):
        programs.replace_process(["no-such-program"], environment={})


def test_a_program_in_the_terminal_leaves_the_event_loop_free(tmp_path: Path) -> None:
    """The program ends once the loop has turned while it ran."""

    async def both() -> int:
        async def beat() -> None:
            while not (tmp_path / "began").exists():  # noqa: ASYNC110 - nobody tells us
                await asyncio.sleep(0.01)
            (tmp_path / "end").touch()

        heart = asyncio.create_task(beat())
        waits = f"cd '{tmp_path}'; touch began; until [ -e end ]; do sleep 0.01; done; exit $CODE"
        code = await programs.run_in_terminal(["sh", "-c", waits], environment={"CODE": "7"})
        await heart
        return code

    assert asyncio.run(both()) == 7


def test_a_process_that_becomes_another_program_keeps_its_number() -> None:
    process = subprocess.Popen([sys.executable, "-c", BECOMES], stdout=subprocess.PIPE, text=True)
    output, _ = process.communicate()
    assert output == f"coffee {process.pid}\n"


@pytest.mark.parametrize(
    ("end", "code", "told"),
    [("sys.exit(7)", 7, ""), ("os.kill(os.getpid(), 9)", 1, "the next command on this task finishes its work\n")],
)
def test_what_goes_on_in_a_new_session_says_everything_once_and_decides_the_exit_code(
    tmp_path: Path, end: str, code: int, told: str
) -> None:
    words = [sys.executable, "-c", GOES_ON, str(os.getpid()), end]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (code, "before True\nafter True True\n")
    assert done.stderr.endswith(told)


def test_exit_code_is_known_also_where_whoever_started_us_ignores_how_children_end(tmp_path: Path) -> None:
    ignoring = f"import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n{GOES_ON}"
    words = [sys.executable, "-c", ignoring, str(os.getpid()), "sys.exit(3)"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (3, "")


def test_lock_that_is_given_up_in_the_new_session_is_not_held_by_who_waits(tmp_path: Path) -> None:
    """Not for a moment, also where it is slow to let go."""
    again = "import fcntl; fcntl.flock(held, fcntl.LOCK_EX); os.close(held)\n"
    again += "fcntl.flock(os.open('lock', os.O_RDWR), fcntl.LOCK_EX | fcntl.LOCK_NB)"
    first = "import fcntl, time; fcntl.flock(held, fcntl.LOCK_EX); real = os.closerange\n"
    first += "os.closerange = lambda *ends: (time.sleep(0.3), real(*ends))\n"
    script = GOES_ON.replace('print("before"', f'{first}print("before"')
    words = [sys.executable, "-c", script, str(os.getpid()), again]
    subprocess.run(words, cwd=tmp_path, capture_output=True, check=True, timeout=60)


def test_ctrl_c_while_a_command_goes_on_in_a_new_session_does_not_give_up_the_locks_of_the_one_that_goes_on(
    tmp_path: Path,
) -> None:
    """Both have the same lock open: who gives it up does so for the other, too."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == ("held\n", "", 0)
