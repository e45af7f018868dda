"""A line of words to choose one from, with the keyboard or a click: the one that is chosen stands out."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from rich.text import Text
from textual.message import Message

from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

_GAP = "   "


class ChoiceLine(Line):
    """Words beside each other; it shows what is chosen and posts what is clicked."""

    @dataclass
    class Clicked(Message):
        """Another word was clicked."""

        line: ChoiceLine
        place: int

    def __init__(self, words: Sequence[str], *, id: str) -> None:  # noqa: A002 - Textual calls it so
        super().__init__(id=id, markup=False)
        self._words = words
        self.styles.width = len(_GAP.join(words))

    def choose(self, place: int) -> None:
        """Show which one is chosen."""
        palette = palette_for(self.app)
        styles = [palette.accent if number == place else palette.dim for number in range(len(self._words))]
        words = (Text(word, style=style) for word, style in zip(self._words, styles, strict=True))
        self.show_line(Text(_GAP).join(words))

    def on_click(self, event: events.Click) -> None:
        ends = list(accumulate(len(word) + len(_GAP) for word in self._words))
        place = bisect_right(ends, event.x)
        if place < len(self._words):
            self.post_message(self.Clicked(self, place))
