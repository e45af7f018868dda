"""Threads at the lines where their code is now, for all threads of a task at once: each file is read once.

A file that was renamed is found by the diff, one that was moved otherwise by the code that is quoted. A thread whose
code is not there is outdated, stays where it was, and comes back to life when the code does.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import replace
from orange_tui.domain.review.anchor import CodeLines, place, plain_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from orange_tui.domain.review.diff import DiffFile
    from orange_tui.domain.review.thread import Thread
    from orange_tui.review.threads_file import ThreadsFile


def relocated(
    threads: Sequence[Thread], files: Sequence[DiffFile], read_file: Callable[[str], str]
) -> tuple[Thread, ...]:
    """The threads where their code is now; one that has not moved is the same object.

    `read_file` gives the text of a file of the branch as it is now, and raises NotFound where there is none. Another
    error says nothing about the code: those threads stay as they are.
    """
    code = _Code(files, read_file)
    by_file: dict[tuple[str, str], list[Thread]] = defaultdict(list)
    for thread in threads:
        if thread.path:
            by_file[thread.path, thread.side].append(thread)
    found = {each.id: each for (path, side), group in by_file.items() for each in code.placed(path, side, group)}
    return tuple(found.get(thread.id, thread) for thread in threads)


def relocate(file: ThreadsFile, files: Sequence[DiffFile], read_file: Callable[[str], str]) -> tuple[Thread, ...]:
    """The stored threads at their places of now; written only if one moved, and over nothing that came meanwhile."""
    before = file.read()
    moved = {
        one.id: (one, other)
        for one, other in zip(before, relocated(before, files, read_file), strict=True)
        if one is not other
    }
    if not moved:
        return before

    def change(threads: tuple[Thread, ...]) -> Iterator[Thread]:
        for thread in threads:
            then, now = moved.get(thread.id, (thread, thread))
            yield replace(thread, **_where(now)) if _where(thread) == _where(then) else thread

    return file.change(change)


def _where(thread: Thread) -> dict[str, Any]:
    return {name: getattr(thread, name) for name in ("path", "line", "end_line", "outdated")}


class _Code:
    """The code of a branch as it is now, read when it is asked for."""

    def __init__(self, files: Sequence[DiffFile], read_file: Callable[[str], str]) -> None:
        self._files = {file.path: file for file in files}
        self._renamed = {file.old_path: file.path for file in files if file.status != "added"}
        self._read_file = read_file
        self._read: dict[str, CodeLines | None] = {}

    def placed(self, path: str, side: str, threads: Sequence[Thread]) -> Sequence[Thread]:
        """These threads of one file, at their places of now."""
        try:
            return [*self._placed(path, side, threads)]
        except OrangeError:
            return threads

    def _placed(self, path: str, side: str, threads: Sequence[Thread]) -> Iterator[Thread]:
        left = sorted(threads, key=lambda each: -len(each.quote))  # long quotes are found with more certainty
        for now in dict.fromkeys((path, self._renamed.get(path, path))):
            code = self._new_lines(now) if side == "new" else self._old_lines(now)
            lost = []
            moves: list[tuple[int, int]] = []  # where code was, and by how much it has moved
            for thread in left:
                found = _place(thread, code, moves)
                if thread.line is None and (code is not None or now in self._files):
                    yield _changed(thread, path=now, outdated=False)
                elif found is not None:
                    moves.append((thread.line or 0, found[0] - (thread.line or 0)))
                    yield _at(thread, now, found)
                else:
                    lost.append(thread)
            left = lost
        yield from map(self._elsewhere, left)

    def _elsewhere(self, thread: Thread) -> Thread:
        """A thread whose file is gone, in the one file of the diff that has its code."""
        is_gone = thread.side == "new" and self._new_lines(thread.path) is None
        found = []
        for path in self._with_line.get(thread.quote.partition("\n")[0], ()) if is_gone else ():
            lines = _place(thread, self._new_lines(path), [])
            if lines is not None:
                found.append((path, lines))
        return _at(thread, *found[0]) if len(found) == 1 else _changed(thread, outdated=True)

    def _new_lines(self, path: str) -> CodeLines | None:
        if path not in self._read:
            try:
                text = self._read_file(path)
            except NotFound:
                self._read[path] = None
            else:
                self._read[path] = CodeLines(text.split("\n"))
        return self._read[path]

    def _old_lines(self, path: str) -> CodeLines | None:
        """What the diff shows of a file as it was before the branch."""
        file = self._files.get(path)
        if file is None:
            return None
        numbers, lines = [], []
        for hunk in file.hunks:
            number = hunk.old_start
            for line in hunk.lines if hunk.parents == 1 else ():
                if line[:1] in {" ", "-"}:
                    numbers.append(number)
                    lines.append(line[1:])
                    number += 1
        return CodeLines(lines, numbers)

    @cached_property
    def _with_line(self) -> dict[str, set[str]]:
        """The files in whose diff a line stands."""
        found: dict[str, set[str]] = defaultdict(set)
        for file in self._files.values():
            for hunk in file.hunks:
                for line in hunk.lines:
                    if line[:1] != "-":
                        found[plain_line(line[1:])].add(file.path)
        return found


def _place(thread: Thread, code: CodeLines | None, moves: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    line = thread.line
    if line is None or code is None:
        return None
    shift = min(moves, key=lambda move: abs(move[0] - line), default=(0, 0))[1]
    found = place(thread.quote, line, thread.end_line, code, shift)
    return place(thread.quote, line, thread.end_line, code) if found is None and shift else found


def _at(thread: Thread, path: str, lines: tuple[int, int]) -> Thread:
    end = None if thread.end_line is None else lines[1]
    return _changed(thread, path=path, line=lines[0], end_line=end, outdated=False)


def _changed(thread: Thread, **values: object) -> Thread:
    same = all(getattr(thread, name) == value for name, value in values.items())
    return thread if same else replace(thread, **values)
