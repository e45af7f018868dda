"""YAML is read without surprises, and no text, however hostile, does more than be refused."""

from __future__ import annotations

import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.text import yaml_text

MERGE_BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9)
)
ALIAS_BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))


@pytest.fixture(params=["quick", "pure"], ids=["the C loader", "the Python loader"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "pure":
        monkeypatch.setattr(yaml_text, "_loader", lambda: yaml.SafeLoader)


def value_of(text: str) -> object:
    node = yaml_text.compose(text)
    assert node is not None
    return yaml_text.to_value(node)


def refusal(text: str) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        value_of(text)
    return caught.value


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        pytest.param(ALIAS_BOMB, 1, "anchors and aliases", id="an alias bomb"),
        pytest.param(MERGE_BOMB, 1, "anchors and aliases", id="a merge-key bomb"),
        pytest.param("a: 1\nb: *c\n", 2, "anchors and aliases", id="an alias without its anchor"),
        pytest.param("[" * 30_000, 1, "32 levels", id="30,000 brackets"),
        pytest.param("{a: " * 30_000, 1, "32 levels", id="30,000 braces"),
        pytest.param("- " * 33, 1, "32 levels", id="33 dashes on a line"),
        pytest.param("a: 1\nb: !!python/object/apply:os.system [ls]\n", 2, "tags", id="a Python tag"),
        pytest.param("a: !!binary aGk=\n", 1, "tags", id="a standard tag"),
        pytest.param("a: 1\n---\nb: 2\n", 2, "second document", id="two documents"),
        pytest.param("a" * 10_000_000, None, "1,048,576 bytes", id="ten megabytes"),
        pytest.param("é" * 600_000, None, "1,048,576 bytes", id="few characters, many bytes"),
        pytest.param("a: 1\nb: \x00\n", 2, "U+0000", id="a NUL"),
        pytest.param("a: 1\n\nb: \x1b[31m\n", 3, "U+001B", id="an escape sequence"),
        pytest.param("a: \ud800\n", 1, "U+D800", id="half a character"),
        pytest.param('a: "\\0"\n', 1, "escape", id="a NUL spelled out"),
        pytest.param('a: "\\ud800"\n', 1, "", id="half a character spelled out"),
        pytest.param('a: "\\UFFFFFFFF"\n', None, "", id="a character beyond Unicode"),
        pytest.param("a: 1\nb: [1, 2\n", 3, "not YAML", id="a bracket left open"),
        pytest.param("a:\n\t- 1\n", 2, "not with tabs", id="a tab for indentation"),
        pytest.param("a: 1\nb: 2\na: 3\n", 3, "is already on line 1", id="a key twice"),
        pytest.param("on: 1\n'on': 3\n", 2, "is already on line 1", id="a key twice, quoted once"),
        pytest.param("a: 1\n[b]: 3\n", 2, "a key must be text", id="a list for a key"),
        pytest.param("a: 1\n~: 3\n", 2, "a key must be text", id="nothing for a key"),
    ],
)
def test_unsupported_yaml_is_refused_quickly_with_its_line(text: str, line: int | None, words: str) -> None:
    began = time.monotonic()
    error = refusal(text)
    assert time.monotonic() - began < 120  # a hang, not a slow machine
    assert words in error.reason
    if line is not None:
        assert error.line == line


def test_a_hundred_thousand_values_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    error = refusal("[" + "1," * 100_001 + "]")
    assert "100,000 values" in error.reason
    assert error.line == 1
    monkeypatch.setattr(yaml_text, "_loader", lambda: yaml.SafeLoader)
    monkeypatch.setattr(
        yaml_text, "_MAX_EVENTS", 10_000
    )  # a hundred thousand would take the Python loader four seconds
    error = refusal("[" + "1," * 10_001 + "]")
    assert "10,000 values" in error.reason
    assert error.line == 1


def test_a_caller_may_allow_less_than_the_usual_size() -> None:
    with pytest.raises(Unreadable, match="10 bytes"):
        yaml_text.compose("a: 1234567890", max_bytes=10)


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2024-01-31", "2024-01-31"),
        ("2024-01-31T10:00:00Z", "2024-01-31T10:00:00Z"),
        ("1:30", "1:30"),
        ("1:30.5", "1:30.5"),
        ("0123", "0123"),
        ("00", "00"),
        ("1_000", "1_000"),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("1.0e+999", "1.0e+999"),
        ("9" * 5000, "9" * 5000),
        ("0x" + "f" * 5000, "0x" + "f" * 5000),
        ("=", "="),
        ("'12'", "12"),
        ("12", 12),
        ("-3", -3),
        ("0x1F", 31),
        ("1.5", 1.5),
        ("yes", True),
        ("off", False),
        ("true", True),
        ("~", None),
        ("[1, a, [no]]", [1, "a", [False]]),
        ("{on: 1, yes: {no: 2}}", {"on": 1, "yes": {"no": 2}}),
        ("{1: a, 2024-01-31: b}", {"1": "a", "2024-01-31": "b"}),
        ("{<<: {a: 1}, b: 2}", {"<<": {"a": 1}, "b": 2}),
        ("\ufeffa: 1", {"a": 1}),
    ],
)
def test_scalars_are_read_as_people_mean_them(text: str, value: object) -> None:
    assert value_of(text) == value
    assert type(value_of(text)) is type(value)


def test_empty_text_has_no_node() -> None:
    assert yaml_text.compose("") is None
    assert yaml_text.compose("# only a comment\n") is None


def test_entries_know_their_lines_and_their_text_as_typed() -> None:
    node = yaml_text.compose("a: 1\n\nno: 0123\nlast:\n  - x\n")
    assert node is not None
    entries = yaml_text.mapping_entries(node)
    assert [(key, line) for key, line, _ in entries] == [("a", 1), ("no", 3), ("last", 4)]
    assert yaml_text.text_of(entries[1][2]) == "0123"
    with pytest.raises(Unreadable, match="line 5: this must be a single value"):
        yaml_text.text_of(entries[2][2])
    with pytest.raises(Unreadable, match="line 5: this must be a mapping"):
        yaml_text.mapping_entries(entries[2][2])
    with pytest.raises(Unreadable, match="line 1: this must be a list"):
        yaml_text.sequence_items(entries[0][2])


YAMLISH = st.lists(
    st.sampled_from(
        [
            "a",
            ": ",
            "- ",
            "\n",
            "  ",
            "[",
            "]",
            "{",
            "}",
            '"',
            "'",
            "|",
            ">",
            "&x ",
            "*x",
            "!t ",
            "? ",
            "#",
            ",",
            "%YAML 1.1\n",
            "%YAML 99999999999.1\n",
            "---\n",
            "...\n",
            "\\",
            "\\U",
            "\\x0",
            "\t",
            "\r",
            "\x85",
            "~",
        ]
    ),
    max_size=30,
).map("".join)


@pytest.mark.usefixtures("loader")
@settings(deadline=None, database=None)
@given(text=st.one_of(st.text(st.characters(exclude_categories=())), YAMLISH))
def test_any_text_at_all_is_read_or_refused(text: str) -> None:
    try:
        node = yaml_text.compose(text)
        if node is not None:
            yaml_text.to_value(node)
    except Unreadable as refused:
        assert refused.reason  # noqa: PT017 - either outcome is right; another exception is not
