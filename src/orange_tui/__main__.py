"""`orange`: without a command the app, else the command line; in a confined agent's window, through its door."""

from __future__ import annotations

import gc
import os
import sys

from orange_tui.agents.door.protocol import DOOR_VARIABLE

_STANDARD_ERRORS = 2
_INTERRUPTED = 130  # by Ctrl+C, before a command has begun


def main() -> None:
    """Run a command line and exit at once: Python's normal exit takes a tenth of the time of an agent's command."""
    _stand_in_for_closed_streams()
    gc.disable()  # a command is too short to need it; the app and `orange serve` turn it on again
    door = os.environ.get(DOOR_VARIABLE)
    try:
        code = _run_through(door) if door else _run_here()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    os._exit(code)


def _stand_in_for_closed_streams() -> None:
    """`orange … >&-`: what is printed there goes nowhere. Its number must go to no file, lock or pipe of ours."""
    if None not in (sys.stdin, sys.stdout, sys.stderr):
        return
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERRORS:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))


def _run_here() -> int:
    from contextlib import suppress

    from orange_tui.cli.main import main as run_command_line

    code = run_command_line()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    return code


def _run_through(door: str) -> int:
    from orange_tui.agents.door.client import run_through_door

    return run_through_door(door, sys.argv[1:])


if __name__ == "__main__":
    main()
