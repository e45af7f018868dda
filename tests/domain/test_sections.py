"""A section is what Markdown says it is, and not every line that looks like a heading."""

from __future__ import annotations

import pytest

from orange_tui.domain.text.sections import Section, find_section, outline, same_name, section_name, split_lines


def handoff(body: str) -> str | None:
    section = find_section(body, "## Handoff")
    return None if section is None else section.text


@pytest.mark.parametrize(
    ("body", "content"),
    [
        pytest.param("## Handoff\ndone\n", "done\n", id="a plain heading"),
        pytest.param("text\n## Handoff\ndone\n", "done\n", id="right under a paragraph"),
        pytest.param("   ## Handoff\ndone\n", "done\n", id="up to three blanks before it"),
        pytest.param("##  Handoff  \ndone\n", "done\n", id="blanks around the name"),
        pytest.param("##\tHandoff\ndone\n", "done\n", id="a tab after the marks"),
        pytest.param("## Handoff ##\ndone\n", "done\n", id="closing marks"),
        pytest.param("## Handoff ####  \ndone\n", "done\n", id="more closing marks than opening ones"),
        pytest.param("## HANDOFF\ndone\n", "done\n", id="capitals"),
        pytest.param("Handoff\n-------\ndone\n", "done\n", id="underlined with dashes"),
        pytest.param("Handoff\n-\ndone\n", "done\n", id="underlined with one dash"),
        pytest.param("## Handoff\n", "", id="an empty section"),
        pytest.param("## Handoff", "", id="on the last line, without its end"),
        pytest.param("Handoff\n---", "", id="underlined on the last line, without its end"),
        pytest.param("## Handoff\ndone", "done", id="content on the last line, without its end"),
        pytest.param("## Handoff\r\ndone\r\n## Next\r\n", "done\r\n", id="Windows lines"),
        pytest.param("## Handoff\rdone\r## Next\r", "done\r", id="old Mac lines"),
        pytest.param("a\r\n\r\n## Handoff\rdone\nmore\r\n# X", "done\nmore\r\n", id="every kind of line in one body"),
        pytest.param("a\x0b\x0c\u2028\x85b\n## Handoff\na\u2028b\n", "a\u2028b\n", id="line ends Markdown has not"),
        pytest.param("## Handoff\na\n## Next\nb\n", "a\n", id="ends at the next of its level"),
        pytest.param("## Handoff\na\n# Next\nb\n", "a\n", id="ends at one above its level"),
        pytest.param("## Handoff\na\n\nNext\n---\nb\n", "a\n\n", id="ends at an underlined one"),
        pytest.param("## Handoff\na\n### Sub\nb\n", "a\n### Sub\nb\n", id="does not end at one below its level"),
        pytest.param("## Handoff\na\n##Next\nb\n", "a\n##Next\nb\n", id="does not end where the space is missing"),
        pytest.param("## Handoff\n```\n## x\n```\nb\n", "```\n## x\n```\nb\n", id="does not end in a fence"),
        pytest.param("## Handoff\na\n\n---\n\nb\n", "a\n\n---\n\nb\n", id="does not end at a rule"),
        pytest.param("## Handoff\n| a |\n|---|\n", "| a |\n|---|\n", id="does not end at a table"),
        pytest.param("## Handoff\nold\n## Handoff\nnew\n", "new\n", id="twice: the last one counts"),
        pytest.param("## Handoff\nold\n## handoff ##\n", "", id="twice: the last one counts, empty as it is"),
        pytest.param("## Handoff\nold\n```\n## Handoff\n```\n", "old\n```\n## Handoff\n```\n", id="twice, one in code"),
        pytest.param("> quote\n## Handoff\ndone\n", "done\n", id="right after a quote"),
        pytest.param("- item\n## Handoff\ndone\n", "done\n", id="right after a list"),
        pytest.param("1. item\n   more\n## Handoff\ndone\n", "done\n", id="right after a numbered list"),
        pytest.param("- item\n\n  ```\n  code\n## Handoff\ndone\n", "done\n", id="ends a list with a fence left open"),
        pytest.param("> ```\n## Handoff\ndone\n", "done\n", id="ends a quote with a fence left open"),
        pytest.param("```\ncode\n```\n## Handoff\ndone\n", "done\n", id="right after a fence"),
        pytest.param("<!-- note -->\n## Handoff\ndone\n", "done\n", id="right after a comment"),
        pytest.param("<details>\n\n## Handoff\ndone\n", "done\n", id="in open HTML after a blank line"),
        pytest.param("    code\n## Handoff\ndone\n", "done\n", id="right after indented code"),
        pytest.param("a <!-- b\n## Handoff\ndone\n", "done\n", id="after a comment that begins within a line"),
    ],
)
def test_a_section_is_found_with_exactly_its_content(body: str, content: str) -> None:
    assert handoff(body) == content


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("", id="nothing there"),
        pytest.param("##Handoff\ndone\n", id="no space after the marks"),
        pytest.param("# Handoff\ndone\n", id="a level above"),
        pytest.param("### Handoff\ndone\n", id="a level below"),
        pytest.param("Handoff\n=======\ndone\n", id="underlined as level one"),
        pytest.param("Handoff\n\n-------\n", id="a rule, not an underline"),
        pytest.param("\\## Handoff\n", id="escaped"),
        pytest.param("## Handoff notes\n", id="a longer name"),
        pytest.param("## Handoff#\n", id="a mark that belongs to the name"),
        pytest.param("text ## Handoff\n", id="in the middle of a line"),
        pytest.param("    ## Handoff\n", id="in indented code"),
        pytest.param("\t## Handoff\n", id="in code indented with a tab"),
        pytest.param("```\n## Handoff\n```\n", id="in a fence"),
        pytest.param("~~~\n## Handoff\n~~~\n", id="in a fence of tildes"),
        pytest.param("```md\n## Handoff\n```\n", id="in a fence with a language"),
        pytest.param("````\n```\n## Handoff\n```\n````\n", id="in a fence within a fence"),
        pytest.param("~~~\n```\n## Handoff\n~~~\n", id="in a fence the other kind does not close"),
        pytest.param("```\nfence left open\n\n## Handoff\ndone\n", id="in a fence left open"),
        pytest.param("> ## Handoff\n> done\n", id="in a quote"),
        pytest.param("- ## Handoff\n", id="in a list"),
        pytest.param("- item\n\n  ## Handoff\n  done\n", id="nested in a list"),
        pytest.param("1. item\n   ## Handoff\n", id="nested in a numbered list"),
        pytest.param("- a\n  - b\n    ## Handoff\n", id="nested deeper"),
        pytest.param("<!--\n## Handoff\n-->\n", id="in a comment"),
        pytest.param("<!-- left open\n\n## Handoff\ndone\n", id="in a comment left open"),
        pytest.param("<pre>\n\n## Handoff\n</pre>\n", id="in preformatted HTML"),
        pytest.param("<div>\n## Handoff\n</div>\n", id="in HTML without a blank line"),
        pytest.param("> quote\n<div>\n## Handoff\n</div>\n", id="in HTML that ends a quote"),
        pytest.param("- item\n<DETAILS>\n## Handoff\n", id="in HTML that ends a list"),
    ],
)
def test_lookalike_heading_starts_no_section(body: str) -> None:
    assert handoff(body) is None


@pytest.mark.parametrize("name", ["Handoff", "## Handoff", "handoff", "## HANDOFF ##", "  ##  Handoff  "])
def test_a_section_is_asked_for_in_any_spelling(name: str) -> None:
    section = find_section("## Handoff\ndone\n", name)
    assert section is not None
    assert section.text == "done\n"


def test_names_compare_without_case_and_marks() -> None:
    assert same_name("## Straße", "STRASSE")
    assert same_name("C#", "## C# ##")
    assert not same_name("C", "C#")
    assert not same_name("Plan", "Plans")
    assert section_name("##  Open questions ##") == "Open questions"


def test_code_and_comments_are_known_from_prose() -> None:
    body = (
        "## Plan\nprose 1\n```\nfenced\n```\n\n    indented\n\n<!-- a\ncomment -->\nprose 2\n> quote\n- item\n\n"
        "## Next\n```\nnot here\n```\n"
    )
    section = find_section(body, "Plan")
    assert section is not None
    assert [line.strip() for line in section.prose() if line.strip()] == ["prose 1", "prose 2", "> quote", "- item"]


def test_a_section_without_code_is_all_prose() -> None:
    body = "```\ncode above\n```\n## Plan\none\ntwo"
    assert find_section(body, "Plan") == Section(("one\n", "two"), frozenset())


def test_headings_know_level_title_and_lines() -> None:
    body = "# One\n\ntwo\nlines\n===\n###### Six\n####### Seven\n##\n## #\nlast\n---"
    assert [(h.level, h.title, h.line, h.after) for h in outline(body).headings] == [
        (1, "One", 0, 1),
        (1, "two\nlines", 2, 5),
        (6, "Six", 5, 6),
        (2, "", 7, 8),
        (2, "", 8, 9),
        (2, "last", 9, 11),
    ]


def test_one_underline_makes_one_heading() -> None:
    headings = outline("a\n---\n---\nb\n===\n===\n---\n").headings
    assert [(h.level, h.title) for h in headings] == [(2, "a"), (1, "b"), (2, "===")]


def test_an_underline_after_a_quote_belongs_to_no_paragraph_above_it() -> None:
    assert outline("above\n> quote\n-\n===\n").headings == ()


def test_lines_are_split_where_markdown_splits_them() -> None:
    assert split_lines("a\nb\r\nc\rd\x0be\u2028f\x85g") == ["a\n", "b\r\n", "c\r", "d\x0be\u2028f\x85g"]
    assert split_lines("a\n") == ["a\n"]
    assert split_lines("\r\r\n\n") == ["\r", "\r\n", "\n"]
    assert split_lines("") == []
