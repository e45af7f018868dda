"""Pull requests on GitHub: one GraphQL query for many of them, and how its reply is parsed."""

from __future__ import annotations

import json
from hashlib import sha256

from orange_tui.domain.pull_request import (
    APPROVED,
    CHANGES_REQUESTED,
    CLOSED,
    FAILED,
    MERGED,
    OPEN,
    PASSED,
    REVIEW_WANTED,
    RUNNING,
    PullRequest,
)
from orange_tui.outside.forge._gh import NO_PULL_REQUEST, NO_REPOSITORY, nodes_at, text_at, value_at
from orange_tui.outside.forge.interface import Address, HostedRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_CHECKS = {"SUCCESS": PASSED, "FAILURE": FAILED, "ERROR": FAILED, "PENDING": RUNNING, "EXPECTED": RUNNING}
_REVIEWS = {"APPROVED": APPROVED, "CHANGES_REQUESTED": CHANGES_REQUESTED, "REVIEW_REQUIRED": REVIEW_WANTED}
_STATES = (OPEN, MERGED, CLOSED)
_CONTEXT = "__typename ...on CheckRun{name status conclusion} ...on StatusContext{context state}"
_FIELDS = (
    "url state isDraft mergeCommit{oid} headRefOid reviewDecision updatedAt"
    " reviewThreads(last:100){totalCount nodes{id isResolved}} reviews{totalCount} comments{totalCount}"
    f" commits(last:1){{nodes{{commit{{statusCheckRollup{{state contexts(last:100){{nodes{{{_CONTEXT}}}}}}}}}}}}}"
)
_MARKED = ("updatedAt", "headRefOid", "reviewDecision", "reviewThreads", "reviews", "comments", "commits")
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_URL_PARTS = 7  # https:, nothing, host, owner, repository, "pull", number
_MAX_NUMBER_DIGITS = 9


def address_of(url: str) -> Address | None:
    """Parse a URL; None where it is not that of a pull request."""
    parts = url.rstrip("/").split("/")
    if len(parts) != _URL_PARTS or parts[:2] != ["https:", ""] or parts[5] != "pull":
        return None
    host, owner, name, number = parts[2], parts[3], parts[4], parts[6]
    if not all(part and _NAME_CHARACTERS.issuperset(part) for part in (host.replace(":", ""), owner, name)):
        return None
    is_number = number.isascii() and number.isdigit() and len(number) <= _MAX_NUMBER_DIGITS
    return Address(HostedRepository(host, owner, name), int(number)) if is_number else None


def query_for(addresses: Sequence[Address]) -> str:
    """One query for all of them, on one host."""
    asked = (
        f"p{place}:repository(owner:{json.dumps(each.repository.owner)},name:{json.dumps(each.repository.name)})"
        f"{{pullRequest(number:{each.number}){{...known}}}}"
        for place, each in enumerate(addresses)
    )
    return f"query{{{' '.join(asked)}}} fragment known on PullRequest{{{_FIELDS}}}"


def parse_reply(reply: dict[str, Any], addresses: Sequence[Address]) -> list[PullRequest | str]:
    """For each address the pull request, or a sentence that says why there is none."""
    names = [f"p{place}" for place in range(len(addresses))]
    return [_parse_one(value_at(reply, "data", name), _errors(reply, name)) for name in names]


def _parse_one(repository: object, errors: list[str]) -> PullRequest | str:
    found = value_at(repository, "pullRequest")
    if text_at(found, "state").lower() in _STATES:
        return _pull_request(found)
    if errors and "Could not resolve" not in errors[0]:
        return f"GitHub says: {errors[0]}"
    return NO_PULL_REQUEST if isinstance(repository, dict) else NO_REPOSITORY


def _pull_request(found: object) -> PullRequest:
    rollup = ("commits", "nodes", -1, "commit", "statusCheckRollup", "state")  # all checks of the last commit
    return PullRequest(
        url=text_at(found, "url"),
        state=text_at(found, "state").lower(),
        commit=text_at(found, "mergeCommit", "oid"),
        head=text_at(found, "headRefOid") or None,
        draft=value_at(found, "isDraft") is True,
        checks=_CHECKS.get(text_at(found, *rollup), ""),
        review=_REVIEWS.get(text_at(found, "reviewDecision"), ""),
        mark=_mark(found),
    )


def _mark(found: object) -> str:
    """What tells whether there is something new to read: the comments themselves are not asked for each time."""
    lists = ("reviewThreads", "reviews", "comments")
    has_said = any(value_at(found, name, "totalCount") for name in lists)
    has_checks = bool(nodes_at(found, "commits", "nodes", -1, "commit", "statusCheckRollup", "contexts"))
    if not text_at(found, "updatedAt") or not (has_said or has_checks):
        return ""
    return sha256(json.dumps([value_at(found, name) for name in _MARKED]).encode()).hexdigest()[:24]


def _errors(reply: dict[str, Any], name: str) -> list[str]:
    errors = reply.get("errors")
    some = errors if isinstance(errors, list) else []
    return [text_at(each, "message") for each in some if value_at(each, "path", 0) == name]
