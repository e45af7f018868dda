"""What is said on a GitHub issue about its task. The agent's part of it is data.

It is shown as it stands: no Markdown or HTML in it counts, and no `@name`, `#12` or address in it reaches anybody,
so that no agent can call people or leave traces on other issues. A hidden marker with a hash of what is said tells
whether it was said before.
"""

from __future__ import annotations

import re

from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LONGEST = 65_000  # characters; GitHub takes 65,536
_LONGEST_TEXT = 12_000
_LONGEST_ITEM = 600
_MOST_ITEMS = 25
_GAP = "\u200b"  # no width, and no mention or reference goes across it
_ACTIVE = re.compile(r"[\\`*_\[\]<>|~#$!]")
_REFERENCE = re.compile(r"(@|#|GH-(?=\d)|://|\bwww\.|\bmailto:)", re.IGNORECASE)
_AT_START = re.compile(r"^([-+=]|\d+[.)])")
_IN_NAMES = re.compile(r"[^\w.:/ ()+-]", re.ASCII)


@record
class Result:
    """How a task stands, for people who read the issue. What is in `details` is no news by itself."""

    task: str
    status: str
    judged: str  # what the agent's report comes to, where there is one
    harness: str
    model: str
    summary: str
    reason: str
    accomplished: tuple[str, ...]
    remaining: tuple[str, ...]
    blockers: tuple[str, ...]
    delegated: tuple[tuple[str, str], ...]  # what, and the task's id
    branch: str
    details: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """The same for the same news, also when it took longer this time."""
        from hashlib import sha256

        said = [repr(value) for name, value in vars(self).items() if name != "details"]
        return sha256("\n".join(said).encode(errors="backslashreplace")).hexdigest()[:24]

    @property
    def marker(self) -> str:
        """The hidden line by which the comment is known again."""
        return f"<!-- orange task={self.task} hash={self.digest} -->"


def comment(result: Result, links: Mapping[str, str]) -> str:
    """The comment; `links` has addresses for the branch and for delegated tasks, ours and checked."""
    parts = [
        _head(result),
        shown(result.summary, _LONGEST_TEXT),
        f"**Why:** {shown(result.reason, _LONGEST_TEXT)}" if result.reason else "",
        _bullets("Accomplished", [shown_line(each) for each in result.accomplished]),
        _bullets("Remaining", [shown_line(each) for each in result.remaining]),
        _bullets("Blockers", [shown_line(each) for each in result.blockers]),
        _bullets(
            "Delegated", [_linked(f"{shown_line(what)} ({id_})", links.get(id_)) for what, id_ in result.delegated]
        ),
        f"Branch: {_linked(f'`{name(result.branch)}`', links.get(result.branch))}" if result.branch else "",
        f"<sub>{' · '.join(name(each) for each in (f'task {result.task}', *result.details))}</sub>",
    ]
    text = "\n\n".join(part for part in parts if part)
    if len(text) > LONGEST:
        text = f"{text[: text.rfind(chr(10), 0, LONGEST)]}\n\n…"
    return f"{text}\n\n{result.marker}\n"


def _head(result: Result) -> str:
    badge = " ".join(f"`{name(each)}`" for each in (result.harness, result.model) if each)
    judged = f" (the agent reports {_words(result.judged)})" if result.judged not in {"", result.status} else ""
    return f"🍊 **{_words(result.status)}**{judged}{f' · {badge}' if badge else ''}"


def _words(status: str) -> str:
    return name(status).replace("_", " ")


def _bullets(title: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    more = [f"… and {len(items) - _MOST_ITEMS} more"] if len(items) > _MOST_ITEMS else []
    return "\n".join([f"**{title}**", "", *(f"- {item}" for item in (*items[:_MOST_ITEMS], *more))])


def _linked(text: str, address: str | None) -> str:
    return f"[{text}]({address})" if address else text


def shown(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Text that GitHub shows as it stands: line by line, and nothing in it does anything."""
    cut = text if len(text) <= longest else f"{text[:longest]}…"
    lines = [_plain(line) for line in cut.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def shown_line(text: str) -> str:
    """The same on one line."""
    return shown(" ".join(text.split()), _LONGEST_ITEM)


def name(text: str) -> str:
    """A name of a program, a model, a branch: what would end a code span, or begin anything, is left out."""
    return _IN_NAMES.sub("", text)[:200]


def _plain(line: str) -> str:
    line = printable(" ".join(line.split()))
    line = _REFERENCE.sub(lambda found: f"{found[0][:-1]}{_GAP}{found[0][-1]}{_GAP}", line)
    line = _ACTIVE.sub(lambda found: f"\\{found[0]}", line.replace("&", "&amp;"))
    return _AT_START.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", line)
