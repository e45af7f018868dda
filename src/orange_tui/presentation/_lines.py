"""Lines of the workflow picture: headings, and text wrapped in its column beside a name."""

from __future__ import annotations

import textwrap

from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WIDEST_NAME = 24  # a longer name stands on a line of its own
_LABEL_WIDTH = 7
NO_BREAK = "\u00a0"  # a blank at which no line is broken
ARROW = f" →{NO_BREAK}"


def heading(text: str, width: int) -> str:
    """A heading with a rule behind it, as wide as the picture may be."""
    return f"── {clipped(printable(text), width - 8)} ".ljust(width, "─")


def labelled_rows(lead: str, facts: Sequence[tuple[str, str]], column: int, width: int, stem: str) -> Iterator[str]:
    """A name on the left, its labelled facts on the right, and the stem of the tree going on beside them."""
    if not facts or len(lead) >= column:
        yield clipped(lead, width)
        lead = stem
    for label, text in facts:
        yield from wrapped_row(lead.ljust(column) + label.ljust(_LABEL_WIDTH), text, column + _LABEL_WIDTH, width, stem)
        lead = stem


def wrapped_row(lead: str, text: str, column: int, width: int, stem: str = "") -> Iterator[str]:
    """Text wrapped in its column, the lead before its first line; a lead that is too long stands alone."""
    if not text or len(lead.rstrip()) >= column:
        yield clipped(lead, width)
        lead = stem
    yield from textwrap.wrap(
        text,
        width,
        initial_indent=lead.ljust(column),
        subsequent_indent=stem.ljust(column),
        break_on_hyphens=False,
    )


def clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def unbroken(text: str) -> str:
    """Words that belong on one line."""
    return text.replace(" ", NO_BREAK)


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
