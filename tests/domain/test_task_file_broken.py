"""A TASK.md that cannot be understood says why and on which line, and is nothing worse than unreadable."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.task import FIELDS
from orange_tui.domain.text import task_file

BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
MERGES = "a0: &a0 {x: 1}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 9))


def refusal(data: bytes) -> Unreadable:
    with pytest.raises(Unreadable) as caught:
        task_file.decode(data)
    return caught.value


@pytest.mark.parametrize(
    ("data", "line", "words"),
    [
        pytest.param(b"", 1, "no frontmatter", id="an empty file"),
        pytest.param(b"## Handoff\n", 1, "no frontmatter", id="no frontmatter"),
        pytest.param(b"\n---\nid: a\n---\n", 1, "no frontmatter", id="a blank line first"),
        pytest.param(b"---js\nid: a\n---\n", 1, "the first line must be `---`", id="frontmatter that is a program"),
        pytest.param(b"----\nid: a\n----\n", 1, "no frontmatter", id="four dashes"),
        pytest.param(b" ---\nid: a\n---\n", 1, "no frontmatter", id="an indented fence"),
        pytest.param("\ufeff\ufeff---\n---\n".encode(), 1, "no frontmatter", id="two byte order marks"),
        pytest.param("---\nid: a\n---\n".encode("utf-16"), 1, "not UTF-8", id="UTF-16"),
        pytest.param("---\nid: a\n---\n".encode("utf-16-le"), 1, "no frontmatter", id="UTF-16 without its mark"),
        pytest.param(b"---", 1, "never closed", id="a fence and nothing more"),
        pytest.param(b"---\nid: a\n# Text\n", 3, "never closed", id="never closed"),
        pytest.param(b"---\nid: a\n ---\n", 3, "never closed", id="closed with an indented fence"),
        pytest.param(b"---\nid: a\n---\n\n\xff\n", 5, "not UTF-8", id="a byte that is not UTF-8"),
        pytest.param(b"---\nid: \xed\xa0\x80\n---\n", 2, "not UTF-8", id="half a character in bytes"),
        pytest.param(b"---\nid: a\nb: [1,\n---\n", 4, "not YAML", id="a bracket left open"),
        pytest.param(b"---\nid: a\nb: 'x\n---\n", 4, "not YAML", id="a quote left open"),
        pytest.param(b"---\nid: a\nsummary: a: b\n---\n", 3, "not YAML", id="a colon in plain text"),
        pytest.param(b"---\nid: a\nsummary: @home\n---\n", 3, "not YAML", id="a character YAML reserves"),
        pytest.param(b"---\nid: a\nb:\n\t- c\n---\n", 4, "not with tabs", id="a tab for indentation"),
        pytest.param(b"---\nid: a\n  b: 2\n---\n", 3, "not YAML", id="a key out of line"),
        pytest.param(b"---\nid: a\nb: 1\nid: c\n---\n", 4, "'id' is already on line 2", id="a key twice"),
        pytest.param(b"---\r\nid: a\r\nb: 1\r\nid: c\r\n---\r\n", 4, "is already on", id="a key twice, in Windows"),
        pytest.param(b"---\rid: a\rb: 1\rid: c\r---\r", 4, "is already on", id="a key twice, on an old Mac"),
        pytest.param(b"---\nid: &a x\nb: *a\n---\n", 2, "anchors and aliases", id="an alias"),
        pytest.param(b"---\nid: a\nsummary: *bold\n---\n", 3, "quote it", id="emphasis that looks like an alias"),
        pytest.param(f"---\n{BOMB}---\n".encode(), 2, "anchors and aliases", id="an alias bomb"),
        pytest.param(f"---\n{MERGES}---\n".encode(), 2, "anchors and aliases", id="a merge-key bomb"),
        pytest.param(b"---\nid: a\nb: !!python/object/apply:os.system [ls]\n---\n", 3, "tags", id="a Python tag"),
        pytest.param(b"---\nid: a\nb: !!set {a}\n---\n", 3, "tags", id="a standard tag"),
        pytest.param(b"---\nid: a\nb: " + b"[" * 30_000 + b"\n---\n", 3, "32 levels", id="30,000 brackets"),
        pytest.param(b"---\nb: " + b"{a: " * 30_000 + b"\n---\n", 2, "32 levels", id="30,000 braces"),
        pytest.param(b"---\n" + b"- " * 30_000 + b"\n---\n", 2, "32 levels", id="30,000 dashes"),
        pytest.param(b"---\nid: a\nb: \x00\n---\n", 3, "U+0000", id="a NUL"),
        pytest.param(b'---\nid: a\nb: "\\0"\n---\n', 3, "character that is not allowed", id="a NUL spelled out"),
        pytest.param(b"---\nid: a\nb: \x1b[2J\n---\n", 3, "U+001B", id="an escape sequence"),
        pytest.param(b"---\n- a\n- b\n---\n", 2, "must be a mapping", id="a list"),
        pytest.param(b"---\njust a sentence\n---\n", 2, "must be a mapping", id="a sentence"),
        pytest.param(b"---\n\n42\n---\n", 3, "must be a mapping", id="a number"),
        pytest.param(b"---\nid: a\n[x]: 1\n---\n", 3, "a key must be text", id="a list for a key"),
        pytest.param(b"---\nid: a\n~: 1\n---\n", 3, "a key must be text", id="nothing for a key"),
        pytest.param(b"---\nid: a\n...\nb: 1\n---\n", 4, "document start", id="a second document"),
        pytest.param(b"---\nb: " + b"x" * 300_000 + b"\n---\n", None, "262,144 bytes", id="too much frontmatter"),
        pytest.param(b"---\nid: a\n---\n" + b"x" * 5_000_000, None, "over 5 MB", id="over 5 MB"),
    ],
)
def test_a_broken_file_is_refused_with_the_line_and_the_reason(data: bytes, line: int | None, words: str) -> None:
    error = refusal(data)
    assert words in error.reason
    assert error.line == line
    assert str(error) == (f"line {line}: {error.reason}" if line else error.reason)


WRONG = {
    "text": ["[a]", "{a: b}", "\n  - a", "\n  a: b"],
    "number": ["three", "'3'", "1.5", "yes", "[1]", "{a: 1}", "2026-01-01", "007", "9" * 60],
    "dollars": ["three", "'3'", "yes", "[1]", "-1", "1e300", ".nan", ".inf", "2026-01-01", "9" * 60],
    "texts": ["{a: b}", "[[a]]", "[{a: b}]", "[a, ~]", "[a, ]\n  - b", "\n  - a\n  -"],
}
WANTED = {
    "text": "one line of text",
    "number": "a whole number",
    "dollars": "a number of dollars",
    "texts": "a list of texts",
}


@pytest.mark.parametrize(
    ("name", "typed"), [(name, typed) for name, field in FIELDS.items() for typed in WRONG[field.kind]]
)
def test_a_field_of_the_wrong_kind_is_refused_by_name_on_its_own_line(name: str, typed: str) -> None:
    error = refusal(f"---\n# one\nother: 1\n{name}: {typed}\nlast: 1\n---\n".encode())
    if "\n  - b" in typed:
        assert "not YAML" in error.reason
    else:
        assert error.line == 4
        assert error.reason.startswith(f"`{name}` must be {WANTED[FIELDS[name].kind]}")


def is_read_or_refused(data: bytes) -> None:
    """Either is right, another exception is not; what was read must also be writable as it was."""
    try:
        file = task_file.decode(data)
    except Unreadable as refused:
        assert refused.reason  # noqa: PT017
        assert refused.line is None or 1 <= refused.line <= data.count(b"\n") + data.count(b"\r") + 1  # noqa: PT017
    else:
        assert file.encode() == data
        assert file.with_fields({"status": "x"}).body == file.body


PIECES = st.sampled_from(
    [
        *"\n\t[]{}\"'#,\\\r\x85\u2028~\0\ufeff🍊1",
        *("---\n", "id: a\n", ": ", "- ", "  ", "|\n", ">\n", "&x ", "*x", "!t ", "? ", "%YAML 1.1\n", "...\n"),
        *("labels: ", "review_round: ", "<<: ", "yes"),
    ]
)


@settings(deadline=None, database=None)
@given(data=st.one_of(st.binary(), st.binary().map(lambda junk: b"---\n" + junk + b"\n---\n")))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    is_read_or_refused(data)


@settings(deadline=None, database=None)
@given(pieces=st.lists(PIECES, max_size=25))
def test_anything_like_yaml_is_read_or_refused(pieces: list[str]) -> None:
    is_read_or_refused(f"---\n{''.join(pieces)}\n---\n".encode())


VALID = (
    b'---\nid: a1\nsummary: "Fix: it"\nlabels: [a, "b"]\nreview_round: 1\nextra:\n  - x\n  - y: {z: 1}\n---\n## Plan\n'
)


@settings(deadline=None, database=None)
@given(
    start=st.integers(0, len(VALID)),
    length=st.integers(0, 6),
    junk=st.one_of(st.binary(max_size=3), PIECES.map(str.encode)),
)
def test_a_valid_file_with_a_piece_torn_out_or_put_in_is_read_or_refused(start: int, length: int, junk: bytes) -> None:
    is_read_or_refused(VALID[:start] + junk + VALID[start + length :])
