"""What is left of a window once tmux has closed it: its processes, until they have really ended.

Whoever releases a workspace next must not find the dying agent of this one in it.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_PATIENCE = 2.0
_MOMENT = 0.2


def end_sessions(leaders: Iterable[int]) -> None:
    """Wait until the processes of these windows are gone; those that do not go are made to."""
    wanted = {pid for pid in leaders if pid > 0}
    deadline = time.monotonic() + _PATIENCE
    while (left := _members(wanted)) and time.monotonic() < deadline:
        time.sleep(0.01)
    for pid in left:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    while _members(wanted) and time.monotonic() < deadline + _PATIENCE:
        time.sleep(0.01)


def _members(leaders: set[int]) -> set[int]:
    """Live processes of these terminal sessions, but not this one: it may be ending its own window."""
    if not leaders:
        return set()
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:  # no /proc: the leaders themselves must do
        return {pid for pid in leaders if pid != os.getpid() and _exists(pid)}
    return {pid for pid in pids if pid != os.getpid() and _session_of(pid) in leaders}


def _session_of(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] == b"Z" else int(fields[3])


def stays_tmux(pid: str) -> bool:
    """Whether a process is a tmux server: one without sessions answers no questions, but is there.

    One that was killed answers none either, and on a busy machine it takes a moment to be gone.
    """
    deadline = time.monotonic() + _MOMENT
    while is_there := _is_tmux(pid):
        if time.monotonic() >= deadline:
            break
        time.sleep(0.01)
    return is_there


def _is_tmux(pid: str) -> bool:
    if not pid.isdigit() or not _exists(int(pid)):
        return False
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().startswith("tmux") and _session_of(int(pid)) is not None
    except OSError:
        return True  # no /proc: that it exists must do


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
