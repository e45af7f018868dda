"""On which lines of a list its rows are: each has one, some have a second, and some have a heading above.

The row under the cursor may have a line more than it has else. All others keep their height while the rows are the
same, so moving the cursor in a list of ten thousand moves nothing but what is below it.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class LineLayout:
    """Where rows begin and end. `tall`: whether each has a second line anyway; `headed`: those under a heading."""

    def __init__(self, tall: Sequence[bool] = (), headed: Collection[int] = ()) -> None:
        self._heights = [2 if is_tall else 1 for is_tall in tall]
        for place in headed:
            self._heights[place] += 1
        self._headed = headed
        self._starts = list(accumulate(self._heights, initial=0))
        self.cursor = 0
        self.extra = 0  # lines that the cursor adds to its row

    def put_cursor(self, place: int, *, has_second_line: bool) -> None:
        """Put the cursor on a row, which now has a second line or none."""
        self.cursor = place
        if place < len(self._heights):
            self.extra = 1 + has_second_line + (place in self._headed) - self._heights[place]

    @property
    def lines(self) -> int:
        """How many there are without what the cursor adds."""
        return self._starts[-1]

    def start(self, place: int) -> int:
        """The first line of a row, or of the heading above it."""
        return self._starts[place] + (self.extra if place > self.cursor else 0)

    def height(self, place: int) -> int:
        """How many lines a row has, with its heading."""
        return self._heights[place] + (self.extra if place == self.cursor else 0)

    def place_at(self, line: int) -> int:
        """Whose line this is; the place after the last row's if nobody's."""
        place = bisect_right(self._starts, line) - 1
        if place <= self.cursor:
            return place
        return max(self.cursor, bisect_right(self._starts, line - self.extra) - 1)

    def part_at(self, line: int) -> tuple[int, int]:
        """Whose line this is, and which: -1 for the heading, 0 for the row itself, 1 for what stands below it."""
        place = self.place_at(line)
        if place >= len(self._heights):
            return place, 0
        return place, line - self.start(place) - (1 if place in self._headed else 0)
