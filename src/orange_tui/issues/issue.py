"""GitHub issues: where one is, how to ask for those of a repository, what the answer says, what a task takes from it.

All of it was written by people on the web, so nothing is believed before it was looked at.
"""

from __future__ import annotations

import json
import re

from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

OPEN, CLOSED = "OPEN", "CLOSED"
STATUS_LABELS: Mapping[str, str] = {"blocked": "blocked", "stuck": "blocked", "needs_review": "needs-review"}
PAGE = 100
_FIELDS = "id number title body url state updatedAt author{login} labels(first:50){nodes{name}}"
_LONGEST_TITLE = 200
_LONGEST_LABEL = 100
_LONGEST_SLUG = 40
_ADDRESS = r"https://([\w.:-]+)/([\w.-]+)/([\w.-]+)/issues/([1-9][0-9]{0,8})/?"
_SPEAKING = ("agent", "model", "effort", "workflow")  # `agent:codex` is more than a label


@record
class Repository:
    """Where a project's issues are."""

    host: str
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.host}/{self.owner}/{self.name}"


@record
class Issue:
    """An issue as GitHub has it; `key` stays the same when its repository gets another name."""

    key: str
    number: int
    title: str
    body: str
    url: str
    is_open: bool
    author: str
    labels: tuple[str, ...]
    updated_at: str


@record
class Answer:
    """A page of issues; who asked; the tracked ones that are there no more; where the next page begins."""

    viewer: str
    issues: tuple[Issue, ...]
    gone: tuple[int, ...]
    following: str | None


def place_of(url: object) -> tuple[Repository, int] | None:
    """The repository and the number that an issue's address names; None where it is not one."""
    found = re.fullmatch(_ADDRESS, url, re.ASCII) if isinstance(url, str) else None
    return (Repository(found[1], found[2], found[3]), int(found[4])) if found else None


def question(where: Repository, *, since: str | None, after: str | None, tracked: Sequence[int] = ()) -> str:
    """One question: the open issues, or all that changed since a time; and those that tasks were made of."""
    which = f"filterBy:{{since:{json.dumps(since)}}}" if since else f"states:[{OPEN}]"
    page = f"first:{PAGE},orderBy:{{field:UPDATED_AT,direction:ASC}},{which}"
    page += f",after:{json.dumps(after)}" if after else ""
    each = " ".join(f"i{number}:issue(number:{number}){{...known}}" for number in tracked)
    return (
        f"query{{viewer{{login}} repository(owner:{json.dumps(where.owner)},name:{json.dumps(where.name)})"
        f"{{issues({page}){{pageInfo{{hasNextPage endCursor}} nodes{{...known}}}} {each}}}}}"
        f" fragment known on Issue{{{_FIELDS}}}"
    )


def answer(reply: Mapping[str, Any], tracked: Sequence[int] = ()) -> Answer | None:
    """What the answer says; None where the repository is not in it."""
    repository = inside(reply, "data", "repository")
    if not isinstance(repository, dict):
        return None
    nodes = inside(repository, "issues", "nodes")
    single = {number: _issue(repository.get(f"i{number}")) for number in tracked}
    listed = [_issue(node) for node in nodes] if isinstance(nodes, list) else []
    found = {issue.key: issue for issue in (*listed, *single.values()) if issue is not None}
    more = inside(repository, "issues", "pageInfo", "hasNextPage") is True
    cursor = inside(repository, "issues", "pageInfo", "endCursor")
    return Answer(
        viewer=_text(inside(reply, "data", "viewer", "login")),
        issues=tuple(found.values()),
        gone=tuple(number for number, issue in single.items() if issue is None and number in _not_found(reply)),
        following=cursor if more and isinstance(cursor, str) and cursor else None,
    )


def _not_found(reply: Mapping[str, Any]) -> set[int]:
    """The tracked issues that GitHub says it does not have; one it only fails to tell of is another matter."""
    errors = reply.get("errors")
    found = set()
    for error in errors if isinstance(errors, list) else []:
        path = inside(error, "path")
        name = path[-1] if isinstance(path, list) and path else None
        if "Could not resolve" in _text(inside(error, "message")) and isinstance(name, str) and name[1:].isdecimal():
            found.add(int(name[1:]))
    return found


def _issue(node: object) -> Issue | None:
    number, url, key = inside(node, "number"), inside(node, "url"), inside(node, "id")
    if type(number) is not int or number <= 0 or place_of(url) is None or not isinstance(key, str) or not key:
        return None
    nodes = inside(node, "labels", "nodes")
    names = [one_line(inside(each, "name"), _LONGEST_LABEL) for each in nodes] if isinstance(nodes, list) else []
    return Issue(
        key=key,
        number=number,
        title=one_line(inside(node, "title"), _LONGEST_TITLE) or f"Issue {number}",
        body=_text(inside(node, "body")),
        url=_text(url),
        is_open=inside(node, "state") == OPEN,
        author=_text(inside(node, "author", "login")),
        labels=tuple(dict.fromkeys(name for name in names if name)),
        updated_at=_text(inside(node, "updatedAt")),
    )


def branch_of(issue: Issue) -> str:
    """The branch of an issue's task: its number, and enough of its title to know it by."""
    words = re.findall(r"[a-z0-9]+", issue.title.lower())
    slug = ""
    for word in words:
        longer = f"{slug}-{word}" if slug else word[:_LONGEST_SLUG]
        if len(longer) > _LONGEST_SLUG:
            break
        slug = longer
    return f"gh-task-{issue.number}-{slug}" if slug else f"gh-task-{issue.number}"


def labels_of(issue: Issue) -> tuple[str, ...]:
    """The labels that go to the task; those by which Orange itself tells how a task stands do not."""
    return tuple(label for label in issue.labels if label not in STATUS_LABELS.values())


def spoken(labels: Iterable[str]) -> dict[str, str]:
    """What labels such as `agent:codex` say; of two that say different things, the first counts."""
    found: dict[str, str] = {}
    for label in labels:
        name, colon, value = label.partition(":")
        if colon and name.strip().lower() in _SPEAKING and value.strip():
            found.setdefault(name.strip().lower(), value.strip())
    return found


def one_line(value: object, longest: int) -> str:
    """One line without anything a terminal would obey."""
    line = "".join(character for character in " ".join(_text(value).split()) if printable(character) == character)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def inside(value: object, *path: str) -> object:
    """What is there in an answer; None where it is not made as it should be."""
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
