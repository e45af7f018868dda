"""The sections of a TASK.md body, as Markdown sees them: finding one, and writing one."""

from __future__ import annotations

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.text.plain.lines import LINE_END, split_lines, without_closing_marks
from orange_tui.domain.text.plain.outline import plain_outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.domain.text.plain.outline import Outline

__all__ = [
    "Section",
    "close_open_blocks",
    "demote_headings",
    "find_section",
    "outline",
    "put_section",
    "same_name",
    "section_name",
    "split_lines",
]

SECTION_LEVEL = 2
_DEEPEST_LEVEL = 6
_BLOCK_CLOSERS = (">", "-->", "?>", "]]>", "</pre>", "</script>", "</style>", "</textarea>")


@record
class Section:
    """One section: its lines without the heading, and which of them are code or comment."""

    lines: tuple[str, ...]
    verbatim: frozenset[int]

    @property
    def text(self) -> str:
        """The content as text."""
        return "".join(self.lines)

    def prose(self) -> Iterable[str]:
        """The lines that are neither code nor comment."""
        return (line for number, line in enumerate(self.lines) if number not in self.verbatim)


def outline(body: str) -> Outline:
    """The top-level structure of a Markdown body."""
    found = plain_outline(body)
    if found is None:
        from orange_tui.domain.text._markdown_outline import parsed_outline  # a parser, which few bodies need

        found = parsed_outline(body)
    return found


def same_name(one: str, other: str) -> bool:
    """Section names compare without case, leading or trailing marks."""
    return section_name(one).casefold() == section_name(other).casefold()


def section_name(heading: str) -> str:
    """`## Handoff ##` is the section Handoff."""
    return without_closing_marks(heading.strip().lstrip("#"))


def find_section(body: str, name: str) -> Section | None:
    """The section of that name; where there are two, the last one counts."""
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
    text = LINE_END.sub(newline, close_open_blocks(content).strip("\r\n"))
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
    """The text with its headings two levels down, so that none of them ends a section."""
    lines = split_lines(text)
    for heading in reversed(outline(text).headings):
        level = min(heading.level + SECTION_LEVEL, _DEEPEST_LEVEL)
        title = " ".join(heading.title.split())
        end = LINE_END.search(lines[heading.after - 1])
        lines[heading.line : heading.after] = [f"{'#' * level} {title}{end[0] if end else ''}"]
    return "".join(lines)


def close_open_blocks(text: str) -> str:
    """Close a code fence or comment that would otherwise hide every section after this text."""
    if _is_section_seen_after(text):
        return text
    fence, newline = outline(text).last_fence, _newline_of(text)
    ended = text if text.endswith(("\n", "\r")) else text + newline
    for closer in (*([fence] if fence else []), *_BLOCK_CLOSERS):
        closed = ended + closer + newline
        if _is_section_seen_after(closed):
            return closed
    raise Unreadable("a block of HTML or code in this text is never closed; close it")


def _is_section_seen_after(text: str) -> bool:
    lines = len(split_lines(text))
    headings = outline(f"{text}\n\n## After\n").headings
    return bool(headings) and headings[-1].line >= lines and headings[-1].title == "After"
