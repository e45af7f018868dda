"""The readers by their agents. Another agent is one entry, and a module beside this one.

Each line of a file that has one of the reader's marks is given to it: most lines are not about use, and long.
"""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.usage.readers import claude, codex, pi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from orange_tui.usage.readers.items import Item, Memory


@record
class LineReader:
    """How one agent's lines are read."""

    marks: tuple[bytes, ...]
    read: Callable[[bytes, Memory], Iterator[Item]]

    def concerns(self, line: bytes) -> bool:
        """Whether a line may say something of use."""
        return any(mark in line for mark in self.marks)


LINE_READERS: Mapping[str, LineReader] = {
    "claude": LineReader(claude.MARKS, claude.read),
    "codex": LineReader(codex.MARKS, codex.read),
    "pi": LineReader(pi.MARKS, pi.read),
    "demo": LineReader(pi.MARKS, pi.read),
}
