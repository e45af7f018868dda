"""The answers of the GitHub server: a mapping for each type of GitHub's schema. A new field is one entry more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from support.git import git
from support.github.graphql import Missing
from support.github.reviews import LONGEST_COMMENT, STAMP, VIEWER, comment_on, reply_to, resolve, review_fields, rollup
from support.github.state import Comment, Issue, PullRequest
from support.github.submitted import submit

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.github.server import GitHub

Node = dict[str, Any]


class Schema:
    """Queries and mutations of one server's data."""

    def __init__(self, github: GitHub, host: str) -> None:
        self._github, self._host = github, host

    def root(self) -> Node:
        return {
            "__typename": "Query",
            "repository": self._repository,
            "viewer": {"__typename": "User", "login": VIEWER, "id": "U_1"},
            "node": lambda id: self._either(number=int(id.rpartition("_")[2])),  # noqa: A006 - GitHub's own word
            "__type": _type,
            **self.mutations(),
        }

    def mutations(self) -> dict[str, Callable[..., Any]]:
        return {
            "createPullRequest": self._create_pull_request,
            "addComment": self._add_comment,
            "addLabelsToLabelable": self._add_labels,
            "createLinkedBranch": self._create_linked_branch,
            "addPullRequestReviewThreadReply": self._reply,
            "resolveReviewThread": lambda input: self._resolve(input, is_resolved=True),  # noqa: A006 - GitHub's
            "unresolveReviewThread": lambda input: self._resolve(input, is_resolved=False),  # noqa: A006 - GitHub's
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
            "defaultBranchRef": {"name": "main", "target": self._default_tip()},
            "pullRequest": self._pull_request,
            "pullRequests": self._pull_requests,
            "issue": self._issue,
            "issues": self._issues,
            "issueOrPullRequest": self._either,
            "labels": self._labels,
            "label": self._label,
            "ref": lambda qualifiedName, **_: {"target": {"oid": self._tip(qualifiedName)}},  # noqa: N803 - GitHub's
            "pullRequestTemplates": [],
            "issueTemplates": [],
        }

    def _default_tip(self) -> Node:
        checks = rollup(self._github.default_checks)
        return {"__typename": "Commit", "oid": "0" * 40, "statusCheckRollup": checks}

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
        commit = {"oid": found.head_commit, "statusCheckRollup": rollup(found.check_runs, found.checks)}
        url = self._github.url(found.number, host=self._host)
        return {
            "__typename": "PullRequest",
            "id": f"PR_{found.number}",
            "number": found.number,
            "url": url,
            **review_fields(found, url),
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
            "author": _user(found.author),
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
        since = (wanted.get("filterBy") or {}).get("since") or ""
        some = sorted(self._github.issues.values(), key=lambda each: each.updated_at)
        found = [each for each in some if (not states or each.state in states) and each.updated_at >= since]
        first, start = int(wanted.get("first") or 30), int(wanted.get("after") or 0)
        page = connection([self._issue_node(each) for each in found[start : start + first]])
        return page | {"pageInfo": {"hasNextPage": len(found) > start + first, "endCursor": str(start + first)}}

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
            "comments": lambda last=None, **_: connection(comments[-last:] if last else comments),
            "linkedBranches": lambda **_: connection([{"ref": {"name": name}} for name in found.branches]),
        }

    def _labels(self, **_: Any) -> Node:
        return connection([_label_node(name) for name in self._known_labels()])

    def _label(self, name: str) -> Node | None:
        return _label_node(name) if name in self._known_labels() else None

    def _known_labels(self) -> list[str]:
        some = (name for issue in self._github.issues.values() for name in issue.labels)
        return list(dict.fromkeys([*self._github.labels, *some]))

    def _add_comment(self, input: Node) -> Node:  # noqa: A002 - GitHub's own word
        issue = self._issue_of(input["subjectId"])
        issue.comments.append(Comment(VIEWER, input["body"]))
        self._github.touch(issue)
        return {"commentEdge": {"node": {"url": self._github.url(issue.number, "issues")}}}

    def _add_labels(self, input: Node) -> Node:  # noqa: A002 - GitHub's own word
        issue = self._issue_of(input["labelableId"])
        issue.labels += [name for each in input["labelIds"] if (name := each.removeprefix("L_")) not in issue.labels]
        return {"__typename": "AddLabelsToLabelablePayload"}

    def _reply(self, input: Node) -> Node:  # noqa: A002 - GitHub's own word
        known = self._github.pull_requests.values()
        return reply_to(known, input["pullRequestReviewThreadId"], input["body"], self._github.url(1))

    def _resolve(self, input: Node, *, is_resolved: bool) -> Node:  # noqa: A002 - GitHub's own word
        return resolve(self._github.pull_requests.values(), input["threadId"], is_resolved=is_resolved)

    def _create_linked_branch(self, input: Node) -> Node:  # noqa: A002 - GitHub's own word
        issue, name = self._issue_of(input["issueId"]), input["name"]
        if name in issue.branches:
            raise Missing(f"Branch {name} exists already")
        if self._github.remote is not None:
            git(self._github.remote, "branch", name, input["oid"])
        issue.branches.append(name)
        return {"linkedBranch": {"id": "LB_1", "ref": {"name": name}}}

    def _tip(self, name: str) -> str:
        branch = name.removeprefix("refs/heads/")
        return git(self._github.remote, "rev-parse", branch) if self._github.remote is not None else "0" * 40

    def _issue_of(self, node: str) -> Issue:
        return self._github.issues[int(node.rpartition("_")[2])]

    def rest(self, method: str, path: str, body: Node) -> tuple[int, Any]:
        """The REST interface, below /api/v3; status and answer."""
        parts = [part for part in path.partition("?")[0].split("/") if part]
        match (method, parts):
            case "GET", []:
                return 200, {}
            case "GET", ["user"]:
                return 200, {"login": VIEWER}
            case "GET", ["repos", _, _, "issues", number, "comments"] if int(number) in self._github.issues:
                found = self._github.issues[int(number)].comments
                return 200, [{"user": {"login": c.author}, "body": c.body, "created_at": c.created_at} for c in found]
            case "POST", ["repos", _, _, "labels"]:
                return self._make_label(body)
            case _, ["repos", _, _, "issues", number, *rest] if int(number) in self._github.issues:
                return self._rest_issue(method, self._github.issues[int(number)], rest, body)
        return self._rest_pull_request(method, parts, body)

    def _rest_pull_request(self, method: str, parts: list[str], body: Node) -> tuple[int, Any]:
        match (method, parts):
            case "GET", ["repos", _, _, "actions", "jobs", job, "logs"] if int(job) in self._github.logs:
                return 200, self._github.logs[int(job)]
            case "POST", ["repos", _, _, "issues", number, "comments"] if int(number) in self._github.pull_requests:
                found = self._github.pull_requests[int(number)]
                return comment_on(found, body["body"], self._github.url(found.number))
            case "POST", ["repos", _, _, "pulls", number, "reviews"] if int(number) in self._github.pull_requests:
                return submit(self._github.pull_requests[int(number)], body, self._github.url(int(number)))
        return 404, {"message": "Not Found"}

    def _make_label(self, body: Node) -> tuple[int, Any]:
        if body["name"] in self._known_labels():
            errors = [{"resource": "Label", "code": "already_exists", "field": "name"}]
            return 422, {"message": "Validation Failed", "errors": errors}
        self._github.labels[body["name"]] = body["color"]
        return 201, {"name": body["name"]}

    def _rest_issue(self, method: str, issue: Issue, path: list[str], body: Node) -> tuple[int, Any]:
        match (method, path):
            case "POST", ["comments"]:
                if len(body["body"]) > LONGEST_COMMENT:
                    return 422, {"message": "Validation Failed", "errors": [{"message": "body is too long"}]}
                self._add_comment({"subjectId": f"I_{issue.number}", "body": body["body"]})
                place = f"#issuecomment-{len(issue.comments) - 1}"
                return 201, {"html_url": self._github.url(issue.number, "issues") + place}
            case "POST", ["labels"]:
                self._add_labels({"labelableId": f"I_{issue.number}", "labelIds": body["labels"]})
                return 200, [{"name": name} for name in issue.labels]
            case "DELETE", ["labels", name] if unquote(name) in issue.labels:
                issue.labels.remove(unquote(name))
                self._github.touch(issue)
                return 200, []
            case "DELETE", ["labels", _]:
                return 404, {"message": "Label does not exist"}
        return 404, {"message": "Not Found"}


def connection(nodes: list[Node]) -> Node:
    """A GraphQL connection."""
    page = {"hasNextPage": False, "endCursor": ""}
    return {"nodes": nodes, "edges": [{"node": each} for each in nodes], "totalCount": len(nodes), "pageInfo": page}


def _type(name: str) -> Node:
    """The introspection by which gh finds out what this GitHub can do."""
    fields = [{"name": "ref"}] if name == "LinkedBranch" else []
    return {"name": name, "fields": lambda **_: fields, "enumValues": lambda **_: []}


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
