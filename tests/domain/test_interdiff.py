"""The diff between two forms of a diff: only what changed between them, and nothing of it left out."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.review._alignment import align
from orange_tui.domain.review.diff import Hunk
from orange_tui.domain.review.interdiff import NewHunk, interdiff
from support.diffs import diff_files
from support.looking import steadily

BASE = [f"line {number}" for number in range(60)]


def hunks(before: list[str], after: list[str], *, context: int = 3) -> tuple[Hunk, ...]:
    files = diff_files("a.py", before, after, context=context)
    return files[0].hunks if files else ()


def changed(lines: list[str], **news: str) -> list[str]:
    return [news.get(line.replace(" ", "_"), line) for line in lines]


def shown(found: list[NewHunk]) -> list[str]:
    return [line for each in found for line in (each.hunk.header, *each.hunk.lines)]


def test_one_line_of_a_long_new_file_that_changed_is_all_there_is_to_see() -> None:
    then, now = hunks([], BASE), hunks([], changed(BASE, line_30="fixed"))
    assert shown(interdiff(then, now)) == [
        "@@ -28,7 +28,7 @@",
        " line 27",
        " line 28",
        " line 29",
        "-line 30",
        "+fixed",
        " line 31",
        " line 32",
        " line 33",
    ]
    assert [each.number for each in interdiff(then, now)] == [0]


def test_what_was_seen_is_context_and_a_new_change_beside_it_is_not() -> None:
    one = changed(BASE, line_30="other")
    found = interdiff(hunks(BASE, one), hunks(BASE, changed(one, line_32="another")))
    assert shown(found)[1:] == [
        *(" line 29", " other", " line 31"),
        *("-line 32", "+another"),
        *(" line 33", " line 34", " line 35"),
    ]


def test_an_added_line_that_was_taken_out_again_is_removed() -> None:
    one = [*BASE[:30], "print(debug)", "good", *BASE[30:]]
    two = [*BASE[:30], "good", *BASE[30:]]
    assert "-print(debug)" in shown(interdiff(hunks(BASE, one), hunks(BASE, two)))
    assert sum(line[0] in "+-" for line in shown(interdiff(hunks(BASE, one), hunks(BASE, two)))) == 1


def test_a_line_that_is_removed_no_more_is_back() -> None:
    one = changed([line for line in BASE if line != "line 30"], line_32="other")
    two = changed(BASE, line_32="other")
    assert [line for line in shown(interdiff(hunks(BASE, one), hunks(BASE, two))) if line[0] in "+-"] == ["+line 30"]


def test_a_hunk_that_is_gone_is_shown_backwards() -> None:
    one = changed(BASE, line_10="other", line_50="another")
    (found,) = interdiff(hunks(BASE, one), hunks(BASE, changed(BASE, line_50="another")))
    assert found.number is None
    assert found.hunk.header == "@@ no longer changed @@"
    assert [line for line in found.hunk.lines if line[0] in "+-"] == ["+line 10", "-other"]


def test_a_line_that_is_added_elsewhere_now_is_removed_and_added() -> None:
    one, two = ([*BASE[:place], "other", *BASE[place:]] for place in (10, 40))
    found = interdiff(hunks(BASE, one), hunks(BASE, two))
    assert sorted(line for line in shown(found) if line[0] in "+-") == ["+other", "-other"]
    assert interdiff(hunks(BASE, one, context=0), hunks(BASE, two, context=0))


def test_what_main_changed_around_is_not_shown_as_a_change() -> None:
    then = hunks(BASE, changed(BASE, line_30="other"))
    main = changed(BASE, line_28="from main", line_33="too")
    assert interdiff(then, hunks(main, changed(main, line_30="other"))) == []


def test_a_missing_line_end_is_part_of_its_line() -> None:
    then = (Hunk("@@ -1 +1,2 @@", (" a", "+b"), 1, 1),)
    now = (Hunk("@@ -1 +1,2 @@", (" a", "+b", "\\ No newline at end of file"), 1, 1),)
    assert shown(interdiff(then, now))[1:] == [" a", "-b", "+b", "\\ No newline at end of file"]
    assert interdiff(now, now) == []


lines = st.lists(st.sampled_from(["a", "b", "c", "", "}", "d\r", "é"]), max_size=24)


def side(found: list[str], sign: str) -> list[str]:
    return [line[1:] for line in found if line[0] in {" ", sign}]


@steadily
@given(lines, lines, lines)
def test_applied_to_what_was_seen_it_gives_what_is_there(base: list[str], then: list[str], now: list[str]) -> None:
    # With all lines as context, both sides of the result are whole files.
    whole = [*base, "base"], [*then, "then"], [*now, "now"]
    before, after = (hunks(whole[0], each, context=99) for each in whole[1:])
    rows = [line for each in interdiff(before, after) for line in each.hunk.lines]
    one, two = whole[1], whole[2]
    for each in interdiff(before, after):
        old, new = side(list(each.hunk.lines), "-"), side(list(each.hunk.lines), "+")
        assert two[each.hunk.new_start - 1 :][: len(new)] == new
        assert one[each.hunk.old_start - 1 :][: len(old)] == old
    assert rows  # "then" is gone at least, and "now" is there
    assert sum(line[0] == "+" for line in rows) - sum(line[0] == "-" for line in rows) == len(two) - len(one)


@steadily
@given(lines, lines, lines)
def test_every_line_that_is_shown_as_there_is_there(base: list[str], then: list[str], now: list[str]) -> None:
    for each in interdiff(hunks(base, then), hunks(base, now)):
        new = side(list(each.hunk.lines), "+")
        if each.number is not None:
            assert now[each.hunk.new_start - 1 :][: len(new)] == new or not new
    assert interdiff(hunks(base, now), hunks(base, now)) == []


@steadily
@given(lines, lines)
def test_aligned_lines_are_equal_and_in_order(one: list[str], other: list[str]) -> None:
    pairs = align(one, other)
    assert all(one[place] == other[its_place] for place, its_place in pairs)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))
    assert align(one, one) == [(place, place) for place in range(len(one))]


def test_long_texts_are_aligned_by_lines_that_stand_once() -> None:
    one = [f"line {number % 900}" if number % 3 else "" for number in range(1_500)]
    other = ["first", *one[:700], "other", *one[701:]]
    assert len(align(one, other)) == len(one) - 1
    assert align(["same"] * 3_000 + ["a"], ["b"] + ["same"] * 2_000) == []  # no such lines: it counts as rewritten
