"""Lines that are cut off say so, and what is selected of them is copied as it is seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Offset
from textual.selection import SELECT_ALL, Selection
from textual.strip import Strip

from orange_tui.tui.drawing.line_marks import crop_marked, highlight, selected_text, with_offsets

MARK = Style(dim=True)
TEXTS = st.text(st.sampled_from("ab 日本é🍊"), max_size=12)


def line(*texts: str) -> Strip:
    return Strip([Segment(text, Style()) for text in texts])


@pytest.mark.parametrize(
    ("text", "start", "width", "seen"),
    [
        ("short", 0, 10, "short"),
        ("exactly", 0, 7, "exactly"),
        ("a longer line", 0, 8, "a longe›"),
        ("a longer line", 3, 6, "‹nger›"),
        ("a longer line", 9, 10, "‹ine"),
        ("blanks        ", 0, 8, "blanks  "),
        ("  indented", 2, 20, "indented"),
        ("日本語です", 0, 5, "日本›"),
    ],
)
def test_a_line_says_at_which_end_it_goes_on(text: str, start: int, width: int, seen: str) -> None:
    assert crop_marked(line(text), start, width, MARK).text == seen


@given(st.lists(TEXTS, max_size=4), st.integers(0, 20), st.integers(2, 20))
def test_no_line_is_wider_than_there_is_room(texts: list[str], start: int, width: int) -> None:
    assert crop_marked(line(*texts), start, width, MARK).cell_length <= width


@given(st.lists(TEXTS, max_size=4), st.integers(0, 12), st.integers(-1, 12))
def test_highlighting_changes_no_character(texts: list[str], start: int, end: int) -> None:
    marked = highlight(line(*texts), (start, end), MARK)
    assert marked.text == "".join(texts)
    chosen = "".join(texts)[start : None if end < 0 else end]
    assert "".join(part.text for part in marked if part.style == MARK) == chosen


@given(st.lists(st.lists(TEXTS, max_size=3), max_size=5))
def test_all_that_is_selected_is_the_text(rows: list[list[str]]) -> None:
    strips = [line(*row) for row in rows]
    assert selected_text(strips, SELECT_ALL) == "\n".join("".join(row).rstrip() for row in rows)


def test_a_selection_is_copied_from_its_first_character_to_its_last_and_no_further_than_there_are_lines() -> None:
    strips = [line("eins ", "zwei"), line("日本語"), line("drei    "), line("")]
    assert selected_text(strips, Selection(Offset(5, 0), Offset(1, 1))) == "zwei\n日"
    assert selected_text(strips, Selection(Offset(1, 1), Offset(9, 99))) == "本語\ndrei\n"
    assert selected_text(strips, Selection(None, Offset(2, 0))) == "ei"


def test_every_character_has_its_place_also_where_a_line_is_scrolled_or_empty() -> None:
    places = [part.style.meta["offset"] for part in with_offsets(line("日本", "語"), 2, 7) if part.style]
    assert places == [(1, 7), (2, 7)]
    (blank,) = with_offsets(line(), 0, 3)
    assert (cell_len(blank.text), blank.style and blank.style.meta["offset"]) == (1, (0, 3))
