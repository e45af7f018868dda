"""TASK.md bodies as lines: mistune's tokens → `Strip`s for a Line-API view.

Strips, because that is what a view hands to Textual for the lines that are visible, and nothing is laid out twice:
a page is made once for a body and a width, in a worker, and scrolling costs only the lines on screen. A widget a
block, as Textual's own Markdown has it, takes two hundred times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from orange_tui.tui.drawing.lines import NARROWEST, chop, safe, strip_of, width_of, wrap
from orange_tui.tui.drawing.markdown.inline import lines_of, with_key
from orange_tui.tui.drawing.markdown.parser import parse, truncate
from orange_tui.tui.drawing.markdown.table import table_lines
from orange_tui.tui.drawing.syntax import highlight

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.style import Style
    from textual.strip import Strip

    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

    Token = dict[str, Any]

_CODE_INDENT, _KEY_HANG = "  ", 2
_MOST_HIGHLIGHTED_CODE = 6_000  # characters in a whole body: more would cost more than all the rest of the page
_STAND_APART = frozenset({"list", "block_quote", "table", "block_code"})
_KILOBYTE = 1_000


def render_markdown(text: str, width: int, palette: Palette) -> list[Strip]:
    """A body at a width, each line at most that wide (and never made for fewer than `NARROWEST` cells)."""
    shown, left_out = truncate(text)
    page = _Page(max(width, NARROWEST), palette)
    page.blocks(parse(shown))
    if left_out:
        page.note(f"… {max(left_out // _KILOBYTE, 1):,} KB more of this file is not shown here")
    return page.strips


class _Page:
    """The lines so far, and what stands before the next one: the margin, or once the mark of a list item."""

    def __init__(self, width: int, palette: Palette) -> None:
        self.strips: list[Strip] = []
        self._width, self._palette = width, palette
        self._margin: list[Run] = []
        self._lead: list[Run] | None = None
        self._code_left = _MOST_HIGHLIGHTED_CODE
        self._writers: dict[str, Callable[[Token], None]] = {
            "heading": self._heading,
            "paragraph": self._paragraph,
            "block_text": self._paragraph,
            "list": self._list,
            "block_quote": self._quote,
            "block_code": self._code,
            "block_html": self._html,
            "table": self._table,
            "thematic_break": self._rule,
        }

    def blocks(self, tokens: list[Token]) -> None:
        """Blocks below one another, with a blank line between them where the writer left one or it reads better."""
        before, gap = "", False
        for token in tokens:
            kind = token["type"]
            if kind == "blank_line":
                gap = True
                continue
            apart = gap or kind == "heading" or before in _STAND_APART
            if before and (before != "heading" or kind == "heading") and apart:
                self._line([])
            self._writers.get(kind, self._unknown)(token)
            before, gap = kind, False

    def note(self, sentence: str) -> None:
        """A line of our own below the rest."""
        self._line([])
        self._wrapped([(sentence, self._palette.dim)])

    def _line(self, runs: list[Run]) -> None:
        before, self._lead = self._lead or self._margin, None
        self.strips.append(strip_of([*before, *runs]))

    def _room(self) -> int:
        return self._width - width_of(self._lead or self._margin)

    def _wrapped(self, runs: list[Run], hang: int = 0) -> None:
        hang = hang if hang * 2 < self._room() else 0
        for index, line in enumerate(wrap(runs, self._room(), hang) if runs else [runs]):
            self._line([(" " * hang, self._palette.text), *line] if hang and index else line)

    def _heading(self, token: Token) -> None:
        style = self._palette.title if token["attrs"]["level"] == 1 else self._palette.heading
        for line in lines_of(token["children"], self._palette, style):
            self._wrapped(line)

    def _paragraph(self, token: Token) -> None:
        for line in lines_of(token["children"], self._palette, self._palette.text):
            runs, has_key = with_key(line, self._palette)
            self._wrapped(runs, _KEY_HANG if has_key else 0)

    def _list(self, token: Token) -> None:
        attrs, tight = token["attrs"], token.get("tight", True)
        number = int(attrs.get("start", 1)) if attrs.get("ordered") else None
        for index, item in enumerate(token["children"]):
            if index and not tight:
                self._line([])
            self._item(item, None if number is None else number + index)

    def _item(self, item: Token, number: int | None) -> None:
        mark, style = ("• " if number is None else f"{number}. "), self._palette.dim
        if item["type"] == "task_list_item":
            done = bool(item["attrs"].get("checked"))
            mark, style = ("✓ ", self._palette.good) if done else ("☐ ", self._palette.warning)
        self._inside(mark, style, " " * cell_len(mark), item["children"])

    def _quote(self, token: Token) -> None:
        self._inside("▎ ", self._palette.dim, "▎ ", token["children"])

    def _inside(self, mark: str, style: Style, rest: str, tokens: list[Token]) -> None:
        """Blocks behind a mark. When more than half of the width is margin, what is nested deeper is not set in."""
        margin, lead = self._margin, self._lead or self._margin
        if width_of(lead) + cell_len(mark) <= self._width * 2 // 3:
            self._lead, self._margin = [*lead, (mark, style)], [*margin, (rest, style)]
        self.blocks(tokens)
        if self._lead is not None:
            self._line([])
        self._margin = margin

    def _code(self, token: Token) -> None:
        lines = [safe(line) for line in token["raw"].rstrip("\n").split("\n")]
        language = str(token.get("attrs", {}).get("info") or "").partition(" ")[0]
        for line in self._highlighted(lines, language):
            for part in chop(line, max(self._room() - len(_CODE_INDENT), 2)):
                self._line([(_CODE_INDENT, self._palette.text), *part])

    def _highlighted(self, lines: list[str], language: str) -> list[list[Run]]:
        size = sum(map(len, lines))
        plain: list[list[Run]] = [[(line, self._palette.text)] for line in lines]
        if not language or size > self._code_left:
            return plain
        self._code_left -= size
        return highlight(lines, self._palette.syntax, language=language) or plain

    def _html(self, token: Token) -> None:
        for line in token["raw"].rstrip("\n").split("\n"):
            self._wrapped([(safe(line), self._palette.dim)])

    def _table(self, token: Token) -> None:
        for line in table_lines(token, self._room(), self._palette):
            self._line(line)

    def _rule(self, _token: Token) -> None:
        self._line([("─" * self._room(), self._palette.dim)])

    def _unknown(self, token: Token) -> None:
        """A token of a later mistune: its content is shown without its form."""
        if "raw" in token:
            self._html(token)
        else:
            self.blocks(token.get("children", []))
