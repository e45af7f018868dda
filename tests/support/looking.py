"""How a test looks at rendered lines: their text, the style at a word, and that nothing harmful is in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from textual.theme import BUILTIN_THEMES

from orange_tui.tui.drawing.palette import palette_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style
    from textual.strip import Strip

DARK = palette_of(BUILTIN_THEMES["textual-dark"])
_OBEYED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# The same examples in every run, and no deadline: the machine may be busy.
steadily = settings(deadline=None, database=None, derandomize=True)

# Text with what parsers, terminals and columns stumble over more often than chance would have it.
nasty_text = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "\x1b[31m", "\x1b]0;title\x07", "\x1b", "\r", "\r\n", "\n", "\n\n", "\t", "\x00", "\x9b2J", "\u202e",
                "[bold]", "[/]", "[@click=app.quit]x[/]", "日本語", "👩‍👩‍👧", "❤️", "e\u0301", "\u200d", "\ufe0f",
                "# ", "## ", "- ", "- [ ] ", "1. ", "> ", "```", "```py\n", "    ", "| a | b |\n|---|--:|\n", "|",
                "**", "*", "`", "~~", "[a](b)", "![a](b)", "<b>", "<!--", "&#27;", "&amp;", "---\n", "KEY: ", "\\",
                "diff --git a/x b/x\n", "--- a/x\n", "+++ b/x\n", "@@ -1,2 +1,2 @@\n", "@@@ -1 -1 +1 @@@\n", "+", "-",
                "Binary files a/x and b/x differ\n", "rename from ", '"a/\\303"', "Submodule x 1..2:\n",
                "\\ No newline",
            ]
        ),
        st.text(max_size=20),
    ),
    max_size=30,
).map("".join)  # fmt: skip


def texts(strips: Iterable[Strip]) -> list[str]:
    """The lines as they read."""
    return [strip.text.rstrip() for strip in strips]


def style_at(strips: Iterable[Strip], words: str) -> Style:
    """The style of a piece that is these words, or else of the first that has them in it."""
    pieces = [segment for strip in strips for segment in strip if words in segment.text]
    assert pieces, f"{words!r} is nowhere in one piece"
    style = next((piece for piece in pieces if piece.text == words), pieces[0]).style
    assert style is not None
    return style


def assert_harmless(strips: Iterable[Strip], width: int | None = None) -> None:
    """No control character, no control segment, no link or action, and no line wider than it may be."""
    for strip in strips:
        assert not _OBEYED.search(strip.text)
        assert all(not segment.control and not (segment.style and segment.style.meta) for segment in strip)
        assert all(not (segment.style and segment.style.link) for segment in strip)
        assert width is None or strip.cell_length <= width, strip.text
