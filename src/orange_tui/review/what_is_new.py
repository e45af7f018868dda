"""How far the person is through a diff, and only what is new in it since they last looked.

A hunk is viewed when everything in it was marked. New is what was not there at the last look and has not been marked
since; of a file that was there in another form, what changed between the two forms (`domain/review/interdiff.py`), and
not what was seen already. Takes its time with a big diff: call it off the event loop.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import chain

from orange_tui.domain.records import record
from orange_tui.domain.review.diff import DiffFile, Hunk
from orange_tui.domain.review.hunks import KnownChanges, fingerprints, identity
from orange_tui.domain.review.interdiff import NewHunk, are_comparable, interdiff
from orange_tui.review._moved_files import moved_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orange_tui.review.viewed_file import SeenFile, Viewed

    Place = tuple[int, int]  # of a file in the diff, and of a hunk in that file

_NO_CONTENT = Hunk("", ())  # stands for what happened to a file besides its content


@record
class _NewFile:
    """A file as it is shown when only what is new is, and the places of its hunks in the whole diff."""

    file: DiffFile
    places: tuple[Place | None, ...]


@record
class Review:
    """A diff as the person finds it. Its things to view are hunks, and files without any."""

    fingerprints: tuple[tuple[tuple[str, ...], ...], ...]  # of each hunk of each file
    flags: tuple[tuple[bool, ...], ...]  # whether each hunk of each file is viewed
    news: tuple[_NewFile, ...]
    has_looked: bool

    @classmethod
    def of(cls, files: Sequence[DiffFile], viewed: Viewed) -> Review:
        """The review of a diff by somebody who has viewed this."""
        marks = tuple(tuple(fingerprints(file)) for file in files)
        known, fresh = KnownChanges(viewed.marks), KnownChanges(viewed.fresh())
        flags = tuple(tuple(map(all, known.includes(each))) for each in marks)
        news = tuple(_News(files, marks, fresh, viewed.files).found())
        return cls(marks, flags, news, bool(viewed.looked_at))

    @property
    def total(self) -> int:
        """How much there is to view."""
        return sum(map(len, self.flags))

    @property
    def viewed(self) -> int:
        """How much of it is viewed."""
        return sum(map(sum, self.flags))

    @property
    def new(self) -> int:
        """How much is new: as much as `only_new` has to show."""
        return sum(len(each.places) for each in self.news)

    def is_viewed(self, file_index: int, hunk_index: int) -> bool:
        """Whether a hunk is; a file without hunks has one thing to view, its first."""
        return self.flags[file_index][hunk_index]

    def marks(self, file_index: int, hunk_index: int) -> tuple[str, ...]:
        """What to mark when the person has viewed a hunk."""
        return self.fingerprints[file_index][hunk_index]

    def only_new(self) -> list[DiffFile]:
        """The files with only what is new."""
        return [each.file for each in self.news]

    def origin(self, file_index: int, hunk_index: int) -> Place | None:
        """Where a hunk of `only_new` stands in the whole diff; None when it is there no more."""
        return self.news[file_index].places[hunk_index]


class _News:
    """The search for what is new, file by file."""

    def __init__(
        self,
        files: Sequence[DiffFile],
        marks: Sequence[Sequence[tuple[str, ...]]],
        fresh: KnownChanges,
        seen: Sequence[SeenFile],
    ) -> None:
        self._files, self._marks, self._fresh = files, marks, fresh
        by_name: dict[str, list[SeenFile]] = defaultdict(list)  # of one name there are two where its type changed
        for each in reversed(seen):
            by_name[each.name].append(each)
        self._before = {
            number: before.pop() for number, file in enumerate(files) if (before := by_name[identity(file)])
        }
        self._gone = [*chain.from_iterable(by_name.values())]
        new = {number: file for number, file in enumerate(files) if number not in self._before}
        self._before |= moved_files(new, self._gone)

    def found(self) -> Iterator[_NewFile]:
        for number, file in enumerate(self._files):
            before = self._before.get(number)
            news = self._of_file(file, self._marks[number], before)
            if news:
                moved = (f"was {before.path} when you looked",) if before and before.name != identity(file) else ()
                yield _new_file(number, replace(file, notes=(*moved, *file.notes)), news)
        left = {id(each) for each in self._before.values()}
        for gone in self._gone:
            if id(gone) not in left:
                yield _NewFile(DiffFile(gone.path, gone.path, "modified", (), 0, 0, ("no longer changed",)), (None,))

    def _of_file(self, file: DiffFile, marks: Sequence[tuple[str, ...]], before: SeenFile | None) -> list[NewHunk]:
        if before is not None and before.fingerprints == tuple(chain.from_iterable(marks)):
            return []
        fresh = [all(each) for each in self._fresh.includes(marks)]
        whole = [NewHunk(number, hunk) for number, hunk in enumerate(file.hunks or [_NO_CONTENT]) if not fresh[number]]
        if before is None:
            return whole
        known = KnownChanges(before.fingerprints).includes(marks)
        if all(map(all, known)) and sum(map(len, marks)) == len(before.fingerprints):
            return []
        seen = before.hunks()
        if not seen or not are_comparable(file.hunks):
            return [each for each in whole if not all(known[each.number or 0])]
        news = [each for each in interdiff(seen, file.hunks) if each.number is None or not fresh[each.number]]
        has_header = bool(file.notes or not file.hunks) or before.name != identity(file)
        return news or ([NewHunk(0, _NO_CONTENT)] if has_header and not (known[0][0] or fresh[0]) else [])


def _new_file(number: int, file: DiffFile, news: Sequence[NewHunk]) -> _NewFile:
    hunks = tuple(each.hunk for each in news if each.hunk is not _NO_CONTENT)
    places = tuple(None if each.number is None else (number, each.number) for each in news)
    if hunks == file.hunks:
        return _NewFile(file, places)
    added, removed = (sum(line.startswith(sign) for hunk in hunks for line in hunk.lines) for sign in "+-")
    return _NewFile(replace(file, hunks=hunks, added=added, removed=removed), places)
