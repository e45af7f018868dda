"""Where the sections of a TASK.md body are, as Markdown sees it.

mistune's block pass decides what is a heading: `## Handoff` in a code fence, a quote, a comment or a list is
not one. Its tokens carry no positions, so a small subclass notes where each top-level heading stands. What
is nested cannot begin a section, so it is not parsed at all: hostile nesting costs nothing, the pass takes
less time than mistune's own, and a limit on the number of blocks bounds the rest.

Positions are line numbers. Line ends of any kind may be mixed in a body, and its bytes are never changed here.
"""

from __future__ import annotations

import re

from mistune.block_parser import BlockParser
from mistune.core import BlockState
from mistune.helpers import BLOCK_TAGS, PRE_TAGS

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from re import Match, Pattern

SECTION_LEVEL = 2
_DEEPEST_LEVEL = 6
_MOST_BLOCKS = 50_000  # a 5 MB file of prose has fewer; a megabyte of bare dashes has ten times as many
_LINE_END = re.compile(r"\r\n|\r|\n")
_WAYS_TO_CLOSE = (">", "-->", "?>", "]]>", "</pre>", "</script>", "</style>", "</textarea>")
_BLOCK_HTML = (
    r"^ {0,3}(?:<(?:!--|\?|!\[CDATA\[|![A-Z])"
    rf"|(?i:</?(?:{'|'.join(BLOCK_TAGS)})|<(?:{'|'.join(PRE_TAGS)}))(?=[ \t]|/?>|$))"
)
_QUOTE_ENDS = ["blank_line", "thematic_break", "fenced_code", "list", "block_html"]


@record
class Heading:
    """A top-level heading: its level and text, its first line, and the first line after it."""

    level: int
    title: str
    line: int
    after: int


@record
class Outline:
    """The top level of a body: headings, lines that are code or comment, and the fence of the code it ends with."""

    headings: tuple[Heading, ...]
    verbatim: tuple[tuple[int, int], ...]
    last_fence: str | None


class _TopLevel(BlockState):
    """A paragraph is known by where it begins: adding it up line by line, as mistune does, is quadratic."""

    def add_paragraph(self, text: str) -> None:  # noqa: ARG002 - the name is mistune's
        if not self._is_in_paragraph():
            self.append_token({"type": "paragraph", "start": self.cursor})

    def append_paragraph(self) -> int | None:
        return self.find_line_end() if self._is_in_paragraph() else None

    def _is_in_paragraph(self) -> bool:
        last = self.last_token()
        return bool(last) and last["type"] == "paragraph"


class _OutlineParser(BlockParser):
    """mistune's block parser, noting positions and looking at the top level only."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str, int, int]] = []
        self.verbatim: list[tuple[int, int]] = []
        self._blocks = 0
        # mistune's own does not see `<div>` at the end of a quote or a list, for the `>` in it.
        self.specification["block_html"] = _BLOCK_HTML

    def parse(self, state: BlockState, rules: list[str] | None = None) -> None:
        self._count_block()
        if state.parent is None:
            super().parse(state, rules)

    def parse_method(self, m: Match[str], state: BlockState) -> int | None:
        self._count_block()
        return super().parse_method(m, state)

    def _count_block(self) -> None:
        self._blocks += 1
        if self._blocks > _MOST_BLOCKS:
            raise Unreadable(f"the Markdown has more than {_MOST_BLOCKS:,} blocks; move the bulk of it to another file")

    def compile_sc(self, rules: list[str] | None = None) -> Pattern[str]:
        # CommonMark: a heading ends a quote. mistune leaves it out and would take it as a lazy continuation.
        return super().compile_sc([*rules, "atx_heading"] if rules == _QUOTE_ENDS else rules)

    def extract_block_quote(self, m: Match[str], state: BlockState) -> tuple[str, int | None, set[int]]:
        # What ends the quote must not be taken for more of the paragraph above it.
        state.append_token({"type": "block_quote"})
        return super().extract_block_quote(m, state)

    def parse_atx_heading(self, m: Match[str], state: BlockState) -> int:
        # Not mistune's own: its way to find the closing marks is quadratic in the blanks of the line.
        self.found.append((len(m["atx_1"]), _without_closing_marks(m["atx_2"]), m.start(), m.end() + 1))
        state.append_token({"type": "heading"})
        return m.end() + 1

    def parse_setex_heading(self, m: Match[str], state: BlockState) -> int | None:
        last = state.last_token()
        was_paragraph = bool(last) and last["type"] == "paragraph"
        end = super().parse_setex_heading(m, state)
        if was_paragraph and last["type"] == "heading":
            title = state.src[last["start"] : m.start()].strip()
            self.found.append((last["attrs"]["level"], title, last["start"], m.end() + 1))
        return end

    def parse_fenced_code(self, m: Match[str], state: BlockState) -> int | None:
        return self._note_verbatim(m.start(), super().parse_fenced_code(m, state))

    def parse_raw_html(self, m: Match[str], state: BlockState) -> int | None:
        before = len(state.tokens)
        end = super().parse_raw_html(m, state)
        is_html = len(state.tokens) > before
        return self._note_verbatim(m.start(), end) if is_html else end

    def _parse_indent_code_fast(self, state: BlockState) -> int | None:
        start, before = state.cursor, len(state.tokens)
        end = super()._parse_indent_code_fast(state)
        is_code = len(state.tokens) > before
        return self._note_verbatim(start, end) if is_code else end

    def _note_verbatim(self, start: int, end: int | None) -> int | None:
        if end is not None:
            self.verbatim.append((start, end))
        return end


def outline(body: str) -> Outline:
    """The top-level structure of a Markdown body."""
    text = body.replace("\r\n", "\n").replace("\r", "\n") if "\r" in body else body
    parser, state = _OutlineParser(), _TopLevel()
    state.process(text if text.endswith("\n") else text + "\n")
    parser.parse(state)
    line_of = _LineCounter(text)
    headings = tuple(
        Heading(level, title, line_of(start), line_of(end))
        for level, title, start, end in sorted(parser.found, key=lambda found: found[2])
    )
    line_of = _LineCounter(text)
    verbatim = tuple((line_of(start), line_of(end)) for start, end in sorted(parser.verbatim))
    return Outline(headings, verbatim, _last_fence(state))


class _LineCounter:
    """Turns ascending offsets into line numbers in one pass over the text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = self._line = 0

    def __call__(self, offset: int) -> int:
        if offset < self._offset:
            self._offset = self._line = 0
        self._line += self._text.count("\n", self._offset, offset)
        self._offset = offset
        # A last line without an end is a line all the same.
        unended = offset > len(self._text) and not self._text.endswith("\n")
        return self._line + 1 if unended else self._line


def _last_fence(state: BlockState) -> str | None:
    last = state.last_token()
    if last and last["type"] == "block_code" and last.get("style") == "fenced":
        return str(last["marker"])
    return None


def split_lines(body: str) -> list[str]:
    """The lines of a body with their ends, split where Markdown splits them and nowhere else."""
    lines, start = [], 0
    for end in _LINE_END.finditer(body):
        lines.append(body[start : end.end()])
        start = end.end()
    return [*lines, body[start:]] if start < len(body) else lines


@record
class Section:
    """One section: its lines without the heading, and which of them are code or comment."""

    lines: tuple[str, ...]
    verbatim: frozenset[int]

    @property
    def text(self) -> str:
        """The content as it stands."""
        return "".join(self.lines)

    def prose(self) -> Iterable[str]:
        """The lines that are neither code nor comment."""
        return (line for number, line in enumerate(self.lines) if number not in self.verbatim)


def same_name(one: str, other: str) -> bool:
    """Section names compare without case, leading or trailing marks."""
    return section_name(one).casefold() == section_name(other).casefold()


def section_name(heading: str) -> str:
    """`## Handoff ##` is the section Handoff."""
    return _without_closing_marks(heading.strip().lstrip("#"))


def _without_closing_marks(title: str) -> str:
    title = title.strip()
    bare = title.rstrip("#")
    are_marks = not bare or bare[-1] in " \t"
    return bare.rstrip() if are_marks else title


def find_section(body: str, name: str) -> Section | None:
    """The section of that name; where it stands twice, the last one counts."""
    found = outline(body)
    span = _span(found, name)
    if span is None:
        return None
    start, end = span[1], span[2]
    lines = split_lines(body)[start:end]
    verbatim = {n - start for low, high in found.verbatim for n in range(max(low, start), min(high, end or high))}
    return Section(tuple(lines), frozenset(verbatim))


def _span(found: Outline, name: str) -> tuple[int, int, int | None] | None:
    """Heading line, first content line, and the line after the section (None: it runs to the end)."""
    span = None
    for index, heading in enumerate(found.headings):
        if heading.level == SECTION_LEVEL and same_name(heading.title, name):
            later = (h.line for h in found.headings[index + 1 :] if h.level <= SECTION_LEVEL)
            span = (heading.line, heading.after, next(later, None))
    return span


def put_section(body: str, name: str, content: str) -> str:
    """The body with that section's content replaced, or the section added at the end."""
    newline = _newline_of(body)
    text = _LINE_END.sub(newline, close_open_blocks(content).strip("\r\n"))
    block = f"## {section_name(name)}{newline}{newline}{text}{newline}"
    span = _span(outline(body), name)
    if span is None:
        body = close_open_blocks(body)
        return body + _gap(body, newline) + block
    lines = split_lines(body)
    before, after = "".join(lines[: span[0]]), "".join(lines[span[2] :]) if span[2] is not None else ""
    return before + block + (newline + after if after else "")


def _newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _gap(body: str, newline: str) -> str:
    if not body.strip():
        return "" if body.endswith(("\n", "\r")) or not body else newline
    if body.endswith(newline * 2):
        return ""
    if body.endswith("\r"):
        return "\r"  # a line feed would become one with it
    return newline if body.endswith(("\n", "\r")) else newline * 2


def demote_headings(text: str) -> str:
    """Text in which no heading would end a section of level two: everything moves two levels down."""
    lines = split_lines(text)
    for heading in reversed(outline(text).headings):
        level = min(heading.level + SECTION_LEVEL, _DEEPEST_LEVEL)
        title = " ".join(heading.title.split())
        end = _LINE_END.search(lines[heading.after - 1])
        lines[heading.line : heading.after] = [f"{'#' * level} {title}{end[0] if end else ''}"]
    return "".join(lines)


def close_open_blocks(text: str) -> str:
    """Close a fence or comment that would otherwise swallow every section written after this text."""
    if _is_section_seen_after(text):
        return text
    fence, newline = outline(text).last_fence, _newline_of(text)
    ended = text if text.endswith(("\n", "\r")) else text + newline
    for closer in (*([fence] if fence else []), *_WAYS_TO_CLOSE):
        closed = ended + closer + newline
        if _is_section_seen_after(closed):
            return closed
    raise Unreadable("a block of HTML or code in this text is never closed; close it")


def _is_section_seen_after(text: str) -> bool:
    lines = len(split_lines(text))
    headings = outline(f"{text}\n\n## After\n").headings
    return bool(headings) and headings[-1].line >= lines and headings[-1].title == "After"
