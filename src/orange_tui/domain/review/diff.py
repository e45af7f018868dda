"""What `git diff` prints, taken apart into files and hunks. Nothing it can print makes this fail.

A line of content always begins with a blank, `+`, `-` or a backslash, so `diff --git` or `@@` in the first column
is never content, and the whole can be cut there without following every line. The lines themselves are kept as they
came: making them safe and colourful is for the screen, one file at a time and only when somebody looks at it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise, repeat
from typing import TYPE_CHECKING

from orange_tui.domain.review._file_header import FileHeader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.review._file_header import Status

_FILE = re.compile(r"^(?=diff --(?:git|cc|combined) |Submodule |\* Unmerged path )", re.MULTILINE)
_HUNK = re.compile(r"^(?=@@)", re.MULTILINE)
_NUMBERS = re.compile(r"^(@@+) ((?:-\d+(?:,\d+)? )+)\+(\d+)")
_LONGEST_NUMBER = 9


@dataclass(frozen=True, slots=True)
class Hunk:
    """One piece of a file: git's header, where it begins, and its lines with their signs (`parents` columns)."""

    header: str
    lines: tuple[str, ...]
    old_start: int = 0
    new_start: int = 0
    parents: int = 1


@dataclass(frozen=True, slots=True)
class DiffFile:
    """What happened to one file. `notes` are sentences about what is no content: modes, copies, submodules.

    `blob` names the content that a binary file has now.
    """

    path: str
    old_path: str
    status: Status
    hunks: tuple[Hunk, ...]
    added: int
    removed: int
    notes: tuple[str, ...] = ()
    blob: str = ""


def parse_diff(text: str) -> list[DiffFile]:
    """The files of a diff, in git's order; what stands before the first is no file."""
    starts = [found.start() for found in _FILE.finditer(text)]
    return [_file(text[start:end]) for start, end in pairwise([*starts, len(text)])]


def parse_hunks(text: str) -> tuple[Hunk, ...]:
    """The hunks of one file, from what `hunks_text` made of them."""
    return tuple(_hunk(piece) for piece in _HUNK.split(text) if piece)


def hunks_text(hunks: Sequence[Hunk]) -> str:
    """Hunks as git printed them."""
    return "".join(f"{line}\n" for hunk in hunks for line in (hunk.header, *hunk.lines))


def _file(text: str) -> DiffFile:
    if not text.startswith("diff --"):
        return _special_file(text)
    head, *pieces = _HUNK.split(text)
    hunks = tuple(map(_hunk, pieces))
    fields = FileHeader(head)
    return DiffFile(
        path=fields.new or fields.old,
        old_path=fields.old or fields.new,
        status=fields.status(),
        hunks=hunks,
        added=sum(map(_count, repeat("+"), hunks, pieces)),
        removed=sum(map(_count, repeat("-"), hunks, pieces)),
        notes=tuple(fields.notes()),
        blob=fields.blob(),
    )


def _special_file(text: str) -> DiffFile:
    """A submodule in long form, or a path in conflict: one line that names it, and perhaps some more."""
    first, *rest = text.rstrip("\n").split("\n")
    name = first.removeprefix("* Unmerged path ").removeprefix("Submodule ")
    path = name if first.startswith("*") else name.rsplit(" ", 1)[0].removesuffix(" contains untracked content")
    note = "in conflict" if first.startswith("*") else first
    hunks = (Hunk("", tuple(rest)),) if rest else ()
    return DiffFile(path, path, "modified", hunks, 0, 0, (note,))


def _hunk(text: str) -> Hunk:
    header, *lines = text.removesuffix("\n").split("\n")
    found = _NUMBERS.match(header)
    if found is None:
        return Hunk(header, tuple(lines))
    old = found[2].split()[0].removeprefix("-").split(",")[0]
    return Hunk(header, tuple(lines), _line_number(old), _line_number(found[3]), len(found[1]) - 1)


def _line_number(digits: str) -> int:
    return int(digits[:_LONGEST_NUMBER])


def _count(sign: str, hunk: Hunk, text: str) -> int:
    if hunk.parents == 1:
        return text.count(f"\n{sign}")
    return sum(sign in line[: hunk.parents] for line in hunk.lines)
