"""Two readers of one block of YAML say the same, and so does everybody else's reader of what Orange writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.text import frontmatter
from orange_tui.domain.text._frontmatter_yaml import read_yaml
from orange_tui.domain.text.frontmatter import FrontmatterEntry, Head

if TYPE_CHECKING:
    from collections.abc import Iterable

AWKWARD = [
    "",
    " ",
    " a ",
    "-",
    "- a",
    "--help",
    "---",
    "...",
    "#",
    "# a",
    "a # b",
    "a: b",
    "a:",
    ":",
    "?",
    "null",
    "Null",
    "~",
    "yes",
    "no",
    "on",
    "off",
    "y",
    "N",
    "true",
    "False",
    "1",
    "007",
    "1e5",
    "1.5",
    ".5",
    ".inf",
    ".nan",
    "0x1f",
    "0b1",
    "0o7",
    "1_000",
    "1:30",
    "2026-01-01",
    "2026-01-01T10:00:00Z",
    "<<",
    "=",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a`",
    "|",
    ">",
    "[a]",
    "{a: b}",
    "a, b",
    "'",
    '"',
    "''",
    '""',
    "it's",
    'say "hi"',
    "\\",
    "\\n",
    "\\u0000",
    "C:\\new",
    "a\nb",
    "a\n",
    "\na",
    "a\r\nb",
    "a\rb",
    "a\tb",
    "\x01\x07\x08\x0b\x0c\x1b[2J\x1f\x7f",
    "\x80\x85\x9f\xa0\xad",
    "\u2028\u2029",
    "\ufeff",
    "\ufffe\uffff\ufdd0",
    "é",
    "日本語",
    "🍊👩‍🚀",
    "\U0010ffff",
    "\u202eback",
    "word",
    "a/b-c_d.e1",
    "orange-tasks/a1b2",
    "x" * 2000,
    "- " * 600,
]
TEXTS = st.one_of(st.sampled_from(AWKWARD), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
NESTED = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab _:{é", max_size=5), inner, max_size=3),
    max_leaves=6,
)
VALUES = st.one_of(
    TEXTS,
    st.integers(-(10**30), 10**30),
    st.none(),
    st.booleans(),
    st.lists(TEXTS, max_size=4),
    st.dictionaries(st.text("ab _:{é", max_size=5), NESTED, max_size=3),
)
ROUTE = {"executor": "claude", "decompose": False, "profile": {"role": 'a "B": {c}', "skills": ["x", "é"]}}
QUICKLY = settings(deadline=None, database=None)


def lines_of(text: str) -> tuple[str, ...]:
    return tuple(text.splitlines(keepends=True))


def read(text: str) -> dict[str, FrontmatterEntry]:
    return frontmatter.read(Head("---\n", lines_of(text), "---\n", ""))


def spans(entries: dict[str, FrontmatterEntry]) -> dict[str, tuple[int, int]]:
    return {key: (entry.first, entry.after) for key, entry in entries.items()}


WRITTEN = st.text("ab \\\"'#:,[]{}-é🍊\xa0\u200b", max_size=6).map(lambda text: frontmatter.write_value(f"{text} "))
SIMPLE_VALUES = st.one_of(
    st.sampled_from(
        ["null", "0", "7", "123456789012345", "1234567890123456", "[]", '""', '"a # b: c"', '["a", "b, c"]']
    ),
    st.text("aef01x./_-", min_size=1, max_size=6),
    WRITTEN,
    st.lists(WRITTEN, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
)
SIMPLE_LINES = st.dictionaries(
    st.sampled_from(["id", "review_round", "_", "a__b", "onn", "summary", "labels", "x" * 99]),
    st.tuples(st.one_of(st.just(""), SIMPLE_VALUES.map(" {}".format)), st.sampled_from(["\n", "\r\n"])),
    max_size=3,
).map(lambda entries: [f"{key}:{value}{end}" for key, (value, end) in entries.items()])


@settings(deadline=None, database=None)
@given(lines=SIMPLE_LINES)
def test_what_the_quick_reader_accepts_yaml_reads_the_same(lines: list[str]) -> None:
    quick = frontmatter._read_simple(tuple(lines))
    assume(quick is not None)
    assert quick == read_yaml(tuple(lines))


def test_the_quick_reader_takes_every_line_orange_usually_writes() -> None:
    usual: Iterable[object] = (
        "a1b2",
        "fix/login",
        'Fix "it": now #1 \\o/ 日本語',
        "",
        None,
        0,
        12,
        (),
        ("a", "b c"),
        ROUTE,
    )
    text = "".join(f"k{'x' * n}: {frontmatter.write_value(value)}\n" for n, value in enumerate(usual))
    quick = frontmatter._read_simple(lines_of(text))
    assert quick is not None
    assert [entry.value for entry in quick.values()] == [list(v) if isinstance(v, tuple) else v for v in usual]


@pytest.mark.parametrize("line", ['a: {"a": 1e5}\n', 'a: {"a": 1, "a": 2}\n', 'a: {"a":"b"}\n', "a: {a: b}\n"])
def test_the_quick_reader_leaves_to_yaml_a_mapping_that_is_not_as_orange_writes_it(line: str) -> None:
    assert frontmatter._read_simple(lines_of(line)) is None


@pytest.mark.parametrize("line", ["a: yes\n", "a: y\n", "null: 1\n", "a: 1\na: 2\n", f"{'x' * 1100}: 1\n", "a: 01\n"])
def test_the_quick_reader_leaves_to_yaml_what_is_not_plain(line: str) -> None:
    assert frontmatter._read_simple(lines_of(line)) is None


def test_the_quick_reader_takes_no_more_than_yaml_would() -> None:
    with pytest.raises(Unreadable, match="262,144 bytes"):
        read(f'a: "{"x" * 300_000}"\n')


@QUICKLY
@given(value=VALUES)
def test_what_is_written_is_read_back_equal_by_every_reader(value: object) -> None:
    line = f"key: {frontmatter.write_value(value)}\n"
    assert len(line.splitlines()) == 1
    by_yaml = read_yaml((line,))["key"]
    assert (by_yaml.value, by_yaml.first, by_yaml.after) == (value, 0, 1)
    assert type(by_yaml.value) is type(value)
    assert frontmatter._read_simple((line,)) in (None, {"key": by_yaml})
    assert yaml.safe_load(line) == {"key": value}
    assert yaml.load(line, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)) == {"key": value}


@pytest.mark.parametrize("text", AWKWARD)
def test_awkward_texts_survive_alone_in_a_list_and_in_a_mapping(text: str) -> None:
    for value in (text, [text], ["a", text, text], {"a": text, "b": {"c": [text]}}):
        line = f"key: {frontmatter.write_value(value)}\n"
        assert read(line)["key"].value == value
        assert yaml.safe_load(line) == {"key": value}


@pytest.mark.parametrize("text", ["a\0b", "\0", "\ud800", "a\udcffb"])
def test_a_character_no_yaml_can_hold_is_refused_by_name(text: str) -> None:
    for value in (text, [text], ("a", text), {"a": [text]}, {text: "a"}):
        with pytest.raises(Refused, match=r"U\+(0000|D800|DCFF)"):
            frontmatter.write_value(value)


def test_a_plain_word_is_written_without_quotes_and_a_tuple_as_a_list() -> None:
    assert frontmatter.write_value("fix/login-loop") == "fix/login-loop"
    assert frontmatter.write_value("working") == "working"
    assert frontmatter.write_value(("a", "b")) == '["a", "b"]'
    assert frontmatter.write_value(None) == "null"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a: 1\nb: 2\n", {"a": (0, 1), "b": (1, 2)}, id="one line each"),
        pytest.param("a: 1\n\n# on b\nb: 2\n", {"a": (0, 1), "b": (3, 4)}, id="comments belong to no key"),
        pytest.param("a:\n  - x\n  - y\n\nb: 2\n", {"a": (0, 3), "b": (4, 5)}, id="a list"),
        pytest.param("a:\n- x\n- y\nb: 2\n", {"a": (0, 3), "b": (3, 4)}, id="a list in the first column"),
        pytest.param("a: |\n  x\n\n  y\nb: 2\n", {"a": (0, 4), "b": (4, 5)}, id="a block of text"),
        pytest.param("a: [x,\n  y\n]\nb: 2\n", {"a": (0, 3), "b": (3, 4)}, id="a flow list over lines"),
        pytest.param("a: x\n  y\nb: 2\n", {"a": (0, 2), "b": (2, 3)}, id="a text over two lines"),
        pytest.param("a:\n  b:\n    c: 1\n", {"a": (0, 3)}, id="a nested mapping"),
        pytest.param("{a: 1, b: 2}\n", {"a": (0, 1), "b": (0, 1)}, id="a flow mapping"),
        pytest.param("a: 1\rb: 2\r", {"a": (0, 1), "b": (1, 2)}, id="lines that end the old Mac way"),
        pytest.param("", {}, id="nothing"),
        pytest.param("# only\n", {}, id="only a comment"),
    ],
)
def test_every_key_knows_its_lines(text: str, expected: dict[str, tuple[int, int]]) -> None:
    assert spans(read(text)) == expected


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"])
def test_lines_are_counted_as_editors_count_them(character: str) -> None:
    entries = read_yaml((f'a: "x{character}y"\n', "b: 2\n", "c: 3\n"))
    assert spans(entries) == {"a": (0, 1), "b": (1, 2), "c": (2, 3)}
    with pytest.raises(Unreadable) as caught:
        read_yaml((f'a: "x{character}y"\n', "b: 2\n", "b: 3\n"))
    assert caught.value.line == 4


def test_fifteen_thousand_keys_are_read_in_time_that_grows_with_them() -> None:
    text = "".join(f"k{number}:\n" for number in range(15_000))
    assert len(read(text)) == 15_000
