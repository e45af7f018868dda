"""Makes man pages from the pages in `docs/`: `orange.1` from the page of commands, `orange-TOPIC.7` from each other.

Run by `make man`, which leaves them in `build/man`, and by the build of a wheel (`tools/build_hook.py`), which installs
them. So this needs mistune and nothing else of Orange but the parser of pages.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from orange_tui import __version__  # noqa: E402 - in a build, Orange is not installed
from orange_tui.pages.terminal_text import parse, plain_text, table_rows  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Token = dict[str, Any]

COMMANDS = "commands"  # the page that becomes orange.1
_WHAT_IT_IS = "run several coding agents at once, each in its own worktree"
_TAGGED_COLUMNS = 2
_LONG_CELL = 30  # characters, of which some are for roff
_NOTHING = "\\&"


def pages() -> dict[str, str]:
    """Every man page: its path below `share/man`, and its text."""
    found = {}
    for path in sorted((ROOT / "docs").glob("*.md")):
        name, section = ("orange", 1) if path.stem == COMMANDS else (f"orange-{path.stem}", 7)
        found[f"man{section}/{name}.{section}"] = man_page(name, section, path.read_text())
    return found


def man_page(name: str, section: int, text: str) -> str:
    """One page; its title becomes what `whatis` shows."""
    title, *tokens = [token for token in parse(text) if token["type"] != "blank_line"]
    what = _WHAT_IT_IS if section == 1 else plain_text(title)
    lines = [
        "'\\\" t",
        f'.TH {_escaped(name.upper())} {section} "" "Orange {__version__}" "Orange"',
        ".ad l",
        ".nh",
        ".SH NAME",
        f"{_escaped(name)} \\- {_escaped(what)}",
        ".SH DESCRIPTION",
        *(line for token in tokens for line in _block(token)),
        *(_see_also() if section == 1 else [".SH SEE ALSO", ".BR orange (1)"]),
    ]
    return "\n".join(lines) + "\n"


def _see_also() -> list[str]:
    others = sorted(path.stem for path in (ROOT / "docs").glob("*.md") if path.stem != COMMANDS)
    return [
        ".SH SEE ALSO",
        *(f".BR orange\\-{_escaped(topic)} (7)," for topic in others[:-1]),
        f".BR orange\\-{others[-1]} (7)",
    ]


def _block(token: Token) -> Iterator[str]:
    show = _BLOCKS.get(token["type"])
    if show is not None:
        yield from show(token)


def _heading(token: Token) -> Iterator[str]:
    yield f".{'SH' if token['attrs']['level'] <= 2 else 'SS'} {_line(plain_text(token))}"  # noqa: PLR2004


def _paragraph(token: Token) -> Iterator[str]:
    text = _inline(token)
    yield from (".PP", text) if text.strip() else ()


def _text(token: Token) -> Iterator[str]:
    yield _inline(token)


def _code(token: Token) -> Iterator[str]:
    yield from (".PP", ".RS 4", ".nf", ".ft CR")
    yield from (_line(line) for line in token["raw"].rstrip("\n").split("\n"))
    yield from (".ft", ".fi", ".RE")


def _list(token: Token) -> Iterator[str]:
    for number, item in enumerate(token["children"], token["attrs"].get("start", 1)):
        yield f".IP {number}. 4" if token["attrs"]["ordered"] else ".IP \\(bu 3"
        for child in item["children"]:
            yield from _block(child)


def _table(token: Token) -> Iterator[str]:
    """Two columns are a list of words and what they mean; more are a table, in which long cells are wrapped."""
    rows = table_rows(token, _inline)
    if len(rows[0]) == _TAGGED_COLUMNS:
        has_heading = any(map(_inline, token["children"][0]["children"]))
        for word, meaning in rows[has_heading:]:
            yield from (".TP", word or _NOTHING, meaning or _NOTHING)
        return
    is_long = [max(map(len, column)) > _LONG_CELL for column in zip(*rows, strict=True)]
    yield from (".PP", ".TS", " ".join("lx" if each else "l" for each in is_long) + ".")
    for row in rows:
        cells = zip(row, is_long, strict=True)
        yield "\t".join(f"T{{\n{cell or _NOTHING}\nT}}" if wraps else cell or _NOTHING for cell, wraps in cells)
    yield ".TE"


_BLOCKS: dict[str, Callable[[Token], Iterator[str]]] = {
    "heading": _heading,
    "paragraph": _paragraph,
    "block_text": _text,
    "block_code": _code,
    "list": _list,
    "table": _table,
}


def _inline(token: Token) -> str:
    return _guarded("".join(map(_span, token.get("children", ()))))


def _span(token: Token) -> str:
    kind = token["type"]
    if kind in {"codespan", "strong"}:
        return f"\\fB{_escaped(plain_text(token))}\\fR"
    if kind in {"softbreak", "linebreak"}:
        return " "
    if kind in {"image", "inline_html"}:
        return ""
    if kind == "link":
        return _link(token)
    return _escaped(str(token["raw"])) if "raw" in token else "".join(map(_span, token.get("children", ())))


def _link(token: Token) -> str:
    words, target = _escaped(plain_text(token)), str(token["attrs"]["url"])
    topic = re.fullmatch(r"([a-z-]+)\.md(?:#.*)?", target)
    if topic and topic[1] == COMMANDS:
        return f"{words} (\\fBorange\\fR(1))"
    return f"{words} (\\fBorange\\-{_escaped(topic[1])}\\fR(7))" if topic else f"{words} ({_escaped(target)})"


def _line(text: str) -> str:
    return _guarded(_escaped(text))


def _guarded(text: str) -> str:
    """A line that begins with a dot or a quote would be a command."""
    return f"\\&{text}" if text.startswith((".", "'")) else text


def _escaped(text: str) -> str:
    return (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace("^", "\\(ha")
    )


def main() -> int:
    """Write all of them below `build/man`."""
    folder = ROOT / "build" / "man"
    for name, text in pages().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    print(f"{folder} has the man pages: man -M {folder} orange")
    return 0


if __name__ == "__main__":
    sys.exit(main())
