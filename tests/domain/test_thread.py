"""Threads: who may do what to one, in which state, and what a path and a text may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import (
    AGENT,
    MAX_TEXT_CHARACTERS,
    Thread,
    ThreadReply,
    answered,
    check_text,
    clean_text,
    find_thread,
    is_path,
    reopened,
    resolved,
    sent,
)

DRAFT = Thread("t1", "a.py", 3, None, "x = 1", None, "person", "Why?", "draft")
OPEN = sent(DRAFT)


def test_a_draft_is_sent_answered_and_resolved_and_can_be_opened_again() -> None:
    fixed = answered(OPEN, ThreadReply(AGENT, "Done.", state="fixed"))
    assert (OPEN.state, fixed.state, fixed.replies[0].text) == ("open", "fixed", "Done.")
    assert (resolved(fixed).state, reopened(resolved(fixed)).state) == ("resolved", "open")


def test_words_alone_leave_a_thread_as_it_is() -> None:
    assert answered(OPEN, ThreadReply(AGENT, "Do you mean this?")).state == "open"
    declined = answered(OPEN, ThreadReply(AGENT, "No: it is needed.", state="declined"))
    assert answered(declined, ThreadReply("person", "I see.")).state == "declined"


@pytest.mark.parametrize(
    ("move", "why"),
    [
        (lambda: sent(OPEN), "only a draft"),
        (lambda: answered(DRAFT, ThreadReply(AGENT, "x")), "is a draft"),
        (lambda: answered(resolved(OPEN), ThreadReply(AGENT, "x")), "the person can reopen it"),
        (lambda: answered(OPEN, ThreadReply(AGENT, "x", state="resolved")), "fixed or declined"),
        (
            lambda: answered(replace(OPEN, replies=(ThreadReply(AGENT, "x"),) * 200), ThreadReply(AGENT, "x")),
            "200 answers",
        ),
        (lambda: resolved(resolved(OPEN)), "resolved already"),
        (lambda: resolved(DRAFT), "is a draft"),
        (lambda: reopened(OPEN), "open already"),
        (lambda: reopened(DRAFT), "is a draft"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(move: object, why: str) -> None:
    with pytest.raises(Refused, match=why):
        move()  # type: ignore[operator]


def test_an_unknown_thread_is_told_with_those_there_are() -> None:
    assert find_thread([OPEN], "t1") is OPEN
    with pytest.raises(NotFound, match="no thread t9: there are t1, t2"):
        find_thread([OPEN, replace(OPEN, id="t2")], "t9")
    with pytest.raises(NotFound, match="the task has none"):
        find_thread([], "\x1b[1m")


def test_a_place_is_what_one_types() -> None:
    assert [
        OPEN.place,
        replace(OPEN, end_line=3).place,
        replace(OPEN, end_line=5).place,
        replace(OPEN, line=None).place,
        replace(OPEN, path="", line=None).place,
    ] == ["a.py:3", "a.py:3", "a.py:3-5", "a.py", "the task"]


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", ".git/config", "a\nb", "a" * 2000]
)
def test_a_path_that_leads_elsewhere_is_none(path: str) -> None:
    assert not is_path(path)


def test_a_path_in_the_repository_is_one() -> None:
    assert all(map(is_path, ("a.py", "src/ünï/a b.py", ".github/x.yml", "-x", "a..b")))


def test_an_empty_or_endless_text_is_refused() -> None:
    for text, why in ((" \n\t", "is empty"), ("x" * (MAX_TEXT_CHARACTERS + 1), "20,001 characters")):
        with pytest.raises(Refused, match=why):
            check_text(text)


@given(st.text())
def test_a_cleaned_text_has_nothing_a_terminal_would_obey_and_cleaning_it_again_changes_nothing(text: str) -> None:
    found = clean_text(text)
    assert clean_text(found) == found
    assert not any((ord(each) < 32 and each not in "\n\t") or 0x7F <= ord(each) < 0xA0 for each in found)
