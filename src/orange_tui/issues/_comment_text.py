"""The text of a comment about a task's result. What the agent wrote is data in it.

That is shown literally: no Markdown or HTML in it counts, and no `@name`, `#12` or address in it reaches anybody,
so that no agent can notify people or leave traces on other issues. A hidden marker with a hash of the result tells
whether it was posted before.
"""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.outside.forge.literal_text import quote_line, quote_name, quote_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MAX_CHARACTERS = 65_000  # GitHub accepts 65,536
_MAX_TEXT_CHARACTERS = 12_000
_MAX_ITEMS = 25


@record
class TaskResult:
    """What came of a task, for people who read the issue. A change of `details` alone is not worth a comment."""

    task: str
    status: str
    reported: str  # the status in the agent's report, where there is one
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
        """A hash of the result: the same for the same result, also when it took longer this time."""
        from hashlib import sha256

        values = [repr(value) for name, value in vars(self).items() if name != "details"]
        return sha256("\n".join(values).encode(errors="backslashreplace")).hexdigest()[:24]

    @property
    def marker(self) -> str:
        """The hidden line by which the comment is recognised."""
        return f"<!-- orange task={self.task} hash={self.digest} -->"


def comment_text(result: TaskResult, links: Mapping[str, str]) -> str:
    """The comment; `links` has URLs for the branch and for delegated tasks, which Orange has checked."""
    parts = [
        _head(result),
        quote_text(result.summary, _MAX_TEXT_CHARACTERS),
        f"**Why:** {quote_text(result.reason, _MAX_TEXT_CHARACTERS)}" if result.reason else "",
        _bullets("Accomplished", [quote_line(each) for each in result.accomplished]),
        _bullets("Remaining", [quote_line(each) for each in result.remaining]),
        _bullets("Blockers", [quote_line(each) for each in result.blockers]),
        _bullets(
            "Delegated", [_linked(f"{quote_line(what)} ({id_})", links.get(id_)) for what, id_ in result.delegated]
        ),
        f"Branch: {_linked(f'`{quote_name(result.branch)}`', links.get(result.branch))}" if result.branch else "",
        f"<sub>{' · '.join(quote_name(each) for each in (f'task {result.task}', *result.details))}</sub>",
    ]
    text = "\n\n".join(part for part in parts if part)
    if len(text) > MAX_CHARACTERS:
        text = f"{text[: text.rfind(chr(10), 0, MAX_CHARACTERS)]}\n\n…"
    return f"{text}\n\n{result.marker}\n"


def _head(result: TaskResult) -> str:
    badge = " ".join(f"`{quote_name(each)}`" for each in (result.harness, result.model) if each)
    reported = f" (the agent reports {_words(result.reported)})" if result.reported not in {"", result.status} else ""
    return f"🍊 **{_words(result.status)}**{reported}{f' · {badge}' if badge else ''}"


def _words(status: str) -> str:
    return quote_name(status).replace("_", " ")


def _bullets(title: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    more = [f"… and {len(items) - _MAX_ITEMS} more"] if len(items) > _MAX_ITEMS else []
    return "\n".join([f"**{title}**", "", *(f"- {item}" for item in (*items[:_MAX_ITEMS], *more))])


def _linked(text: str, address: str | None) -> str:
    return f"[{text}]({address})" if address else text
