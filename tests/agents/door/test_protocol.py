"""What is sent arrives as it was, in whatever pieces, and nothing else is taken for a request."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.agents.door.protocol import (
    INPUT,
    MAX_WORDS,
    WORDS,
    ProtocolError,
    frame,
    join_words,
    split_words,
    take_frame,
)

KINDS = (INPUT, WORDS)
words = st.lists(st.binary(max_size=30).map(lambda word: word.replace(b"\0", b"")), max_size=20)


@given(words)
def test_words_arrive_as_they_were(sent: list[bytes]) -> None:
    assert split_words(join_words(sent)) == sent


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=100)), max_size=5), st.integers(1, 40))
def test_frames_arrive_in_whatever_pieces(sent: list[tuple[bytes, bytes]], size: int) -> None:
    data = b"".join(frame(kind, content) for kind, content in sent)
    received, found = bytearray(), []
    for at in range(0, len(data), size):
        received += data[at : at + size]
        while each := take_frame(received, KINDS, 1000):
            found.append(each)
    assert (found, len(received)) == (sent, 0)


@given(st.binary(max_size=200))
def test_any_bytes_are_frames_or_not_yet_or_refused(data: bytes) -> None:
    received = bytearray(data)
    with suppress(ProtocolError):
        while found := take_frame(received, KINDS, 100):
            assert len(found[1]) <= 100
            with suppress(ProtocolError):
                assert len(split_words(found[1])) <= MAX_WORDS


def test_too_much_is_refused_before_it_is_there() -> None:
    with pytest.raises(ProtocolError, match="more than 100 bytes"):
        take_frame(bytearray(frame(INPUT, b"x" * 101)[:5]), KINDS, 100)
    with pytest.raises(ProtocolError, match="more than 1,000 words"):
        split_words(b"\0" * (MAX_WORDS + 1))
    with pytest.raises(ProtocolError, match="does not end"):
        split_words(b"task\0list")
