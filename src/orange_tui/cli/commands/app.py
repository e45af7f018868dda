"""`orange` alone opens the app; `orange demo` and `orange serve` run with it or without."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from orange_tui.cli.parsing.grammar import load
from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import current_directory, listed_project
from orange_tui.domain.errors import OrangeError, Refused, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange

_HEADLESS_PACE = "0.2"


def open_app(parsed: Parsed, orange: Orange) -> Reply:
    """`orange`: the app, on the project of the current directory, else on all of them."""
    if not _is_at_a_terminal():
        raise Refused("The app needs a terminal. `orange task list` shows the tasks without one")
    project = listed_project(parsed, orange)
    if project is None and not parsed.flag("all"):
        project = _register(orange)
    is_chosen = parsed.flag("all") or parsed.text("project") is not None
    load(parsed.command.opens)(orange, project.name if project is not None else None, is_chosen=is_chosen)
    return Reply(_install_hint(orange))


def _is_at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _install_hint(orange: Orange) -> str:
    """For a person who started Orange with `make run`, whose shell does not find `orange` elsewhere."""
    from orange_tui.presentation.program import program_words

    program = program_words()
    if not os.path.isabs(program) or orange.projects.all():
        return ""
    return printable_text(
        f"To use Orange in your own repository, run {program} there; `pipx install .` here puts orange on your PATH."
    )


def _register(orange: Orange) -> Project | None:
    """Register the git repository around the current directory, unless it is the home directory itself."""
    from orange_tui.home.registration import register
    from orange_tui.outside.git import Repository

    try:
        top = Repository(current_directory()).top_level()
    except OrangeError:
        return None
    is_home_directory = os.path.realpath(top) == os.path.realpath(os.path.expanduser("~"))
    return None if is_home_directory else register(orange.projects, top)


def demo(parsed: Parsed, _orange: Orange) -> Reply:
    """`orange demo`; headless, its exit code says whether every task ended where it should."""
    keep = parsed.flag("keep")
    if parsed.flag("headless"):
        return _headless(_pace(parsed) or _HEADLESS_PACE, keep=keep)
    if not _is_at_a_terminal():
        raise Refused("The demo needs a terminal; `orange demo --headless` runs without one")
    load(parsed.command.opens)(_pace(parsed), keep=keep)
    return Reply("")


def _pace(parsed: Parsed) -> str | None:
    """The pace that was given, in seconds, checked."""
    text = parsed.text("pace")
    if text is None:
        return None
    with suppress(ValueError):
        if 0 <= float(text) < float("inf"):
            return text
    raise UsageError(f"--pace needs a number of seconds, such as 0.5, not '{text}'")


def _headless(pace: str, *, keep: bool) -> Reply:
    from orange_tui.demo.headless import play
    from orange_tui.demo.throwaway import throwaway_home

    with throwaway_home(pace, keep=keep) as made:
        succeeded = play(made.orange, lambda line: print(printable_text(line), flush=True))
    kept = (f"The demo's files are in {made.root}; set ORANGE_HOME={made.root}/home to look at them",) if keep else ()
    text = "Every task ended where it should." if succeeded else "Not every task ended where it should."
    return Reply(text, notes=kept, code=0 if succeeded else 1)


def serve(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange serve`: the engine without the app, until it is interrupted."""
    import gc

    from orange_tui.cli.until_signal import run_until_signal

    gc.enable()
    orange.use_libtmux()

    def print_note(what: str) -> None:
        print(f"orange: {what}", file=sys.stderr, flush=True)

    async def watch() -> None:
        print_note(f"watching {orange.home.root}; Ctrl+C stops this, agents keep running")
        waits = "another Orange already runs this home (the app, or another serve); this one takes over when it ends"
        await orange.new_supervisor().run(when_waiting=lambda: print_note(waits))

    return Reply("", code=run_until_signal(watch))
