"""GitHub's issues: addresses, one query for many, replies that are whole or nonsense."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.task import check_summary
from orange_tui.outside.forge._github_issues import page_query, parse_page
from orange_tui.outside.forge.interface import Address, HostedRepository, clean_line
from orange_tui.outside.forge.registry import find_issue

HERE = HostedRepository("github.com", "o", "r")
URL = "https://github.com/o/r/issues/7"
WORDS = ["data", "errors", "repository", "issues", "nodes", "i7", "id", "number", "url", "labels", "pageInfo", "path"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from([URL, "OPEN", "i7"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=15,
)


def node(**more: Any) -> dict[str, Any]:
    known = {"id": "I_7", "number": 7, "title": "Brew\x1b[2J tea\n", "url": URL, "state": "OPEN", "body": "hot"}
    return {**known, "author": {"login": "ana"}, "labels": {"nodes": [{"name": "bug"}, {"name": "bug"}]}, **more}


def reply(*nodes: object, **more: object) -> dict[str, Any]:
    return {"data": {"viewer": {"login": "me"}, "repository": {"issues": {"nodes": list(nodes)}, **more}}}


def test_url_of_an_issue_gives_repository_and_number() -> None:
    for url in (URL, f"{URL}/"):
        found = find_issue(url)
        assert found is not None
        assert found[1] == Address(HERE, 7)
    for wrong in (
        None,
        7,
        "",
        "https://github.com/o/r/pull/7",
        f"{URL}/x",
        f"{URL}0\n",
        f"{URL}\n",
        URL.replace("7", "0"),
    ):
        assert find_issue(wrong) is None


def test_first_query_asks_for_open_and_tracked_issues() -> None:
    text = page_query(HERE, since=None, after=None, tracked=[7, 9])
    assert "states:[OPEN]" in text
    assert "i7:issue(number:7)" in text
    assert "i9:issue(number:9)" in text


def test_later_query_asks_for_what_has_changed_open_or_closed() -> None:
    text = page_query(HERE, since="2026-11-16T09:00:00Z", after="abc")
    assert 'filterBy:{since:"2026-11-16T09:00:00Z"}' in text
    assert "states" not in text
    assert 'after:"abc"' in text


def test_control_characters_are_left_out_of_titles() -> None:
    found = parse_page(reply(node()))
    assert found is not None
    assert found.viewer == "me"
    (only,) = found.issues
    assert (only.title, only.labels, only.author, only.is_open) == ("Brew[2J tea", ("bug",), "ana", True)
    assert check_summary(only.title) == only.title


def test_node_that_is_no_issue_is_left_out_and_stops_no_other() -> None:
    found = parse_page(reply(None, 3, {}, node(number="7"), node(url="https://evil/x"), node(id=None), node()))
    assert found is not None
    assert len(found.issues) == 1


def test_only_an_issue_that_github_does_not_have_counts_as_deleted() -> None:
    lost = {"path": ["repository", "i7"], "message": "Could not resolve to an Issue with the number of 7."}
    late = {"path": ["repository", "i8"], "message": "Something went wrong"}
    found = parse_page({**reply(i7=None, i8=None), "errors": [lost, late]}, [7, 8])
    assert found is not None
    assert found.deleted == (7,)


def test_reply_without_the_repository_gives_none() -> None:
    assert parse_page({"data": {"repository": None}}) is None


@given(VALUES)
def test_any_reply_is_parsed(value: Any) -> None:
    parse_page(value if isinstance(value, dict) else {"data": value}, [7])


@given(st.text())
def test_any_text_is_cleaned_to_one_line(text: str) -> None:
    assert check_summary(clean_line(text, 200)) == clean_line(text, 200).strip()
    assert len(clean_line(text, 200)) <= 200
