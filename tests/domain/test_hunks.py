"""Fingerprints: by content, so that moved lines and git's way of cutting hunks make nothing new."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from orange_tui.domain.review.diff import DiffFile, parse_diff
from orange_tui.domain.review.hunks import KnownChanges, fingerprints
from support.diffs import diff_files
from support.looking import nasty_text, steadily

BEFORE = [f"line {number}" for number in range(60)]


def marks(files: list[DiffFile]) -> list[str]:
    return [mark for file in files for hunk in fingerprints(file) for mark in hunk]


def known(now: list[DiffFile], then: list[DiffFile]) -> list[bool]:
    """Whether each change of now was there then."""
    before = KnownChanges(marks(then))
    return [each for file in now for each in chain.from_iterable(before.includes(fingerprints(file)))]


def changed(lines: list[str], **news: str) -> list[str]:
    return [news.get(line.replace(" ", "_"), line) for line in lines]


def test_lines_that_moved_make_nothing_new() -> None:
    then = diff_files("a.py", BEFORE, changed(BEFORE, line_30="other"))
    moved = ["new on main"] * 9 + BEFORE
    assert marks(diff_files("a.py", moved, changed(moved, line_30="other"))) == marks(then)


def test_a_change_nearby_joins_two_hunks_and_makes_no_old_change_new() -> None:
    one = changed(BEFORE, line_20="other", line_30="another")
    assert len(diff_files("a.py", BEFORE, one)[0].hunks) == 2
    two = changed(one, line_25="between")
    now = diff_files("a.py", BEFORE, two)
    assert len(now[0].hunks) == 1
    assert known(now, diff_files("a.py", BEFORE, one)) == [True, False, True]


@pytest.mark.parametrize("context", [4, 30])
def test_how_much_context_git_shows_makes_nothing_new(context: int) -> None:
    after = changed(BEFORE, line_20="other", line_30="another")
    then = diff_files("a.py", BEFORE, after)
    assert all(known(diff_files("a.py", BEFORE, after, context=context), then))


def test_a_changed_line_and_the_same_change_in_another_file_are_new() -> None:
    then = diff_files("a.py", BEFORE, changed(BEFORE, line_20="other"))
    assert known(diff_files("a.py", BEFORE, changed(BEFORE, line_20="another")), then) == [False]
    assert known(diff_files("b.py", BEFORE, changed(BEFORE, line_20="other")), then) == [False]


def test_the_same_change_elsewhere_in_the_file_is_new() -> None:
    then = diff_files("a.py", BEFORE, [*BEFORE[:20], "}", *BEFORE[20:]])
    assert known(diff_files("a.py", BEFORE, [*BEFORE[:40], "}", *BEFORE[40:]]), then) == [False]


def test_equal_changes_among_equal_lines_are_told_apart_by_what_is_further_around() -> None:
    block = ["name: {}", "image:", "  old", "end"]
    before = [line.format(letter) for letter in "abc" for line in (*block, *["…"] * 9)]
    places = [number for number, line in enumerate(before) if line == "  old"]

    def with_new(*which: int) -> list[DiffFile]:
        after = ["  new" if number in {places[each] for each in which} else line for number, line in enumerate(before)]
        return diff_files("a.yml", before, after)

    assert known(with_new(0, 1), with_new(1)) == [False, True]
    assert known(with_new(0, 1, 2), with_new(0, 2)) == [True, False, True]


def test_each_change_of_then_stands_for_one_of_now() -> None:
    then = KnownChanges(["d.1.7", "d.2.7", "e.1.1"])
    assert then.includes([("d.3.7", "d.4.7"), ("d.2.9", "e.2.2")]) == [(True, False), (True, False)]
    assert then.includes([("d.1.7", "d.3.7", "d.4.7")]) == [(True, True, False)]


def test_a_change_that_moved_from_one_block_to_an_equal_one_is_new() -> None:
    before = [line for name in "ab" for line in (*(f"{name}{number}" for number in range(9)), "{", "no", "}")] + [
        "",
        "",
    ]
    then, now = ([*before], [*before])
    then[10] = now[22] = "yes"
    assert known(diff_files("a.yml", before, now), diff_files("a.yml", before, then)) == [False]


def test_a_renamed_file_keeps_what_was_seen_and_its_new_name_is_new() -> None:
    (then,) = diff_files("a.py", BEFORE, changed(BEFORE, line_20="other"))
    body = "\n".join(line for hunk in then.hunks for line in (hunk.header, *hunk.lines))
    now = parse_diff(f"diff --git a/a.py b/b.py\nrename from a.py\nrename to b.py\n--- a/a.py\n+++ b/b.py\n{body}\n")
    assert known(now, [then]) == [False, True]


HEADERS = {
    "mode": "old mode 100644\nnew mode 100755\n",
    "rename": "similarity index 100%\nrename from x\nrename to y\n",
    "empty": "new file mode 100644\nindex 0000000..e69de29\n",
    "gone": "deleted file mode 100644\nindex e69de29..0000000\n",
    "binary": "index 1111111..2222222 100644\nBinary files a/x and b/x differ\n",
    "other content": "index 1111111..3333333 100644\nBinary files a/x and b/x differ\n",
    "submodule": "index 1..2 160000\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-Subproject commit 1\n+Subproject commit 2\n",
    "line end": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    "no line end": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
    "carriage return": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n",
    "conflict": "index 1,2..3\n--- a/x\n+++ b/x\n@@@ -1 -1 +1 @@@\n- a\n -b\n++c\n",
}


def test_everything_that_can_happen_to_a_file_can_be_viewed_and_is_told_from_all_else() -> None:
    found = {name: marks(parse_diff(f"diff --git a/x b/x\n{text}")) for name, text in HEADERS.items()}
    assert {len(each) for each in found.values()} == {1}
    assert len({each[0] for each in found.values()}) == len(HEADERS)


def test_a_binary_file_that_main_changed_too_is_not_new() -> None:
    text = "diff --git a/x b/x\n" + HEADERS["binary"]
    assert marks(parse_diff(text)) == marks(parse_diff(text.replace("1111111", "4444444")))


lines = st.lists(st.sampled_from(["a", "b", "c", "", "}", "d\r", "é"]), max_size=30)


@steadily
@given(lines, lines, st.lists(st.sampled_from(["x", "y"]), min_size=4, max_size=8))
def test_what_main_puts_in_far_above_makes_nothing_new(before: list[str], after: list[str], above: list[str]) -> None:
    head = [f"head {number}" for number in range(8)]
    then = diff_files("a.py", [*head, *before], [*head, *after])
    now = diff_files("a.py", [*above, *head, *before], [*above, *head, *after])
    assert marks(now) == marks(then)


@steadily
@given(lines, lines, lines)
def test_a_file_with_another_content_has_something_new(before: list[str], one: list[str], other: list[str]) -> None:
    assume(one not in (other, before) and other != before)
    now, then = diff_files("a.py", before, other), diff_files("a.py", before, one)
    assert marks(now) != marks(then)
    assert not all(known(now, then)) or not all(known(then, now))


@steadily
@given(nasty_text)
def test_any_text_has_a_fingerprint_for_each_thing_to_view(text: str) -> None:
    for file in parse_diff(text) + parse_diff(f"diff --git a/x b/x\n@@ -1 +1 @@\n{text}"):
        found = fingerprints(file)
        assert len(found) == max(1, len(file.hunks))
        assert len(set(chain.from_iterable(found))) == sum(map(len, found))
        assert all(chain.from_iterable(KnownChanges(chain.from_iterable(found)).includes(found)))
