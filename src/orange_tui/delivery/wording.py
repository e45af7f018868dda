"""Lists of files and numbers of things in sentences."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_FILES = 20


def listed_files(files: Sequence[str]) -> str:
    """File names in a sentence; a thousand of them are too many."""
    shown = ", ".join(files[:_MAX_FILES])
    return f"{shown} and {len(files) - _MAX_FILES} more" if len(files) > _MAX_FILES else shown


def counted(number: int, noun: str) -> str:
    """How many there are of something, in a sentence."""
    return f"1 {noun}" if number == 1 else f"{number} {noun}s"
