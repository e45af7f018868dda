"""Pull requests as GitHub tells of them: where one is, how to ask for many at once, what the answer says."""

from __future__ import annotations

import json

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OPEN, MERGED, CLOSED = "open", "merged", "closed"
PASSED, FAILED, RUNNING = "passed", "failed", "running"
APPROVED, CHANGES_REQUESTED, REVIEW_WANTED = "approved", "changes requested", "review wanted"

NO_PULL_REQUEST = "GitHub has no such pull request any more"
NO_REPOSITORY = "GitHub has no such repository any more, or shows it to others only"

_CHECKS = {"SUCCESS": PASSED, "FAILURE": FAILED, "ERROR": FAILED, "PENDING": RUNNING, "EXPECTED": RUNNING}
_REVIEWS = {"APPROVED": APPROVED, "CHANGES_REQUESTED": CHANGES_REQUESTED, "REVIEW_REQUIRED": REVIEW_WANTED}
_STATES = (OPEN, MERGED, CLOSED)
_FIELDS = (
    "url state isDraft mergeCommit{oid} headRefOid reviewDecision"
    " commits(last:1){nodes{commit{statusCheckRollup{state}}}}"
)
_IN_NAMES = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
_PARTS = 7  # https:, nothing, host, owner, repository, "pull", number


@record
class Address:
    """Where a pull request is."""

    host: str
    owner: str
    name: str
    number: int


@record
class PullRequest:
    """A pull request as GitHub has it; the commit it was merged as, and the last of its own."""

    url: str
    state: str
    commit: str = ""
    head: str | None = None
    draft: bool = False
    checks: str = ""  # empty: there are none, or we may not see them
    review: str = ""


def address_of(url: str) -> Address | None:
    """What a web address says; None where it is not that of a pull request."""
    parts = url.rstrip("/").split("/")
    if len(parts) != _PARTS or parts[:2] != ["https:", ""] or parts[5] != "pull":
        return None
    host, owner, name, number = parts[2], parts[3], parts[4], parts[6]
    if not all(part and _IN_NAMES.issuperset(part) for part in (host.replace(":", ""), owner, name)):
        return None
    return Address(host, owner, name, int(number)) if number.isascii() and number.isdigit() else None


def question(addresses: Sequence[Address]) -> str:
    """One question about all of them, on one host."""
    asked = (
        f"p{place}:repository(owner:{json.dumps(each.owner)},name:{json.dumps(each.name)})"
        f"{{pullRequest(number:{each.number}){{...known}}}}"
        for place, each in enumerate(addresses)
    )
    return f"query{{{' '.join(asked)}}} fragment known on PullRequest{{{_FIELDS}}}"


def answers(reply: dict[str, Any], addresses: Sequence[Address]) -> list[PullRequest | str]:
    """What the answer says of each: the pull request, or in a sentence why there is none."""
    names = [f"p{place}" for place in range(len(addresses))]
    return [_answer(_inside(reply, "data", name), _errors(reply, name)) for name in names]


def _answer(repository: object, errors: list[str]) -> PullRequest | str:
    found = _inside(repository, "pullRequest")
    if _text(found, "state").lower() in _STATES:
        return _pull_request(found)
    if errors and "Could not resolve" not in errors[0]:
        return f"GitHub says: {errors[0]}"
    return NO_PULL_REQUEST if isinstance(repository, dict) else NO_REPOSITORY


def _pull_request(found: object) -> PullRequest:
    rollup = ("commits", "nodes", -1, "commit", "statusCheckRollup", "state")  # all checks of the last commit
    return PullRequest(
        url=_text(found, "url"),
        state=_text(found, "state").lower(),
        commit=_text(found, "mergeCommit", "oid"),
        head=_text(found, "headRefOid") or None,
        draft=_inside(found, "isDraft") is True,
        checks=_CHECKS.get(_text(found, *rollup), ""),
        review=_REVIEWS.get(_text(found, "reviewDecision"), ""),
    )


def _errors(reply: dict[str, Any], name: str) -> list[str]:
    errors = reply.get("errors")
    some = errors if isinstance(errors, list) else []
    return [_text(each, "message") for each in some if _inside(each, "path", 0) == name]


def _text(value: object, *path: str | int) -> str:
    found = _inside(value, *path)
    return found if isinstance(found, str) else ""


def _inside(value: object, *path: str | int) -> object:
    """What is there in an answer; None where it is not made as it should be."""
    for step in path:
        fits = isinstance(value, dict) if isinstance(step, str) else isinstance(value, list) and value
        if not fits:
            return None
        value = value.get(step) if isinstance(value, dict) else value[step]  # type: ignore[index]
    return value
