"""An entry of Orange's log on one line."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def log_line(entry: Mapping[str, Any]) -> str:
    """Time, level and message, then whatever else the entry has, as key=value."""
    head = f"{str(entry.get('timestamp'))[:19]} {entry.get('level', ''):7} {entry.get('message', '')}"
    rest = {key: value for key, value in entry.items() if key not in {"timestamp", "level", "message"}}
    return "  ".join([head, *(f"{key}={value}" for key, value in rest.items())])
