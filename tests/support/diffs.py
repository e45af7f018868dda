"""Diffs as git prints them, made without git: for rules that need many."""

from __future__ import annotations

from difflib import unified_diff
from typing import TYPE_CHECKING

from orange_tui.domain.review.diff import DiffFile, parse_diff

if TYPE_CHECKING:
    from collections.abc import Sequence


def diff_text(path: str, before: Sequence[str], after: Sequence[str], *, context: int = 3) -> str:
    """What git would print for one changed file; nothing where nothing changed."""
    lines = list(unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="", n=context))
    return "\n".join([f"diff --git a/{path} b/{path}", *lines, ""]) if lines else ""


def diff_files(path: str, before: Sequence[str], after: Sequence[str], *, context: int = 3) -> list[DiffFile]:
    """The same, taken apart."""
    return parse_diff(diff_text(path, before, after, context=context))
