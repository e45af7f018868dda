"""A branch that is named after a summary: readable, in any script, and always one that git takes."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.task import branch_words, free_branch, is_branch


@pytest.mark.parametrize(
    ("summary", "branch"),
    [
        ("Fix the redirect loop on mobile", "fix-the-redirect-loop-on-mobile"),
        ("Don’t lose the user's work!", "dont-lose-the-users-work"),
        ("  --force: HEAD@{1} ../x.lock  ", "force-head-1-x-lock"),
        ("A summary that goes on and on until nobody wants to read it any more", "a-summary-that-goes-on-and-on-until"),
        ("Größe prüfen", "größe-prüfen"),
        ("検索を直す 🍣", "検索を直す"),
        ("हिन्दी खोज", "हिन्दी-खोज"),
        ("Исправить вход", "исправить-вход"),
        ("إصلاح البحث", "إصلاح-البحث"),
        ("x" * 100, "x" * 40),
        ("🍊 !!!", ""),
        ("", ""),
    ],
)
def test_a_branch_says_what_its_summary_says(summary: str, branch: str) -> None:
    assert branch_words(summary) == branch
    if branch:
        subprocess.run(["git", "check-ref-format", "--branch", branch], check=True, capture_output=True)


@given(st.text())
def test_whatever_the_summary_the_branch_is_one_or_there_is_none(summary: str) -> None:
    words = branch_words(summary)
    assert not words or is_branch(words)


@given(st.integers(0, 20))
def test_a_branch_that_is_taken_gets_the_next_number(count: int) -> None:
    taken = set[str]()
    for _ in range(count):
        taken.add(free_branch("brew", taken.__contains__))
    assert len(taken) == count
    assert free_branch("brew", taken.__contains__) == ("brew" if not count else f"brew-{count + 1}")
