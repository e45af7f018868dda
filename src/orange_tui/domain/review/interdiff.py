"""What changed between two forms of a file's diff: the one that the person has seen, and the one of now.

Both are compared line by line, and what comes out reads as any diff: a line that the branch no longer adds is removed,
a line that it no longer removes is back, and what was seen already is context. Nothing but the two diffs is needed: the
commits of the first may be gone, and what a rebase brought in around the changes is nobody's news.
"""

from __future__ import annotations

from itertools import pairwise

from orange_tui.domain.records import record, replace
from orange_tui.domain.review._alignment import align
from orange_tui.domain.review.diff import Hunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Pair = tuple[int, int]

_CONTEXT_LINES = 3

# What a line was in the diff that was seen, what it is now, and what it is in the diff between the two.
_SIGNS = {
    (" ", " "): " ", ("+", "+"): " ", ("+", " "): " ", (" ", "+"): " ", ("-", "-"): "",
    (" ", "-"): "-", ("+", "-"): "-", ("-", " "): "+", ("-", "+"): "+",
}  # fmt: skip


@record
class NewHunk:
    """What is new in one hunk: its number in the diff of now, None where all of it is gone from there."""

    number: int | None
    hunk: Hunk


@record
class _Line:
    sign: str
    text: str
    hunk: int
    base: int | None  # its number in the file that the branch began with
    place: int | None  # its number in the file as the branch has it


@record
class _Row:
    """A line of the result, with its number in the file as it was seen, and as it is."""

    sign: str
    text: str
    then: int | None
    now: int | None


def are_comparable(hunks: Sequence[Hunk]) -> bool:
    """Whether these are changes of lines against one parent: no conflict, and no words about a submodule."""
    return all(hunk.parents == 1 and hunk.header for hunk in hunks)


def interdiff(then: Sequence[Hunk], now: Sequence[Hunk]) -> list[NewHunk]:
    """What is new, hunk by hunk, in the order of the file; empty where only the surroundings changed."""
    before, after = list(_lines(then)), list(_lines(now))
    pairs = _aligned(before, after)
    still = {before[one].hunk for one, _ in pairs}
    rows: dict[int, list[_Row]] = {number: [] for number in range(len(now))}
    gone: dict[int, list[int]] = {}  # hunks of then, by the hunk of now that they stood before
    begin = its_begin = 0
    where = (-1, 0)  # the hunks of the last pair
    for one, other in (*pairs, (len(before), len(after))):
        to = after[other].hunk if other < len(after) else len(now)
        for line in before[begin:one]:
            if line.hunk not in still:
                gone.setdefault(to, []).append(line.hunk)
            elif line.sign == "+":
                rows[where[1] if line.hunk == where[0] else to].append(_Row("-", line.text, line.place, None))
        for line in after[its_begin:other]:
            rows[line.hunk].append(_Row(line.sign, line.text, None, line.place))
        if one < len(before):
            rows[to].extend(_both(before[one], after[other]))
            where = (before[one].hunk, to)
        begin, its_begin = one + 1, other + 1
    found: list[NewHunk] = []
    for number in range(len(now) + 1):
        found += [NewHunk(None, _taken_back(then[each])) for each in dict.fromkeys(gone.get(number, ()))]
        found += [NewHunk(number, hunk) for hunk in _cut(rows.get(number, ()), now[number : number + 1])]
    return found


def _lines(hunks: Sequence[Hunk]) -> Iterator[_Line]:
    for number, hunk in enumerate(hunks):
        base, place = hunk.old_start, hunk.new_start
        last: _Line | None = None
        for line in hunk.lines:
            if line[:1] == "\\" and last is not None:
                last = replace(last, text=f"{last.text}\n{line}")
                continue
            if last is not None:
                yield last
            sign = line[:1] if line[:1] in {"+", "-"} else " "
            last = _Line(sign, line[1:], number, None if sign == "+" else base, None if sign == "-" else place)
            base, place = base + (sign != "+"), place + (sign != "-")
        if last is not None:
            yield last


def _aligned(before: Sequence[_Line], after: Sequence[_Line]) -> list[Pair]:
    """Lines that are the same in both: those the branch began with, then those it adds, then whatever is left."""
    pairs = _same_base(before, after)
    if pairs is None:
        pairs = _with_gaps_filled([], before, after, " -")
    return _with_gaps_filled(_with_gaps_filled(pairs, before, after, "+"), before, after, " -+")


def _same_base(before: Sequence[_Line], after: Sequence[_Line]) -> list[Pair] | None:
    """The lines with the same number in the file the branch began with; None where that is another file now."""
    places = {line.base: number for number, line in enumerate(before) if line.base is not None}
    pairs = [(places[line.base], number) for number, line in enumerate(after) if line.base in places]
    is_same = all(before[one].text == after[other].text for one, other in pairs)
    return pairs if pairs and is_same and all(one[0] < two[0] for one, two in pairwise(pairs)) else None


def _with_gaps_filled(pairs: list[Pair], before: Sequence[_Line], after: Sequence[_Line], signs: str) -> list[Pair]:
    """The pairs, and between them those of lines with these signs whose text is equal."""
    found: list[Pair] = []
    begin = its_begin = 0
    for one, other in (*pairs, (len(before), len(after))):
        if begin < one and its_begin < other:
            mine = [number for number in range(begin, one) if before[number].sign in signs]
            its = [number for number in range(its_begin, other) if after[number].sign in signs]
            inner = align([before[number].text for number in mine], [after[number].text for number in its])
            found += [(mine[place], its[its_place]) for place, its_place in inner]
        found.append((one, other))
        begin, its_begin = one + 1, other + 1
    return found[:-1]


def _both(one: _Line, other: _Line) -> Iterator[_Row]:
    sign = _SIGNS[one.sign, other.sign]
    if sign:
        yield _Row(sign, other.text, one.place, other.place)


def _taken_back(hunk: Hunk) -> Hunk:
    """A hunk that is not in the diff any more, read backwards; nobody knows where in the file that was."""
    turned = {"+": "-", "-": "+"}
    return Hunk("@@ no longer changed @@", tuple(turned.get(line[:1], line[:1]) + line[1:] for line in hunk.lines))


def _cut(rows: Sequence[_Row], origin: Sequence[Hunk]) -> Iterator[Hunk]:
    """The changed rows with some lines around them, as hunks."""
    changed = [number for number, row in enumerate(rows) if row.sign != " "]
    begin = end = 0
    for number in changed:
        if number - _CONTEXT_LINES > end and end:
            yield _hunk(rows, begin, end, origin[0])
            begin = end = 0
        begin = begin if end else max(0, number - _CONTEXT_LINES)
        end = min(len(rows), number + _CONTEXT_LINES + 1)
    if end:
        yield _hunk(rows, begin, end, origin[0])


def _hunk(rows: Sequence[_Row], begin: int, end: int, origin: Hunk) -> Hunk:
    part = rows[begin:end]
    lines = tuple(f"{row.sign}{row.text}" for row in part)
    now = next((row.now for row in rows[begin:] if row.now is not None), None)
    if now is None:
        now = next((row.now + 1 for row in reversed(rows[:begin]) if row.now is not None), origin.new_start)
    then = next(
        (row.then - sum(each.sign != "+" for each in part[:number]) for number, row in enumerate(part) if row.then), now
    )
    old, new = (sum(row.sign in {" ", sign} for row in part) for sign in "-+")
    section = origin.header.partition("@@")[2].partition("@@")[2]
    printed = tuple(line for text in lines for line in text.split("\n"))
    return Hunk(f"@@ -{then},{old} +{now},{new} @@{section}", printed, max(0, then), now)
