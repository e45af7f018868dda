"""What passes through a door: frames, each of a kind, a length and that many bytes.

A request is what the command was given on standard input, if anything, and then its words, which complete it. The
answer is what it prints, as it prints it, and its exit code; or why there is none. Nothing tells who asks, from where,
or with which environment: the door knows, and would not believe it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

INPUT, WORDS = b"i", b"w"  # a request
OUTPUT, ERRORS, EXIT_CODE, REFUSAL = b"o", b"e", b"x", b"r"  # an answer

DOOR_VARIABLE = "ORANGE_DOOR"  # in a confined agent's environment: the path of its door's socket
CONFINED_VARIABLE = "ORANGE_CONFINED"  # in that of its commands, which are carried out outside
SOCKET_NAME = "socket"
MAX_REQUEST_BYTES = 5_000_000  # as much as a TASK.md may have
MAX_WORDS = 1000
_LENGTH_BYTES = 4
_HEADER_BYTES = 1 + _LENGTH_BYTES


class ProtocolError(Exception):
    """The other side sent what is no frame, too much, or something out of place."""


def frame(kind: bytes, data: bytes) -> bytes:
    """One frame, as it is sent."""
    return kind + len(data).to_bytes(_LENGTH_BYTES, "big") + data


def take_frame(received: bytearray, kinds: Sequence[bytes], max_bytes: int) -> tuple[bytes, bytes] | None:
    """Take the first frame off what was received; None while it is not all there."""
    if not received:
        return None
    kind = bytes(received[:1])
    if kind not in kinds:
        raise ProtocolError("it is not what `orange` sends")
    length = int.from_bytes(received[1:_HEADER_BYTES], "big")
    if len(received) >= _HEADER_BYTES and length > max_bytes:
        raise ProtocolError(f"it has more than {max_bytes:,} bytes")
    end = _HEADER_BYTES + length
    if len(received) < end:
        return None
    data = bytes(received[_HEADER_BYTES:end])
    del received[:end]
    return kind, data


def join_words(words: Sequence[bytes]) -> bytes:
    """Words as one piece: each ends with the one byte that no word can have."""
    return b"".join(word + b"\0" for word in words)


def split_words(data: bytes) -> list[bytes]:
    """The words that were joined."""
    words = data.split(b"\0")
    if words.pop():
        raise ProtocolError("its last word does not end")
    if len(words) > MAX_WORDS:
        raise ProtocolError(f"it has more than {MAX_WORDS:,} words")
    return words
