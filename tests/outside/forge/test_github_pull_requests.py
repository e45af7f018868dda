"""GitHub's pull requests: addresses, one query for many, replies that are whole, in part, or nonsense."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.pull_request import PullRequest
from orange_tui.outside.forge._github_pull_requests import address_of, parse_reply, query_for
from orange_tui.outside.forge.interface import Address, HostedRepository

URL = "https://github.com/o/r/pull/7"
HERE = Address(HostedRepository("github.com", "o", "r"), 7)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.sampled_from(["open", "OPEN", URL, "p0"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "errors", "p0", "pullRequest", "state", "commits", "nodes", "path", "url", "message"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("url", [URL, f"{URL}/"])
def test_url_of_a_pull_request_gives_its_address(url: str) -> None:
    assert address_of(url) == HERE


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://github.com/o/r/issues/7",
        "http://github.com/o/r/pull/7",
        "https://github.com/o/r/pull/7/files",
        "https://github.com/o/r/pull/seven",
        "https://github.com/o/r/pull/٧",
        pytest.param(f"https://github.com/o/r/pull/{'7' * 5000}", id="a number that Python does not read"),
        'https://github.com/o/r"){x}/pull/7',
        "https:///o/r/pull/7",
        "-R https://github.com/o/r/pull/7",
    ],
)
def test_any_other_url_gives_no_address(url: str) -> None:
    assert address_of(url) is None


def test_one_query_has_an_alias_for_each_pull_request() -> None:
    text = query_for([HERE, Address(HostedRepository("github.com", "o", "tea"), 9)])
    assert text.count("pullRequest(number:") == 2
    assert 'p1:repository(owner:"o",name:"tea"){pullRequest(number:9)' in text
    assert text.count("fragment") == 1


def test_partial_reply_gives_what_it_has_and_a_sentence_for_the_rest() -> None:
    found: dict[str, Any] = {
        "url": URL,
        "state": "OPEN",
        "isDraft": False,
        "mergeCommit": None,
        "headRefOid": "abc",
        "reviewDecision": "APPROVED",
        "commits": {"nodes": [{"commit": {"statusCheckRollup": None}}]},
    }
    path = ["p0", "pullRequest", "commits", "nodes", 0, "commit", "statusCheckRollup"]
    reply = {
        "data": {"p0": {"pullRequest": found}, "p1": {"pullRequest": None}, "p2": None, "p3": None},
        "errors": [
            {"path": path, "message": "Resource not accessible"},
            {"path": ["p1", "pullRequest"], "message": "Could not resolve to a PullRequest with the number of 8."},
            {"path": ["p2"], "message": "Could not resolve to a Repository with the name 'o/tea'."},
            {"path": ["p3"], "message": "You must grant access"},
        ],
    }
    assert parse_reply(reply, [HERE] * 4) == [
        PullRequest(URL, "open", head="abc", review="approved"),
        "this pull request is no longer on GitHub",
        "this repository is no longer on GitHub, or you have no access to it",
        "GitHub says: You must grant access",
    ]


@given(VALUES)
def test_any_reply_is_parsed(reply: object) -> None:
    (found,) = parse_reply(reply if isinstance(reply, dict) else {"data": reply}, [HERE])
    assert isinstance(found, PullRequest | str)
