"""How a window gets its door: the command line that runs an agent behind one."""

from __future__ import annotations

import json
import os
import sys

from orange_tui.home.files import make_directory
from orange_tui.home.paths import import_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Without what a Python loads by itself, and with nothing to import from but the library and Orange.
_SERVER = "import sys; sys.path.append(sys.argv.pop(1)); from orange_tui.agents.door.server import main; main()"


def make_door(task_state: str, window: str) -> str:
    """The directory of a window's door, which holds its socket and nothing else: a sandbox may show all of it."""
    directory = os.path.join(task_state, "door", window)
    make_directory(directory)
    return directory


def make_private(task_state: str, window: str) -> str:
    """An empty directory for the files of a window's agent that it replaces, and nobody else may change."""
    import shutil

    directory = os.path.join(task_state, "private", window)
    shutil.rmtree(directory, ignore_errors=True)
    make_directory(directory)
    return directory


def behind_door(
    words: Sequence[str], door: str, directory: str, logins: Sequence[tuple[str, str]] = ()
) -> tuple[str, ...]:
    """The words that run an agent behind a door; its commands are carried out in a directory that is not its own.

    `logins` are the agent's copies of login files, each with the person's own.
    """
    told = json.dumps(logins) if logins else ""
    return (sys.executable, "-I", "-S", "-c", _SERVER, import_root(), door, directory, told, *words)
