"""What git prints above the first hunk of a file: which file it is, and what happened to it besides its content."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

    Status = Literal["added", "deleted", "modified", "renamed", "binary"]

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)")
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_PREFIX = re.compile(r"[abciwo12]/")
_MODES = re.compile(r"old mode (\d+)\nnew mode (\d+)")
_INDEX = re.compile(r"^index [0-9a-f]+\.\.([0-9a-f]+)", re.MULTILINE)
_DEV_NULL = "/dev/null"
_OCTAL, _BYTE = 8, 0xFF


class FileHeader:
    """What the header tells; every part of it may be missing."""

    def __init__(self, text: str) -> None:
        self._first, *lines = text.rstrip("\n").split("\n")
        self._text = text
        self._fields = dict(_fields(lines))
        prefixed = not _has_no_prefix(self._first)
        self.old = self._path("rename from ", "copy from ") or self._side("--- ", prefixed=prefixed)
        self.new = self._path("rename to ", "copy to ") or self._side("+++ ", prefixed=prefixed)
        if not self.old and not self.new:
            self.old = self.new = _path_in_title(self._first)

    def _path(self, *keys: str) -> str:
        return next((_unquoted(self._fields[key]) for key in keys if key in self._fields), "")

    def _side(self, key: str, *, prefixed: bool) -> str:
        path = self._path(key).removesuffix("\t")
        if path == _DEV_NULL:
            return ""
        return _PREFIX.sub("", path, count=1) if prefixed and _PREFIX.match(path) else path

    def status(self) -> Status:
        if "Binary files " in self._fields or "GIT binary patch" in self._fields:
            return "binary"
        if "new file mode " in self._fields or "copy from " in self._fields:
            return "added"
        if "deleted file mode " in self._fields:
            return "deleted"
        return "renamed" if "rename from " in self._fields else "modified"

    def blob(self) -> str:
        """The id of a binary file's new content: all that git prints of it."""
        found = _INDEX.search(self._text) if self.status() == "binary" else None
        return found[1] if found is not None else ""

    def notes(self) -> Iterator[str]:
        modes = _MODES.search(self._text)
        if modes is not None:
            yield f"mode {modes[1]} → {modes[2]}"
        if "copy from " in self._fields:
            yield f"copied from {self.old}"
        if "rename from " in self._fields:
            yield f"renamed from {self.old}"
        if self.status() == "binary":
            new, gone = "new file mode " in self._fields, "deleted file mode " in self._fields
            yield "binary, added" if new else "binary, deleted" if gone else "binary, changed"


_KEYS = (
    "--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to ", "new file mode ", "deleted file mode ",
    "Binary files ", "GIT binary patch",
)  # fmt: skip


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key = next((key for key in _KEYS if line.startswith(key)), None)
        if key is not None:
            yield key, line.removeprefix(key)


def _has_no_prefix(title: str) -> bool:
    """With `diff.noprefix`, `diff --git src/a.py src/a.py`: the first letters are no prefix then."""
    rest = title.removeprefix("diff --git ")
    return rest != title and _halves(rest) is not None


def _path_in_title(title: str) -> str:
    """The path from the first line alone, where no other line names it: `a/x b/x`, the same in quotes, or `x`."""
    if not title.startswith("diff --git "):
        return _unquoted(title.split(" ", 2)[-1])
    rest = title.removeprefix("diff --git ")
    quoted = _QUOTED.match(rest)
    if quoted is not None:
        return _PREFIX.sub("", _unquoted(quoted[0]), count=1)
    return _halves(rest) or _halves(rest, prefix=2) or _PREFIX.sub("", rest, count=1)


def _halves(names: str, prefix: int = 0) -> str | None:
    """`x x` is x; `a/x b/x` is x when its prefixes are left out."""
    middle = len(names) // 2
    one, other = names[prefix:middle], names[middle + 1 + prefix :]
    return one if one == other and one and names[middle] == " " else None


def _unquoted(name: str) -> str:
    """A path as it is; git writes unusual ones in quotes, their bytes as octal numbers."""
    found = _QUOTED.fullmatch(name.removesuffix("\t"))
    if found is None:
        return name
    raw = _ESCAPE.sub(_byte, found[1].encode(errors="replace"))
    return raw.decode(errors="replace")


def _byte(found: re.Match[bytes]) -> bytes:
    code = found[1]
    if code.isdigit():
        return bytes([int(code, _OCTAL) & _BYTE])
    return _ESCAPED.get(code, code)
