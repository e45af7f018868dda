"""Who is in a directory: the processes that work there, and would have it changed under them.

Linux says so in /proc. Where there is none, nobody is ever found.
"""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.records import record


@record
class Inhabitant:
    """A process."""

    pid: int
    name: str

    def __str__(self) -> str:
        """How a sentence names it."""
        return f"{self.name}, process {self.pid}"


def inside(directory: str) -> list[Inhabitant]:
    """The processes whose current directory is in there, but for this one and those that started it."""
    root = os.path.realpath(directory)
    ours = _ourselves()
    return [_named(pid) for pid in _pids() if pid not in ours and _is_in(pid, root)]


def marked(directory: str, variable: str, value: str) -> list[Inhabitant]:
    """Those inside that were started with this in their environment."""
    mark = os.fsencode(f"{variable}={value}")
    return [each for each in inside(directory) if mark in _read(each.pid, "environ").split(b"\0")]


def git_at_work(*paths: str) -> list[Inhabitant]:
    """The git processes that work in, or were told about, one of these paths."""
    roots = [os.fsencode(os.path.realpath(path)) for path in paths] + [os.fsencode(path) for path in paths]
    found = []
    for pid in _pids():
        if _read(pid, "comm").startswith(b"git") and pid != os.getpid():
            told = _read(pid, "cmdline") + b"\0" + _read(pid, "environ")
            if any(root in told for root in roots) or any(_is_in(pid, os.fsdecode(root)) for root in roots):
                found.append(_named(pid))
    return found


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


def _ourselves() -> set[int]:
    """This process and its parents: an agent that gives its own workspace back is waiting for us."""
    ours, pid = set(), os.getpid()
    while pid > 0 and pid not in ours:
        ours.add(pid)
        fields = _read(pid, "stat").rpartition(b")")[2].split()
        pid = int(fields[1]) if len(fields) > 1 else 0
    return ours


def _named(pid: int) -> Inhabitant:
    return Inhabitant(pid, _read(pid, "comm").decode(errors="replace").strip() or "unknown")


def _read(pid: int, what: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{what}", "rb") as file:
            return file.read()
    except OSError:
        return b""
