"""Fingerprints of what a diff changes, by content: the same after a rebase, an amended commit or a squash.

What is remembered is a change (a run of added and removed lines) and not git's hunk, for git joins and splits hunks as
lines nearby change. Its fingerprint is made of the file, its lines and the line on either side of it: where those
differ, git does not rebase without a person either. Line numbers are no part of it. Two more parts, from more lines
before and after it, tell equal changes in one file apart; one of the two may change.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from zlib import crc32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from orange_tui.domain.review.diff import DiffFile, Hunk

_DIGEST_BYTES = 10
_AROUND_LINES = 3
_SEPARATOR = "."


def identity(file: DiffFile) -> str:
    """The name by which a file is known however often it is renamed: what it was called before the branch."""
    return file.path if file.status == "added" else file.old_path


def fingerprints(file: DiffFile) -> list[tuple[str, ...]]:
    """The fingerprints of each hunk of a file; of the file itself where it has no hunks.

    What happened to a file besides its content (a new mode, another name, a binary file) belongs to its first hunk.
    """
    prefix = f"{identity(file)}\0".encode(errors="surrogatepass")
    counted: dict[str, int] = {}
    found = [tuple(_unique(mark, counted) for mark in _of_hunk(hunk, prefix)) for hunk in file.hunks] or [()]
    if file.notes or not file.hunks:
        found[0] = (_of_header(file, prefix), *found[0])
    return found


class KnownChanges:
    """Changes of another time, to tell whether one of now was among them.

    An equal one was; so was one whose lines further around differ on one side only, if no other is equal to that.
    """

    def __init__(self, marks: Iterable[str]) -> None:
        self._marks = frozenset(marks)

    def includes(self, file: Sequence[Sequence[str]]) -> list[tuple[bool, ...]]:
        """For each change of each hunk of one file whether it was there."""
        if not self._marks:
            return [(False,) * len(hunk) for hunk in file]
        new = {mark for hunk in file for mark in hunk if mark not in self._marks}
        if new:
            new -= self._similar(new, {mark for hunk in file for mark in hunk})
        return [tuple(mark not in new for mark in hunk) for hunk in file]

    def matching(self, marks: Iterable[str]) -> frozenset[str]:
        """Those of the other time that stand for these: equal ones, and those that are similar to the others."""
        named = set(marks)
        wanted = {side for mark in named - self._marks for side in _sides(mark)}
        return frozenset(mark for mark in self._marks if mark in named or wanted.intersection(_sides(mark)))

    def _similar(self, new: set[str], now: set[str]) -> set[str]:
        """Those not among ours that are like one which has no equal now; each of ours stands for one."""
        found: set[str] = set()
        taken: set[str] = set()
        left: dict[str, list[str]] = {}
        for mark in sorted(new):
            for side in _sides(mark):
                if side not in left:
                    left[side] = [each for each in self._by_side.get(side, ()) if each not in now]
                while left[side] and left[side][-1] in taken:
                    left[side].pop()
                if left[side]:
                    taken.add(left[side].pop())
                    found.add(mark)
                    break
        return found

    @cached_property
    def _by_side(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for mark in sorted(self._marks, reverse=True):
            for side in _sides(mark):
                found.setdefault(side, []).append(mark)
        return found


def _sides(mark: str) -> tuple[str, ...]:
    """A change with the lines before it, and with the lines after it."""
    digest, *around = mark.split(_SEPARATOR)
    return (f"{digest}<{around[0]}", f"{digest}>{around[1]}") if around[1:] else ()


def _unique(mark: str, counted: dict[str, int]) -> str:
    """The same again, a number added: equal changes among equal lines are told apart by their order."""
    counted[mark] = count = counted.get(mark, 0) + 1
    return mark if count == 1 else f"{mark}{_SEPARATOR}{count}"


def _of_header(file: DiffFile, prefix: bytes) -> str:
    return _mark(prefix, (file.status, file.blob, *file.notes))


def _of_hunk(hunk: Hunk, prefix: bytes) -> Iterator[str]:
    lines = hunk.lines
    if hunk.parents != 1 or not hunk.header:  # of several parents, or no content of a file: all of it is one change
        yield _mark(prefix, lines)
        return
    for begin, end in changes(lines):
        before = lines[begin - 1] if begin else ""
        after = lines[end] if end < len(lines) else ""
        around = (lines[max(0, begin - _AROUND_LINES) : begin], lines[end : end + _AROUND_LINES])
        yield _mark(prefix, (before, *lines[begin:end], after), *around)


def changes(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where each run of added and removed lines begins and ends; the mark of a missing line end belongs to its line."""
    begin = None
    for number, line in enumerate(lines):
        sign = line[:1]
        if sign in {"+", "-"}:
            begin = number if begin is None else begin
        elif sign != "\\" and begin is not None:
            yield begin, number
            begin = None
    if begin is not None:
        yield begin, len(lines)


def _mark(prefix: bytes, lines: Iterable[str], *around: Iterable[str]) -> str:
    content = hashlib.blake2b(prefix + _bytes(lines), digest_size=_DIGEST_BYTES).hexdigest()
    return _SEPARATOR.join([content, *[f"{crc32(_bytes(each)):x}" for each in around]])


def _bytes(lines: Iterable[str]) -> bytes:
    return "\n".join(lines).encode(errors="surrogatepass")
