"""Pull requests: addresses, one question for many, answers that are whole, in part, or nonsense."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.delivery.pr_notes import PullRequestNote, from_values, take_answer
from orange_tui.domain.pull_request import Address, PullRequest, address_of, answers, question

URL = "https://github.com/o/r/pull/7"
HERE = Address("github.com", "o", "r", 7)
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
def test_an_address_is_understood(url: str) -> None:
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
        'https://github.com/o/r"){x}/pull/7',
        "https:///o/r/pull/7",
        "-R https://github.com/o/r/pull/7",
    ],
)
def test_what_is_no_address_is_none(url: str) -> None:
    assert address_of(url) is None


def test_one_question_has_a_name_for_each() -> None:
    text = question([HERE, Address("github.com", "o", "tea", 9)])
    assert text.count("pullRequest(number:") == 2
    assert 'p1:repository(owner:"o",name:"tea"){pullRequest(number:9)' in text
    assert text.count("fragment") == 1


def test_an_answer_in_part_is_taken_for_what_it_says() -> None:
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
    assert answers(reply, [HERE] * 4) == [
        PullRequest(URL, "open", head="abc", review="approved"),
        "GitHub has no such pull request any more",
        "GitHub has no such repository any more, or shows it to others only",
        "GitHub says: You must grant access",
    ]


@given(VALUES)
def test_no_answer_is_too_strange(reply: object) -> None:
    (found,) = answers(reply if isinstance(reply, dict) else {"data": reply}, [HERE])
    assert isinstance(found, PullRequest | str)


@given(st.dictionaries(st.sampled_from([*PullRequestNote.__annotations__, "other"]), VALUES))
def test_no_note_in_a_file_is_too_strange(values: dict[str, Any]) -> None:
    note = from_values(URL, {"url": URL, **values})
    assert note.url == URL
    assert isinstance(str(note), str)
    assert isinstance(note.needs(), str | None)


@given(
    st.builds(
        PullRequestNote,
        url=st.just(URL),
        state=st.sampled_from(["", "open", "merged", "closed"]),
        draft=st.booleans(),
        checks=st.sampled_from(["", "passed", "failed", "running"]),
        review=st.sampled_from(["", "approved", "changes requested", "review wanted"]),
        problem=st.text(),
        since=st.text(),
    )
)
def test_a_note_comes_back_from_its_file_as_it_was(note: PullRequestNote) -> None:
    assert from_values(URL, {name: value for name, value in note.__dict__.items() if value}) == note


def test_what_was_known_stays_known_while_github_does_not_answer() -> None:
    known = take_answer(PullRequestNote(URL), PullRequest(URL, "open", checks="failed"))
    unsure = take_answer(known, "GitHub cannot be reached")
    assert str(unsure) == "GitHub cannot be reached (before: open · checks failed)"
    assert unsure.needs() == known.needs() == "The checks of pull request #7 failed"
    assert take_answer(unsure, PullRequest(URL, "open", checks="failed")) == known
