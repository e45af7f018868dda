"""Processes that Orange has not started itself: who works in a directory, and what is left of a closed window.

They are read from /proc. Where there is none, nobody is found in a directory, and of a window only its first
process is known.
"""

from __future__ import annotations

import os
import re
import signal
import time
from contextlib import suppress

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_END_WAIT_SECONDS = 2.0  # for a window's processes to end by themselves, and again after they were killed
_SERVER_END_SECONDS = 0.2  # that a killed tmux server may need to be gone, on a busy machine
_POLL_SECONDS = 0.01
_NAME_ENDS = rb"(?![\w.\x80-\xff-])"  # `coffee--1` does not stand in `coffee--10`


@record
class Process:
    """A process, as a sentence names it."""

    pid: int
    name: str

    def __str__(self) -> str:
        """Its name and number."""
        return f"{self.name}, process {self.pid}"


def processes_in(directory: str) -> list[Process]:
    """The processes whose current directory is in there, but for this one and those that started it."""
    root = os.path.realpath(directory)
    ours = _own_pids()
    return [_process(pid) for pid in _pids() if pid not in ours and _is_in(pid, root)]


def processes_with(variable: str, value: str, directory: str | None = None) -> list[Process]:
    """Those that were started with this variable in their environment, anywhere or in a directory."""
    setting, ours = os.fsencode(f"{variable}={value}"), _own_pids()
    found = [pid for pid in _pids() if pid not in ours and setting in _read(pid, "environ").split(b"\0")]
    root = os.path.realpath(directory) if directory is not None else None
    return [_process(pid) for pid in found if root is None or _is_in(pid, root)]


def end_processes_with(variable: str, value: str, directory: str | None = None) -> None:
    """End those, with whatever they start meanwhile."""
    deadline = time.monotonic() + _END_WAIT_SECONDS
    while (left := processes_with(variable, value, directory)) and time.monotonic() < deadline:
        for process in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(_POLL_SECONDS)


def git_processes(*paths: str) -> list[Process]:
    """The git processes that run in one of these paths, or have it in their arguments or environment."""
    roots = {each for path in paths for each in (os.path.realpath(path), path)}
    named = re.compile(b"(?:" + b"|".join(re.escape(os.fsencode(root)) for root in roots) + b")" + _NAME_ENDS)
    found = []
    for pid in _pids():
        if _read(pid, "comm").startswith(b"git") and pid != os.getpid():
            words = _read(pid, "cmdline") + b"\0" + _read(pid, "environ")
            if named.search(words) or any(_is_in(pid, root) for root in roots):
                found.append(_process(pid))
    return found


def is_open_anywhere(path: str) -> bool:
    """Whether any process that we may look into has a file open."""
    try:
        wanted = os.stat(path)
    except OSError:
        return False
    for pid in _pids():
        with suppress(OSError):
            for name in os.listdir(f"/proc/{pid}/fd"):
                with suppress(OSError):
                    if os.path.samestat(os.stat(f"/proc/{pid}/fd/{name}"), wanted):
                        return True
    return False


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and what these have started."""
    parents = {each: _parent_of(each) for each in _pids()}
    found = {pid}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def end_sessions(leaders: Iterable[int]) -> None:
    """Wait until the processes of these terminal sessions have ended; those that do not are killed.

    Whoever releases a workspace next must not find the dying agent of a closed window in it.
    """
    wanted = {pid for pid in leaders if pid > 0}
    deadline = time.monotonic() + _END_WAIT_SECONDS
    while (left := _members(wanted)) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    for pid in left:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    while _members(wanted) and time.monotonic() < deadline + _END_WAIT_SECONDS:
        time.sleep(_POLL_SECONDS)


def is_inside(leaders: Iterable[int]) -> bool:
    """Whether this process runs in one of these windows: below its first process, or in its terminal session."""
    return not (_own_pids() | {os.getsid(0)}).isdisjoint(leaders)


def is_tmux_server(pid: str) -> bool:
    """Whether a process is a live tmux server: one without sessions answers no questions, but is there.

    One that was killed answers none either, so it is given a moment to be gone.
    """
    deadline = time.monotonic() + _SERVER_END_SECONDS
    while is_alive := _is_tmux(pid):
        if time.monotonic() >= deadline:
            break
        time.sleep(_POLL_SECONDS)
    return is_alive


def _is_tmux(pid: str) -> bool:
    if not pid.isdigit() or not _exists(int(pid)):
        return False
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().startswith("tmux") and _session_of(int(pid)) is not None
    except OSError:
        return True  # no /proc: that it exists must do


def _members(leaders: set[int]) -> set[int]:
    """Live processes of these terminal sessions, but not this one: it may be ending its own window."""
    if not leaders:
        return set()
    if not os.path.isdir("/proc"):  # the leaders themselves must do
        return {pid for pid in leaders if pid != os.getpid() and _exists(pid)}
    return {pid for pid in _pids() if pid != os.getpid() and _session_of(pid) in leaders}


def _own_pids() -> set[int]:
    """This process and its parents: an agent that gives its own workspace back is waiting for us."""
    ours, pid = set(), os.getpid()
    while pid > 0 and pid not in ours:
        ours.add(pid)
        pid = _parent_of(pid)
    return ours


def _parent_of(pid: int) -> int:
    fields = _status_fields(pid)
    return int(fields[1]) if len(fields) > 1 else 0


def _session_of(pid: int) -> int | None:
    """The terminal session of a process; None when it has ended."""
    fields = _status_fields(pid)
    return None if not fields or fields[0] == b"Z" else int(fields[3])


def _status_fields(pid: int) -> list[bytes]:
    """What /proc says of a process after its name: state, parent, group, session."""
    return _read(pid, "stat").rpartition(b")")[2].split()


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []


def _is_in(pid: int, root: str) -> bool:
    with suppress(OSError):  # it has ended, or is somebody else's
        current = os.readlink(f"/proc/{pid}/cwd").removesuffix(" (deleted)")
        return current == root or current.startswith(root + os.sep)
    return False


def _process(pid: int) -> Process:
    return Process(pid, _read(pid, "comm").decode(errors="replace").strip() or "unknown")


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _read(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read()
    except OSError:
        return b""
