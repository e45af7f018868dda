"""TASK.md bodies on screen: read as they were written, and nothing in them obeyed."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from orange_tui.tui.drawing.markdown.page import render_markdown
from orange_tui.tui.drawing.palette import NO_COLOUR
from support.looking import DARK, assert_harmless, nasty_text, steadily, style_at, texts

PLAN = """\
# Fix the loop

## Plan

APPROACH: keep the *return* address in the **signed** state
TOUCHING: auth/login.py, `auth/state.py`

## Review
Verdict: PASS
"""


def page(text: str, width: int = 40) -> list[str]:
    return texts(render_markdown(text, width, DARK))


def test_a_plan_reads_line_by_line_with_its_keys_set_off() -> None:
    strips = render_markdown(PLAN, 80, DARK)
    assert texts(strips) == [
        "Fix the loop",
        "",
        "Plan",
        "APPROACH: keep the return address in the signed state",
        "TOUCHING: auth/login.py, auth/state.py",
        "",
        "Review",
        "Verdict: PASS",
    ]
    assert style_at(strips, "Plan").bold
    assert style_at(strips, "APPROACH:") == DARK.key
    assert style_at(strips, "return").italic
    assert style_at(strips, "signed").bold
    assert style_at(strips, "auth/state.py") == DARK.code
    assert style_at(strips, "PASS").color == DARK.good.color
    assert style_at(render_markdown("Verdict: FAIL\n", 80, DARK), "FAIL").color == DARK.bad.color


@pytest.mark.parametrize("line", ["http://x", "lower: case", "12:30 is a time", "A sentence: with a colon", "X:y"])
def test_word_that_is_no_key_is_left_alone(line: str) -> None:
    strips = render_markdown(line, 80, DARK)
    assert texts(strips) == [line]
    assert style_at(strips, line[:3]) == DARK.text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("one\ntwo", ["one", "two"]),
        ("one  \ntwo\\\nthree", ["one", "two", "three"]),
        ("one\n\n\n\ntwo", ["one", "", "two"]),
        ("- a\n- b\n  - c\n    1. d\n    2. e", ["• a", "• b", "  • c", "    1. d", "    2. e"]),
        ("9. a\n10. b\n    more", ["9. a", "10. b", "    more"]),
        ("- a\n\n- b\n\n  c", ["• a", "", "• b", "", "  c"]),
        ("- [ ] open\n- [x] done", ["☐ open", "✓ done"]),
        ("-\n- b", ["•", "• b"]),
        ("- - a", ["• • a"]),
        ("> a\n> b\n>\n> - c", ["▎ a", "▎ b", "▎", "▎ • c"]),
        ("text\n- a\n\nafter", ["text", "• a", "", "after"]),
        ("```\nif x:\n\treturn\n\n```", ["  if x:", "      return"]),
        ("    indented\n      more", ["  indented", "    more"]),
        ("~~gone~~ stays", ["gone stays"]),
        ("see [the docs](https://x.org/a)", ["see the docs (https://x.org/a)"]),
        ("<https://x.org> and <a@b.org>", ["https://x.org and a@b.org"]),
        ("![a cup](cup.png)", ["a cup (cup.png)"]),
        ("[text][1]\n\n[1]: http://u", ["text (http://u)"]),
        ("a &amp; b &lt;c&gt;", ["a & b <c>"]),
        ("a <b>bold</b> word", ["a <b>bold</b> word"]),
        ("<div>\n<b>x</b>\n</div>", ["<div>", "<b>x</b>", "</div>"]),
        ("<!-- note -->", ["<!-- note -->"]),
        ("***", ["─" * 40]),
        ("", []),
        ("\r\n\r\n", []),
        ("a\r\nb\rc", ["a", "b", "c"]),
    ],
)
def test_each_markdown_form_has_its_style(written: str, shown: list[str]) -> None:
    assert page(written) == shown


@pytest.mark.parametrize(
    "text", ["list[int]", "[/]", "[@click=app.quit]x[/]", "[bold red]x", "[link=http://x]y[/link]", "$accent {x}"]
)
def test_markup_is_text(text: str) -> None:
    for written in (text, f"- {text}", f"# {text}", f"`{text}`", f"| {text} |\n|---|\n| x |"):
        strips = render_markdown(written, 60, DARK)
        assert text in strips[0].text
        assert_harmless(strips, 60)


def test_an_escape_sequence_is_shown_and_not_sent() -> None:
    assert page("a \x1b[31mred\x07 b") == [r"a \x1b[31mred\x07 b"]
    assert page("```\n\x1b]0;owned\x07\n```") == [r"  \x1b]0;owned\x07"]
    assert page("&#27;[2J") == ["[2J"]
    assert page("[x](<http://a/\u202egpj.exe>)")[0].isprintable()


def test_words_wrap_and_the_marks_before_them_stay() -> None:
    assert page("- one two three four", 12) == ["• one two", "  three four"]
    assert page("> one two three", 10) == ["▎ one two", "▎ three"]
    assert page("APPROACH: one two three four five", 20) == ["APPROACH: one two", "  three four five"]
    assert page("a " + "x" * 25, 10) == ["a", "x" * 10, "x" * 10, "x" * 5]


def test_wide_characters_count_twice_and_may_end_a_line() -> None:
    assert page("日本語のテキスト", 10) == ["日本語のテ", "キスト"]
    assert page("see 日本語 now", 9) == ["see 日本", "語 now"]
    assert page("ab 👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 8)[0].startswith("ab")
    lines = page("| 名前 | n |\n|---|--:|\n| 日本 | 1 |\n| ab | 22 |")
    assert lines == ["名前   n", "────────", "日本   1", "ab    22"]
    assert {cell_len(line) for line in lines} == {8}


def test_a_table_gives_way_where_there_is_no_room() -> None:
    wide = "| name | what it does |\n|:-:|---|\n| a | some words that go on and on |\n"
    assert page(wide, 24) == [
        "name  what it does",
        "────────────────────────",
        " a    some words that go",
        "      on and on",
    ]
    columns = 12
    many = f"|{'a|' * columns}\n|{'-|' * columns}\n|{'b|' * columns}\n"
    assert page(many, 40)[0].startswith("a · a · a")
    assert_harmless(render_markdown(many, 40, DARK), 40)


def test_code_is_coloured_when_its_language_is_known_and_there_is_colour() -> None:
    code = "```python\ndef brew():\n    return 'tea'\n```\n"
    strips = render_markdown(code, 60, DARK)
    assert texts(strips) == ["  def brew():", "      return 'tea'"]
    assert style_at(strips, "'tea'").color == DARK.good.color
    assert not any(
        segment.style and segment.style.color for strip in render_markdown(code, 60, NO_COLOUR) for segment in strip
    )
    assert page("```nonsense\ndef\n```") == ["  def"]
    joined = render_markdown("```python\n'👩\u200d👩\u200d👧' * 3\n```", 60, DARK)
    assert style_at(joined, "👩\u200d👩\u200d👧") == DARK.text
    assert page("```python\n" + "x" * 30 + "\n```", 12) == ["  " + "x" * 10] * 3


def test_nesting_deeper_than_the_screen_is_wide_is_still_readable() -> None:
    strips = render_markdown("".join(f"{'  ' * depth}- level {depth}\n" for depth in range(30)), 24, DARK)
    assert_harmless(strips, 24)
    shown = " ".join(texts(strips))
    assert all(f"level {depth}" in shown for depth in range(7))


@steadily
@given(nasty_text, st.integers(-3, 90))
def test_any_text_at_any_width_gives_harmless_lines_that_fit(text: str, width: int) -> None:
    assert_harmless(render_markdown(text, width, DARK), max(width, 8))


@steadily
@given(st.text(alphabet="abc xyz,.é漢", max_size=200), st.integers(8, 60))
def test_wrapping_loses_no_letter(text: str, width: int) -> None:
    shown = "".join(page(text, width))
    assert "".join(shown.split()) == "".join(text.split())


def test_a_huge_body_is_shown_in_part_and_says_how_much_is_left_out() -> None:
    lines = page("A line of text.\n" * 20_000, 80)
    assert lines[-1] == "… 240 KB more of this file is not shown here"
    assert len(lines) == 5_002
    assert page("x" * 250_000, 80)[-1] == "… 50 KB more of this file is not shown here"
    assert not any("not shown" in line for line in page("word " * 30_000, 80))


HOSTILE = {
    "brackets": "[", "images": "![", "quotes": "> ", "dashes": "- ", "stars": "*a **b ", "ticks": "`a``b",
    "html": "<a b='c'>", "items": "- a\n", "nested items": "- a\n  - b\n    - c\n", "cells": "|a|b|\n|-|-|\n",
    "pipes": "|", "tabs": "\t", "references": "[a]: b\n", "comments": "<!--\n", "fences": "```\n",
    "entities": "&amp;", "tildes": "~~a", "headings": "# a\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_megabyte_is_rendered_without_delay(name: str) -> None:
    started = time.process_time()
    strips = render_markdown(HOSTILE[name] * (1_000_000 // len(HOSTILE[name])), 80, DARK)
    assert time.process_time() - started < 10  # some hundredths to one second; minutes without the limits
    assert "not shown here" in strips[-1].text
