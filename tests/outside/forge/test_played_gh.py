"""The stand-in for gh is as good as the real one: the same requests, and the same for Orange, well or not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.outside import programs
from orange_tui.outside.forge import _gh
from orange_tui.outside.forge.interface import ForgeUnavailable
from support.github import played_gh
from support.github.server import HOST, OTHER_HOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.github.server import GitHub, Request
    from support.merge_world import MergeWorld

    Call = Callable[[str], object]

SOME_MISSING = 'query{a:repository(owner:"o",name:"r"){issue(number:99){title}} b:repository(owner:"x",name:"r"){url}}'
GH_QUERY = "query RepositoryInfo("
ISSUE, ACTIONS = "repos/o/r/issues/7", "repos/o/r/actions/jobs"


def who(_checkout: str) -> object:
    return _gh.graphql(HOST, "query{viewer{login}}")


def unlabel(_checkout: str) -> object:
    return _gh.rest(HOST, "DELETE", f"{ISSUE}/labels/blocked")


def log(_checkout: str) -> object:
    return _gh.download(HOST, f"{ACTIONS}/5/logs", 1000)


def view(checkout: str) -> object:
    return _gh.read_json("repo", "view", "--json", "url", directory=checkout)


CALLS: dict[str, Call] = {
    "query": who,
    "at another host": lambda _: _gh.graphql(OTHER_HOST, "query{viewer{login}}"),
    "with variables": lambda _: _gh.graphql(HOST, "query($a:String!){repository(owner:$a,name:$a){url}}", a="é"),
    "of which some is missing": lambda _: _gh.graphql(HOST, SOME_MISSING),
    "comment": lambda _: _gh.rest(HOST, "POST", f"{ISSUE}/comments", {"body": "hé"}),
    "comment at another host": lambda _: _gh.rest(OTHER_HOST, "POST", f"{ISSUE}/comments", {"body": "hé"}),
    "comment that is too long": lambda _: _gh.rest(HOST, "POST", f"{ISSUE}/comments", {"body": "h" * 70_000}),
    "label that exists": lambda _: _gh.rest(HOST, "POST", "repos/o/r/labels", {"name": "bug", "color": "a"}),
    "own review": lambda _: _gh.rest(HOST, "POST", "repos/o/r/pulls/8/reviews", {"event": "APPROVE", "body": ""}),
    "label that is not on it": unlabel,
    "label that is": lambda _: _gh.rest(HOST, "DELETE", f"{ISSUE}/labels/bug"),
    "log": log,
    "log that is too long": lambda _: _gh.download(HOST, f"{ACTIONS}/5/logs", 10),
    "log that is gone": lambda _: _gh.download(HOST, f"{ACTIONS}/6/logs", 1000),
    "repository": view,
}


class Both:
    """The same call by the real gh and by the stand-in, each time to a GitHub as it was."""

    def __init__(self, merge_world: MergeWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
        self.checkout, self.github, self._monkeypatch = str(merge_world.main), github, monkeypatch
        github.adopt(merge_world.main)
        github.open_issue("Tea")
        github.open_pull_request("feat/tea")
        github.logs[5] = "first\nsecond"

    def compare(self, call: Call) -> None:
        real = self._ask(call)
        with self._monkeypatch.context() as changed:
            played_gh.play(changed)
            changed.setattr(programs, "run", None)  # not even a call of the real one
            changed.setattr(programs, "run_capped", None)
            assert self._ask(call) == real

    def _ask(self, call: Call) -> tuple[object, list[object]]:
        self.github.requests.clear()
        self.github.issues[7].comments.clear()
        self.github.issues[7].labels[:] = ["bug"]
        return outcome(call, self.checkout), [content(request) for request in self.github.requests]


def outcome(call: Call, checkout: str) -> Any:
    """What Orange gets, or how it is refused; the words for it are those of each version of gh."""
    try:
        return call(checkout)
    except ForgeUnavailable as problem:
        return "unavailable", problem.retry_after
    except Refused:
        return "refused"


def content(request: Request) -> object:
    """What is asked; a query of gh's own has the words of its version, ours come as they are."""
    body = {**request.body, "query": GH_QUERY} if GH_QUERY in request.query else request.body
    return request.method, request.host, request.path, body


@pytest.fixture
def both(merge_world: MergeWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch) -> Both:
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "anything")
    return Both(merge_world, github, monkeypatch)


def test_stand_in_answers_each_kind_of_call_as_gh_does(both: Both) -> None:
    for call in CALLS.values():
        both.compare(call)


@pytest.mark.parametrize("trouble", ["rate limited", "slow down", "unauthorized", "broken", "offline"])
def test_stand_in_fails_as_gh_does(both: Both, trouble: str) -> None:
    both.github.trouble, both.github.retry_after = trouble, 9
    if trouble == "offline":
        both.github.go_offline()
    for call in (who, unlabel, log, view):
        both.compare(call)


def test_stand_in_finds_a_repository_by_its_earlier_name_and_misses_another_as_gh_does(both: Both) -> None:
    both.github.rename("o", "tearoom")
    both.compare(view)
    both.github.earlier_names.clear()
    both.compare(view)


def test_stand_in_leaves_to_gh_what_only_gh_can_tell(
    both: Both, merge_world: MergeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = ("api", "graphql", "--hostname", HOST, "--include", "--input", "-")
    repository = ("repo", "view", "--json", "url")

    def is_left(*words: str) -> bool:
        played = played_gh.played(["gh", *words], directory=both.checkout, environment=_gh._environment())
        return played is None

    assert is_left("pr", "list")
    with monkeypatch.context() as out:
        out.delenv("GH_TOKEN")
        assert is_left(*query)
        assert is_left(*repository)
    merge_world.git("remote", "add", "fork", "git@github.com:somebody/else.git")
    assert is_left(*repository)
    merge_world.hook(merge_world.root / "bin", "gh", "exit 1")
    monkeypatch.setenv("PATH", str(merge_world.root / "bin"), prepend=":")
    assert is_left(*query)
    assert both.github.requests == []
