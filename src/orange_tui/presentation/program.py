"""What to type for Orange in the shell that it was started from."""

from __future__ import annotations

import os
import shutil
import sys

_NAME = "orange"


def program_words() -> str:
    """`orange`, or the path of the program where a shell does not find it: after `make run` alone."""
    program = os.path.abspath(sys.argv[0])
    is_found = shutil.which(_NAME) is not None or os.path.basename(program) != _NAME
    return _NAME if is_found else program
