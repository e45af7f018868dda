"""The next complete lines of a file that another program appends to, in bounded pieces."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK_BYTES = 256 * 1024
MOST_LINE_BYTES = 4 * 1024 * 1024  # of a line that is looked at: longer ones hold pictures, and nothing of use
SLICE_BYTES = 2 * MOST_LINE_BYTES  # of one reading: others have their turn


class LineSlice:
    """One reading: a bounded number of lines from a position on. A last line without its end waits."""

    def __init__(self, descriptor: int, position: int, *, inside: bool) -> None:
        self._descriptor = descriptor
        self.position = position  # up to where lines were taken, and dealt with
        self.inside = inside  # whether that is inside a line that is too long, whose rest is to be skipped
        self.has_more = False

    def lines(self) -> Iterator[bytes]:
        """The lines. A line counts as dealt with when the next one is asked for."""
        offset, rest = self.position, b""
        end = offset + SLICE_BYTES
        while offset < end:
            chunk = os.pread(self._descriptor, _CHUNK_BYTES, offset)
            if not chunk:
                return
            offset += len(chunk)
            *lines, rest = (rest + chunk).split(b"\n")
            if self.inside and lines:
                self.position += len(lines.pop(0)) + 1
                self.inside = False
            for line in lines:
                yield line
                self.position += len(line) + 1
            if self.inside or len(rest) > MOST_LINE_BYTES:
                self.position, self.inside, rest = offset, True, b""
        self.has_more = True
