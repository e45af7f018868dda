"""The one place that starts other programs: always from a list of words, never hanging for ever."""

from __future__ import annotations

import os
import signal
import subprocess

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


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
    try:
        process = subprocess.Popen(
            list(words),
            cwd=directory,
            env=dict(environment) if environment is not None else None,
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except FileNotFoundError:
        missing = directory if directory and not os.path.isdir(directory) else words[0]
        raise NotFound(f"{missing} is not there") from None
    except OSError as problem:
        raise Refused(f"{words[0]} could not be started: {problem.strerror}") from None
    try:
        output, errors = process.communicate(stdin, timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Refused(f"`{' '.join(words)}` took longer than {timeout:g} s and was ended") from None
    return Finished(process.returncode, output.decode(errors="replace"), errors.decode(errors="replace"))
