"""What an agent says of its limit: on its screen, or as the last words of one that ended with it."""

from __future__ import annotations

import os
import re

from orange_tui.agents.launch import answer_file
from orange_tui.home import clock
from orange_tui.home.files import read_end, read_signature
from orange_tui.sessions.liveness import exit_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.harnesses.harness import Harness

_PRINTED_BYTES = 20_000
_PRINTED_LINES = 12
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.|[\x00-\x08\x0b-\x1f]")
# What agents print that answer once and end: their screens have marks around it, this has none.
_LAST_WORDS = re.compile(r"(?i)you.ve (?:hit|reached) your .{0,40}limit|usage limit reached")


def limit_words(harness: Harness, screen: str) -> str | None:
    """What an agent shows of its limit, from its first mention on (a menu may follow); None where there is none."""
    said = _last_lines(screen)
    starts = [found.start() for pattern in harness.screen.limit for found in re.finditer(pattern, said)]
    return said[min(starts) :] if starts else None


def printed_limit(state_directory: str, window: str, harness: Harness) -> str | None:
    """What an agent that has failed printed of its limit as its last words; None where it failed for another reason."""
    if exit_code(state_directory, window) in {None, "0"}:
        return None
    for path in (answer_file(state_directory, window), os.path.join(state_directory, "logs", f"{window}.log")):
        said = _last_lines(_ESCAPES.sub("", read_end(path, _PRINTED_BYTES).decode(errors="replace")))
        found = limit_words(harness, said)
        last = [each.start() for each in _LAST_WORDS.finditer(said)]
        if found is not None or last:
            return found or said[last[-1] :]
    return None


def limit_said_at(state_directory: str, window: str, values: Mapping[str, object], last_end: str) -> str:
    """When a live agent said so: as it reports, or when it last printed anything since its last limit ended.

    What is on a screen may be seen long after that, and `resets 2am` is then not about the next night.
    """
    if values.get("state") == "limit":
        return str(values.get("event_at") or clock.now())
    seen_at = str(values.get("seen_at") or clock.now())
    log = read_signature(os.path.join(state_directory, "logs", f"{window}.log"))
    printed_at = clock.at(log[1]) if log is not None else ""
    return printed_at if last_end < printed_at < seen_at else seen_at


def _last_lines(text: str) -> str:
    return "\n".join([line for line in text.splitlines() if line.strip()][-_PRINTED_LINES:])
