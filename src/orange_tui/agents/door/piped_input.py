"""What was piped into a command whose caller may not close the pipe: agents run their hooks like that."""

from __future__ import annotations

import os
import select
import time

_WAIT_SECONDS = 0.5
_PIECE_BYTES = 65536


def read_piped(max_bytes: int) -> bytes:
    """What comes on standard input, until it ends, is too much, or nothing more comes for a moment."""
    pieces: list[bytes] = []
    deadline = time.monotonic() + _WAIT_SECONDS
    while not os.isatty(0) and sum(map(len, pieces)) < max_bytes:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([0], [], [], left)[0]:
            break
        piece = os.read(0, _PIECE_BYTES)
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)
