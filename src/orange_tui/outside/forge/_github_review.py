"""Reviews of pull requests on GitHub: what people said, on which lines, and what the checks say.

One GraphQL query reads several pull requests. All of it was written by people on the web, or by programs that anybody
can send a pull request to, so nothing is trusted before it was checked. Of each list the last hundred are read.
"""

from __future__ import annotations

import json

from orange_tui.outside.forge._gh import NO_PULL_REQUEST, NO_REPOSITORY, nodes_at, text_at, value_at
from orange_tui.outside.forge._github_checks import CHECK_FIELDS, parse_checks, web_address
from orange_tui.outside.forge.interface import clean_line
from orange_tui.outside.forge.review_records import PullRequestReview, RemoteComment, RemoteThread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from orange_tui.outside.forge.interface import Address

_LAST, _COMMENTS_IN_A_THREAD = 100, 50
_MAX_NAME_CHARACTERS = 100
_MAX_QUOTED_LINES = 40
_CHANGES_REQUESTED = "CHANGES_REQUESTED"
_NOT_SUBMITTED = "PENDING"  # the person is still writing it there
_VERDICTS = (_CHANGES_REQUESTED, "APPROVED", "DISMISSED")  # a later one of these takes the place of an earlier one
_SPOKEN = (_CHANGES_REQUESTED, "COMMENTED")  # reviews whose words want an answer
_TRUSTED = ("OWNER", "MEMBER", "COLLABORATOR")  # they may write to the repository
_SAID = "id body url createdAt author{login __typename} authorAssociation viewerDidAuthor"
_ROLLUP = f"statusCheckRollup{{contexts(last:100){{totalCount nodes{{{CHECK_FIELDS}}}}}}}"
_THREAD_FIELDS = (
    "id isResolved isOutdated path line startLine originalLine originalStartLine diffSide"
    f" first:comments(first:1){{nodes{{state {_SAID} diffHunk originalCommit{{oid}}}}}}"
    f" comments(last:{_COMMENTS_IN_A_THREAD}){{nodes{{state {_SAID}}}}}"
)
_FIELDS = (
    f"headRefOid reviewThreads(last:{_LAST}){{totalCount nodes{{{_THREAD_FIELDS}}}}}"
    f" reviews(last:{_LAST}){{totalCount nodes{{state {_SAID}}}}}"
    f" comments(last:{_LAST}){{totalCount nodes{{isMinimized {_SAID}}}}}"
    f" commits(last:1){{nodes{{commit{{oid {_ROLLUP}}}}}}}"
)
REPLY = (
    "mutation($thread:ID!,$body:String!){addPullRequestReviewThreadReply("
    "input:{pullRequestReviewThreadId:$thread,body:$body}){comment{id url}}}"
)

_RESOLVE = "mutation($thread:ID!){{done:{}(input:{{threadId:$thread}}){{thread{{id isResolved}}}}}}"
RESOLVE, UNRESOLVE = _RESOLVE.format("resolveReviewThread"), _RESOLVE.format("unresolveReviewThread")


def query_for(addresses: Sequence[Address]) -> str:
    """One query for all of them, on one host."""
    default = f"defaultBranchRef{{name target{{...on Commit{{{_ROLLUP}}}}}}}"
    asked = (
        f"p{place}:repository(owner:{json.dumps(each.repository.owner)},name:{json.dumps(each.repository.name)})"
        f"{{{default} pullRequest(number:{each.number}){{...reviewed}}}}"
        for place, each in enumerate(addresses)
    )
    return f"query{{{' '.join(asked)}}} fragment reviewed on PullRequest{{{_FIELDS}}}"


def parse_reply(reply: dict[str, Any], addresses: Sequence[Address]) -> list[PullRequestReview | str]:
    """For each address its review, or a sentence that says why there is none."""
    return [_review(value_at(reply, "data", f"p{place}")) for place in range(len(addresses))]


def _review(repository: object) -> PullRequestReview | str:
    found = value_at(repository, "pullRequest")
    if not isinstance(found, dict):
        return NO_PULL_REQUEST if isinstance(repository, dict) else NO_REPOSITORY
    lists = [found.get(name) for name in ("reviewThreads", "reviews", "comments")]
    threads = [_line_thread(node) for node in nodes_at(found, "reviewThreads")]
    threads += [_single(node) for node in nodes_at(found, "reviews") if text_at(node, "state") in _SPOKEN]
    threads += [_single(node) for node in nodes_at(found, "comments") if _is_conversation(node)]
    return PullRequestReview(
        head=text_at(found, "headRefOid"),
        changes_requested=_changes_requested(nodes_at(found, "reviews")),
        threads=tuple(thread for thread in threads if thread is not None),
        checks=parse_checks(value_at(found, "commits", "nodes", -1, "commit", "statusCheckRollup")),
        default_branch=clean_line(text_at(repository, "defaultBranchRef", "name"), _MAX_NAME_CHARACTERS),
        default_checks=parse_checks(value_at(repository, "defaultBranchRef", "target", "statusCheckRollup")),
        left_out=sum(_left_out(each) or 0 for each in lists),
        is_complete=all(_left_out(each) == 0 for each in lists),
    )


def _left_out(connection: object) -> int | None:
    """How many of a list were not read; None where it could not be read. GitHub may give nothing in place of one."""
    total = value_at(connection, "totalCount")
    read = sum(bool(text_at(node, "id")) for node in nodes_at(connection))
    return max(0, total - read) if type(total) is int else None


def _is_conversation(node: object) -> bool:
    """Programs write reports there, again and again; what they say about a line is a review comment."""
    return text_at(node, "author", "__typename") != "Bot" and value_at(node, "isMinimized") is not True


def _changes_requested(reviews: Sequence[object]) -> bool:
    """Whether the last verdict of somebody whose word counts is that changes are needed."""
    verdicts = {
        text_at(each, "author", "login"): text_at(each, "state")
        for each in reviews
        if text_at(each, "state") in _VERDICTS and _is_trusted(each)
    }
    return _CHANGES_REQUESTED in verdicts.values()


def _comment(node: object) -> RemoteComment | None:
    key = text_at(node, "id")
    if not key:
        return None
    return RemoteComment(
        key=key,
        author=clean_line(text_at(node, "author", "login"), _MAX_NAME_CHARACTERS) or "somebody",
        text=text_at(node, "body"),
        at=clean_line(text_at(node, "createdAt"), _MAX_NAME_CHARACTERS),
        url=web_address(text_at(node, "url")),
        is_own=value_at(node, "viewerDidAuthor") is True,
        is_trusted=_is_trusted(node),
    )


def _is_trusted(node: object) -> bool:
    return value_at(node, "viewerDidAuthor") is True or text_at(node, "authorAssociation") in _TRUSTED


def _single(node: object) -> RemoteThread | None:
    """What a review says as a whole, or a comment in the conversation; neither has a thread of its own."""
    comment = _comment(node)
    if comment is None or not comment.text.strip():
        return None
    return RemoteThread(comment.key, (comment,), is_about_lines=False)


def _line_thread(node: object) -> RemoteThread | None:
    key, nodes = text_at(node, "id"), [*nodes_at(node, "first")[:1], *nodes_at(node, "comments")]
    said = [each for each in nodes if text_at(each, "state") != _NOT_SUBMITTED]
    comments = {each.key: each for each in map(_comment, said) if each is not None}
    if not key or not comments:
        return None
    first = value_at(node, "first", "nodes", 0)
    side = "old" if text_at(node, "diffSide") == "LEFT" else "new"
    there = _lines(node, "originalStartLine", "originalLine")
    now = _lines(node, "startLine", "line")
    line, end_line = now or there or (None, None)
    return RemoteThread(
        key=key,
        comments=tuple(comments.values()),
        path=text_at(node, "path"),
        line=line,
        end_line=end_line,
        side=side,
        quote=quote_of(text_at(first, "diffHunk"), side, there) if there else "",
        commit=None if now else text_at(first, "originalCommit", "oid") or None,
        is_resolved=value_at(node, "isResolved") is True,
        is_outdated=value_at(node, "isOutdated") is True,
    )


def _lines(node: object, first: str, last: str) -> tuple[int, int] | None:
    end, start = value_at(node, last), value_at(node, first)
    if type(end) is not int or end < 1:
        return None
    return (start if type(start) is int and 1 <= start <= end else end), end


def quote_of(hunk: str, side: str, lines: tuple[int, int]) -> str:
    """The lines of one side of a hunk, which ends at the line that was commented on; nothing where it has them not."""
    other = "+" if side == "old" else "-"
    header, *body = hunk.split("\n")
    number = _start(header, side)
    found = []
    for line in body if number is not None else ():
        if line[:1] in {other, "\\"}:
            continue
        if number is not None and lines[0] <= number <= lines[1]:
            found.append(line[1:].rstrip("\r"))
        number = number + 1 if number is not None else None
    return "\n".join(found[-_MAX_QUOTED_LINES:])


def _start(header: str, side: str) -> int | None:
    """Where a hunk begins on one side: `@@ -3,4 +5,6 @@`."""
    words = header.split(" ")
    mark = words[1:3][side == "new"] if len(words) > 2 and words[0] == "@@" else ""  # noqa: PLR2004 - @@, - and +
    digits = mark[1:].partition(",")[0]
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None  # noqa: PLR2004
