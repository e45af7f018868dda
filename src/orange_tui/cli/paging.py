"""Show a page in the terminal: in the person's pager, or as it is where standard output is no terminal."""

from __future__ import annotations

import os
import sys

from orange_tui.domain.errors import NotFound, OrangeError

_USUAL_PAGER = "less -FR"  # leaves at once where all of it fits, and shows the styles


def show_page(topic: str) -> None:
    """`orange help keys`: wrapped to the terminal, with styles and a pager only where somebody looks at it."""
    from orange_tui.cli.parsing.help import terminal_width
    from orange_tui.pages.library import read_page
    from orange_tui.pages.terminal_text import render

    is_terminal = sys.stdout.isatty()
    text = render(read_page(topic), terminal_width(), styled=is_terminal and _has_styles())
    if not is_terminal or not _paged(text):
        print(text, end="")


def _has_styles() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"


def _paged(text: str) -> bool:
    """Whether a pager has shown it; an empty PAGER is a person who wants none."""
    import shlex

    from orange_tui.outside.programs import run_pager

    try:
        words = shlex.split(os.environ.get("PAGER", _USUAL_PAGER))
    except ValueError:  # a quote that does not end
        return False
    if not words or words == ["cat"]:
        return False
    try:
        run_pager(words, text)
    except NotFound:
        return False
    except OrangeError as problem:
        print(f"orange: {problem}", file=sys.stderr)
        return False
    return True
