"""Whatever stands in a `.orange.yml`, it is read into plain values, or its problems are told, each with a line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.trust import orange_file

COMMANDS = st.text(st.characters(codec="utf-8", exclude_categories=["C"]), min_size=1, max_size=80).filter(str.strip)
PATHS = st.from_regex(r"[a-z_][a-z0-9._-]{0,8}(/[a-z_][a-z0-9_-]{0,8}){0,2}", fullmatch=True)
FILES = st.fixed_dictionaries(
    {},
    optional={
        "copy": st.lists(PATHS, max_size=4),
        "keep": st.lists(PATHS, max_size=4),
        "setup": COMMANDS,
        "run": COMMANDS,
        "instructions": COMMANDS,
        "ports": st.integers(0, 50),
    },
)


@given(FILES)
def test_what_was_written_is_what_is_read(values: dict[str, object]) -> None:
    found = orange_file.parse(json.dumps(values, ensure_ascii=False))
    assert found.problems == ()
    assert found.values == values
    assert len({each.digest for each in found.items()}) == len(values)


@given(st.text())
def test_any_text_is_values_or_problems_with_lines(text: str) -> None:
    found = orange_file.parse(text)
    assert not (found.values and found.problems)
    assert found.values.keys() <= orange_file.KEYS.keys()
    assert all(1 <= problem.line <= text.count("\n") + 2 for problem in found.problems)


@given(st.dictionaries(st.sampled_from(sorted(orange_file.KEYS)), st.recursive(st.integers() | st.text(), st.lists)))
def test_values_of_any_kind_are_right_or_told(values: dict[str, object]) -> None:
    found = orange_file.parse(json.dumps(values))
    if not found.problems:
        assert type(found.values.get("ports", 0)) is int
        assert all(isinstance(found.values.get(key, ""), str) for key in ("setup", "run", "instructions"))
        assert all(isinstance(found.values.get(key, []), list) for key in ("copy", "keep"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("setup: [make]", ".orange.yml:1: `setup` is a sequence; write text"),
        ("copy: .env", ".orange.yml:1: `copy` is '.env'; write a list"),
        ("copy: [../secret]", "write a path inside the repository"),
        ("keep: [/etc]", "write a path inside the repository"),
        ("ports: -1", "a whole number from 0 to 50"),
        ("ports: 51", "a whole number from 0 to 50"),
        ("ports: true", "a whole number from 0 to 50"),
        ("gate: make", "unknown key 'gate'"),
        ("setup: a\nsetup: b", ".orange.yml:2: the key 'setup' is already on line 1"),
        ("a: &x 1\nb: *x", "anchors and aliases"),
        ("[" * 100, "nested more than"),
        ("- copy", "the file is a sequence"),
        (f"instructions: {'x' * 12_001}", "write at most 12,000"),
        (f"setup: {'x' * 70_000}", "longer than 64,000 bytes"),
    ],
)
def test_a_mistake_is_told(text: str, said: str) -> None:
    found = orange_file.parse(text)
    assert said in "\n".join(map(str, found.problems))
    assert found.values == {}
