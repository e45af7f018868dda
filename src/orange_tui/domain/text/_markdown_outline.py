"""The top-level structure of a Markdown body: its headings, and which lines are code or comment.

mistune's block pass decides what is a heading: `## Handoff` in a code fence, a quote, a comment or a list is
not one. Its tokens carry no positions, so a small subclass notes where each top-level heading stands. What
is nested cannot begin a section, so it is not parsed at all: hostile nesting costs nothing, the pass takes
less time than mistune's own, and a limit on the number of blocks bounds the rest.

Positions are line numbers. Line ends of any kind may be mixed in a body, and its bytes are never changed here.
"""

from __future__ import annotations

from mistune.block_parser import BlockParser
from mistune.core import BlockState
from mistune.helpers import BLOCK_TAGS, PRE_TAGS

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.text.plain.lines import without_closing_marks
from orange_tui.domain.text.plain.outline import Heading, Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from re import Match, Pattern

_MAX_BLOCKS = 50_000  # a 5 MB file of prose has fewer; a megabyte of bare dashes has ten times as many
_BLOCK_HTML = (
    r"^ {0,3}(?:<(?:!--|\?|!\[CDATA\[|![A-Z])"
    rf"|(?i:</?(?:{'|'.join(BLOCK_TAGS)})|<(?:{'|'.join(PRE_TAGS)}))(?=[ \t]|/?>|$))"
)
_QUOTE_ENDS = ["blank_line", "thematic_break", "fenced_code", "list", "block_html"]


class _TopLevel(BlockState):
    """Keeps only where a paragraph begins: joining its lines one by one, as mistune does, is quadratic."""

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
        # mistune's own pattern misses `<div>` at the end of a quote or a list, because of the `>` in it.
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
        if self._blocks > _MAX_BLOCKS:
            raise Unreadable(f"the Markdown has more than {_MAX_BLOCKS:,} blocks; move most of it to another file")

    def compile_sc(self, rules: list[str] | None = None) -> Pattern[str]:
        # In CommonMark a heading ends a quote; mistune would take it as a lazy continuation.
        return super().compile_sc([*rules, "atx_heading"] if rules == _QUOTE_ENDS else rules)

    def extract_block_quote(self, m: Match[str], state: BlockState) -> tuple[str, int | None, set[int]]:
        # What ends the quote must not be taken for a continuation of the paragraph above it.
        state.append_token({"type": "block_quote"})
        return super().extract_block_quote(m, state)

    def parse_atx_heading(self, m: Match[str], state: BlockState) -> int:
        # Not mistune's own: finding the closing marks there is quadratic in the blanks of the line.
        self.found.append((len(m["atx_1"]), without_closing_marks(m["atx_2"]), m.start(), m.end() + 1))
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


def parsed_outline(body: str) -> Outline:
    """The top-level structure of a Markdown body, whatever is in it."""
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
