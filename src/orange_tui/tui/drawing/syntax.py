"""Colours for code, in diffs and in code blocks: pygments' tokens, in the palette's styles.

Lexers are somebody else's regular expressions: they see no more than a limited piece of safe text, and when one
fails or does not give back what it got, the code is simply shown without colours.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.style import Style
    from rich.syntax import SyntaxTheme

    from orange_tui.tui.drawing.lines import Run

_LONGEST_LINE = 1_000  # minified code is not read, and some lexers are quadratic in it


def highlight(
    lines: list[str], styles: Mapping[tuple[str, ...], Style] | None, *, path: str = "", language: str = ""
) -> list[list[Run]] | None:
    """Lines of safe text in colour; None when the language is not known or it is not worth it."""
    lexer = _lexer(os.path.basename(path), language) if styles is not None else None
    if styles is None or lexer is None or not all(map(_can_be_highlighted, lines)):
        return None
    from rich.syntax import ANSISyntaxTheme  # late: with it come all of pygments' names

    theme = ANSISyntaxTheme(dict(styles))
    try:
        found = _lines_of_tokens(lexer.get_tokens("\n".join(lines) + "\n"), theme)[: len(lines)]
    except Exception:  # noqa: BLE001 - a lexer may be anybody's code
        return None
    same = len(found) == len(lines) and all(_has_text(*pair) for pair in zip(found, lines, strict=True))
    return found if same else None


def _can_be_highlighted(line: str) -> bool:
    """Whether a line may be cut into tokens: of an emoji that is joined from several, each part would get its own."""
    return len(line) <= _LONGEST_LINE and (line.isascii() or "\u200d" not in line)


def _has_text(runs: list[Run], line: str) -> bool:
    return "".join(text for text, _ in runs) == line


def _lines_of_tokens(tokens: Any, theme: SyntaxTheme) -> list[list[Run]]:
    """Tokens cut at line ends; neighbours in one style are one run."""
    line: list[Run] = []
    lines = [line]
    for kind, text in tokens:
        style = theme.get_style_for_token(kind)
        for index, piece in enumerate(text.split("\n")):
            if index:
                line = []
                lines.append(line)
            if piece and line and line[-1][1] is style:
                line[-1] = (line[-1][0] + piece, style)
            elif piece:
                line.append((piece, style))
    return lines


@lru_cache(maxsize=256)
def _lexer(file_name: str, language: str) -> Any:
    """Looking one up goes through five hundred of them, so it is remembered."""
    from pygments.lexers import get_lexer_by_name, get_lexer_for_filename  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    options = {"stripnl": False, "ensurenl": True}
    try:
        if language:
            return get_lexer_by_name(language, **options)
        return get_lexer_for_filename(file_name, **options)
    except (ClassNotFound, ValueError):
        return None
