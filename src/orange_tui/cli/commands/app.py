"""`orange` alone: the app, on the project of the current directory, else on all of them."""

from __future__ import annotations

import os
import sys

from orange_tui.cli.parsing.grammar import load
from orange_tui.cli.reply import Reply, safe
from orange_tui.cli.where import here, named_project
from orange_tui.domain.errors import OrangeError, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange


def open_app(parsed: Parsed, orange: Orange) -> Reply:
    """Open the app, and close it again when the person leaves."""
    if not _is_at_a_terminal():
        raise Refused("The app needs a terminal. `orange task list` shows the same to a program")
    project = named_project(parsed, orange)
    if project is None and not parsed.flag("all"):
        project = orange.projects.containing(here()) or _register(orange)
    load(parsed.command.opens)(orange, project.name if project is not None else None)
    return Reply(_parting_word(orange))


def _is_at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _parting_word(orange: Orange) -> str:
    """For whoever came by `make run`, and whose shell does not find the program in a repository of theirs."""
    import shutil

    program = os.path.abspath(sys.argv[0])
    if os.path.basename(program) != "orange" or shutil.which("orange") is not None or orange.projects.all():
        return ""
    return safe(
        f"To use Orange in a repository of yours, run {program} there; `pipx install .` here puts orange on your PATH."
    )


def _register(orange: Orange) -> Project | None:
    """In a git repository that is not registered yet, the app registers it: that is why it was opened there."""
    from orange_tui.home.registration import register
    from orange_tui.outside.git import Repository

    try:
        top = Repository(here()).top_level()
    except OrangeError:
        return None
    return register(orange, top) if os.path.realpath(top) != os.path.realpath(os.path.expanduser("~")) else None
