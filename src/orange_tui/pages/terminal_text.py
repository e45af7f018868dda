"""A page as text for a terminal: wrapped, with aligned tables, and bold or coloured where the terminal wants it."""

from __future__ import annotations

import re

import mistune

from orange_tui.pages._wrapping import fitted_widths, padded, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Token = dict[str, Any]

_BOLD, _CODE, _END = "\x01", "\x02", "\x03"  # stand for styles until a line is done; they take no room
_AS_ANSI = str.maketrans({_BOLD: "\x1b[1m", _CODE: "\x1b[36m", _END: "\x1b[0m"})
_AS_NOTHING = str.maketrans("", "", _BOLD + _CODE + _END)
_GAP = 2  # between two columns
_INDENT = 2


def parse(text: str) -> list[Token]:
    """The blocks of a page."""
    tokens = mistune.create_markdown(renderer="ast", plugins=["table"])(text)
    return tokens if isinstance(tokens, list) else []


def render(text: str, width: int, *, styled: bool) -> str:
    """The page as lines of at most that width; code and long words are never broken."""
    blocks = ["\n".join(lines) for token in parse(text) if (lines := _indented(token, width))]
    page = "\n\n".join(blocks) + "\n"
    return page.translate(_AS_ANSI if styled else _AS_NOTHING)


def _indented(token: Token, width: int) -> list[str]:
    """A block as it stands on the page: below its heading, and a little to the right of it."""
    if token["type"] == "heading":
        return list(_heading(token, width))
    return [f"{' ' * _INDENT}{line}".rstrip() for line in _block(token, width - _INDENT)]


def _block(token: Token, width: int) -> Iterator[str]:
    """The lines of one block; those it does not know, such as comments, are not for readers."""
    show = _BLOCKS.get(token["type"])
    if show is not None:
        yield from show(token, width)


def _heading(token: Token, width: int) -> Iterator[str]:
    yield from (_styled(line, _BOLD) for line in wrap(plain_text(token), width))


def _paragraph(token: Token, width: int) -> Iterator[str]:
    """One that is only a picture has nothing to say here."""
    text = _inline(token)
    yield from wrap(text, width) if text.strip() else ()


def _code(token: Token, _width: int) -> Iterator[str]:
    yield from (f"    {_styled(line, _CODE)}".rstrip() for line in token["raw"].rstrip("\n").split("\n"))


def _list(token: Token, width: int) -> Iterator[str]:
    start = token["attrs"].get("start", 1)
    for number, item in enumerate(token["children"], start):
        mark = f"{number}. " if token["attrs"]["ordered"] else "- "
        lines = [line for child in item["children"] for line in _block(child, width - len(mark))]
        yield from (f"{mark if at == 0 else ' ' * len(mark)}{line}" for at, line in enumerate(lines))


def _quote(token: Token, width: int) -> Iterator[str]:
    for child in token["children"]:
        yield from (f"  {line}" for line in _block(child, width - _GAP))


def _table(token: Token, width: int) -> Iterator[str]:
    rows = table_rows(token, _inline)
    widths = fitted_widths(rows, width, _GAP)
    for number, row in enumerate(rows):
        cells = [wrap(cell, columns) for cell, columns in zip(row, widths, strict=True)]
        for at in range(max(map(len, cells))):
            parts = [cell[at] if at < len(cell) else "" for cell in cells]
            line = (" " * _GAP).join(padded(part, columns) for part, columns in zip(parts, widths, strict=True))
            yield _styled(line.rstrip(), _BOLD) if number == 0 else line.rstrip()


def table_rows(token: Token, inline: Callable[[Token], str]) -> list[list[str]]:
    """The cells of a table, its heading first unless that is empty."""
    head, *bodies = token["children"]
    rows = [head["children"], *(row["children"] for body in bodies for row in body["children"])]
    found = [[inline(_with_plain_bars(cell)) for cell in row] for row in rows]
    return found if any(found[0]) else found[1:]


def _with_plain_bars(cell: Token) -> Token:
    """A bar in a cell is written with a backslash, also in code, where the parser leaves it."""
    children = [
        {**each, "raw": each["raw"].replace("\\|", "|")} if each["type"] == "codespan" else each
        for each in cell["children"]
    ]
    return {**cell, "children": children}


_BLOCKS: dict[str, Callable[[Token, int], Iterator[str]]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "block_text": _paragraph,
    "block_code": _code,
    "list": _list,
    "block_quote": _quote,
    "table": _table,
}


def _inline(token: Token) -> str:
    """The text of a paragraph or a cell, with signs for its styles."""
    return "".join(map(_span, token.get("children", ())))


def _span(token: Token) -> str:
    kind = token["type"]
    if kind == "codespan":
        return _each_word(token["raw"], _CODE)
    if kind == "strong":
        return _each_word(plain_text(token), _BOLD)
    if kind in {"softbreak", "linebreak"}:
        return " "
    if kind in {"image", "inline_html"}:
        return ""
    if kind == "link":
        return _link(token)
    return str(token["raw"]) if "raw" in token else _inline(token)


def _link(token: Token) -> str:
    """Where it leads is said as one would get there: a page by its topic, an address as it is."""
    words, target = _inline(token), str(token["attrs"]["url"])
    topic = re.fullmatch(r"([a-z-]+)\.md(?:#.*)?", target)
    if topic:
        return f"{words} ({_each_word(f'orange help {topic[1]}', _CODE)})"
    return f"{words} ({target})" if "://" in target and target not in words else words


def plain_text(token: Token) -> str:
    """The words of a token, without any style."""
    if "raw" in token:
        return str(token["raw"])
    if token["type"] in {"softbreak", "linebreak"}:
        return " "
    return "".join(map(plain_text, token.get("children", ())))


def _each_word(text: str, style: str) -> str:
    """Word by word, so that no line ends in the middle of a style."""
    return " ".join(_styled(word, style) for word in text.split(" "))


def _styled(text: str, style: str) -> str:
    return f"{style}{text.translate(_AS_NOTHING)}{_END}" if text.strip() else text
