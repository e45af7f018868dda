"""A task: its frontmatter fields, which of them belong to the engine, and what a name or an id may be."""

from __future__ import annotations

import re

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Protocol, TypeVar

    class HasId(Protocol):
        """A task, a job, or anything else that people name by its id."""

        @property
        def id(self) -> str: ...

    T = TypeVar("T", bound=HasId)


@record
class Task:
    """The frontmatter of one TASK.md. A new field is one line here: its name, its kind and its default.

    `extra` are the fields that Orange does not know. What only the engine may change is listed in `ENGINE_FIELDS`.
    """

    id: str = ""
    project: str = ""
    branch: str = ""
    summary: str = ""
    status: str = ""
    workflow: str = ""
    harness: str | None = None
    review_harness: str | None = None
    effort: str | None = None
    review_effort: str | None = None
    model: str | None = None
    review_round: int = 0
    crash_count: int = 0
    workspace: str | None = None
    tmux_session: str | None = None
    pr_url: str | None = None
    parent: str | None = None
    blocked_by: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    budget: float | None = None
    attention: str | None = None
    created_at: str = ""
    updated_at: str = ""
    extra: Mapping[str, object] = {}

    def engine_fields(self) -> dict[str, object]:
        """The values that only the engine may change, as the journal records them."""
        return {name: getattr(self, name) for name in ENGINE_FIELDS}

    def number(self, field: str) -> int:
        """A numeric field, ours or the workflow's own; one that is not there yet counts as 0."""
        value = getattr(self, field) if field in FIELDS else self.extra.get(field)
        if value is None and field not in FIELDS:
            return 0
        if type(value) is not int:
            raise Refused(f"{field} is not a number in this task: {value!r}")
        return value

    def attention_and(self, sentence: str) -> str:
        """One more reason why a person should look, after the one there is."""
        return f"{self.attention.removesuffix('.')}; {sentence}" if self.attention else sentence

    def attention_without(self, *beginnings: str) -> str | None:
        """The reasons why a person should look, but for those that begin so: they are none any more."""
        reasons = _REASONS.split(self.attention or "")
        return "; ".join(each for each in reasons if not each.startswith(beginnings)) or None

    def as_json(self) -> dict[str, object]:
        """Every frontmatter field, known and unknown, in the order of SPEC 2."""
        return {name: getattr(self, name) for name in FIELDS} | dict(self.extra)


NOT_CLEARED = " was not cleared: "  # between a workspace's name and the reason
_REASONS = re.compile(rf"; (?=\S+(?: failed: |{NOT_CLEARED}))")

ENGINE_FIELDS = (
    "id",
    "project",
    "branch",
    "status",
    "workflow",
    "review_round",
    "crash_count",
    "workspace",
    "tmux_session",
    "pr_url",
    "parent",
    "budget",
    "created_at",
)


@record
class Field:
    """What is known of one frontmatter field: its kind (text, number, dollars or texts), and its default."""

    kind: str
    default: object


_KINDS = {"str": "text", "str | None": "text", "int": "number", "float | None": "dollars", "tuple[str, ...]": "texts"}
FIELDS: Mapping[str, Field] = {
    name: Field(_KINDS[kind], vars(Task)[name]) for name, kind in Task.__annotations__.items() if name != "extra"
}

_DEFAULTS = {name: field.default for name, field in FIELDS.items()}


def make_task(values: Mapping[str, object]) -> Task:
    """A task from field values; what is missing takes its default."""
    known: dict[str, object] = dict(_DEFAULTS)
    extra: dict[str, object] = {}
    for name, value in values.items():
        (known if name in known else extra)[name] = value
    return Task(**known, extra=extra)  # type: ignore[arg-type]  # `task_file` has checked the kinds


def is_dollars(value: object) -> bool:
    """Whether a value is an amount that somebody could mean."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _MOST_DOLLARS


_ID_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_MAX_ID_CHARACTERS = 40
# Patterns are compiled when they are first needed: most commands need none, and compiling takes a millisecond each.
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
_BAD_IN_BRANCH = r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)"
_PLAIN_IN_BRANCH = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/"
_MAX_NAME_BYTES = 200
_MAX_WORDS_CHARACTERS = 40  # of a branch that is named after a summary: it stands in lists, and on command lines
_APOSTROPHES = {ord("'"): None, ord("\u2019"): None}  # don't is one word
_MAX_LINE_CHARACTERS = 300
_MOST_DOLLARS = 1_000_000
_MAX_NAMED = 20  # matches of an ambiguous prefix: naming more of them helps nobody


def check_id(text: str) -> str:
    """An id, or the beginning of one, is lower-case letters and digits: it goes into paths."""
    if not 0 < len(text) <= _MAX_ID_CHARACTERS or text.strip(_ID_CHARACTERS):
        shown = printable(text[:_MAX_ID_CHARACTERS]) + ("…" if len(text) > _MAX_ID_CHARACTERS else "")
        raise Refused(f"'{shown}' is not a task id: ids are lower-case letters and digits")
    return text


def match_prefix(prefix: str, found: Iterable[T], name: Callable[[T], str] = lambda each: each.id) -> T | None:
    """The one whose id begins so, if there is any; an exact id wins, an ambiguous prefix is refused."""
    matches = [each for each in found if each.id.startswith(prefix)]
    best = [each for each in matches if each.id == prefix] or matches
    if len(best) > 1:
        names = sorted(map(name, best))
        others = f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else ""
        raise Refused(f"{prefix} could be any of {', '.join(names[:_MAX_NAMED])}{others}; type more of it")
    return best[0] if best else None


def check_summary(text: str) -> str:
    """A summary is one line of text; it ends up in titles, prompts and terminals."""
    if _has_control(text):
        raise Refused(
            "A summary is one line without control characters: put the rest into --context",
        )
    return text.strip()


def check_label(text: str) -> str:
    """A label is a word or two; it ends up in lists and in terminals."""
    label = text.strip()
    if not label or not label.isprintable():
        raise Refused("A label is a word or two without control characters, such as `chore`")
    return label


def is_branch(name: str) -> bool:
    """The rules of `git check-ref-format --branch`, plus what would be unsafe on a command line."""
    if name.isascii() and name[:1].isalnum() and name[-1:].isalnum() and not name.strip(_PLAIN_IN_BRANCH):
        return "//" not in name and len(name) <= _MAX_NAME_BYTES and name != "HEAD"  # as nearly all of them are
    return not (
        not name
        or name in {"@", "HEAD"}
        or name[0] in "-/."
        or name[-1] in "/."
        or len(name.encode(errors="replace")) > _MAX_NAME_BYTES
        or re.search(_BAD_IN_BRANCH, name)
        or _has_control(name)
    )


def check_branch(name: str) -> str:
    """The name, if git takes it for one."""
    if not is_branch(name):
        raise Refused(f"'{printable(name)}' is not a branch name git accepts; try something like fix/login-loop")
    return name


def branch_words(summary: str) -> str:
    """A branch name that says what a summary says, in whatever script; empty where that has no letter or digit."""
    import unicodedata

    text = unicodedata.normalize("NFC", summary.translate(_APOSTROPHES)).lower()
    words = "".join(each if unicodedata.category(each)[0] in "LMN" else " " for each in text).split()
    while len(words) > 1 and len("-".join(words)) > _MAX_WORDS_CHARACTERS:
        words.pop()
    name = "-".join(words)[:_MAX_WORDS_CHARACTERS].rstrip("-")
    return name if is_branch(name) else ""


def free_branch(words: str, is_taken: Callable[[str], bool]) -> str:
    """The first of `words`, `words-2`, `words-3` and so on that is not taken."""
    number = 1
    while is_taken(name := words if number == 1 else f"{words}-{number}"):
        number += 1
    return name


def check_project_name(name: str) -> str:
    """A project's name becomes a directory and the front half of session names."""
    bad = (
        not name
        or name[0] in ".-"
        or "/" in name
        or "\\" in name
        or name != name.strip()
        or len(name.encode(errors="replace")) > _MAX_NAME_BYTES
        or _has_control(name)
    )
    if bad:
        raise Refused(
            f"'{printable(name)}' is not a project name: no slash, no leading dot or dash, no control characters",
        )
    return name


def check_web_address(text: str) -> str:
    """An address that may be opened or sent to: of the web only, since any other scheme can run a program."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        valid = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        valid = False
    if not valid or not text.isascii() or not text.isprintable() or " " in text:
        raise Refused(f"{printable(text)} is not a web address; one begins with https:// or http:// and a host")
    return text


def printable(text: str) -> str:
    """Text for a message: control characters are shown as escapes, never sent to the terminal."""
    if text.isprintable():
        return text
    return re.sub(f"{_CONTROL}+", lambda found: "".join([f"\\x{ord(each):02x}" for each in found[0]]), text)


def one_line(text: str) -> str:
    """Somebody's text as part of a sentence: in one line, and not longer than one reads in a list."""
    line = printable(" ".join(text.split())[: _MAX_LINE_CHARACTERS + 1])  # an escape is never shorter
    return line if len(line) <= _MAX_LINE_CHARACTERS else f"{line[:_MAX_LINE_CHARACTERS]}…"


def _has_control(text: str) -> bool:
    return not text.isprintable() and re.search(_CONTROL, text) is not None
