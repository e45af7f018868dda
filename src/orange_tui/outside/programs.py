"""The one place that starts other programs: always from a list of words, never hanging for ever.

Each way there is of starting one has its function: `run` and wait for what it prints, `run_capped` for a program
nobody vouches for, `run_until` for a server that is asked one thing, `run_in_terminal` and `replace_process` for one
that a person works with, `run_pager` for one they read in, `continue_in_new_session` for a command of our own that must
outlive its window, and `followed_by` for one that cleans up after us.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import time
from contextlib import contextmanager, suppress

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import NoReturn

_POLL_SECONDS = 0.05  # between two checks of whether a program has ended
_START_WAIT_SECONDS = 2.0  # for a program that is being started while we end
_FIRST_OWN_DESCRIPTOR = 3  # after standard input, output and errors
_DEV_NULL, _PIPE = -3, -1  # as subprocess numbers them


class _Children:
    """The programs that somebody waits for, in whichever thread: none of them outlives us."""

    def __init__(self) -> None:
        self.starting: set[object] = set()  # one entry for each start under way
        self.running: set[subprocess.Popen[bytes]] = set()
        self.closed = False


_children = _Children()


@record
class Finished:
    """A program that ran to its end."""

    code: int
    output: str
    errors: str

    @property
    def message(self) -> str:
        """What it printed, for a person: its errors, or else its output, without blank ends."""
        return (self.errors or self.output).strip()


def run(  # noqa: PLR0913 - what a program is run with
    words: Sequence[str],
    *,
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    timeout: float = 60.0,
    undecodable: str = "replace",
) -> Finished:
    """Run a program and wait for it; one that takes too long is ended with all it started.

    `undecodable` says what becomes of output that is no text: "surrogateescape" keeps names of files as they are.
    """
    import subprocess

    with _started(words, directory, environment, stdin=_DEV_NULL if stdin is None else _PIPE) as process:
        try:
            output, errors = process.communicate(stdin, timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise Refused(f"`{' '.join(words)}` took longer than {timeout:g} s and was ended") from None
    return Finished(process.returncode, output.decode(errors=undecodable), errors.decode(errors="replace"))


def run_capped(
    words: Sequence[str],
    *,
    directory: str,
    environment: Mapping[str, str],
    timeout: float,
    most: int,
) -> Finished:
    """Run a program nobody vouches for: it is also ended when it prints more bytes than `most`.

    It prints into files, so that it is waited for until its own end, not until that of whatever it left running.
    """
    from tempfile import TemporaryFile

    with TemporaryFile() as output, TemporaryFile() as errors:
        files = (output.fileno(), errors.fileno())
        with _started(words, directory, environment, output=files[0], errors=files[1]) as process:
            excess = _wait_for(process, timeout, most, files)
            if excess is not None:
                if process.returncode is None:  # else its number may be somebody else's by now
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise Refused(f"{os.path.basename(words[0])} {excess} and was ended")
        printed = [os.pread(file, most, 0).decode(errors="replace") for file in files]
    return Finished(process.returncode, *printed)


def run_until(words: Sequence[str], stdin: bytes, wanted: bytes, *, timeout: float) -> str | None:
    """The first line with `wanted` in it that a program prints, which is then ended; None where none came in time.

    For a server: it is told what to do, and would end without an answer if that were the end of its input.
    """
    import select

    deadline, printed = time.monotonic() + timeout, b""
    with _started(words, None, None, stdin=_PIPE) as process:
        assert process.stdin is not None  # noqa: S101 - both were asked for
        assert process.stdout is not None  # noqa: S101
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(stdin)
                process.stdin.flush()
            while (left := deadline - time.monotonic()) > 0 and select.select([process.stdout], [], [], left)[0]:
                piece = os.read(process.stdout.fileno(), 65536)
                printed += piece
                complete = printed.split(b"\n")[:-1]
                found = next((line for line in complete if wanted in line), None)
                if found is not None or not piece:
                    return None if found is None else found.decode(errors="replace")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return None


def _wait_for(process: subprocess.Popen[bytes], timeout: float, most: int, files: Sequence[int]) -> str | None:
    """Wait for a program; returns which limit it has passed."""
    import subprocess

    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        with suppress(subprocess.TimeoutExpired):
            process.wait(min(_POLL_SECONDS, timeout))
        if any(os.fstat(file).st_size > most for file in files):
            return f"printed more than {most:,} bytes"
        if process.returncode is not None:
            return None
    return f"took longer than {timeout:g} s"


@contextmanager
def followed_by(words: Sequence[str]) -> Iterator[None]:
    """Have a program go on after us: its input ends when we leave this, or with us, however that comes about.

    Who leaves waits for it.
    """
    import subprocess

    with _explained(words, None):
        process = subprocess.Popen(list(words), stdin=_PIPE, stdout=_DEV_NULL, start_new_session=True)
    try:
        yield
    finally:
        process.communicate()


async def run_in_terminal(
    words: Sequence[str], *, environment: Mapping[str, str] | None = None, directory: str | None = None
) -> int:
    """Give a program our terminal until it ends, while the event loop goes on; returns its exit code."""
    import asyncio

    with _explained(words, directory), _deaf_to_keys():
        process = await asyncio.create_subprocess_exec(*words, env=environment, cwd=directory)
        return await process.wait()


@contextmanager
def _deaf_to_keys() -> Iterator[None]:
    """What is pressed in somebody else's program is not for us: a terminal sends Ctrl+C to all that share it.

    Ignoring it would be inherited by that program; a handler is not.
    """
    before = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def run_pager(words: Sequence[str], text: str) -> None:
    """Give a person something to read, in a program that has our terminal until they leave it."""
    import subprocess

    with _explained(words, None):
        process = subprocess.Popen(list(words), stdin=_PIPE)
    earlier = signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the pager, which goes on
    try:
        process.communicate(text.encode())
    finally:
        signal.signal(signal.SIGINT, earlier)


def replace_process(words: Sequence[str], *, environment: Mapping[str, str]) -> NoReturn:
    """Become another program, in the same terminal."""
    with _explained(words, None):
        os.execvpe(words[0], list(words), environment)  # noqa: S606 - a list of words, no shell


def continue_in_new_session() -> None:
    """Go on in a process that the end of this one's window does not reach; this one waits, and ends as that one does.

    Where other threads run there is no such thing: a new process would have none of them.
    """
    import threading

    if threading.active_count() > 1:
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    is_let_go, held = os.pipe()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # who started us may have it ignored: then nobody is waited for
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # who waits must not give up a lock of us both
    child = os.fork()
    if child != 0:
        _end_as(child, mask)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.close(held)
    os.read(is_let_go, 1)  # until the other one has closed all it had open, and so holds no lock with us
    os.close(is_let_go)


def _end_as(child: int, mask: Iterable[int]) -> NoReturn:
    """Wait for a process that does our work, and end as it does. Locks that it gives up must not be held by us."""
    os.closerange(_FIRST_OWN_DESCRIPTOR, os.sysconf("SC_OPEN_MAX"))
    while True:
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            _, status = os.waitpid(child, 0)
            break
        except KeyboardInterrupt:
            os.kill(child, signal.SIGINT)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with suppress(OSError):  # the window may be gone by now
            os.write(2, b"orange: the command was killed; the next command on this task finishes its work\n")
    os._exit(code if code >= 0 else 1)


@contextmanager
def _started(  # noqa: PLR0913 - what a program is started with
    words: Sequence[str],
    directory: str | None,
    environment: Mapping[str, str] | None,
    *,
    stdin: int = _DEV_NULL,
    output: int = _PIPE,
    errors: int = _PIPE,
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a session of its own; while somebody is in here, the end of Orange is its end too."""
    import subprocess

    start = object()
    _children.starting.add(start)
    try:
        if _children.closed:
            raise Refused(f"{words[0]} was not started: Orange is ending")
        with _explained(words, directory):
            process = subprocess.Popen(
                list(words),
                cwd=directory,
                env=dict(environment) if environment is not None else None,
                stdin=stdin,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )
        _children.running.add(process)
    finally:
        _children.starting.discard(start)
    try:
        yield process
    finally:
        _children.running.discard(process)


@contextmanager
def _explained(words: Sequence[str], directory: str | None) -> Iterator[None]:
    """Why a program could not be started, as a sentence."""
    try:
        yield
    except FileNotFoundError:
        missing = directory if directory and not os.path.isdir(directory) else words[0]
        raise NotFound(f"{missing} is not there") from None
    except OSError as problem:
        raise Refused(f"{words[0]} could not be started: {problem.strerror}") from None


@atexit.register
def _end_what_nobody_waits_for() -> None:
    """By now only daemon threads still wait for a program, and they will not be there to see its end.

    One of them may be in the middle of starting another: that one is known, and can be ended, a moment later.
    """
    _children.closed = True
    deadline = time.monotonic() + _START_WAIT_SECONDS
    while _children.starting and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS / 10)
    for process in list(_children.running):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
