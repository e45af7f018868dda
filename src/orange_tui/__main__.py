"""`orange`: without a command the app, else the command line."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress

from orange_tui.cli.main import main as run_command_line


def main() -> None:
    """Run, and leave at once: taking a whole interpreter apart costs an agent's command a tenth of its time."""
    gc.disable()  # nothing here lives long enough to be worth collecting; what does turns it on again
    code = run_command_line()
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
