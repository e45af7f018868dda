"""`orange log`."""

from __future__ import annotations

import json
from collections import deque

from orange_tui.cli.reply import Reply, safe
from orange_tui.home.log import LEVELS
from orange_tui.presentation.log import log_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange

_LAST = 200


def show(parsed: Parsed, orange: Orange) -> Reply:
    """The last entries that are wanted."""
    level, text = parsed.text("level") or LEVELS[0], parsed.text("grep") or ""
    wanted = set(LEVELS[LEVELS.index(level) :])
    last: deque[dict[str, Any]] = deque(maxlen=_LAST if parsed.number("lines") is None else parsed.number("lines"))
    for entry in orange.log.entries():
        if str(entry.get("level")) in wanted and text in json.dumps(entry, ensure_ascii=False):
            last.append(entry)
    return Reply("\n".join(safe(log_line(entry)) for entry in last))
