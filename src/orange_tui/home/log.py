"""orange.log: what Orange did, one JSON object a line.

A log that cannot be written stops nothing. `logging` is not used: importing it takes longer than a whole command.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import record
from orange_tui.home import clock
from orange_tui.home.files import open_regular
from orange_tui.home.locks import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LEVELS = ("debug", "info", "warning", "error")
ROTATE_AT_BYTES = 10_000_000


@record
class Log:
    """The log of one home."""

    path: str

    def write(self, level: str, message: str, **details: object) -> None:
        """Add a line."""
        entry = {"timestamp": clock.now(), "level": level, "message": message, **details}
        line = json.dumps(entry, ensure_ascii=False, default=str).encode(errors="backslashreplace") + b"\n"
        with suppress(OSError, OrangeError):
            self._rotate()
        with suppress(OSError, OrangeError):
            descriptor = open_regular(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)

    def _rotate(self) -> None:
        """Rename a full log to `orange.log.1`; of two processes that see it full, only one does."""
        if not self._is_full():
            return
        with locked(f"{self.path}.lock", what="the log", wait=False) as held:
            if held and self._is_full():
                os.replace(self.path, f"{self.path}.1")

    def _is_full(self) -> bool:
        try:
            return os.stat(self.path).st_size >= ROTATE_AT_BYTES
        except FileNotFoundError:
            return False

    def entries(self) -> Iterator[dict[str, Any]]:
        """Every entry that can be read, oldest first, the rotated file included."""
        for path in (f"{self.path}.1", self.path):
            with suppress(NotFound), open(open_regular(path), encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    with suppress(ValueError, RecursionError):
                        entry = json.loads(line)
                        if isinstance(entry, dict):
                            yield entry
