"""Reviews that are submitted to the GitHub server: each at once, with comments on lines of the diff only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.github.reviews import VIEWER, Remark

if TYPE_CHECKING:
    from support.github.state import PullRequest

Node = dict[str, Any]
_STATES = {"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}


def submit(found: PullRequest, body: Node, url: str) -> tuple[int, Any]:
    """POST …/reviews."""
    if body["event"] == "APPROVE" and found.author == VIEWER:
        return 422, {"message": "Unprocessable Entity", "errors": ["Can not approve your own pull request"]}
    for comment in body.get("comments", ()):
        if comment["line"] not in found.diff_lines.get(comment["path"], ()):
            errors = ["Pull request review thread line must be part of the diff"]
            return 422, {"message": "Unprocessable Entity", "errors": errors}
    said = Remark(VIEWER, body["body"], state=_STATES[body["event"]])
    found.reviews.append(said)
    found.submitted.append(body)
    return 200, {"id": len(found.submitted), "html_url": f"{url}#{said.key}"}
