"""`orange demo`: scripted agents in a throw-away repository, in the app or without it."""

from __future__ import annotations

import sys
from contextlib import suppress

from orange_tui.cli.parsing.grammar import load
from orange_tui.cli.reply import Reply, safe
from orange_tui.domain.errors import Refused, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange

_HEADLESS_PACE = "0.2"


def demo(parsed: Parsed, _orange: Orange) -> Reply:
    """Play the demo; the code says whether every task ended where it should."""
    keep = parsed.flag("keep")
    if parsed.flag("headless"):
        return _headless(_pace(parsed) or _HEADLESS_PACE, keep=keep)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise Refused("The demo needs a terminal; `orange demo --headless` does without")
    load(parsed.command.opens)(_pace(parsed), keep=keep)
    return Reply("")


def _pace(parsed: Parsed) -> str | None:
    """The pace that was given, checked."""
    text = parsed.text("pace")
    if text is None:
        return None
    with suppress(ValueError):
        if 0 <= float(text) < float("inf"):
            return text
    raise UsageError(f"--pace is a number of seconds, such as 0.5; '{text}' is not")


def _headless(pace: str, *, keep: bool) -> Reply:
    from orange_tui.demo.headless import play
    from orange_tui.demo.throwaway import throwaway_home

    with throwaway_home(pace, keep=keep) as made:
        well = play(made.orange, lambda line: print(safe(line), flush=True))
    kept = (f"What came of it is in {made.root}; ORANGE_HOME={made.root}/home shows it",) if keep else ()
    text = "Every task is where it should be." if well else "Not every task is where it should be."
    return Reply(text, notes=kept, code=0 if well else 1)
