"""threads.json: what is written is read again, no id is given twice, and a damaged file is never rewritten."""

from __future__ import annotations

import json
import os
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import NotSaved, OrangeError, Refused, Unreadable
from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import AGENT, ANSWERS, BY, SIDES, STATES, Thread, ThreadReply, answered
from orange_tui.home.paths import Home
from orange_tui.review.threads_file import MAX_THREADS, ThreadsFile

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_TEXT = st.text(max_size=30)
_COMMIT = st.none() | st.text("0123456789abcdef", min_size=40, max_size=40)
_REPLIES = st.lists(
    st.builds(
        ThreadReply,
        by=st.sampled_from((AGENT, *BY)),
        text=_TEXT,
        at=_TEXT,
        state=st.sampled_from((None, *ANSWERS)),
        commit=_COMMIT,
        author=_TEXT,
        remote=_TEXT,
    ),
    max_size=3,
).map(tuple)
_PATH = st.lists(st.text("aé ._-", min_size=3, max_size=9), min_size=1, max_size=3).map("x/".join)
_SPAN = st.none() | st.tuples(st.integers(1, 10**6), st.none() | st.integers(0, 99))


@st.composite
def _threads(draw: st.DrawFn) -> Thread:
    span = draw(_SPAN)
    line = span[0] if span else None
    end = span[0] + span[1] if span and span[1] is not None else None
    return Thread(
        "",
        draw(_PATH if span else _PATH | st.just("")),
        line,
        end,
        draw(_TEXT),
        draw(_COMMIT),
        draw(st.sampled_from(BY)),
        draw(_TEXT),
        draw(st.sampled_from(STATES)),
        draw(_REPLIES),
        draw(st.sampled_from(SIDES)),
        draw(_TEXT),
        draw(_TEXT),
        draw(st.booleans()),
        draw(_TEXT),
        draw(_TEXT),
    )


def a_draft(text: str = "Why?") -> Thread:
    return Thread("", "a.py", 3, None, "x = 1", None, "person", text, "draft")


@pytest.fixture
def file(tmp_path: Path) -> ThreadsFile:
    return ThreadsFile(Home(str(tmp_path)), "coffee", "abc")


@given(st.lists(_threads(), max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, threads: list[Thread]) -> None:
    file = ThreadsFile(Home(str(tmp_path_factory.mktemp("home"))), "coffee", "abc")
    written = file.change(lambda _none: threads)
    assert [replace(thread, id="") for thread in written] == threads
    assert [thread.id for thread in written] == [f"t{number}" for number in range(1, len(threads) + 1)]
    assert file.read() == written


def test_without_a_file_there_are_no_threads_and_reading_makes_none(file: ThreadsFile) -> None:
    assert file.read() == ()
    assert not os.path.exists(file.path)


def test_keys_are_those_of_the_specification(file: ThreadsFile) -> None:
    file.change(lambda _none: [a_draft()])
    (entry,) = json.loads(_text(file))
    assert {"id", "path", "line", "end_line", "quote", "commit", "by", "text", "state", "replies"} <= entry.keys()


def test_an_id_is_never_given_twice_not_even_that_of_a_deleted_draft(file: ThreadsFile) -> None:
    file.change(lambda _none: [a_draft(), a_draft()])
    assert [thread.id for thread in file.change(lambda threads: threads[:1])] == ["t1"]
    assert [thread.id for thread in file.change(lambda threads: [*threads, a_draft()])] == ["t1", "t3"]
    assert [thread.id for thread in file.read()] == ["t1", "t3"]


def test_only_a_draft_can_be_deleted(file: ThreadsFile) -> None:
    file.change(lambda _none: [replace(a_draft(), state="open")])
    with pytest.raises(Refused, match="t1 cannot be deleted"):
        file.change(lambda _threads: [])
    assert len(file.read()) == 1


def test_what_a_newer_orange_wrote_stays_also_in_answers(file: ThreadsFile) -> None:
    file.change(lambda _none: [answered(replace(a_draft(), state="open"), ThreadReply(AGENT, "Done.", state="fixed"))])
    entries = json.loads(_text(file))
    entries[0] |= {"mood": "good"}
    entries[0]["replies"][0] |= {"sound": "plop"}
    _write(file, json.dumps(entries))
    file.change(lambda threads: [*(answered(each, ThreadReply(AGENT, "And so.")) for each in threads), a_draft()])
    first, second = json.loads(_text(file))
    assert (first["mood"], first["replies"][0]["sound"], "sound" in first["replies"][1]) == ("good", "plop", False)
    assert second["id"] == "t2"


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "{}",
        "[1]",
        '[{"id": "t1"}]',
        '[{"id": "t1", "path": "../x"}]',
        "[" * 100_000,
        "\x00",
        '[{"id": 1}]',
    ],
)
def test_a_damaged_file_is_refused_with_a_sentence_and_never_rewritten(file: ThreadsFile, content: str) -> None:
    _write(file, content)
    for work in (file.read, lambda: file.change(lambda threads: [*threads, a_draft()])):
        with pytest.raises(Unreadable, match=r"threads\.json.*the comments are in there"):
            work()
    assert _text(file) == content


@given(st.data())
def test_whatever_one_value_is_replaced_by_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = ThreadsFile(Home(str(tmp_path_factory.mktemp("home"))), "coffee", "abc")
    file.change(lambda _none: [replace(a_draft(), replies=(ThreadReply(AGENT, "So."),))])
    entries = json.loads(_text(file))
    entry = data.draw(st.sampled_from([entries[0], entries[0]["replies"][0]]))
    name = data.draw(st.sampled_from(sorted(entry)))
    entry[name] = data.draw(st.none() | st.booleans() | st.floats() | st.integers() | _TEXT | st.just([]) | st.just({}))
    _write(file, json.dumps(entries))
    try:
        read = file.read()
    except OrangeError:
        return
    assert file.change(lambda threads: threads) == read


def test_what_nobody_could_read_again_is_refused_before_it_is_written(file: ThreadsFile) -> None:
    (first,) = file.change(lambda _none: [a_draft()])
    for wrong in (first, replace(a_draft(), path="../x"), replace(a_draft(), end_line=1), replace(a_draft(), by="eve")):
        with pytest.raises(NotSaved, match="was not saved"):
            file.change(partial(_with, wrong))
    assert file.read() == (first,)


def test_two_at_once_lose_nothing(file: ThreadsFile) -> None:
    def add() -> None:
        for _ in range(5):
            file.change(lambda threads: [*threads, a_draft()])

    writers = [threading.Thread(target=add) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [thread.id for thread in file.read()] == [f"t{number}" for number in range(1, 21)]


def test_more_threads_or_more_text_than_could_be_read_again_is_refused_before_it_is_written(file: ThreadsFile) -> None:
    file.change(lambda _none: [a_draft()])

    def many(threads: tuple[Thread, ...]) -> Iterable[Thread]:
        return [*threads, *(a_draft() for _ in range(MAX_THREADS))]

    with pytest.raises(Refused, match="at most"):
        file.change(many)
    with pytest.raises(NotSaved, match="over"):
        file.change(lambda threads: [*threads, a_draft("x" * 21_000_000)])
    assert len(file.read()) == 1


def _with(new: Thread, threads: tuple[Thread, ...]) -> Iterable[Thread]:
    return [*threads, new]


def _text(file: ThreadsFile) -> str:
    with open(file.path, encoding="utf-8") as opened:
        return opened.read()


def _write(file: ThreadsFile, text: str) -> None:
    os.makedirs(os.path.dirname(file.path), exist_ok=True)
    with open(file.path, "w", encoding="utf-8") as opened:
        opened.write(text)
