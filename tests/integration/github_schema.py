"""How the stand-in for GitHub answers: a mapping for each type of GitHub's schema. A new field is one entry more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from github_state import STAMP, VIEWER, Comment, Issue, PullRequest
from graphql import Missing

if TYPE_CHECKING:
    from collections.abc import Callable

    from github import GitHub

Node = dict[str, Any]


class Schema:
    """Queries and changes of one server's data."""

    def __init__(self, github: GitHub, host: str) -> None:
        self._github, self._host = github, host

    def root(self) -> Node:
        return {
            "__typename": "Query",
            "repository": self._repository,
            "viewer": {"__typename": "User", "login": VIEWER, "id": "U_1"},
            "node": lambda id: self._either(number=int(id.rpartition("_")[2])),  # noqa: A006 - GitHub's own word
            "__type": lambda name: {"name": name, "fields": lambda **_: [], "enumValues": lambda **_: []},
            **self.mutations(),
        }

    def mutations(self) -> dict[str, Callable[..., Any]]:
        return {
            "createPullRequest": self._create_pull_request,
            "addComment": self._add_comment,
            "addLabelsToLabelable": self._add_labels,
        }

    def _repository(self, owner: str, name: str, **_: Any) -> Node:
        github = self._github
        if (owner, name) not in [(github.owner, github.name), *github.earlier_names]:
            raise Missing(f"Could not resolve to a Repository with the name '{owner}/{name}'.")
        return {
            "__typename": "Repository",
            "id": "R_1",
            "name": github.name,
            "owner": {"__typename": "Organization", "login": github.owner, "id": "O_1", "name": github.owner},
            "nameWithOwner": f"{github.owner}/{github.name}",
            "url": f"https://{self._host}/{github.owner}/{github.name}",
            "description": "",
            "isPrivate": False,
            "isFork": False,
            "parent": None,
            "mergeCommitAllowed": True,
            "rebaseMergeAllowed": True,
            "squashMergeAllowed": True,
            "viewerPermission": "ADMIN",
            "hasIssuesEnabled": True,
            "hasWikiEnabled": False,
            "defaultBranchRef": {"name": "main", "target": {"oid": "0" * 40}},
            "pullRequest": self._pull_request,
            "pullRequests": self._pull_requests,
            "issue": self._issue,
            "issues": self._issues,
            "issueOrPullRequest": self._either,
            "labels": self._labels,
            "pullRequestTemplates": [],
            "issueTemplates": [],
        }

    def _either(self, number: int) -> Node:
        return self._issue(number) if number in self._github.issues else self._pull_request(number)

    def _pull_request(self, number: int) -> Node:
        if number not in self._github.pull_requests:
            raise Missing(f"Could not resolve to a PullRequest with the number of {number}.")
        return self._pull_request_node(self._github.pull_requests[number])

    def _pull_requests(self, **wanted: Any) -> Node:
        states, head = _states(wanted), wanted.get("headRefName")
        some = self._github.pull_requests.values()
        found = [each for each in some if (not states or each.state in states) and head in {None, each.head}]
        return connection([self._pull_request_node(each) for each in found])

    def _pull_request_node(self, found: PullRequest) -> Node:
        rollup = {"state": found.checks, "contexts": lambda **_: connection([])} if found.checks else None
        commit = {"oid": found.head_commit, "statusCheckRollup": rollup}
        return {
            "__typename": "PullRequest",
            "id": f"PR_{found.number}",
            "number": found.number,
            "url": self._github.url(found.number, host=self._host),
            "title": found.title,
            "body": found.body,
            "state": found.state,
            "isDraft": found.draft,
            "closed": found.state != "OPEN",
            "mergeCommit": {"oid": found.commit} if found.commit else None,
            "headRefName": found.head,
            "headRefOid": found.head_commit,
            "baseRefName": found.base,
            "reviewDecision": found.review,
            "isCrossRepository": found.from_fork,
            "headRepositoryOwner": _user("fork" if found.from_fork else self._github.owner),
            "author": _user(VIEWER),
            "commits": lambda **_: connection([{"commit": commit}]),
        }

    def _create_pull_request(self, input: Node) -> Node:  # noqa: A002 - GitHub's own word
        known = self._github.pull_requests.values()
        if any((each.head, each.state) == (input["headRefName"], "OPEN") for each in known):
            raise Missing(f"A pull request already exists for {self._github.owner}:{input['headRefName']}.")
        values = {"title": input["title"], "body": input.get("body") or "", "draft": bool(input.get("draft"))}
        made = self._github.open_pull_request(input["headRefName"], base=input["baseRefName"], **values)
        return {"pullRequest": self._pull_request_node(made)}

    def _issue(self, number: int) -> Node:
        if number not in self._github.issues:
            raise Missing(f"Could not resolve to an Issue with the number of {number}.")
        return self._issue_node(self._github.issues[number])

    def _issues(self, **wanted: Any) -> Node:
        states = _states(wanted)
        found = [each for each in self._github.issues.values() if not states or each.state in states]
        return connection([self._issue_node(each) for each in found])

    def _issue_node(self, found: Issue) -> Node:
        url = self._github.url(found.number, "issues")
        comments = [_comment_node(each, f"{url}#issuecomment-{place}") for place, each in enumerate(found.comments)]
        return {
            "__typename": "Issue",
            "id": f"I_{found.number}",
            "number": found.number,
            "url": url,
            "title": found.title,
            "body": found.body,
            "state": found.state,
            "author": _user(found.author),
            "createdAt": STAMP,
            "updatedAt": found.updated_at,
            "labels": lambda **_: connection([_label_node(name) for name in found.labels]),
            "assignees": lambda **_: connection([_user(name) for name in found.assignees]),
            "comments": lambda **_: connection(comments),
        }

    def _labels(self, **_: Any) -> Node:
        names = dict.fromkeys(name for issue in self._github.issues.values() for name in issue.labels)
        return connection([_label_node(name) for name in names])

    def _add_comment(self, input: Node) -> Node:  # noqa: A002 - GitHub's own word
        issue = self._issue_of(input["subjectId"])
        issue.comments.append(Comment(VIEWER, input["body"]))
        return {"commentEdge": {"node": {"url": self._github.url(issue.number, "issues")}}}

    def _add_labels(self, input: Node) -> Node:  # noqa: A002 - GitHub's own word
        issue = self._issue_of(input["labelableId"])
        issue.labels += [name for each in input["labelIds"] if (name := each.removeprefix("L_")) not in issue.labels]
        return {"__typename": "AddLabelsToLabelablePayload"}

    def _issue_of(self, node: str) -> Issue:
        return self._github.issues[int(node.rpartition("_")[2])]

    def rest(self, method: str, path: str, body: Node) -> tuple[int, Any]:
        """The older interface, below /api/v3; status and answer."""
        parts = [part for part in path.partition("?")[0].split("/") if part]
        match (method, parts):
            case "GET", []:
                return 200, {}
            case "GET", ["user"]:
                return 200, {"login": VIEWER}
            case "GET", ["repos", _, _, "issues", number, "comments"] if int(number) in self._github.issues:
                found = self._github.issues[int(number)].comments
                return 200, [{"user": {"login": c.author}, "body": c.body, "created_at": c.created_at} for c in found]
            case "POST", ["repos", _, _, "issues", number, "comments"] if int(number) in self._github.issues:
                self._add_comment({"subjectId": f"I_{number}", "body": body["body"]})
                return 201, {"html_url": self._github.url(int(number), "issues")}
        return 404, {"message": "Not Found"}


def connection(nodes: list[Node]) -> Node:
    """Many of something, as GitHub gives them."""
    page = {"hasNextPage": False, "endCursor": ""}
    return {"nodes": nodes, "edges": [{"node": each} for each in nodes], "totalCount": len(nodes), "pageInfo": page}


def _states(wanted: Node) -> list[str]:
    states = wanted.get("states") or []
    return states if isinstance(states, list) else [states]


def _user(name: str) -> Node:
    return {"__typename": "User", "login": name, "id": f"U_{name}", "name": name}


def _label_node(name: str) -> Node:
    return {"__typename": "Label", "id": f"L_{name}", "name": name, "description": "", "color": "ededed"}


def _comment_node(found: Comment, url: str) -> Node:
    return {
        "__typename": "IssueComment",
        "id": url,
        "author": _user(found.author),
        "authorAssociation": "MEMBER",
        "body": found.body,
        "createdAt": found.created_at,
        "includesCreatedEdit": False,
        "isMinimized": False,
        "minimizedReason": "",
        "reactionGroups": [],
        "url": url,
        "viewerDidAuthor": found.author == VIEWER,
    }
