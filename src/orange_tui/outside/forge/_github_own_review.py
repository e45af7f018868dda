"""Reviews that Orange submits to GitHub: what it must know of a pull request, and the review as GitHub wants it."""

from __future__ import annotations

import json

from orange_tui.domain.errors import Refused
from orange_tui.outside.forge._gh import NO_PULL_REQUEST, NO_REPOSITORY, nodes_at, text_at, value_at
from orange_tui.outside.forge.interface import MAX_TITLE_CHARACTERS, clean_line
from orange_tui.outside.forge.review_records import PullRequestDetails

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.outside.forge.interface import Address
    from orange_tui.outside.forge.review_records import NewReview, ReviewComment

_DETAILS = "url state title body author{login} headRefOid headRefName baseRefName headRepositoryOwner{login}"
_REVIEWS = "reviews(last:100){nodes{body url viewerDidAuthor}}"
_MAX_NAME_CHARACTERS = 100
_MAX_BRANCH_CHARACTERS = 250
_MAX_TEXT_CHARACTERS = 65_000  # GitHub takes 65,536
_EVENTS = {"comment": "COMMENT", "approve": "APPROVE", "request changes": "REQUEST_CHANGES"}
_SIDES = {"old": "LEFT", "new": "RIGHT"}
_HEXADECIMAL = frozenset("0123456789abcdef")
_COMMIT_LENGTHS = (40, 64)


def details_query(address: Address) -> str:
    """What a pull request is about, and where it is to go."""
    return _query(address, _DETAILS)


def reviews_query(address: Address) -> str:
    """The last reviews, and which of them are this login's."""
    return _query(address, _REVIEWS)


def _query(address: Address, fields: str) -> str:
    repository = address.repository
    where = f"owner:{json.dumps(repository.owner)},name:{json.dumps(repository.name)}"
    return f"query{{repository({where}){{pullRequest(number:{address.number:d}){{{fields}}}}}}}"


def parse_details(reply: dict[str, Any]) -> PullRequestDetails:
    """The details in a reply; refused where there are none, or where a commit is none."""
    repository = value_at(reply, "data", "repository")
    found = value_at(repository, "pullRequest")
    if not isinstance(found, dict):
        raise Refused(NO_PULL_REQUEST if isinstance(repository, dict) else NO_REPOSITORY)
    head = text_at(found, "headRefOid")
    if len(head) not in _COMMIT_LENGTHS or not _HEXADECIMAL.issuperset(head):
        raise Refused("GitHub does not say what the last commit of this pull request is")
    owner = clean_line(text_at(found, "headRepositoryOwner", "login"), _MAX_NAME_CHARACTERS)
    branch = clean_line(text_at(found, "headRefName"), _MAX_BRANCH_CHARACTERS)
    return PullRequestDetails(
        url=text_at(found, "url"),
        state=text_at(found, "state").lower(),
        title=clean_line(text_at(found, "title"), MAX_TITLE_CHARACTERS),
        body=text_at(found, "body"),
        author=clean_line(text_at(found, "author", "login"), _MAX_NAME_CHARACTERS) or "somebody",
        head=head,
        head_name=f"{owner}:{branch}" if owner else branch,
        base=clean_line(text_at(found, "baseRefName"), _MAX_BRANCH_CHARACTERS),
    )


def find_marked(reply: dict[str, Any], mark: str) -> str | None:
    """The URL of the review of ours that has a mark in its text; somebody else may write the same."""
    nodes = nodes_at(reply, "data", "repository", "pullRequest", "reviews")
    ours = (node for node in nodes if value_at(node, "viewerDidAuthor") is True)
    return next((text_at(node, "url") for node in ours if mark in text_at(node, "body")), None)


def as_json(review: NewReview) -> dict[str, object]:
    """The review as GitHub's REST interface wants it."""
    text = review.text if len(review.text) <= _MAX_TEXT_CHARACTERS else f"{review.text[:_MAX_TEXT_CHARACTERS]}\n…"
    comments = [_comment(each) for each in review.comments]
    return {"commit_id": review.commit, "event": _EVENTS[review.verdict], "body": text, "comments": comments}


def _comment(comment: ReviewComment) -> dict[str, object]:
    side = _SIDES[comment.side]
    found: dict[str, object] = {"path": comment.path, "line": comment.end_line, "side": side}
    if comment.line != comment.end_line:
        found |= {"start_line": comment.line, "start_side": side}
    return found | {"body": comment.text[:_MAX_TEXT_CHARACTERS]}
