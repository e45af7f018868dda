"""The messages that were counted, with what was counted of each: so that none counts twice, wherever it comes again.

They are in a file of their own beside usage.json, 64 bytes each, which only grows: usage.json is written anew each
time, and must stay small. It is written first, and usage.json says how long it is: what a kill has left beyond that is
written over. It is not synced to disk: what a power cut takes could only be missed if an agent repeated it later.
"""

from __future__ import annotations

import os
import struct
from hashlib import blake2b
from zlib import crc32

from orange_tui.domain.errors import NotFound
from orange_tui.domain.records import record
from orange_tui.domain.usage.prices import Tokens
from orange_tui.home.files import not_saved, open_regular

_LAYOUT = struct.Struct("<8sII5Qd")
_KEY_BYTES = 8


@record
class Counted:
    """What was counted of one message: the highest of every number it came with."""

    session: int = 0  # a mark of the conversation it was found in first
    turns: int = 0
    tokens: Tokens = Tokens()
    cost: float = 0.0


class SeenMessages:
    """The counted messages of one task."""

    def __init__(self, directory: str) -> None:
        self._path = os.path.join(directory, "usage.seen")
        self._known: dict[bytes, bytes] = {}
        self._new: dict[bytes, bytes] = {}
        self._length = -1  # of what was read

    def load(self, length: object) -> None:
        """Begin with the first `length` bytes, as usage.json says; what was only tried before is dropped."""
        wanted = length if type(length) is int and length > 0 else 0
        self._new = {}
        if wanted == self._length:
            return
        data = _read(self._path, wanted)
        size = _LAYOUT.size
        self._length = len(data) // size * size
        self._known = {
            data[at : at + _KEY_BYTES]: data[at + _KEY_BYTES : at + size] for at in range(0, self._length, size)
        }

    def get(self, key: str) -> Counted | None:
        """What was counted of a message."""
        name = _digest(key)
        found = self._new.get(name) or self._known.get(name)
        if found is None:
            return None
        _, session, turns, *numbers, cost = _LAYOUT.unpack(name + found)
        return Counted(session, turns, Tokens(*numbers), cost)

    def put(self, key: str, counted: Counted) -> None:
        """Note what was counted of a message by now."""
        name, tokens = _digest(key), counted.tokens
        numbers = (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write, tokens.hour_write)
        packed = _LAYOUT.pack(name, counted.session, counted.turns, *numbers, counted.cost)
        self._new[name] = packed[_KEY_BYTES:]

    def append(self) -> int:
        """Write what is new; says how long the file is then. It counts once usage.json says the same (`load`)."""
        data = b"".join(name + rest for name, rest in self._new.items())
        if data:
            _write(self._path, data, self._length)
        return self._length + len(data)

    def commit(self, length: int) -> None:
        """Usage.json says so now."""
        self._known.update(self._new)
        self._new, self._length = {}, length


def session_mark(session: str) -> int:
    """A number for a conversation."""
    return crc32(session.encode(errors="replace"))


def _digest(key: str) -> bytes:
    return blake2b(key.encode(errors="replace"), digest_size=_KEY_BYTES).digest()


def _read(path: str, length: int) -> bytes:
    if not length:
        return b""
    try:
        descriptor = open_regular(path, follow=False)
    except NotFound:
        return b""
    with open(descriptor, "rb") as file:
        return file.read(length)


def _write(path: str, data: bytes, position: int) -> None:
    descriptor = open_regular(path, os.O_RDWR | os.O_CREAT, follow=False)
    try:
        view = memoryview(data)
        while view:
            written = os.pwrite(descriptor, view, position)
            view, position = view[written:], position + written
    except OSError as problem:
        raise not_saved(path, problem) from None
    finally:
        os.close(descriptor)
