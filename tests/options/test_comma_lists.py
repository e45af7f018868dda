"""Whatever a list holds, a form shows it in one line and reads the same list from it."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from orange_tui.options.comma_lists import join_texts, split_line

WORDS = st.text(st.sampled_from('ab ,"'), min_size=1).map(str.strip).filter(bool)


@given(st.lists(WORDS))
@example(["hot, not cold", 'a "real" one', '"'])
def test_texts_shown_in_a_line_are_read_from_it_again(texts: list[str]) -> None:
    assert split_line(join_texts(texts)) == texts


def test_a_person_types_a_list_as_ever_and_blanks_and_lone_commas_are_nothing() -> None:
    assert split_line(" chore,big one ,, ") == ["chore", "big one"]
    assert split_line("") == []
