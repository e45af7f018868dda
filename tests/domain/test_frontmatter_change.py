"""Changing a field changes its lines and not another byte."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused
from orange_tui.domain.text import frontmatter

if TYPE_CHECKING:
    from collections.abc import Mapping

HAND_WRITTEN = """\
# Mine, do not touch
id: a1
zulu:   'single ''quoted'''   # with a comment
summary: "old"

Priority : 3
steps:
  - one   # first
  # about two
  - two
nested: {deep: [1, 2,
   3], date: 2026-01-01}
tree:
    branch:
        leaf: yes
text: |+
    # not a comment
    keep: this

folded: >-
  a
  b
plain: goes
  on
status: working
tilde: ~
empty:
# The end
"""
CHANGED: dict[str, object] = {
    "id": "b2",
    "summary": 'a "new": one # 1',
    "status": "reviewing",
    "tilde": "set",
    "empty": ["x"],
}


def changed(text: str, changes: Mapping[str, object]) -> str:
    return frontmatter.join(frontmatter.change(frontmatter.split(text), changes))


def values_in(text: str) -> dict[str, object]:
    return {key: entry.value for key, entry in frontmatter.read(frontmatter.split(text)).items()}


@settings(deadline=None, database=None)
@given(
    keys=st.sets(st.sampled_from(sorted(CHANGED))),
    newline=st.sampled_from(["\n", "\r\n"]),
    body=st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
def test_every_line_of_every_other_key_survives_byte_for_byte(keys: set[str], newline: str, body: str) -> None:
    head = f"---\n{HAND_WRITTEN}--- \n".replace("\n", newline)
    before = head + body
    after = changed(before, {key: CHANGED[key] for key in keys})
    assert frontmatter.split(after).body == body
    old, new = head.split(newline), after.removesuffix(body).split(newline)
    assert len(old) == len(new)
    for old_line, new_line in zip(old, new, strict=True):
        key = old_line.partition(":")[0]
        assert new_line == (f"{key}: {frontmatter.write_value(CHANGED[key])}" if key in keys else old_line)
    assert values_in(after) == {**values_in(before), **{key: CHANGED[key] for key in keys}}


@pytest.mark.parametrize(
    ("key", "gone"),
    [
        ("steps", "steps:\n  - one   # first\n  # about two\n  - two\n"),
        ("nested", "nested: {deep: [1, 2,\n   3], date: 2026-01-01}\n"),
        ("tree", "tree:\n    branch:\n        leaf: yes\n"),
        ("text", "text: |+\n    # not a comment\n    keep: this\n"),
        ("folded", "folded: >-\n  a\n  b\n"),
        ("plain", "plain: goes\n  on\n"),
        ("Priority", "Priority : 3\n"),
        ("zulu", "zulu:   'single ''quoted'''   # with a comment\n"),
    ],
)
def test_a_value_over_several_lines_becomes_one_in_its_place(key: str, gone: str) -> None:
    before = f"---\n{HAND_WRITTEN}---\n"
    assert gone in before
    assert changed(before, {key: "new"}) == before.replace(gone, f"{key}: new\n")


def test_a_value_that_is_already_there_leaves_its_line_as_typed() -> None:
    before = f"---\n{HAND_WRITTEN}---\nbody"
    same = {"summary": "old", "status": "working", "steps": ["one", "two"], "tilde": None, "Priority": 3}
    assert changed(before, same) == before
    assert changed(before, {}) == before


def test_new_keys_come_last_in_the_order_given() -> None:
    before = "---\nid: a1\n# end\n---\nbody"
    assert changed(before, {"z": 1, "id": "b2", "a": None}) == "---\nid: b2\n# end\nz: 1\na: null\n---\nbody"


def test_an_empty_block_can_be_filled() -> None:
    assert changed("---\n---\n", {"a": 1}) == "---\na: 1\n---\n"
    assert changed("---\n# mine\n---\n", {"a": 1}) == "---\n# mine\na: 1\n---\n"


def test_windows_files_get_windows_lines() -> None:
    assert changed("---\r\na: 1\r\n---\r\n", {"a": 2, "b": "x"}) == "---\r\na: 2\r\nb: x\r\n---\r\n"


def test_keys_that_all_stand_further_right_stay_there() -> None:
    before = "---\n  a: 1 # one\n  b: 2\n---\n"
    assert changed(before, {"b": 3, "c": 4}) == "---\n  a: 1 # one\n  b: 3\n  c: 4\n---\n"


def test_a_flow_mapping_is_written_out_and_keeps_what_was_typed() -> None:
    before = "---\n{a: 1, summary: 0x1f, on: yes, none: ~, date: 2026-01-01, list: [x, 2], 'k: 🍊': {b: c}}\n---\nbody"
    after = changed(before, {"a": 2, "new": "x"})
    assert values_in(after) == {**values_in(before), "a": 2, "new": "x"}
    entries = frontmatter.read(frontmatter.split(after))
    assert [entries[key].text for key in ("summary", "on", "none", "date")] == ["0x1f", "yes", "~", "2026-01-01"]
    assert after.endswith("---\nbody")


@pytest.mark.parametrize(
    "block",
    ["? a\n: 1\nb: 2\n", "a: 1\nb: 2\n...\n", '{"a": 1,\n "b": 2}\n', '"a": 1\n"b": 2\n', 'x: "\u2028"\na: 1\nb: 2\n'],
)
def test_unusual_yaml_can_be_changed(block: str) -> None:
    before = f"---\n{block}---\nbody"
    after = changed(before, {"a": 5, "c": None})
    assert values_in(after) == {**values_in(before), "a": 5, "c": None}
    assert after.endswith("---\nbody")


def test_a_separator_that_only_yaml_takes_for_a_line_end_costs_no_comment() -> None:
    before = '---\nx: "\u2028"\n# mine\na: 1 \n---\n'
    assert changed(before, {"a": 2}) == before.replace("a: 1 \n", "a: 2\n")


def test_keys_that_need_quotes_get_them() -> None:
    wanted: dict[str, object] = {"a: b": 1, "null": 2, "🍊": 3, "#": 4, "Max-Tries": 5, "": 6}
    after = changed("---\nid: a\n---\n", wanted)
    assert values_in(after) == {"id": "a", **wanted}
    assert "\nMax-Tries: 5\n" in after


def test_1_and_true_are_different_in_a_file() -> None:
    assert changed("---\na: 1\nb: true\n---\n", {"a": True, "b": 1}) == "---\na: true\nb: 1\n---\n"


@pytest.mark.parametrize("value", [float("nan"), 1e300, 10**50, {"a": 1e300}])
def test_a_value_that_would_not_be_read_back_is_refused(value: object) -> None:
    with pytest.raises(Refused, match="cannot hold a value for a"):
        changed("---\na: 1\n---\n", {"a": value})


KEYS = st.sampled_from(["id", "status", "new", "summary", "text", "steps", "K"])
VALUES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12),
    st.integers(-1000, 1000),
    st.none(),
    st.lists(st.text("ab:#-'\" \n", max_size=5), max_size=3),
)


@settings(deadline=None, database=None)
@given(
    block=st.lists(st.sampled_from(HAND_WRITTEN.splitlines()[:5]), unique=True, max_size=5),
    changes=st.dictionaries(KEYS, VALUES, max_size=4),
    body=st.text(max_size=10),
)
def test_any_change_to_any_block_is_what_was_asked_for(block: list[str], changes: dict[str, object], body: str) -> None:
    before = "---\n" + "".join(f"{line}\n" for line in block) + "---\n" + body
    after = changed(before, changes)
    assert values_in(after) == {**values_in(before), **changes}
    assert frontmatter.split(after).body == body
