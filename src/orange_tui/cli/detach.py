"""Run a command that may close its own window, and finish it anyway.

The work is done in a child process in a new session, so that neither the closing terminal nor an agent that kills its
children can stop it. The parent only waits, and passes on the output and the exit code.
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

_KILLED_EXIT_CODE = 1


def run_detached(work: Callable[[], int]) -> int:
    """Run a command where nothing that happens to this window can stop it; returns its exit code."""
    sys.stdout.flush()
    sys.stderr.flush()
    result = call_in_new_session(lambda: _code_and_output(work))
    if not result:
        print("orange: the command was killed; the next command on this task finishes its work", file=sys.stderr)
        return _KILLED_EXIT_CODE
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
