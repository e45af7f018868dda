"""A command that ends the window it runs in must finish all the same.

So it does its work in a child process with a session of its own, where neither the closing terminal nor an agent
that takes its children down with it can reach; the parent only waits and passes on what the child has to say.
"""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_KILLED = 1


def run_detached(work: Callable[[], int]) -> int:
    """Run a command where nothing that happens to this window can stop it; returns its exit code."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work_apart(work, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    if not said:
        print("orange: the command was killed; the next one on this task finishes it", file=sys.stderr)
        return _KILLED
    code, output, errors = json.loads(said)
    with suppress(OSError):  # the window may be gone by now
        sys.stdout.write(output)
        sys.stdout.flush()
        sys.stderr.write(errors)
        sys.stderr.flush()
    return int(code)


def _work_apart(work: Callable[[], int], writing: int) -> None:
    """The child: it never returns."""
    code = _KILLED
    try:
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        output, errors = io.StringIO(), io.StringIO()
        with redirect_stdout(output), redirect_stderr(errors):
            code = work()
        answer = json.dumps([code, output.getvalue(), errors.getvalue()]).encode()
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as pipe:
            pipe.write(answer)
    finally:
        os._exit(code)
