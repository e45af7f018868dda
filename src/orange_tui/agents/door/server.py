"""The launcher of a confined agent's window: it runs the agent, and carries out what that may ask of Orange.

It is a program of its own that lives as long as the agent does, so it imports as little as it can, keeps nothing and
decides nothing. Each request becomes an `orange` of its own, outside, with the environment of this process, which
Orange has set, in a directory that is not the agent's: whatever an agent sends, it is taken for who it is.

One loop serves everybody, and waits for nobody: not for a client that hangs, sends half or reads nothing, nor for a
command that takes minutes. A command that has begun is finished, even if its client, this window or this process ends.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import time

from orange_tui.agents.door.connection import Connection
from orange_tui.agents.door.logins import end_all, pass_all_on, read_logins
from orange_tui.agents.door.protocol import CONFINED_VARIABLE, DOOR_VARIABLE, SOCKET_NAME
from orange_tui.outside.children import Command, exit_code, start_in_foreground

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from orange_tui.agents.door.logins import Login

_MAX_AT_ONCE = 16
_MAX_BURST, _MAX_PER_SECOND = 50, 20
_BACKLOG = 64
_LOGIN_SECONDS = 1.0  # between two looks at an agent's login files
_END_SIGNALS = (signal.SIGHUP, signal.SIGTERM)
_PIPE_BYTES = 65536  # that a pipe can hold
_CREDENTIALS_BYTES, _UID_AT = 12, slice(4, 8)  # struct ucred: three integers of four bytes
# Isolated: neither the directory that it runs in nor any variable says what it imports.
_ORANGE = ("-I", "-c", "import sys; sys.path.append(sys.argv.pop(1)); from orange_tui.__main__ import main; main()")
_TOO_MANY = f"{_MAX_AT_ONCE} commands of this window are at work already: wait until one has ended, then try again"
_TOO_OFTEN = f"These are more than {_MAX_PER_SECOND} commands a second: wait a moment, then go on more slowly"


class RateLimit:
    """So many at once, and then no more than so many a second."""

    def __init__(self, burst: int, per_second: int) -> None:
        self._burst, self._per_second = burst, per_second
        self._left, self._counted_at = float(burst), 0.0

    def allows(self, now: float) -> bool:
        """Whether another one may come now; it is counted then."""
        self._left = min(self._burst, self._left + (now - self._counted_at) * self._per_second)
        self._counted_at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Door:
    """The socket of one window, and those who are at it."""

    def __init__(
        self,
        listener: socket.socket,
        woken: int,
        start: Callable[[list[bytes]], Command],
        logins: Sequence[Login] = (),
    ) -> None:
        self._listener = listener
        self._logins = logins
        self._woken = woken  # by the end of a child
        self._start = start
        self._connections: list[Connection] = []
        self._rate = RateLimit(_MAX_BURST, _MAX_PER_SECOND)

    def serve(self, agent: int) -> int:
        """Serve until the agent has ended; returns how it did, as the system tells it."""
        while (status := self._reap(agent)) is None:
            self._handle_next()
            pass_all_on(self._logins)
            now = time.monotonic()
            for late in [each for each in self._connections if each.deadline is not None and each.deadline <= now]:
                late.expire(now)
            self._connections = [each for each in self._connections if not each.is_over]
        return status

    def _reap(self, agent: int) -> int | None:
        """Finish the commands that have ended; returns the agent's status when it is among the dead."""
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == agent:
                return status
            if pid == 0:
                return None
            for connection in self._connections:
                if connection.pid == pid:
                    connection.finish(status, time.monotonic())

    def _handle_next(self) -> None:
        """Wait until something can be done, and do it."""
        poll, owners = select.poll(), {}
        poll.register(self._woken, select.POLLIN)
        poll.register(self._listener, select.POLLIN)
        for connection in self._connections:
            for descriptor, events in connection.interests():
                poll.register(descriptor, events)
                owners[descriptor] = connection
        for descriptor, events in poll.poll(self._milliseconds_left()):
            if descriptor == self._woken:
                os.read(descriptor, _PIPE_BYTES)
            elif descriptor == self._listener.fileno():
                self._accept()
            else:
                self._handle(owners[descriptor], descriptor, events)

    def _milliseconds_left(self) -> float | None:
        """Until somebody is too late; with nobody there, no time is counted, and nothing is spent."""
        deadlines = [each.deadline for each in self._connections if each.deadline is not None]
        if self._logins:
            deadlines.append(time.monotonic() + _LOGIN_SECONDS)
        return max(0.0, min(deadlines) - time.monotonic()) * 1000 + 1 if deadlines else None

    def _accept(self) -> None:
        try:
            accepted, _ = self._listener.accept()
        except OSError:
            return  # it has gone again
        if not _is_ours(accepted):
            accepted.close()
            return
        connection = Connection(accepted.detach(), time.monotonic())
        if len(self._connections) >= _MAX_AT_ONCE:
            connection.refuse(_TOO_MANY, time.monotonic())
        self._connections.append(connection)

    def _handle(self, connection: Connection, descriptor: int, events: int) -> None:
        now = time.monotonic()
        words = connection.handle(descriptor, events, now)
        if words is None:
            return
        if not self._rate.allows(now):
            connection.refuse(_TOO_OFTEN, now)
            return
        try:
            connection.start(self._start(words))
        except OSError as problem:
            connection.refuse(f"The command could not be started: {problem.strerror}", now)


def _is_ours(accepted: socket.socket) -> bool:
    """Whether it is the same user who asks; in a sandbox they may have another number, but the system tells ours."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True  # macOS: nobody else gets into the directory
    told = accepted.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS_BYTES)
    return int.from_bytes(told[_UID_AT], sys.byteorder) == os.geteuid()


def _wake_at_deaths() -> int:
    """A descriptor that becomes readable when a child has ended. Keys that interrupt are the agent's to hear."""
    woken, waking = os.pipe()
    for end in (woken, waking):
        os.set_blocking(end, False)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(waking, warn_on_full_buffer=False)
    return woken


def _go_on_when_stopped() -> None:
    """An agent that stops itself, as at Ctrl+Z, is continued: in its window there is no shell that ever would.

    The system does not stop a group of processes in which nobody could be told. So the agent has given its terminal
    back, goes on waiting for the end of its stop, and hears no key.
    """
    signal.signal(signal.SIGTSTP, lambda *_: os.killpg(0, signal.SIGCONT))


def _end_at_signals(logins: Sequence[Login]) -> None:
    """Where there are logins, the last change to them is passed on before the end of a window ends this process."""

    def end(number: int, _frame: FrameType | None) -> None:
        end_all(logins)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in _END_SIGNALS if logins else ():
        signal.signal(number, end)


def _listen(directory: str) -> socket.socket:
    """Make the socket from within its directory: the path of one may have no more than 107 bytes."""
    listener, here = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM), os.getcwd()
    os.chdir(directory)
    try:
        if os.path.lexists(SOCKET_NAME):
            os.unlink(SOCKET_NAME)
        listener.bind(SOCKET_NAME)
    finally:
        os.chdir(here)
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    return listener


def _environment() -> dict[bytes, bytes]:
    """What we were started with: where there is no locale, Python sets one, which would become the agent's."""
    try:
        with open("/proc/self/environ", "rb") as file:
            return dict(each.split(b"=", 1) for each in file.read().split(b"\0") if b"=" in each)
    except OSError:
        return dict(os.environb)


def main() -> None:
    """Run an agent behind a door: given are the door's directory, that of commands, logins, and the agent's words."""
    door, directory, logins, *words = sys.argv[1:]
    environment = _environment()
    orange = [os.fsencode(word) for word in (sys.executable, *_ORANGE, sys.path[-1])]
    outside = environment | {CONFINED_VARIABLE.encode(): b"1"}
    try:
        listener = _listen(door)
    except OSError as problem:
        sys.exit(f"orange: {door}: no door could be made for this agent: {problem.strerror}")
    inside = environment | {DOOR_VARIABLE.encode(): os.fsencode(os.path.join(door, SOCKET_NAME))}
    start = lambda words: Command([*orange, *words], outside, directory)  # noqa: E731 - no more than a name for it
    found = read_logins(logins)
    _end_at_signals(found)
    _go_on_when_stopped()
    serving = Door(listener, _wake_at_deaths(), start, found)
    agent = start_in_foreground([os.fsencode(word) for word in words], inside)
    status = serving.serve(agent)
    end_all(found)
    os._exit(exit_code(status))
