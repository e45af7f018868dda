"""What two have made of one text, put together line by line; lines that both have changed are there twice, marked."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from orange_tui.domain.records import record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Lines = Sequence[str]
    Stretch = tuple[int, int, int, int]  # where it begins and ends in the base, and where it begins in the two others

MINE, BETWEEN, THEIRS = "<<<<<<< yours", "=======", ">>>>>>> written meanwhile"


@record
class MergedText:
    """The text, and whether the same lines were changed on both sides."""

    text: str
    has_conflict: bool


def merge_text(base: str, mine: str, theirs: str) -> MergedText:
    """Both sides' changes to the base."""
    texts = [text.splitlines(keepends=True) for text in (base, mine, theirs)]
    merged: list[str] = []
    has_conflict = False
    begin = (0, 0, 0)
    for start, end, in_mine, in_theirs in _common_stretches(*texts):
        before, own, other = (
            text[first:last] for text, first, last in zip(texts, begin, (start, in_mine, in_theirs), strict=True)
        )
        if own in (before, other):
            merged += other
        elif other == before:
            merged += own
        else:
            has_conflict = True
            merged += _marked(own, other)
        merged += texts[0][start:end]
        begin = (end, in_mine + end - start, in_theirs + end - start)
    return MergedText("".join(merged), has_conflict)


def find_mark(text: str) -> int | None:
    """The number of the first line that still has a mark of ours."""
    lines = enumerate(text.splitlines(), start=1)
    return next((number for number, line in lines if line in {MINE, THEIRS}), None)


def _marked(own: Lines, other: Lines) -> list[str]:
    parts = (f"{MINE}\n", *own, f"{BETWEEN}\n", *other, f"{THEIRS}\n")
    return [part if part.endswith("\n") else f"{part}\n" for part in parts]


def _common_stretches(base: Lines, mine: Lines, theirs: Lines) -> Iterator[Stretch]:
    """The stretches of the base that both have left as they are, in order; the last one is the empty end of all."""
    ours = SequenceMatcher(None, base, mine, autojunk=False).get_matching_blocks()
    others = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    one = other = 0
    while one < len(ours) and other < len(others):
        a, b = ours[one], others[other]
        start, end = max(a.a, b.a), min(a.a + a.size, b.a + b.size)
        if start < end:
            yield start, end, a.b + start - a.a, b.b + start - b.a
        if a.a + a.size < b.a + b.size:
            one += 1
        else:
            other += 1
    yield len(base), len(base), len(mine), len(theirs)
