"""What is written into a section stays in it, and everything around it stays what it was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.text.sections import (
    close_open_blocks,
    demote_headings,
    find_section,
    outline,
    put_section,
    split_lines,
)

MARKDOWN = st.lists(
    st.sampled_from(
        [
            *("## A\n", "# B\n", "### C ##\n", "###### F\n", "##\n", "## Plan\n", "text\n", "more text", "\n", "  \n"),
            *(
                "- item\n",
                "  - sub\n",
                "1. one\n",
                "  more\n",
                "    code\n",
                "\tcode\n",
                "> quote\n",
                "> ## G\n",
                "- ## H\n",
            ),
            *(
                "```\n",
                "~~~\n",
                "````py\n",
                "  ```\n",
                "---\n",
                "===\n",
                "-\n",
                "* * *\n",
                "| a |\n|---|\n",
                "[a]: b\n",
            ),
            *("<!--", "-->\n", "<!-- x -->\n", "<div>\n", "</div>\n", "<pre>", "</pre>\n", "<script>\n", "<?php\n"),
            *(
                "<![CDATA[\n",
                "<!DOCTYPE\n",
                "<a\n",
                "\r\n",
                "\r",
                "## W\r\n",
                "é🍊\n",
                "\0",
                "\u2028",
                "\x0b\n",
                "#",
                " ",
            ),
        ]
    ),
    max_size=9,
).map("".join)
OFTEN = settings(deadline=None, database=None)


def same_lines(text: str) -> str:
    """The text with one kind of line end, and none at either end."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")


def around_the_plan(body: str) -> tuple[str, str]:
    """What stands before the last section Plan, and after it; without one, everything stands before it."""
    headings, lines = outline(body).headings, split_lines(body)
    plans = [number for number, h in enumerate(headings) if h.level == 2 and h.title.casefold() == "plan"]
    if not plans:
        return body, ""
    later = [h.line for h in headings[plans[-1] + 1 :] if h.level <= 2]
    return "".join(lines[: headings[plans[-1]].line]), "".join(lines[later[0] :] if later else [])


@OFTEN
@given(body=MARKDOWN, content=MARKDOWN)
def test_what_is_put_into_a_section_is_found_there_and_the_rest_is_untouched(body: str, content: str) -> None:
    safe = demote_headings(content)
    after = put_section(body, "## Plan", safe)
    section = find_section(after, "Plan")
    assert section is not None
    assert same_lines(section.text) == same_lines(close_open_blocks(safe))
    above, below = around_the_plan(body)
    assert after.startswith(above)
    assert after.endswith(below)


@OFTEN
@given(body=MARKDOWN, content=MARKDOWN)
def test_putting_the_same_again_changes_nothing(body: str, content: str) -> None:
    once = put_section(body, "Plan", demote_headings(content))
    assert put_section(once, "Plan", demote_headings(content)) == once


@OFTEN
@given(text=MARKDOWN)
def test_no_demoted_heading_ends_a_section(text: str) -> None:
    below = demote_headings(text)
    assert all(heading.level > 2 for heading in outline(below).headings)
    section = find_section(f"## Context\n\n{below}", "Context")
    assert section is not None
    assert section.text == "\n" + below


@OFTEN
@given(text=MARKDOWN)
def test_after_closing_what_is_open_the_next_section_is_seen(text: str) -> None:
    closed = close_open_blocks(text)
    assert closed.startswith(text)
    assert find_section(f"{closed}\n\n## After\n\nhere\n", "After") is not None


@pytest.mark.parametrize(
    ("body", "after"),
    [
        pytest.param("", "## Plan\n\nnew\n", id="into nothing"),
        pytest.param("\n", "\n## Plan\n\nnew\n", id="into a blank line"),
        pytest.param("text", "text\n\n## Plan\n\nnew\n", id="after a line without its end"),
        pytest.param("text\n", "text\n\n## Plan\n\nnew\n", id="after a line"),
        pytest.param("text\n\n", "text\n\n## Plan\n\nnew\n", id="after a blank line"),
        pytest.param("a\r\n", "a\r\n\r\n## Plan\r\n\r\nnew\r\n", id="with Windows lines"),
        pytest.param("a\n\r", "a\n\r\r## Plan\n\nnew\n", id="after an old Mac line"),
        pytest.param("## Plan\nold\n", "## Plan\n\nnew\n", id="in place of the old"),
        pytest.param("## plan ##\nold", "## Plan\n\nnew\n", id="in place of the old, spelled otherwise"),
        pytest.param("Plan\n----\nold\n", "## Plan\n\nnew\n", id="in place of an underlined one"),
        pytest.param("a\n## Plan\nold\n### s\n# B \nb", "a\n## Plan\n\nnew\n\n# B \nb", id="between others"),
        pytest.param(
            "a\r\n## Plan\r\nold\r\n## B\r\n", "a\r\n## Plan\r\n\r\nnew\r\n\r\n## B\r\n", id="between Windows lines"
        ),
        pytest.param("## Plan\n1\n## Plan\n2\n", "## Plan\n1\n## Plan\n\nnew\n", id="in place of the last of two"),
        pytest.param("```\n## Plan\n", "```\n## Plan\n```\n\n## Plan\n\nnew\n", id="after a fence left open"),
        pytest.param("~~~~\r\nx", "~~~~\r\nx\r\n~~~~\r\n\r\n## Plan\r\n\r\nnew\r\n", id="after an open Windows fence"),
        pytest.param("<!-- x  \n", "<!-- x  \n-->\n\n## Plan\n\nnew\n", id="after a comment left open"),
    ],
)
def test_a_section_is_put_where_it_belongs(body: str, after: str) -> None:
    assert put_section(body, "Plan", "\nnew\n\n") == after


def test_a_fence_left_open_in_the_content_does_not_swallow_the_next_section() -> None:
    after = put_section("## Plan\nold\n## Next\nb\n", "Plan", "```py\ncode")
    assert after == "## Plan\n\n```py\ncode\n```\n\n## Next\nb\n"


@pytest.mark.parametrize(
    ("text", "below"),
    [
        ("# One\n## Two\n### Three\n", "### One\n#### Two\n##### Three\n"),
        ("##### Five\n###### Six\n", "###### Five\n###### Six\n"),
        ("Title\n===\nPart\n---\n", "### Title\n#### Part\n"),
        ("two\nlines\n---\ntext", "#### two lines\ntext"),
        ("# One ##\r\ntext\r\n\r\nTwo\r\n---\r\n", "### One\r\ntext\r\n\r\n#### Two\r\n"),
        ("# last", "### last"),
        ("```\n# code\n```\n", "```\n# code\n```\n"),
        ("> # quote\n- # item\n", "> # quote\n- # item\n"),
        ("#hashtag and text\n", "#hashtag and text\n"),
    ],
)
def test_headings_move_two_levels_down_and_nothing_else_moves(text: str, below: str) -> None:
    assert demote_headings(text) == below


@pytest.mark.parametrize(
    ("text", "closer"),
    [
        ("```\ncode\n", "```\n"),
        ("`````\n```\n", "`````\n"),
        ("~~~ py\ncode\n", "~~~\n"),
        ("<!--\n", "-->\n"),
        ("<?php\n", "?>\n"),
        ("<![CDATA[\n", "]]>\n"),
        ("<!DOCTYPE\n", ">\n"),
        ("<pre>\n", "</pre>\n"),
        ("<script>\n", "</script>\n"),
        ("<style>\n", "</style>\n"),
        ("<textarea>\n", "</textarea>\n"),
        ("plain text", ""),
        ("```\ncode\n```\n", ""),
        ("- ```\n  code\n", ""),
        ("<div>\n", ""),
    ],
)
def test_what_is_open_is_closed_with_its_own_mark_and_nothing_is_added_otherwise(text: str, closer: str) -> None:
    assert close_open_blocks(text) == text + closer
