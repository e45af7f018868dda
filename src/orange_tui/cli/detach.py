"""A command that ends the window it runs in must finish all the same.

So it does its work in a child process with a session of its own, where neither the closing terminal nor an agent
that takes its children down with it can reach; the parent only waits and passes on what the child has to say.
"""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress

from orange_tui.outside.programs import call_in_new_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_KILLED = 1


def run_detached(work: Callable[[], int]) -> int:
    """Run a command where nothing that happens to this window can stop it; returns its exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    result = call_in_new_session(lambda: _code_and_output(work))
    if not result:
        print("orange: the command was killed; the next one on this task finishes it", file=sys.stderr)
        return _KILLED
    code, output, errors = json.loads(result)
    with suppress(OSError):  # the window may be gone by now
        sys.stdout.write(output)
        sys.stdout.flush()
        sys.stderr.write(errors)
        sys.stderr.flush()
    return int(code)


def _code_and_output(work: Callable[[], int]) -> bytes:
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        code = work()
    return json.dumps([code, output.getvalue(), errors.getvalue()]).encode()
