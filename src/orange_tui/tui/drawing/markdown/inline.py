"""The words of a paragraph: mistune's inline tokens become lines of runs, one for each line as it was written.

People write TASK.md line by line, so a line end is kept where Markdown would make it a blank. Lines such as
`APPROACH: …` and `Verdict: PASS` are what gates look for; their key stands out.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Any

from orange_tui.tui.drawing.lines import safe

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.style import Style

    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

    Token = dict[str, Any]

_KEY = re.compile(r"(?:[A-Z][A-Z0-9]*(?:[ _/-][A-Z0-9]+){0,3}|[A-Z][a-z]{1,15}):(?=\s|$)")
_VERDICT = re.compile(r"(\s*)(PASS|FAIL)\b")


def lines_of(tokens: Iterable[Token], palette: Palette, base: Style) -> list[list[Run]]:
    """The lines of some inline tokens."""
    words = _Words(palette)
    words.add(tokens, base)
    return words.lines


class _Words:
    """Gathers runs; text of one style stays one run."""

    def __init__(self, palette: Palette) -> None:
        self._palette = palette
        self.lines: list[list[Run]] = [[]]
        self._styles = {
            "emphasis": palette.emphasis,
            "strong": palette.strong,
            "strikethrough": palette.strike,
        }

    def add(self, tokens: Iterable[Token], style: Style) -> None:
        for token in tokens:
            kind = token["type"]
            if kind == "text":
                raw = token["raw"]
                self._put(unescape(raw) if "&" in raw else raw, style)
            elif kind in {"softbreak", "linebreak"}:
                self.lines.append([])
            else:
                self._add_marked(kind, token, style)

    def _add_marked(self, kind: str, token: Token, style: Style) -> None:
        if kind in {"link", "image"}:
            self._add_link(token, style)
        elif "children" in token:
            self.add(token["children"], style + self._styles.get(kind, self._palette.text))
        else:
            self._put(str(token.get("raw", "")), style + self._leaf_style(kind))

    def _leaf_style(self, kind: str) -> Style:
        return {"codespan": self._palette.code, "inline_html": self._palette.dim}.get(kind, self._palette.text)

    def _add_link(self, token: Token, style: Style) -> None:
        """A terminal cannot be trusted to show where a link leads, so the address stands beside it."""
        before = len(self.lines), sum(len(text) for text, _ in self.lines[-1])
        self.add(token["children"], style + self._palette.link)
        url = str(token["attrs"].get("url", ""))
        shown = "".join(text for text, _ in self.lines[-1])[before[1] :] if len(self.lines) == before[0] else ""
        if url and url not in {shown, f"mailto:{shown}"}:
            self._put(f" ({url})" if shown else url, style + self._palette.dim)

    def _put(self, text: str, style: Style) -> None:
        for index, piece in enumerate(text.split("\n")):
            if index:
                self.lines.append([])
            line = self.lines[-1]
            if line and line[-1][1] is style:
                line[-1] = (line[-1][0] + safe(piece), style)
            elif piece:
                line.append((safe(piece), style))


def with_key(line: list[Run], palette: Palette) -> tuple[list[Run], bool]:
    """The line with its key set off, and whether it has one."""
    found = _KEY.match(line[0][0]) if line else None
    if found is None:
        return line, False
    text, style = line[0]
    value = _verdict(text[found.end() :], style, palette) if found[0].casefold() == "verdict:" else None
    return [(found[0], style + palette.key), *(value or [(text[found.end() :], style)]), *line[1:]], True


def _verdict(text: str, style: Style, palette: Palette) -> list[Run] | None:
    found = _VERDICT.match(text)
    if found is None:
        return None
    verdict = palette.good if found[2] == "PASS" else palette.bad
    return [(found[1], style), (found[2], style + verdict + palette.strong), (text[found.end() :], style)]
