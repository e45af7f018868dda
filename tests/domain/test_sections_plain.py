"""A plain body is read without a parser of Markdown, and as the parser would read it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from orange_tui.domain.text._markdown_outline import parsed_outline
from orange_tui.domain.text.plain.outline import plain_outline

PIECES = [
    *(
        "#",
        "##",
        "## Plan",
        "### Deep ###",
        "#######",
        "##x",
        "# #",
        "a",
        "words and words",
        "",
        " ",
        "\t",
        "1.",
        "2) b",
    ),
    *("-", "- ", "- a", "* ## b", "+", "---", "***", "* * *", "_", "___", "=", "===", "|a|b|", "|-|-|", "\\", "\\## c"),
    *(
        ">",
        "> q",
        "[a]: b",
        "[a]:",
        "<b>",
        "<!--",
        "-->",
        "`",
        "```",
        "~~~",
        "  ## in",
        "    code",
        "\x85",
        "\u2028# a",
    ),
    *(
        "&amp;",
        "://",
        "![",
        "](",
        "\0",
        "\ufeff",
        "\x0b",
        "\x1c## d",
        "#\u00a0e",
        "é",
        "- [ ] do",
        "- - - ## f",
        "1. 2. g",
    ),
]
BODIES = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from(["\n", "\n", "\n", "\n\n", " ", "", "\r\n", "\t"]))
)
WORKED = """
## Context

Take orders, *please*.

demo: good

## Review ##
Verdict: FAIL
- coffee/oat_milk.py:6 takes an order of no cups
1. and this
#hashtag
"""


@given(BODIES)
@example([("- a", "\n"), ("## Plan", "\n")])
@example([("1.", "\n"), ("## Plan", "")])
@example([("words and words", "\n"), ("=", ""), ("---", "\n")])
@example([("words and words", "\n"), ("* * *", "\n"), ("##", " "), ("#", "\n")])
def test_a_plain_body_has_the_headings_that_the_parser_finds(pieces: list[tuple[str, str]]) -> None:
    body = "".join(text + end for text, end in pieces)
    found = plain_outline(body)
    assert found is None or found == parsed_outline(body)


def test_what_agents_write_is_plain_and_its_headings_are_the_parsers() -> None:
    found = plain_outline(WORKED)
    assert found == parsed_outline(WORKED)
    assert [(each.level, each.title, each.line) for each in found.headings] == [(2, "Context", 1), (2, "Review", 7)]


@pytest.mark.parametrize(
    "body",
    [
        *("```\n## a\n```\n", "<!--\n## a\n-->\n", "> ## a\n", "a\n---\n", "a\n===\n", "[a]:\n## b\n"),
        *("a\n-=\n", "a\n=--\t", "    ## a\n", "- a\n\n  ## b\n", "a\r## b\n", "a\n" * 10_001),
    ],
)
def test_what_takes_a_parser_is_left_to_it(body: str) -> None:
    assert plain_outline(body) is None


def test_the_parser_is_loaded_for_a_body_that_needs_it_and_for_no_other() -> None:
    script = """if True:
        import sys
        from orange_tui.domain.text.sections import find_section, put_section
        assert find_section(put_section("## Plan\\n\\n- do it\\n", "Handoff", "DONE: all"), "Handoff").text
        assert "mistune" not in sys.modules
        assert find_section("> ## Plan\\n", "Plan") is None
        assert "mistune" in sys.modules
    """
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
