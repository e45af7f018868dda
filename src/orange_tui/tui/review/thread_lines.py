"""A comment and its answers as lines under the code: who, in which state, and what they said.

All of it is anybody's text: it is shown as it is, and nothing in it is obeyed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.tui.drawing.lines import NARROWEST, safe, strip_of, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.style import Style
    from textual.strip import Strip

    from orange_tui.domain.review.thread import Thread, ThreadReply
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

_INDENT = "  "
_MOST_LINES = 60  # of one message: the command line has the rest
_QUOTED_LINES = 6
_SHORT_COMMIT = 10
_WIDEST = 100  # cells: prose in longer lines is hard to follow
_NAMES = {"person": "you", "github": "GitHub"}
MARKS = {"draft": "✎", "open": "●", "fixed": "✓", "declined": "✗", "resolved": "·"}
MEANINGS = {
    "draft": "Your draft: r sends it",
    "open": "Open: it waits for an answer",
    "fixed": "The agent says that it is fixed; x resolves it",
    "declined": "The agent has declined, with a reason; x resolves it",
    "resolved": "Resolved; ⏎ shows all of it, x opens it again",
}
_WORDS = {"draft": "draft, not sent yet"}
_HELD = "says, held back: r sends it to the agent"


def state_style(state: str, palette: Palette) -> Style:
    """How a state is coloured, besides its mark."""
    styles = {"draft": palette.warning, "open": palette.accent, "fixed": palette.good, "declined": palette.bad}
    return styles.get(state, palette.dim)


def who(by: str, author: str) -> str:
    """Who says something, in a word or two."""
    name = _NAMES.get(by, by)
    return safe(author) if by in {"github", "agent"} and author else safe(name)


class ThreadLines:
    """Comments drawn for one width; each is drawn once."""

    def __init__(self, width: int, palette: Palette) -> None:
        self._width = max(NARROWEST, min(width - 2, _WIDEST))
        self._palette = palette
        self._drawn: dict[tuple[Thread, bool, bool, str], list[Strip]] = {}

    def strips(self, thread: Thread, *, is_open: bool, has_quote: bool, unfinished: str) -> list[Strip]:
        """The lines of a comment; what is resolved is one, unless somebody opens it."""
        key = thread, is_open, has_quote, unfinished
        if key not in self._drawn:
            lines = [*self._lines(thread, is_open=is_open, has_quote=has_quote), *self._unfinished(unfinished)]
            self._drawn[key] = [strip_of(line) for line in lines]
        return self._drawn[key]

    def _unfinished(self, text: str) -> Iterator[list[Run]]:
        """An answer that was begun: what is typed is never lost, so it must be found again."""
        if text:
            bar: Run = (f"{_INDENT}┃ ", self._palette.warning)
            first = safe(text.strip().partition("\n")[0])
            yield [
                bar,
                *wrap([("✎ your answer, not sent yet: ", bar[1]), (first, self._palette.dim)], self._width - 4)[0],
            ]

    def _lines(self, thread: Thread, *, is_open: bool, has_quote: bool) -> Iterator[list[Run]]:
        palette, style = self._palette, state_style(thread.state, self._palette)
        bar: Run = (f"{_INDENT}┃ ", style)
        head: list[Run] = [(f"{MARKS[thread.state]} {_WORDS.get(thread.state, thread.state)}", style)]
        head += [(f" · {who(thread.by, thread.author)} · {thread.id}", palette.dim)]
        if not is_open:
            first = safe(thread.text.strip().split("\n", 1)[0])
            yield [bar, *wrap([*head, (f"  {first}", palette.dim)], self._width - 4)[0]]
            return
        if has_quote:
            about = f"{thread.path}:{thread.line}" if thread.line is not None else thread.path
            head += [(f" · {safe(about)}", palette.dim)] if about else []
        if thread.outdated:
            head += [(" · outdated: its code has changed", palette.warning)]
        yield from self._wrapped(bar, head)
        if has_quote or thread.outdated:
            for quoted in thread.quote.split("\n")[:_QUOTED_LINES] if thread.quote else ():
                yield [bar, *wrap([(f"> {safe(quoted)}", palette.dim)], self._width - 4)[0]]
        yield from self._message(bar, thread.text)
        for reply in thread.replies:
            yield from self._reply(bar, reply)
        if thread.url:
            yield from self._wrapped(bar, [(safe(thread.url), palette.dim)])

    def _reply(self, bar: Run, reply: ThreadReply) -> Iterator[list[Run]]:
        palette = self._palette
        words = _HELD if reply.held else reply.state or "says"
        commit = f" in {safe(reply.commit[:_SHORT_COMMIT])}" if reply.commit else ""
        mark = MARKS.get(reply.state or "", "↳")
        yield from self._wrapped(
            bar,
            [
                (f"{mark} {who(reply.by, reply.author)} · ", palette.dim),
                (f"{words}{commit}", palette.warning if reply.held else state_style(reply.state or "", palette)),
            ],
        )
        yield from self._message((bar[0] + "  ", bar[1]), reply.text)

    def _message(self, bar: Run, text: str) -> Iterator[list[Run]]:
        lines = text.strip("\n").split("\n")
        for line in lines[:_MOST_LINES]:
            yield from self._wrapped(bar, [(safe(line), self._palette.text)])
        if len(lines) > _MOST_LINES:
            yield from self._wrapped(bar, [(f"… {len(lines) - _MOST_LINES} more lines", self._palette.dim)])

    def _wrapped(self, bar: Run, runs: list[Run]) -> Iterator[list[Run]]:
        for line in wrap(runs, max(NARROWEST, self._width - len(bar[0]))):
            yield [bar, *line]
