"""What changed between two forms of a file's diff: the one that the person has seen, and the one of now.

Both are compared line by line, and what comes out reads as any diff: a line that the branch no longer adds is removed,
a line that it no longer removes is back, and what was seen already is context. Nothing but the two diffs is needed: the
commits of the first may be gone, and what a rebase brought in around the changes is nobody's news.
"""

from __future__ import annotations

from itertools import chain, groupby, pairwise, takewhile
from typing import NamedTuple

from orange_tui.domain.records import record
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


class _Line(NamedTuple):  # there are very many of them
    sign: str
    text: str
    hunk: int
    base: int | None  # its number in the file that the branch began with
    place: int | None  # its number in the file as the branch has it


class _Row(NamedTuple):
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
    pairs = _aligned(before, after, _at_same_place(then, now))
    gone = {begin: range(begin, end) for begin, end in _gone(before, pairs)}
    told = set(chain.from_iterable(gone.values()))
    rows: list[list[_Row]] = [[] for _ in range(len(now) + 1)]
    back: list[list[Hunk]] = [[] for _ in rows]  # by the hunk of now that it stood before
    begin = its_begin = 0
    where = (-1, 0)  # the hunks of the last pair
    for one, other in (*pairs, (len(before), len(after))):
        to = after[other].hunk if other < len(after) else len(now)
        back[to] += [_taken_back(before, gone[number]) for number in range(begin, one) if number in gone]
        for number, line in enumerate(before[begin:one], begin):
            if line.sign == "+" and number not in told:
                rows[where[1] if line.hunk == where[0] else to].append(_Row("-", line.text, line.place, None))
        for line in after[its_begin:other]:
            rows[line.hunk].append(_Row(line.sign, line.text, None, line.place))
        for mine, its in zip(before[one : one + 1], after[other : other + 1], strict=True):
            rows[to].append(_Row(_SIGNS[mine.sign, its.sign], its.text, mine.place, its.place))
            where = (mine.hunk, to)
        begin, its_begin = one + 1, other + 1
    found: list[NewHunk] = []
    for number, part in enumerate(rows):
        found += [NewHunk(None, hunk) for hunk in back[number]]
        found += [NewHunk(number, hunk) for hunk in _cut([row for row in part if row.sign], now[number : number + 1])]
    return found


def _gone(before: Sequence[_Line], pairs: Sequence[Pair]) -> Iterator[Pair]:
    """Where the changes begin and end that are gone from the diff: no line of theirs is in it, nor what they removed.

    Where only some lines are gone that a hunk added, and the hunk is still there, they are removed lines of that hunk.
    """
    aligned = {one for one, _ in pairs}
    hunks = {before[one].hunk for one in aligned}
    numbered = groupby(enumerate(before), key=lambda each: (each[1].hunk, each[1].sign != " "))
    for (hunk, is_change), group in numbered:
        numbers = [number for number, _ in group]
        removes = any(before[number].sign == "-" for number in numbers)
        if is_change and aligned.isdisjoint(numbers) and (removes or hunk not in hunks):
            yield numbers[0], numbers[-1] + 1


def _lines(hunks: Sequence[Hunk]) -> Iterator[_Line]:
    for number, hunk in enumerate(hunks):
        base, place = hunk.old_start, hunk.new_start
        last: _Line | None = None
        for line in hunk.lines:
            if line[:1] == "\\" and last is not None:
                last = last._replace(text=f"{last.text}\n{line}")
                continue
            if last is not None:
                yield last
            sign = line[:1] if line[:1] in {"+", "-"} else " "
            last = _Line(sign, line[1:], number, None if sign == "+" else base, None if sign == "-" else place)
            base, place = base + (sign != "+"), place + (sign != "-")
        if last is not None:
            yield last


def _aligned(before: Sequence[_Line], after: Sequence[_Line], same_place: set[Pair]) -> list[Pair]:
    """Lines that are the same in both: those the branch began with, then those it adds, then whatever is left.

    A line that is added elsewhere now is not the same one: only hunks that have a line of the beginning in common, or
    are known to be at the same place, have others in common.
    """
    pairs = _same_base(before, after)
    if pairs is None:
        pairs = _with_gaps_filled([], before, after, " -")
    together = same_place | {(before[one].hunk, after[other].hunk) for one, other in pairs}
    for signs in ("+", " -+"):
        filled = _with_gaps_filled(pairs, before, after, signs)
        pairs = [each for each in filled if (before[each[0]].hunk, after[each[1]].hunk) in together]
    return pairs


def _at_same_place(then: Sequence[Hunk], now: Sequence[Hunk]) -> set[Pair]:
    """Hunks without any line that the branch began with, such as that of a new file: where they begin must do."""
    places = {hunk.old_start: number for number, hunk in enumerate(then) if _only_adds(hunk)}
    return {
        (places[hunk.old_start], number)
        for number, hunk in enumerate(now)
        if hunk.old_start in places and _only_adds(hunk)
    }


def _only_adds(hunk: Hunk) -> bool:
    return all(line[:1] in {"+", "\\"} for line in hunk.lines)


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


def _taken_back(before: Sequence[_Line], change: range) -> Hunk:
    """A change that is not in the diff any more, read backwards; nobody knows where in the file that was."""
    turned = {"+": "-", "-": "+", " ": " "}
    hunk = before[change.start].hunk
    first, last = max(0, change.start - _CONTEXT_LINES), change.stop + _CONTEXT_LINES
    above = [*takewhile(lambda line: (line.hunk, line.sign) == (hunk, " "), reversed(before[first : change.start]))]
    below = takewhile(lambda line: (line.hunk, line.sign) == (hunk, " "), before[change.stop : last])
    lines = (*reversed(above), *before[change.start : change.stop], *below)
    return Hunk("@@ no longer changed @@", _printed([f"{turned[line.sign]}{line.text}" for line in lines]))


def _printed(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines as git prints them, the mark of a missing line end in a line of its own."""
    return tuple(each for line in lines for each in line.split("\n"))


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
    now = next((row.now for row in rows[begin:] if row.now is not None), None)
    if now is None:
        now = next((row.now + 1 for row in reversed(rows[:begin]) if row.now is not None), origin.new_start)
    then = next(
        (row.then - sum(each.sign != "+" for each in part[:number]) for number, row in enumerate(part) if row.then), now
    )
    old, new = (sum(row.sign in {" ", sign} for row in part) for sign in "-+")
    section = origin.header.partition("@@")[2].partition("@@")[2]
    lines = _printed([f"{row.sign}{row.text}" for row in part])
    return Hunk(f"@@ -{then},{old} +{now},{new} @@{section}", lines, max(0, then), now)
