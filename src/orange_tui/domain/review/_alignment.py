"""Which lines of two texts are the same ones, in time that grows with their length and not with its square.

Equal lines at both ends first, then lines that stand once in either text and in the same order (as in a patience diff),
then what is between them in the same way. Small rests are compared completely; a big rest without such lines counts as
rewritten. What is compared here was written by an agent, so no text may take long.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Pair = tuple[int, int]
    Range = tuple[int, int, int, int]  # of one text, then of the other

_MOST_COMPARISONS = 4_096  # of a rest that is compared completely
_MOST_ROUNDS = 12


def align(one: Sequence[str], other: Sequence[str]) -> list[Pair]:
    """Pairs of places with equal lines; both numbers rise from pair to pair."""
    found: list[Pair] = []
    rest = [(0, len(one), 0, len(other))]
    for _ in range(_MOST_ROUNDS):
        later: list[Range] = []
        for part in rest:
            middle = _strip_ends(one, other, part, found)
            if (middle[1] - middle[0]) * (middle[3] - middle[2]) <= _MOST_COMPARISONS:
                found.extend(_longest_common(one, other, middle))
            else:
                later.extend(_between(middle, _anchors(one, other, middle), found))
        rest = later
    return sorted(found)


def _strip_ends(one: Sequence[str], other: Sequence[str], part: Range, found: list[Pair]) -> Range:
    begin, end, its_begin, its_end = part
    while begin < end and its_begin < its_end and one[begin] == other[its_begin]:
        found.append((begin, its_begin))
        begin, its_begin = begin + 1, its_begin + 1
    while begin < end and its_begin < its_end and one[end - 1] == other[its_end - 1]:
        end, its_end = end - 1, its_end - 1
        found.append((end, its_end))
    return begin, end, its_begin, its_end


def _longest_common(one: Sequence[str], other: Sequence[str], part: Range) -> Iterator[Pair]:
    begin, end, its_begin, its_end = part
    height, width = end - begin, its_end - its_begin
    lengths = [[0] * (width + 1) for _ in range(height + 1)]
    for row in range(height - 1, -1, -1):
        line, mine, below = one[begin + row], lengths[row], lengths[row + 1]
        for column in range(width - 1, -1, -1):
            is_equal = line == other[its_begin + column]
            mine[column] = below[column + 1] + 1 if is_equal else max(below[column], mine[column + 1])
    row = column = 0
    while row < height and column < width:
        if one[begin + row] == other[its_begin + column]:
            yield begin + row, its_begin + column
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1


def _anchors(one: Sequence[str], other: Sequence[str], part: Range) -> list[Pair]:
    """Lines that stand once in either part: as many as can be had in the same order."""
    begin, end, its_begin, its_end = part
    counts, its_counts = Counter(one[begin:end]), Counter(other[its_begin:its_end])
    places = {other[place]: place for place in range(its_begin, its_end) if its_counts[other[place]] == 1}
    pairs = [
        (place, places[one[place]]) for place in range(begin, end) if counts[one[place]] == 1 and one[place] in places
    ]
    tails: list[
        int
    ] = []  # the smallest end of a rising row of each length, the pair it is of, and that pair's predecessor
    tail_pairs: list[int] = []
    before: list[int | None] = []
    for number, (_, place) in enumerate(pairs):
        length = bisect_left(tails, place)
        tails[length : length + 1] = [place]
        tail_pairs[length : length + 1] = [number]
        before.append(tail_pairs[length - 1] if length else None)
    chosen: list[Pair] = []
    last = tail_pairs[-1] if tail_pairs else None
    while last is not None:
        chosen.append(pairs[last])
        last = before[last]
    return chosen[::-1]


def _between(part: Range, anchors: Sequence[Pair], found: list[Pair]) -> Iterator[Range]:
    begin, end, its_begin, its_end = part
    if not anchors:
        return
    found.extend(anchors)
    for place, its_place in (*anchors, (end, its_end)):
        if begin < place and its_begin < its_place:
            yield begin, place, its_begin, its_place
        begin, its_begin = place + 1, its_place + 1
