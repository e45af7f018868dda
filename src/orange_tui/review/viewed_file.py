"""viewed.json of one task: what the person has marked as viewed, and the diff they last looked at.

Marks are remembered by content (`domain/review/hunks.py`) and stay until they are taken back. Of the last look the
fingerprints are kept, and the diff itself, compressed: the commits that it was of may be gone by the next. It is the
engine's alone, and the least that is kept of a task: a file that cannot be read is put aside, and begun anew.
"""

from __future__ import annotations

import base64
import os
import zlib
from itertools import chain

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.review.diff import hunks_text, parse_hunks
from orange_tui.domain.review.hunks import KnownChanges, fingerprints, identity
from orange_tui.domain.review.interdiff import are_comparable
from orange_tui.home.clock import now
from orange_tui.home.files import make_directory, not_saved
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from orange_tui.domain.review.diff import DiffFile, Hunk
    from orange_tui.home.paths import Home

_VERSION = 1
_MAX_BYTES = 20_000_000
_MAX_VIEWED = 50_000  # fingerprints; the oldest go
_MAX_SEEN = 200_000
_MAX_TEXT_BYTES = 8_000_000  # of the diff that was looked at, before it is compressed
_MAX_FILES = 20_000


@record
class SeenFile:
    """One file of the diff that the person last looked at."""

    name: str  # by which it is found again: `hunks.identity`
    path: str
    fingerprints: tuple[str, ...]
    packed: str = ""

    def hunks(self) -> tuple[Hunk, ...]:
        """Its hunks as they were; none where they were too big to be kept."""
        try:
            data = zlib.decompressobj().decompress(base64.b64decode(self.packed), _MAX_TEXT_BYTES)
            text = data.decode(errors="surrogatepass")
        except (ValueError, zlib.error):
            return ()
        return parse_hunks(text) if text else ()


@record
class Viewed:
    """What the person has viewed: each fingerprint with the number of looks before it was marked, and the last look."""

    marks: Mapping[str, int]
    looks: int = 0
    looked_at: str = ""
    files: tuple[SeenFile, ...] = ()
    problem: str = ""  # why all of it was forgotten

    def fresh(self) -> Iterator[str]:
        """What was marked since the last look."""
        return (mark for mark, look in self.marks.items() if look >= self.looks)


@record
class ViewedFile:
    """The viewed.json of one task."""

    home: Home
    project: str
    id: str

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self._directory, "viewed.json")

    def read(self) -> Viewed:
        """What is stored; of a file that cannot be read the reason, and that nothing counts as viewed."""
        try:
            return _viewed(self._file.read_object())
        except Unreadable as problem:
            return Viewed({}, problem=f"Nothing counts as viewed any more: {problem}")

    def mark(self, marks: Iterable[str], *, viewed: bool) -> None:
        """Mark changes as viewed, or take that back; what others have marked meanwhile stays."""
        named = tuple(marks)

        def change(content: dict[str, Any]) -> None:
            stored = _viewed(content)
            gone = set(named) if viewed else KnownChanges(stored.marks).matching(named)
            left = {mark: look for mark, look in stored.marks.items() if mark not in gone}
            after = [*left.items(), *((mark, stored.looks) for mark in named if viewed)]
            content["viewed"] = dict(after[-_MAX_VIEWED:])

        self._change(change)

    def looked(self, files: Sequence[DiffFile]) -> None:
        """Remember that the person looked at this diff, just now."""
        seen = [_seen_as_json(file) for file in files[:_MAX_FILES]]
        _limit(seen)

        def change(content: dict[str, Any]) -> None:
            content["looks"] = _viewed(content).looks + 1
            content["looked"] = {"at": now(), "files": seen}

        self._change(change)

    def _change(self, change: Callable[[dict[str, Any]], None]) -> None:
        make_directory(self._directory)
        file = self._file
        with file.locked():
            try:
                content = file.read_object()
            except Unreadable:
                self._put_aside()
                content = {}
            change(content)
            content["version"] = _VERSION
            file.write(content)

    def _put_aside(self) -> None:
        try:
            os.replace(self.path, f"{self.path}.damaged")
        except OSError as problem:
            raise not_saved(self.path, problem) from None

    @property
    def _directory(self) -> str:
        return self.home.task_state(self.project, self.id)

    @property
    def _file(self) -> JsonFile:
        lock = os.path.join(self._directory, ".viewed.lock")
        way_out = "it is begun anew when you mark something as viewed"
        return JsonFile(self.path, lock, title="what you have viewed", repair=way_out, max_bytes=_MAX_BYTES)


def _seen_as_json(file: DiffFile) -> dict[str, Any]:
    marks = " ".join(chain.from_iterable(fingerprints(file)))
    text = hunks_text(file.hunks) if are_comparable(file.hunks) else ""
    return {"name": identity(file), "path": file.path, "fingerprints": marks, "hunks": text}


def _limit(seen: list[dict[str, Any]]) -> None:
    """Compress the texts; what would be too much is left out, and is shown as a whole when it changes."""
    marks = texts = 0
    for entry in seen:
        data = entry["hunks"].encode(errors="surrogatepass")
        marks += entry["fingerprints"].count(" ") + 1
        texts += len(data)
        entry["fingerprints"] = entry["fingerprints"] if marks <= _MAX_SEEN else ""
        entry["hunks"] = base64.b64encode(zlib.compress(data, 1)).decode() if texts <= _MAX_TEXT_BYTES else ""


def _viewed(content: dict[str, Any]) -> Viewed:
    """What is in the file; an entry that is not as we write it counts for nothing."""
    marks, looks, looked = content.get("viewed"), content.get("looks"), content.get("looked")
    known = marks.items() if isinstance(marks, dict) else ()
    files = looked.get("files") if isinstance(looked, dict) else None
    at = looked.get("at") if isinstance(looked, dict) else None
    return Viewed(
        {mark: look for mark, look in known if type(look) is int},
        looks if type(looks) is int else 0,
        at if isinstance(at, str) and isinstance(files, list) else "",
        tuple(filter(None, map(_seen, files))) if isinstance(files, list) else (),
    )


def _seen(entry: object) -> SeenFile | None:
    if not isinstance(entry, dict):
        return None
    name, path, marks, packed = (entry.get(key) for key in ("name", "path", "fingerprints", "hunks"))
    if not isinstance(name, str) or not isinstance(path, str) or not isinstance(marks, str):
        return None
    return SeenFile(name, path, tuple(marks.split()), packed if isinstance(packed, str) else "")
