"""`orange` alone: the app, on the project of the current directory, else on all of them."""

from __future__ import annotations

import os
import sys

from orange_tui.cli.reply import Reply
from orange_tui.cli.where import here, named_project
from orange_tui.domain.errors import OrangeError, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.grammar import Parsed
    from orange_tui.services.orange import Orange
    from orange_tui.services.projects import Project


def run(parsed: Parsed, orange: Orange) -> Reply:
    """Open the app, and close it again when the person leaves."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refused("The app needs a terminal. `orange task list` shows the same to a program")
    project = named_project(parsed, orange)
    if project is None and not parsed.flag("all"):
        project = orange.projects.containing(here()) or _register(orange)
    from orange_tui.tui.app import run as run_app

    wanted = run_app(orange, project.name if project is not None else None)
    if wanted == "demo":
        from orange_tui.tui.demo import show

        show()
    return Reply("")


def _register(orange: Orange) -> Project | None:
    """In a git repository that is not registered yet, the app registers it: that is why it was opened there."""
    from orange_tui.outside.git import Repository
    from orange_tui.services.registering import register

    try:
        top = Repository(here()).top_level()
    except OrangeError:
        return None
    return register(orange, top) if os.path.realpath(top) != os.path.realpath(os.path.expanduser("~")) else None
