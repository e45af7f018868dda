"""What the demo agent would have used if it were a real one: tokens and dollars, written down as agents do.

The numbers are made up, and the same for the same work: each thought reads all that was said before, and adds to it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from orange_tui.home import clock
from orange_tui.home.paths import STATUS_FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MODEL = "demo-1"
_READ_FIRST = 11_400  # tokens of the rules, the prompt and TASK.md
_READ_PER_THOUGHT, _WRITTEN_PER_THOUGHT = 2_150, 610
_TOKENS_PER_CHARACTER = 7
# Dollars for a million tokens.
_INPUT_PRICE, _CACHED_PRICE, _OUTPUT_PRICE = 3.0, 0.3, 15.0


class UsageLog:
    """The file of one agent's window, a line for each thought."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._path = _path(environment)
        self._session = os.urandom(16).hex()
        self._thoughts = 0
        self._cached = 0

    def add_thought(self, about: str, thoughts: float = 1.0) -> None:
        """Write down one more; where that cannot be done, nobody minds."""
        new = int(_READ_PER_THOUGHT * thoughts) if self._thoughts else _READ_FIRST
        written = int(_WRITTEN_PER_THOUGHT * thoughts) + _TOKENS_PER_CHARACTER * len(about)
        self._thoughts += 1
        line = json.dumps(self._entry(new, written)) + "\n"
        self._cached += new + written
        with suppress(OSError):
            os.makedirs(os.path.dirname(self._path), exist_ok=True)
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(line)

    def _entry(self, new: int, written: int) -> dict[str, object]:
        cost = (new * _INPUT_PRICE + self._cached * _CACHED_PRICE + written * _OUTPUT_PRICE) / 1_000_000
        usage = {"input": new, "output": written, "cacheRead": self._cached, "cacheWrite": 0, "cost": {"total": cost}}
        message = {"role": "assistant", "provider": "demo", "model": MODEL, "usage": usage}
        return {
            "type": "message",
            "id": f"{self._session}-{self._thoughts}",
            "timestamp": clock.now(),
            "message": message,
        }


def _path(environment: Mapping[str, str]) -> str:
    directory = os.path.dirname(os.path.realpath(environment.get("ORANGE_TASK_FILE") or "TASK.md"))
    return os.path.join(directory, STATUS_FOLDER, f"{environment.get('ORANGE_WINDOW') or 'worker'}.usage.jsonl")
