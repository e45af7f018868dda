"""Issues on GitHub: the GraphQL queries for them, and how their replies are parsed.

All of it was written by people on the web, so nothing is trusted before it was checked.
"""

from __future__ import annotations

import json
import re

from orange_tui.domain.records import record
from orange_tui.outside.forge._gh import nodes_at, text_at, value_at
from orange_tui.outside.forge.interface import (
    MAX_LABEL_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    Address,
    HostedRepository,
    Issue,
    IssueComment,
    IssueThread,
    clean_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

PAGE_SIZE = 100
_OPEN = "OPEN"
_LAST_COMMENTS = 100
_FIELDS = "id number title body url state updatedAt author{login} labels(first:50){nodes{name}}"
_URL = r"https://([\w.:-]+)/([\w.-]+)/([\w.-]+)/issues/([1-9][0-9]{0,8})/?"


@record
class IssuePage:
    """A page of issues; who asked; the tracked ones that no longer exist; where the next page begins."""

    viewer: str
    issues: tuple[Issue, ...]
    deleted: tuple[int, ...]
    next_page: str | None


def address_of(url: str) -> Address | None:
    """Parse a URL; None where it is not that of an issue."""
    found = re.fullmatch(_URL, url, re.ASCII)
    return Address(HostedRepository(found[1], found[2], found[3]), int(found[4])) if found else None


def page_query(
    repository: HostedRepository, *, since: str | None, after: str | None, tracked: Sequence[int] = ()
) -> str:
    """One query: the open issues, or all that changed since a time; and the tracked ones, open or not."""
    which = f"filterBy:{{since:{json.dumps(since)}}}" if since else f"states:[{_OPEN}]"
    page = f"first:{PAGE_SIZE},orderBy:{{field:UPDATED_AT,direction:ASC}},{which}"
    page += f",after:{json.dumps(after)}" if after else ""
    each = " ".join(f"i{number}:issue(number:{number}){{...known}}" for number in tracked)
    return (
        f"query{{viewer{{login}} {_repository(repository)}"
        f"{{issues({page}){{pageInfo{{hasNextPage endCursor}} nodes{{...known}}}} {each}}}}}"
        f" fragment known on Issue{{{_FIELDS}}}"
    )


def parse_page(reply: Mapping[str, Any], tracked: Sequence[int] = ()) -> IssuePage | None:
    """The page in a reply; None where the repository is not in it."""
    repository = value_at(reply, "data", "repository")
    if not isinstance(repository, dict):
        return None
    single = {number: _issue(repository.get(f"i{number}")) for number in tracked}
    listed = [_issue(node) for node in nodes_at(repository, "issues")]
    found = {issue.key: issue for issue in (*listed, *single.values()) if issue is not None}
    has_more = value_at(repository, "issues", "pageInfo", "hasNextPage") is True
    return IssuePage(
        viewer=text_at(reply, "data", "viewer", "login"),
        issues=tuple(found.values()),
        deleted=tuple(number for number, issue in single.items() if issue is None and number in _not_found(reply)),
        next_page=(text_at(repository, "issues", "pageInfo", "endCursor") or None) if has_more else None,
    )


def _not_found(reply: Mapping[str, Any]) -> set[int]:
    """The tracked issues that GitHub says it does not have; one that it only failed to read may still be there."""
    errors = reply.get("errors")
    found = set()
    for error in errors if isinstance(errors, list) else []:
        name = text_at(error, "path", -1)
        if "Could not resolve" in text_at(error, "message") and name[1:].isdecimal():
            found.add(int(name[1:]))
    return found


def _issue(node: object) -> Issue | None:
    number, url, key = value_at(node, "number"), text_at(node, "url"), text_at(node, "id")
    if type(number) is not int or number <= 0 or address_of(url) is None or not key:
        return None
    names = [clean_line(text_at(each, "name"), MAX_LABEL_CHARACTERS) for each in nodes_at(node, "labels")]
    return Issue(
        key=key,
        number=number,
        title=clean_line(text_at(node, "title"), MAX_TITLE_CHARACTERS) or f"Issue {number}",
        body=text_at(node, "body"),
        url=url,
        is_open=value_at(node, "state") == _OPEN,
        author=text_at(node, "author", "login"),
        labels=tuple(dict.fromkeys(name for name in names if name)),
        updated_at=text_at(node, "updatedAt"),
    )


def thread_query(issue: Address, labels: Sequence[str]) -> str:
    """One issue with its last comments, and which of these labels the repository has."""
    fields = f"labels(first:50){{nodes{{name}}}} comments(last:{_LAST_COMMENTS}){{nodes{{url body}}}}"
    known = " ".join(f"l{place}:label(name:{json.dumps(label)}){{name}}" for place, label in enumerate(labels))
    return f"query{{{_repository(issue.repository)}{{issue(number:{issue.number:d}){{{fields}}} {known}}}}}"


def parse_thread(reply: Mapping[str, Any], labels: Sequence[str]) -> IssueThread | None:
    """The issue in a reply; None where there is no such issue any more."""
    repository = value_at(reply, "data", "repository")
    issue = value_at(repository, "issue")
    if not isinstance(issue, dict):
        return None
    return IssueThread(
        labels=tuple(text_at(each, "name") for each in nodes_at(issue, "labels")),
        existing_labels=tuple(label for place, label in enumerate(labels) if text_at(repository, f"l{place}", "name")),
        comments=tuple((text_at(each, "url"), text_at(each, "body")) for each in nodes_at(issue, "comments")),
    )


def _repository(repository: HostedRepository) -> str:
    return f"repository(owner:{json.dumps(repository.owner)},name:{json.dumps(repository.name)})"


def parse_comment(found: Mapping[str, Any]) -> IssueComment:
    """One comment as the REST interface gives it."""
    author = value_at(found.get("user"), "login")
    return IssueComment(str(author or "somebody"), str(found.get("created_at") or ""), str(found.get("body") or ""))
