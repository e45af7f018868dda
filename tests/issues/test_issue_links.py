"""`.issues.json`: whatever stands in it, it is understood or refused with its name, and nothing of it is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import OrangeError
from orange_tui.home.paths import Home
from orange_tui.issues.links import IssueLinks
from orange_tui.outside.forge.interface import Address, HostedRepository

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
WORDS = ["issues", "I_7", "task", "made", "url", "number", "problem", "unsaid", "abc"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)


@pytest.fixture
def links(tmp_path: Path) -> IssueLinks:
    (tmp_path / "tasks" / "coffee").mkdir(parents=True)
    return IssueLinks(Home(str(tmp_path)), "coffee")


def write(links: IssueLinks, text: str) -> None:
    with open(links.path, "w", encoding="utf-8", errors="surrogatepass") as stream:
        stream.write(text)


def is_readable(act: Callable[[], object]) -> bool:
    """Whether it is; a refusal has to name the links."""
    refused = ""
    try:
        act()
    except OrangeError as problem:
        refused = str(problem)
    assert not refused or ".issues.json" in refused
    return not refused


def test_update_is_there_and_what_others_wrote_stays(links: IssueLinks) -> None:
    write(links, json.dumps({"mine": 1, "issues": {"I_1": {"task": "old", "later": True}}}))
    links.update("I_7", task="abc", made=False, number=7, url="https://github.com/o/r/issues/7")
    links.update("I_7", made=True)
    links.set_problem("away")
    links.set_post_problem("abc", "No such issue")
    assert links.entries()["I_1"] == {"task": "old", "later": True}
    assert links.entries()["I_7"]["made"] is True
    assert [(number, task) for _, number, task in links.linked()] == [(7, "abc")]
    place = links.issue_of("abc")
    assert place is not None
    assert place[1] == Address(HostedRepository("github.com", "o", "r"), 7)
    assert links.issue_of("other") is None
    problems = [links.problem]
    links.set_problem(None)
    problems.append(links.problem)
    links.set_post_problem("abc", None)
    assert [*problems, links.problem] == ["away", "No such issue", None]
    with open(links.path, encoding="utf-8") as stream:
        assert json.load(stream)["mine"] == 1


@_SHARED
@given(VALUES)
def test_any_json_is_read_or_refused_with_the_file_name(links: IssueLinks, value: Any) -> None:
    write(links, json.dumps(value))
    assert isinstance(links.problem, str | None)
    if is_readable(lambda: links.update("I_9", task="abc", number=9)):
        assert links.entries()["I_9"]["task"] == "abc"
        links.linked()
        links.issue_of("abc")
        links.set_post_problem("abc", "x")


@_SHARED
@given(st.text())
def test_any_text_is_read_or_refused_with_the_file_name(links: IssueLinks, text: str) -> None:
    write(links, text)
    is_readable(links.entries)


@_SHARED
@given(st.text(), st.text())
def test_any_title_comes_back_as_it_was_written(links: IssueLinks, key: str, title: str) -> None:
    links.update(key, task="abc", title=title)
    assert links.entries()[key]["title"] == title
