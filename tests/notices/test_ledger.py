"""What is told, when, and how often: each need once, not before the person's eyes, and never for ever."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.home.paths import Home
from orange_tui.notices.ledger import (
    AWAY_SECONDS,
    DAILY,
    MOST_TRIES,
    SETTLE_LOST_SECONDS,
    SETTLE_SECONDS,
    Entry,
    Ledger,
    LedgerFile,
    Sight,
)
from orange_tui.notices.presence import AT_THE_APP_SECONDS

START = 1_800_000_000.0
REVIEW = Sight("coffee/t1", "review")
ASKS, ASKS_AGAIN = Sight("coffee/t1", "permission", "aa"), Sight("coffee/t1", "permission", "bb")
NOBODY = 0.0


class Night:
    """A ledger as time goes by; it is looked at every second."""

    def __init__(self) -> None:
        self.ledger, self.now, self.told = Ledger(), START, list[tuple[str, str]]()

    def passes(self, seconds: float, *sights: Sight, seen_at: float = NOBODY, works: bool = True) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now += 1
            self.ledger.observe(sights, self.now, seen_at)
            due = self.ledger.due(self.now, seen_at)
            for entry in self.ledger.begin_try(due, ["a"], self.now):
                self.told.append((entry.task, entry.words or entry.kind))
                self.ledger.end_try(entry, [] if works else ["a"])


def test_a_need_is_told_once_however_long_it_stands() -> None:
    night = Night()
    night.passes(SETTLE_SECONDS - 1, REVIEW)
    assert night.told == []
    night.passes(3_000, REVIEW)
    assert night.told == [("coffee/t1", "review")]


def test_what_is_over_in_a_moment_is_not_told() -> None:
    night = Night()
    night.passes(SETTLE_SECONDS - 1, REVIEW)
    night.passes(1000)
    assert night.told == []


def test_answered_and_asked_again_is_another_need() -> None:
    night = Night()
    for _ in range(2):
        night.passes(60, ASKS)
        night.passes(10)
    assert night.told == [("coffee/t1", "aa")] * 2


def test_another_question_is_another_need_without_a_pause_between() -> None:
    night = Night()
    night.passes(60, ASKS)
    night.passes(60, ASKS_AGAIN)
    assert night.told == [("coffee/t1", "aa"), ("coffee/t1", "bb")]


def test_need_that_nobody_could_see_for_a_moment_is_the_same() -> None:
    """No answer from tmux, or what is asked is not on the screen any more."""
    night = Night()
    for sights in ((ASKS,), (Sight("coffee/t1", "lost"),), (ASKS,), (Sight("coffee/t1", "permission"),), (ASKS,)):
        night.passes(60 if sights == (ASKS,) else 2, *sights)
    assert night.told == [("coffee/t1", "aa")]


def test_agents_that_are_brought_back_in_time_are_not_told_of() -> None:
    night = Night()
    night.passes(SETTLE_LOST_SECONDS - 2, Sight("coffee/t1", "lost"))
    night.passes(60)
    assert night.told == []
    night.passes(SETTLE_LOST_SECONDS + 2, Sight("coffee/t1", "lost"))
    assert night.told == [("coffee/t1", "lost")]


def test_nothing_is_told_while_the_person_is_at_the_app() -> None:
    night = Night()
    for _ in range(20):
        night.passes(60, REVIEW, seen_at=night.now)
    assert night.told == []


def test_what_began_before_their_eyes_is_told_once_they_have_been_away_for_a_while() -> None:
    night = Night()
    night.passes(60, REVIEW, seen_at=night.now)
    left_at = night.now - 60
    night.passes(AWAY_SECONDS - 60 - 2, REVIEW, seen_at=left_at)
    assert night.told == []
    night.passes(10, REVIEW, seen_at=left_at)
    assert night.told == [("coffee/t1", "review")]


def test_closing_the_app_is_no_reason_to_be_told_at_once_of_what_was_seen_in_it() -> None:
    night = Night()
    night.passes(60, REVIEW, seen_at=night.now)
    night.passes(AWAY_SECONDS - 62, REVIEW)  # its file is gone with it
    assert night.told == []
    night.passes(10, REVIEW)
    assert night.told == [("coffee/t1", "review")]


def test_what_begins_when_they_are_away_is_told_at_once() -> None:
    night = Night()
    seen_at = night.now - AT_THE_APP_SECONDS
    night.passes(SETTLE_SECONDS + 2, REVIEW, seen_at=seen_at)
    assert night.told == [("coffee/t1", "review")]


def test_service_that_never_answers_is_tried_a_bounded_number_of_times_with_growing_pauses() -> None:
    night = Night()
    tried_at = []
    for _ in range(10_000):
        before = len(night.told)
        night.passes(1, REVIEW, works=False)
        tried_at += [night.now] if len(night.told) > before else []
    pauses = [after - before for before, after in pairwise(tried_at)]
    assert len(tried_at) == MOST_TRIES
    assert pauses == sorted(pauses)
    assert pauses[0] == 30
    assert pauses[-1] == 1800
    assert not night.ledger.waits


def test_only_the_address_that_failed_is_tried_again() -> None:
    ledger = Ledger()
    ledger.observe([REVIEW], START, NOBODY)
    (entry,) = ledger.begin_try(ledger.due(START + 10, NOBODY), ["a", "b"], START + 10)
    assert entry.left == ("a", "b")
    ledger.end_try(entry, ["b"])
    (again,) = ledger.begin_try(ledger.due(START + 60, NOBODY), ["a", "b"], START + 60)
    assert again.left == ("b",)
    ledger.end_try(again, [])
    assert ledger.due(START + 10_000, NOBODY) == []


def test_supervisor_that_was_killed_while_it_sent_has_the_next_one_send_again_after_a_pause(tmp_path: Path) -> None:
    home = Home(str(tmp_path))
    (tmp_path / "state").mkdir()
    killed = Ledger()
    killed.observe([REVIEW], START, NOBODY)
    killed.begin_try(killed.due(START + 10, NOBODY), ["a"], START + 10)
    LedgerFile(home).write(killed)
    after = LedgerFile(home).read()
    after.observe([REVIEW], START + 20, NOBODY)
    assert after.due(START + 20, NOBODY) == []  # what the killed one began may still be under way
    (entry,) = after.due(START + 60, NOBODY)
    assert entry.tries == 1


def test_daily_summary_is_told_once_a_day_whether_somebody_is_there_or_not() -> None:
    night = Night()
    for day in ("2026-11-17", "2026-11-18"):
        night.passes(200, Sight("", DAILY, day), seen_at=night.now + 200)
    assert night.told == [("", "2026-11-17"), ("", "2026-11-18")]


def test_clock_that_was_set_back_keeps_nothing_from_being_told() -> None:
    night = Night()
    night.passes(60, REVIEW, seen_at=night.now)
    night.now -= 100_000
    night.passes(60, REVIEW)
    assert night.told == [("coffee/t1", "review")]


NUMBERS = st.floats(0, 4e9)
ENTRIES = st.builds(
    Entry,
    st.text(),
    st.text(),
    st.text(),
    NUMBERS,
    gone=st.none() | NUMBERS,
    was_seen=st.booleans(),
    left=st.none() | st.lists(st.text(max_size=16)).map(tuple),
    tries=st.integers(0, 20),
    due=NUMBERS,
)


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["entries", "seen_at", "task", "kind", "words", "since", "left"]), inner)
    ),
    max_leaves=30,
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    root = tmp_path_factory.mktemp("home")
    (root / "state").mkdir()
    return Home(str(root))


@given(entries=st.lists(ENTRIES, max_size=5), seen_at=NUMBERS)
def test_ledger_comes_back_from_its_file_as_it_was(home: Home, entries: list[Entry], seen_at: float) -> None:
    LedgerFile(home).write(Ledger(entries, seen_at))
    found = LedgerFile(home).read()
    assert (found.entries, found.seen_at) == (entries, seen_at)


@given(content=JSON)
def test_file_that_says_anything_is_read_without_a_fault(home: Home, content: object) -> None:
    Path(home.state, ".notices.json").write_text(json.dumps(content))
    LedgerFile(home).read()
    LedgerFile(home).problems()
