"""Quoted code is found again where it is, and never where other code is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.review.anchor import CodeLines, place
from orange_tui.domain.review.thread import MAX_QUOTE_CHARACTERS
from orange_tui.domain.text.quoting import plain
from support.looking import steadily

FILE = [*(f"line {number}" for number in range(1, 51)), "def brew(cup_of_coffee):", "    return None", "}"]


def find(quote: str, line: int, end_line: int | None, lines: list[str], shift: int = 0) -> tuple[int, int] | None:
    return place(quote, line, end_line, CodeLines(lines), shift)


def test_code_that_did_not_move_is_where_it_was() -> None:
    assert find("    return None", 52, None, FILE) == (52, 52)
    assert find("line 3\nline 4", 3, 4, FILE) == (3, 4)


def test_code_that_stands_once_is_found_however_far_it_moved() -> None:
    moved = [*(f"new {number}" for number in range(500)), *FILE]
    assert find("def brew(cup_of_coffee):\n    return None", 51, 52, moved) == (551, 552)
    assert find("def brew(cup_of_coffee):", 51, None, moved) == (551, 551)


def test_of_several_equal_lines_the_nearest_counts_and_none_that_is_far() -> None:
    lines = ["    return None" if number in {20, 60, 400} else f"line {number}" for number in range(1, 500)]
    assert find("    return None", 18, None, lines) == (20, 20)
    assert find("    return None", 62, None, lines) == (60, 60)
    assert find("    return None", 40, None, lines) is None  # as near to one as to the other
    assert find("    return None", 300, None, lines) is None
    assert find("    return None", 300, None, lines, shift=97) == (400, 400)


def test_a_bracket_is_not_looked_for_far_away() -> None:
    assert find("}", 50, None, FILE) == (53, 53)
    assert find("}", 20, None, FILE) is None


def test_other_white_space_is_the_same_code_and_other_text_is_not() -> None:
    assert find("def brew( cup_of_coffee ) :\n\treturn None\r", 51, 52, FILE) == (51, 52)
    assert find("def brew(cup_of_tea):", 51, None, FILE) is None
    assert find("    return None\n}\nmore", 52, 54, FILE) is None


def test_lines_that_end_in_cr_and_control_characters_are_found_as_they_were_quoted() -> None:
    lines = ["one\r", "\x1b[31mtwo\tand\x07\r", "three\r"]
    assert find(plain("\x1b[31mtwo\tand\x07"), 1, None, lines) == (2, 2)


@pytest.mark.parametrize("lines", [["x" * 9_000], ["y" * 3_000, "x" * 3_000, "z"]])
def test_a_quote_that_was_cut_off_is_found(lines: list[str]) -> None:
    quote = "\n".join(lines)[:MAX_QUOTE_CHARACTERS]
    assert find(quote, 1, len(lines), ["first", *lines]) == (2, len(lines) + 1)


def test_what_has_no_quote_is_where_it_was_said_to_be() -> None:
    assert find("", 7, None, FILE) == (7, 7)
    assert find("", 99, None, FILE) is None
    assert find("", 1, None, []) is None


def test_lines_of_a_diff_have_gaps_that_no_quote_goes_over() -> None:
    code = CodeLines(["one", "two", "nine", "ten"], [1, 2, 9, 10])
    assert place("nine\nten", 7, 8, code) == (9, 10)
    assert place("two\nnine", 2, 3, code) is None


texts = st.lists(
    st.sampled_from(["a = 1", "b", "", "}", "    return None", "long_enough_to_be_unique", "\ta"]), max_size=40
)


@steadily
@given(texts, st.data())
def test_in_any_edited_file_the_place_has_the_text_of_the_quote(lines: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(1, 40))
    length = data.draw(st.integers(1, 3))
    quoted = data.draw(st.lists(st.sampled_from([*lines, "other"]), min_size=length, max_size=length))
    if data.draw(st.booleans()) and first + length <= len(lines) + 1:
        quoted = lines[first - 1 : first - 1 + length]
    quote = "\n".join(quoted)
    found = find(quote, first, first + length - 1, lines)
    if quote and found is not None:
        there = lines[found[0] - 1 : found[1]]
        assert ["".join(line.split()) for line in there] == ["".join(line.split()) for line in quoted]
    if quote and lines[first - 1 : first - 1 + length] == quoted:
        assert found == (first, first + length - 1)


@steadily
@given(texts, st.lists(st.sampled_from(["new", "newer"]), max_size=5), st.integers(0, 40))
def test_one_insertion_above_or_below_is_followed(lines: list[str], more: list[str], where: int) -> None:
    unique = "unmistakable = the_quoted_line"
    before = [*lines, unique]
    after = [*before[:where], *more, *before[where:]]
    assert find(unique, len(before), None, after) == (after.index(unique) + 1,) * 2
