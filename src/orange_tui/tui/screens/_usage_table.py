"""The table of the usage screen: a line for each task, project, agent, model or day, with a bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.presentation.usage import bars, cost_text, count_text
from orange_tui.tui.drawing.cells import fit, fit_right
from orange_tui.tui.drawing.lines import strip_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.style import Style
    from textual.strip import Strip

    from orange_tui.domain.usage.totals import Totals
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.usage.summary import UsageGroup, UsageSummary

_COLUMNS = (("cost", 12), ("in", 8), ("out", 8), ("turns", 7))
_GAP = 2
_NARROWEST_NAME, _WIDEST_NAME, _SHARE_OF_NAME = 16, 48, 0.35


class UsageTable:
    """How a summary is drawn in a given width."""

    def __init__(self, width: int, palette: Palette) -> None:
        self._palette = palette
        numbers = sum(size for _, size in _COLUMNS)
        self._name = max(_NARROWEST_NAME, min(int(width * _SHARE_OF_NAME), width - numbers - _GAP, _WIDEST_NAME))
        self._bar = max(0, width - self._name - numbers - _GAP)

    def titles(self, by: str) -> Strip:
        """What the columns are."""
        return strip_of([(fit(by, self._name) + self._cells([title for title, _ in _COLUMNS]), self._palette.dim)])

    def lines(self, summary: UsageSummary, name_of: Callable[[UsageGroup], str]) -> list[Strip]:
        """A line for each group; days with the newest first."""
        groups = summary.groups[::-1] if summary.by == "day" else summary.groups
        shares = bars([group.totals for group in groups], self._bar)
        return [
            self._line(name_of(group), group.totals, self._palette.text, share)
            for group, share in zip(groups, shares, strict=True)
        ]

    def total(self, totals: Totals) -> Strip:
        """What they sum up to."""
        return self._line("total", totals, self._palette.strong)

    def _line(self, name: str, totals: Totals, style: Style, share: str = "") -> Strip:
        palette = self._palette
        numbers = self._cells(_numbers(totals))
        return strip_of([(fit(name, self._name), style), (numbers, style), (" " * _GAP, style), (share, palette.info)])

    def _cells(self, texts: list[str]) -> str:
        return "".join(fit_right(text, size) for text, (_, size) in zip(texts, _COLUMNS, strict=True))


def _numbers(totals: Totals) -> list[str]:
    taken_in = totals.input + totals.cache_read + totals.cache_write
    return [cost_text(totals), count_text(taken_in), count_text(totals.output), count_text(totals.turns)]
