"""TASK.md as text and as a task: what a person typed counts, and no byte of the body is ever lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import Refused
from orange_tui.domain.task import FIELDS
from orange_tui.domain.text import task_file

BODIES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(
        st.sampled_from(["\n", "\r", "\r\n", "\0", "\ufeff", "---", "---\n", "a: b\n", "## X", "é🍊", "\u2028", " "]),
        max_size=12,
    ).map("".join),
)
OPENINGS = st.sampled_from(["---\n", "---\r\n", "\ufeff---\n", "\ufeff---\r\n", "--- \t\n", "---\r"])
CLOSINGS = st.sampled_from(["---\n", "---\r\n", "--- \n", "---\t\r\n"])


@settings(deadline=None, database=None)
@given(opening=OPENINGS, closing=CLOSINGS, body=BODIES)
def test_what_was_read_is_written_again_byte_for_byte(opening: str, closing: str, body: str) -> None:
    data = f"{opening}id: a1\nsummary: 'mine'\n{closing}{body}".encode()
    file = task_file.decode(data)
    assert file.encode() == data
    assert file.body == body
    changed = task_file.decode(file.with_fields({"status": "working", "summary": body[:9].replace("\0", "")}).encode())
    assert changed.body == body
    assert (changed.task.id, changed.task.status) == ("a1", "working")


@settings(deadline=None, database=None)
@given(closing=st.sampled_from(["---", "---\r", "---\n", "---\r\n", "--- "]), body=BODIES)
def test_another_body_is_read_back_whatever_the_closing_line_looked_like(closing: str, body: str) -> None:
    file = task_file.parse(f"---\nid: a1\n{closing}").with_body(body)
    again = task_file.decode(file.encode())
    assert again.body == body
    assert again.task.id == "a1"


def test_a_body_put_under_a_file_without_a_last_newline_does_not_run_into_the_frontmatter() -> None:
    assert task_file.parse("---\nid: a1\n---").with_body("text").text == "---\nid: a1\n---\ntext"
    assert task_file.parse("---\r\nid: a1\r\n---").with_body("text").text == "---\r\nid: a1\r\n---\r\ntext"
    assert task_file.parse("---\nid: a1\n---").with_body("").text == "---\nid: a1\n---"


@settings(deadline=None, database=None)
@given(
    summary=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    labels=st.lists(st.text("ab:,[]'\"#\n é", max_size=5), max_size=3).map(tuple),
    body=BODIES,
)
def test_a_new_task_is_read_back_as_it_was_made(summary: str, labels: tuple[str, ...], body: str) -> None:
    values = {"id": "a1", "summary": summary, "labels": labels, "harness": None, "review_round": 3}
    again = task_file.decode(task_file.new(values, body).encode())
    assert again.body == body
    assert (again.task.summary, again.task.labels, again.task.review_round) == (summary, labels, 3)
    assert again.task.extra == {}


def test_a_new_task_spells_out_every_field_in_order() -> None:
    text = task_file.new({"id": "a1", "summary": "Fix: it"}, "\nbody\n").text
    head = text.split("---\n")[1]
    assert [line.partition(":")[0] for line in head.splitlines()] == list(FIELDS)
    assert head.startswith('id: a1\nproject: ""\n')
    assert 'summary: "Fix: it"\n' in head
    assert "labels: []\n" in head
    assert text.endswith("---\n\nbody\n")


@pytest.mark.parametrize(
    ("typed", "summary"),
    [
        ("2026-01-01", "2026-01-01"),
        ("2026-01-01 10:00:00", "2026-01-01 10:00:00"),
        ("yes", "yes"),
        ("Off", "Off"),
        ("True", "True"),
        ("0123", "0123"),
        ("0x1F", "0x1F"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("1.50", "1.50"),
        ("1e5", "1e5"),
        (".inf", ".inf"),
        ("12", "12"),
        ("9" * 60, "9" * 60),
        ("-a", "-a"),
        ("--help", "--help"),
        ("it's # a comment", "it's"),
        ("'null'", "null"),
        ('"a\\tb"', "a\tb"),
        (">-\n  two\n  lines", "two lines"),
        ("", ""),
        ("~", ""),
        ("null", ""),
        ("Null", ""),
        ('""', ""),
    ],
)
def test_a_text_field_holds_what_was_typed_and_an_empty_one_its_default(typed: str, summary: str) -> None:
    assert task_file.parse(f"---\nsummary: {typed}\n---\n").task.summary == summary


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ("[a, b c]", ("a", "b c")),
        ("[]", ()),
        ("", ()),
        ("~", ()),
        ("one", ("one",)),
        ("2026-01-01", ("2026-01-01",)),
        ('""', ()),
        ("\n  - a\n  - 'b: c'", ("a", "b: c")),
        ("[yes, 0x1f, 1.0, 2026-01-01, 007, 1_000]", ("yes", "0x1f", "1.0", "2026-01-01", "007", "1_000")),
        ("[12, -3, '']", ("12", "-3", "")),
    ],
)
def test_a_list_field_holds_what_was_typed(typed: str, labels: tuple[str, ...]) -> None:
    assert task_file.parse(f"---\nlabels: {typed}\n---\n").task.labels == labels


@pytest.mark.parametrize(("typed", "number"), [("3", 3), ("0", 0), ("", 0), ("null", 0), ("0x10", 16), ("+2", 2)])
def test_a_number_field_is_a_number_or_its_default(typed: str, number: int) -> None:
    assert task_file.parse(f"---\ncrash_count: {typed}\n---\n").task.crash_count == number


@pytest.mark.parametrize(
    "text",
    [
        "---\nid: a1\n---\n",
        "\ufeff---\nid: a1\n---\n",
        "---\r\nid: a1\r\n---\r\n",
        "---\rid: a1\r---\r",
        "--- \t\nid: a1\n---  \n",
        "---\nid: a1\n---",
        "---\n{id: a1}\n---\n",
        "---\n  id: a1\n---\n",
        "---\n# comment\n\nid: a1\n\n---\n",
        "---\nid: a1\n---\n---\nnot: this\n---\n",
    ],
)
def test_every_usual_way_to_write_a_frontmatter_is_read(text: str) -> None:
    task = task_file.decode(text.encode()).task
    assert (task.id, task.summary, task.harness, task.blocked_by, task.crash_count) == ("a1", "", None, (), 0)


def test_a_file_with_no_fields_at_all_is_all_defaults() -> None:
    task = task_file.parse("---\n---\n").task
    assert {name: getattr(task, name) for name in FIELDS} == {name: field.default for name, field in FIELDS.items()}


def test_unknown_fields_are_kept_as_data() -> None:
    task = task_file.parse("---\nid: a1\ntries: 3\nmore: {a: [yes, ~]}\nnothing:\n---\n").task
    assert task.extra == {"tries": 3, "more": {"a": [True, None]}, "nothing": None}


def test_a_changed_field_shows_in_the_task_and_in_the_text() -> None:
    file = task_file.parse("---\nid: a1\nsummary: old # mine\nextra: 1\n---\nbody")
    changed = file.with_fields({"summary": "new", "extra": 2, "labels": ("a", "b")})
    assert (changed.task.summary, changed.task.extra, changed.task.labels) == ("new", {"extra": 2}, ("a", "b"))
    assert changed.text == '---\nid: a1\nsummary: new\nextra: 2\nlabels: ["a", "b"]\n---\nbody'
    assert file.text == "---\nid: a1\nsummary: old # mine\nextra: 1\n---\nbody"


def test_a_file_that_would_be_too_large_to_read_again_is_not_written() -> None:
    file = task_file.parse("---\nid: a1\n---\n")
    room = task_file.MAX_BYTES - len(file.encode())
    assert task_file.decode(file.with_body("x" * room).encode()).body == "x" * room
    with pytest.raises(Refused, match="over 5 MB"):
        file.with_body("x" * (room + 1)).encode()
    with pytest.raises(Refused, match="over 5 MB"):
        file.with_body("é" * (room // 2 + 1)).encode()


def test_half_a_character_is_refused_before_it_reaches_the_disk() -> None:
    file = task_file.parse("---\nid: a1\n---\n")
    with pytest.raises(Refused, match=r"U\+DCFF"):
        file.with_body("a byte that is not UTF-8: \udcff").encode()
    with pytest.raises(Refused, match=r"U\+DCFF"):
        file.with_fields({"summary": "\udcff"})
    with pytest.raises(Refused, match=r"U\+0000"):
        task_file.new({"summary": "\0"}, "")
