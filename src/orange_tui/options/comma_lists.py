"""Several texts in one line of a form, with commas between them. One that has a comma itself stands in quotes."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def join_texts(texts: Iterable[str]) -> str:
    """The line that `split_line` makes the same texts of."""
    return ", ".join(_quoted(text) if "," in text or text.startswith('"') else text for text in texts)


def _quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def split_line(line: str) -> list[str]:
    """What stands between the commas; nothing of it is empty."""
    parts = next(csv.reader([line], skipinitialspace=True), [])
    return [text for part in parts if (text := part.strip())]
