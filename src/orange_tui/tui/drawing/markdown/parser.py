"""mistune, kept on a short leash: no text from outside makes it work long.

A body is cut before it is parsed, by size and by lines. What is left is parsed with a limit on the number of
blocks, and paragraphs that no person wrote (tens of kilobytes in one piece, or hundreds of brackets and stars) are
taken as plain text, for there Markdown's marks cost more than their number. Every limit is a count, so the same
text always gives the same page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mistune.block_parser import BlockParser
from mistune.inline_parser import InlineParser
from mistune.markdown import Markdown
from mistune.plugins import import_plugin

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from re import Match

    from mistune.core import BlockState

    Token = dict[str, Any]

LONGEST, MOST_LINES = 200_000, 5_000  # characters and lines of a body that are shown
_LONGEST_PARAGRAPH = 8_000
_MOST_MARKS = 600
_MARKS = "*_[]`<~!"
_MOST_BLOCKS = 6_000
_DEEPEST = 8
_PLUGINS = ("table", "task_lists", "strikethrough")


class _TooManyBlocks(Exception):
    """There are more blocks than anybody writes."""


class _Blocks(BlockParser):
    """mistune's block parser, counting."""

    def __init__(self) -> None:
        super().__init__(max_nested_level=_DEEPEST)
        self.left = _MOST_BLOCKS

    def parse_method(self, m: Match[str], state: BlockState) -> int | None:
        self.left -= 1
        if self.left < 0:
            raise _TooManyBlocks
        return super().parse_method(m, state)


class _Inline(InlineParser):
    """mistune's inline parser, leaving alone what is too much for it."""

    def __call__(self, s: str, env: MutableMapping[str, Any]) -> list[Token]:
        if len(s) > _LONGEST_PARAGRAPH or sum(map(s.count, _MARKS)) > _MOST_MARKS:
            return [{"type": "text", "raw": s}]
        return super().__call__(s, env)


def parse(text: str) -> list[Token]:
    """The tokens of a body of at most `LONGEST` characters."""
    blocks = _Blocks()
    markdown = Markdown(None, blocks, _Inline(max_nested_level=_DEEPEST), map(import_plugin, _PLUGINS))
    try:
        tokens = markdown(text)
    except (_TooManyBlocks, RecursionError):
        return [{"type": "block_code", "raw": text}]
    return tokens if isinstance(tokens, list) else []


def truncate(text: str) -> tuple[str, int]:
    """The part of a text that is shown, whole lines where it has any, and how many bytes are left out."""
    shown = text[:LONGEST]
    if len(text) > LONGEST:
        shown = shown[: shown.rfind("\n", LONGEST // 2) + 1 or LONGEST]
    lines = shown.split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        shown = shown[: len(shown) - len(lines[-1])]
    return shown, len(text[len(shown) :].encode(errors="replace"))
