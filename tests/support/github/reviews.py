"""Reviews and checks of the GitHub server: what people and programs say about a pull request."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from support.github.graphql import Missing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from support.github.state import PullRequest

VIEWER = "tester"
STAMP = "2026-11-16T09:00:00Z"
HUNK = "@@ -1,3 +1,4 @@ def brew():\n water = 1\n-boil(water)\n+boil(water, 90)\n+steep(3)"
LONGEST_COMMENT = 65_536
_NUMBERS = count(1)
Node = dict[str, Any]


@dataclass
class Remark:
    """Something that somebody said on a pull request."""

    author: str
    body: str
    association: str = "MEMBER"
    key: str = field(default_factory=lambda: f"C_{next(_NUMBERS)}")
    is_bot: bool = False
    state: str = "COMMENTED"  # of a review


@dataclass
class ReviewThread:
    """Remarks about lines."""

    remarks: list[Remark]
    path: str = "tea.py"
    line: int | None = 2
    start_line: int | None = None
    original_line: int | None = 2
    side: str = "RIGHT"
    hunk: str = HUNK
    resolved: bool = False
    outdated: bool = False
    key: str = field(default_factory=lambda: f"PRRT_{next(_NUMBERS)}")
    clicks: list[bool] = field(default_factory=list)  # each time that Orange has resolved it, or opened it again
    is_locked: bool = False


@dataclass
class CheckRun:
    """A check of a commit; `is_status` where it is another program's."""

    name: str
    conclusion: str | None = "FAILURE"  # None: it runs
    workflow: str = "CI"
    steps: tuple[tuple[str, str], ...] = (("Set up job", "SUCCESS"), ("Tests", "FAILURE"))
    job: int = field(default_factory=lambda: 500 + next(_NUMBERS))
    run: int = 77
    is_status: bool = False
    summary: str = ""


def rollup(found: list[CheckRun], state: str | None = None) -> Node | None:
    """GitHub's summary of a commit's checks."""
    if not found and state is None:
        return None
    outcomes = {each.conclusion for each in found}
    worked_out = "PENDING" if None in outcomes else "SUCCESS" if outcomes <= {"SUCCESS"} else "FAILURE"
    return {"state": state or worked_out, "contexts": lambda **_: _connection([_check(each) for each in found])}


def _check(found: CheckRun) -> Node:
    if found.is_status:
        known = {"context": found.name, "state": found.conclusion or "PENDING", "description": found.summary}
        return {"__typename": "StatusContext", **known, "targetUrl": "https://ci.example/1"}
    steps = [{"name": name, "conclusion": conclusion} for name, conclusion in found.steps]
    return {
        "__typename": "CheckRun",
        "name": found.name,
        "status": "COMPLETED" if found.conclusion else "IN_PROGRESS",
        "conclusion": found.conclusion,
        "databaseId": found.job,
        "detailsUrl": f"https://github.com/o/r/actions/runs/{found.run}/job/{found.job}",
        "title": "",
        "summary": found.summary,
        "steps": lambda **_: _connection(steps),
        "checkSuite": {"workflowRun": {"databaseId": found.run, "workflow": {"name": found.workflow}}},
    }


def review_fields(found: PullRequest, url: str) -> Node:
    """The fields of a pull request that are about its review."""
    return {
        "updatedAt": found.updated_at,
        "reviewThreads": lambda last, **_: _connection([_thread(each, url) for each in found.threads], last),
        "reviews": lambda last=0, **_: _connection([_remark(each, url) for each in found.reviews], last),
        "comments": lambda last=0, **_: _connection([_remark(each, url) for each in found.comments], last),
    }


def _thread(found: ReviewThread, url: str) -> Node:
    about = {"diffHunk": found.hunk, "originalCommit": {"oid": "f" * 40}}
    remarks = [_remark(each, url) | about for each in found.remarks]
    return {
        "__typename": "PullRequestReviewThread",
        "id": found.key,
        "isResolved": found.resolved,
        "isOutdated": found.outdated,
        "path": found.path,
        "line": found.line,
        "startLine": found.start_line,
        "originalLine": found.original_line,
        "originalStartLine": found.start_line,
        "diffSide": found.side,
        "comments": lambda first=None, last=0: _connection(remarks[:first], last),
    }


def _remark(found: Remark, url: str) -> Node:
    return {
        "id": found.key,
        "body": found.body,
        "url": f"{url}#{found.key}",
        "createdAt": STAMP,
        "author": {"__typename": "Bot" if found.is_bot else "User", "login": found.author},
        "authorAssociation": found.association,
        "viewerDidAuthor": found.author == VIEWER,
        "isMinimized": False,
        "state": found.state,
    }


def _connection(nodes: list[Node], last: int = 0) -> Node:
    return {"nodes": nodes[-last:], "totalCount": len(nodes), "pageInfo": {"hasNextPage": False, "endCursor": ""}}


def reply_to(known: Iterable[PullRequest], thread: str, body: str, url: str) -> Node:
    """Add a reply to a thread, as the mutation does."""
    said = Remark(VIEWER, body)
    _find(known, thread).remarks.append(said)
    return {"comment": _remark(said, url)}


def resolve(known: Iterable[PullRequest], thread: str, *, is_resolved: bool) -> Node:
    """Resolve a thread or open it again, as the mutations do; one that is so already stays so."""
    found = _find(known, thread)
    if found.is_locked:
        raise Missing("Viewer does not have permission to resolve this thread")
    if found.resolved is not is_resolved:
        found.resolved = is_resolved
        found.clicks.append(is_resolved)
    return {"thread": {"id": found.key, "isResolved": found.resolved}}


def _find(known: Iterable[PullRequest], thread: str) -> ReviewThread:
    for found in (each for pull_request in known for each in pull_request.threads):
        if found.key == thread:
            return found
    raise Missing(f"Could not resolve to a node with the global id of '{thread}'")


def comment_on(found: PullRequest, body: str, url: str) -> tuple[int, Any]:
    """Add a comment to the conversation, as the REST interface does."""
    if len(body) > LONGEST_COMMENT:
        return 422, {"message": "Validation Failed", "errors": [{"message": "body is too long"}]}
    said = Remark(VIEWER, body)
    found.comments.append(said)
    return 201, {"html_url": f"{url}#{said.key}"}
