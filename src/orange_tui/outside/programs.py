"""The one place that starts other programs: always from a list of words, never hanging for ever."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import time
from contextlib import suppress

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOMENT = 0.05  # seconds between looks at whether a program has ended

_running: set[subprocess.Popen[bytes]] = set()


@record
class Finished:
    """A program that ran to its end."""

    code: int
    output: str
    errors: str

    @property
    def message(self) -> str:
        """What it said, for a person: its errors, or else its output, without blank ends."""
        return (self.errors or self.output).strip()


def run(
    words: Sequence[str],
    *,
    directory: str | None = None,
    environment: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    timeout: float = 60.0,
) -> Finished:
    """Run a program and wait for it; one that takes too long is ended with all it started."""
    process = _started(words, directory, environment, stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE)
    _running.add(process)
    try:
        output, errors = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Refused(f"`{' '.join(words)}` took longer than {timeout:g} s and was ended") from None
    finally:
        _running.discard(process)
    return Finished(process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"))


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
        process = _started(words, directory, environment, output=output.fileno(), errors=errors.fileno())
        reason = _overrun(process, timeout, most, (output.fileno(), errors.fileno()))
        if reason is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise Refused(f"{os.path.basename(words[0])} {reason} and was ended")
        printed = [os.pread(file.fileno(), most, 0).decode(errors="replace") for file in (output, errors)]
    return Finished(process.returncode, *printed)


def _overrun(process: subprocess.Popen[bytes], timeout: float, most: int, files: Sequence[int]) -> str | None:
    """Wait for a program; returns what it has overdone."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        with suppress(subprocess.TimeoutExpired):
            process.wait(min(_MOMENT, timeout))
            return None
        if any(os.fstat(file).st_size > most for file in files):
            return f"printed more than {most:,} bytes"
    return f"took longer than {timeout:g} s"


def _started(  # noqa: PLR0913 - what a program is started with
    words: Sequence[str],
    directory: str | None,
    environment: Mapping[str, str] | None,
    *,
    stdin: int = subprocess.DEVNULL,
    output: int = subprocess.PIPE,
    errors: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            list(words),
            cwd=directory,
            env=dict(environment) if environment is not None else None,
            stdin=stdin,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
    except FileNotFoundError:
        missing = directory if directory and not os.path.isdir(directory) else words[0]
        raise NotFound(f"{missing} is not there") from None
    except OSError as problem:
        raise Refused(f"{words[0]} could not be started: {problem.strerror}") from None


@atexit.register
def _end_what_nobody_waits_for() -> None:
    """By now only daemon threads still wait for a program, and they will not be there to see its end."""
    for process in list(_running):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
