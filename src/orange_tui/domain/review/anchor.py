"""Where the code that a comment quotes is now: after commits, rebases and other people's lines above it.

The nearest place with exactly these lines, else with the same lines but for white space. A place whose text differs is
never given. Where several places would do, only a near one is believed, for the quoted lines themselves may be gone.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from orange_tui.domain.review.thread import MAX_QUOTE_CHARACTERS
from orange_tui.domain.text.quoting import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Bounds = tuple[dict[str, int], dict[str, int]]  # the first and the last place of each line

# How far away code is believed to be the one that was quoted: by how many letters and digits are in it, for the only
# place there is, and for one of several.
_REACH = ((15, 1_000_000, 30), (4, 100, 20), (0, 5, 3))
_MOST_CANDIDATES = 2_000
_GAP = "\0"  # no line of code that is quoted


class CodeLines:
    """Lines of a file with their numbers, looked up by their text; those of a diff have gaps between them."""

    def __init__(self, lines: Sequence[str], numbers: Sequence[int] | None = None) -> None:
        self.numbers: Sequence[int] = range(1, len(lines) + 1)
        self.exact = _plain_lines(lines)
        if numbers:
            self._put_gaps_between(numbers)

    def _put_gaps_between(self, numbers: Sequence[int]) -> None:
        gapless: list[str] = []
        places: list[int] = []
        for number, line in zip(numbers, self.exact, strict=True):
            if places and number != places[-1] + 1:
                gapless.append(_GAP)
                places.append(places[-1])
            gapless.append(line)
            places.append(number)
        self.numbers, self.exact = places, gapless

    @cached_property
    def without_space(self) -> list[str]:
        """The lines as they compare when white space does not matter."""
        return ["".join(line.split()) for line in self.exact]

    @cached_property
    def _exact_bounds(self) -> Bounds:
        return _bounds(self.exact)

    @cached_property
    def _loose_bounds(self) -> Bounds:
        return _bounds(self.without_space)

    def find(self, quote: Sequence[str], near: int, *, loosely: bool) -> list[int]:
        """The indices at which these lines stand, those near a line if there are very many."""
        lines = self.without_space if loosely else self.exact
        bounds = self._loose_bounds if loosely else self._exact_bounds
        wanted = ["".join(line.split()) for line in quote] if loosely else list(quote)
        candidates = _nearest(_places(wanted[0], lines, bounds), self.index_of(near))
        return [place for place in candidates if lines[place : place + len(wanted)] == wanted]

    def index_of(self, number: int) -> int:
        """The index of a line, or of the next one there is."""
        return bisect_left(self.numbers, number)


def place(quote: str, line: int, end_line: int | None, code: CodeLines, shift: int = 0) -> tuple[int, int] | None:
    """The first and last line of the quoted code now; None where it is not there, or could be in several places.

    `shift` is by how much code nearby has moved. A quote that says nothing is taken to be where it was.
    """
    length = max(1, (end_line or line) - line + 1)
    wanted = quote.split("\n")
    near = line + shift
    if not quote or (len(wanted) != length and len(quote) < MAX_QUOTE_CHARACTERS):
        return _unchecked(line, length, code)
    is_cut = len(quote) >= MAX_QUOTE_CHARACTERS
    if is_cut and len(wanted) > 1:
        wanted = wanted[:-1]  # the last line may not be all there
    for loosely in (False, True):
        found = code.find(wanted, near, loosely=loosely)
        if found:
            index = _choose(found, code, near, sum(map(str.isalnum, quote)))
            return None if index is None else _lines(index, length, code)
    return None


def _plain_lines(lines: Sequence[str]) -> list[str]:
    """Lines of code as quotes have them: those of nearly every file are so already, and asked all together."""
    if all(map(str.isprintable, lines)) and max(map(len, lines), default=0) <= MAX_QUOTE_CHARACTERS:
        return list(lines)
    return [*map(plain_line, lines)]


def plain_line(line: str) -> str:
    """A line of code as a quote has it."""
    if line.isprintable() and len(line) <= MAX_QUOTE_CHARACTERS:
        return line
    return plain(line.removesuffix("\r"))[:MAX_QUOTE_CHARACTERS].replace("\n", _GAP)


def _bounds(lines: Sequence[str]) -> Bounds:
    """Between which places each line stands. A list for each line would be a hundred thousand in a big review."""
    places = range(len(lines))
    return dict(zip(reversed(lines), reversed(places), strict=True)), dict(zip(lines, places, strict=True))


def _places(line: str, lines: Sequence[str], bounds: Bounds) -> list[int]:
    """Every place where a line stands: most stand at one."""
    firsts, lasts = bounds
    if line not in firsts:
        return []
    first, last = firsts[line], lasts[line]
    return [first] if first == last else [place for place in range(first, last + 1) if lines[place] == line]


def _nearest(places: list[int], index: int) -> list[int]:
    """The places, and no more of them than can be looked at: those around an index."""
    if len(places) <= _MOST_CANDIDATES:
        return places
    middle = bisect_left(places, index)
    begin = max(0, middle - _MOST_CANDIDATES // 2)
    return places[begin : begin + _MOST_CANDIDATES]


def _choose(found: Sequence[int], code: CodeLines, near: int, letters: int) -> int | None:
    nearest, *others = sorted(found, key=lambda index: abs(code.numbers[index] - near))
    distance = abs(code.numbers[nearest] - near)
    alone, among_others = next((alone, several) for fewest, alone, several in _REACH if letters >= fewest)
    is_ambiguous = bool(others) and abs(code.numbers[others[0]] - near) == distance
    return nearest if distance <= (among_others if others else alone) and not is_ambiguous else None


def _lines(index: int, length: int, code: CodeLines) -> tuple[int, int]:
    return code.numbers[index], code.numbers[min(index + length, len(code.numbers)) - 1]


def _unchecked(line: int, length: int, code: CodeLines) -> tuple[int, int] | None:
    last = line + length - 1
    return (line, last) if code.numbers and last <= code.numbers[-1] else None
