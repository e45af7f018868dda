"""The issues of a repository, asked for and written to through `gh`. What keeps it from answering is `Unanswered`."""

from __future__ import annotations

import json
from urllib.parse import quote

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.issues.issue import Repository, answer, inside, place_of, question
from orange_tui.outside import github
from orange_tui.outside.github import Unanswered, meaning, rest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.home.projects import Project
    from orange_tui.issues.issue import Issue

_MOST_PAGES = 30
_LAST_COMMENTS = 100
_LOOKS = {  # the labels we put, with colour and description
    "blocked": ("d73a4a", "Its task cannot go on"),
    "needs-review": ("fbca04", "Its task asks for a person"),
}
_THERE_ALREADY, _NOT_THERE = "HTTP 422", "HTTP 404"


@record
class Found:
    """What a round has seen: the issues, who asks, and the tracked ones that GitHub has no more."""

    viewer: str
    issues: tuple[Issue, ...]
    gone: tuple[int, ...]


@record
class Thread:
    """One issue as it is now: its labels, those of ours that its repository has, the last comments and their places."""

    labels: tuple[str, ...]
    known_labels: tuple[str, ...]
    comments: tuple[tuple[str, str], ...]


def repository_of(project: Project) -> Repository:
    """The repository on GitHub that gh takes a project's directory for."""
    try:
        said = github.asked("repo", "view", "--json", "url", directory=project.path)
    except Refused as problem:
        raise Unanswered(str(problem)) from None
    url = inside(said, "url")
    place = place_of(f"{url}/issues/1")
    if place is None:
        raise Unanswered("gh does not say which repository on GitHub this is")
    return place[0]


def issues_of(where: Repository, since: str | None, tracked: Sequence[int]) -> Found:
    """The open issues, or what changed since then; and those that are tracked, wherever they are."""
    viewer, after, gone = "", None, tuple[int, ...]()
    issues: dict[str, Issue] = {}
    for page in range(_MOST_PAGES):
        wanted = tracked if page == 0 else ()
        found = answer(github.query(where.host, question(where, since=since, after=after, tracked=wanted)), wanted)
        if found is None:
            raise Unanswered(f"GitHub has no repository {where} any more, or shows it to others only")
        viewer, gone, after = found.viewer, gone or found.gone, found.following
        issues.update({issue.key: issue for issue in found.issues})
        if after is None:
            break
    return Found(viewer, tuple(issues.values()), gone)


def thread_of(where: Repository, number: int) -> Thread:
    """What stands on an issue now."""
    fields = f"labels(first:50){{nodes{{name}}}} comments(last:{_LAST_COMMENTS}){{nodes{{url body}}}}"
    names = f"owner:{json.dumps(where.owner)},name:{json.dumps(where.name)}"
    ours = " ".join(f"l{place}:label(name:{json.dumps(label)}){{name}}" for place, label in enumerate(_LOOKS))
    asked = f"query{{repository({names}){{issue(number:{number:d}){{{fields}}} {ours}}}}}"
    repository = inside(github.query(where.host, asked), "data", "repository")
    found = inside(repository, "issue")
    if not isinstance(found, dict):
        raise Refused(f"GitHub has no issue {number} in {where} any more")
    return Thread(
        labels=tuple(str(inside(each, "name")) for each in _nodes(found, "labels")),
        known_labels=tuple(label for place, label in enumerate(_LOOKS) if inside(repository, f"l{place}", "name")),
        comments=tuple((str(inside(each, "url")), str(inside(each, "body"))) for each in _nodes(found, "comments")),
    )


def _nodes(found: object, name: str) -> list[object]:
    nodes = inside(found, name, "nodes")
    return nodes if isinstance(nodes, list) else []


def say(where: Repository, number: int, text: str) -> str:
    """Comment on an issue; returns the address of the comment."""
    said = rest(where.host, "POST", f"{_path(where)}/issues/{number:d}/comments", {"body": text})
    return str(inside(said, "html_url") or "")


def make_label(where: Repository, label: str) -> None:
    """Give the repository a label; somebody else may have been quicker."""
    colour, description = _LOOKS[label]
    look = {"name": label, "color": colour, "description": description}
    _unless(_THERE_ALREADY, where.host, "POST", f"{_path(where)}/labels", look)


def put_label(where: Repository, number: int, label: str) -> None:
    """Give an issue a label."""
    rest(where.host, "POST", f"{_path(where)}/issues/{number:d}/labels", {"labels": [label]})


def take_label(where: Repository, number: int, label: str) -> None:
    """Take a label from an issue; one that is not there is none to take."""
    _unless(_NOT_THERE, where.host, "DELETE", f"{_path(where)}/issues/{number:d}/labels/{quote(label, safe='')}")


def _path(where: Repository) -> str:
    return f"repos/{where.owner}/{where.name}"


def _unless(words: str, host: str, method: str, path: str, body: object = None) -> None:
    try:
        rest(host, method, path, body)
    except Unanswered:
        raise
    except Refused as problem:
        if words not in str(problem):
            raise


def register_branch(where: Repository, number: int, branch: str, project: Project) -> None:
    """Link a new branch with an issue on GitHub, which makes it there, at the end of the default branch."""
    words = ("issue", "develop", f"{number:d}", "--repo", str(where), "--name", branch, "--base")
    finished = github.gh(*words, project.default_branch, directory=project.path)
    if finished.code != 0:
        raise Refused(meaning(finished))
