"""No body, however hostile, keeps Orange busy: it is read, or refused for having too many blocks."""

from __future__ import annotations

import pytest

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.text import _markdown_outline
from orange_tui.domain.text.sections import close_open_blocks, demote_headings, find_section, outline, put_section

MEGABYTE = 1_000_000


def a_megabyte_of(piece: str) -> str:
    return (piece * (MEGABYTE // len(piece) + 1))[:MEGABYTE]


READABLE = {
    "brackets": a_megabyte_of("["),
    "images": a_megabyte_of("!["),
    "quote marks": a_megabyte_of("> "),
    "dashes on a line": a_megabyte_of("- "),
    "stars": a_megabyte_of("*"),
    "underscores": a_megabyte_of("_a"),
    "backticks": a_megabyte_of("`"),
    "tildes": a_megabyte_of("~"),
    "backslashes": a_megabyte_of("\\"),
    "blanks": a_megabyte_of(" "),
    "tabs": a_megabyte_of("\t"),
    "marks": a_megabyte_of("#"),
    "letters": a_megabyte_of("a"),
    "comments left open": a_megabyte_of("<!--\n"),
    "quoted lines": "> a\n" * 80_000,
    "quoted and lazy lines": "> a\nb\n" * 40_000,
    "a paragraph of lines that could be HTML": ("<a " + "x" * 96 + "\n") * 40_000,
    "blanks in a heading": f"## a{' ' * MEGABYTE}b",
    "blanks and marks in a heading": f"## a {'# ' * (MEGABYTE // 2)}b",
    "marks and blanks after a heading": f"## a {'#' * 500_000}{' ' * 500_000}b",
    "nested lists": "".join(f"{'  ' * depth}- a\n" for depth in range(1_000)),
    "nested quotes": "".join(f"{'>' * depth} a\n" for depth in range(1_400)),
}
TOO_MANY_BLOCKS = {
    "fences": a_megabyte_of("```\n"),
    "empty items": a_megabyte_of("-\n"),
    "items": a_megabyte_of("- a\n"),
    "numbered items": a_megabyte_of("1. a\n"),
    "link references": a_megabyte_of("[a]: b\n"),
    "link references left open": a_megabyte_of('[a]: b "c\n'),
    "headings": a_megabyte_of("# a\n"),
    "underlined headings": a_megabyte_of("a\n-\n"),
    "rules": a_megabyte_of("***\n"),
}


@pytest.mark.parametrize("name", READABLE)
def test_a_hostile_body_is_read_in_time_that_grows_with_its_size(name: str) -> None:
    assert len(outline(READABLE[name]).headings) <= 1


@pytest.mark.parametrize("name", TOO_MANY_BLOCKS)
def test_a_body_of_nothing_but_blocks_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_markdown_outline, "_MAX_BLOCKS", 5_000)
    with pytest.raises(Unreadable, match="more than 5,000 blocks"):
        outline(TOO_MANY_BLOCKS[name])


def test_a_long_body_of_prose_has_fewer_blocks_than_are_refused() -> None:
    assert len(outline("## a\n\nA line of a paragraph.\n\n" * 10_000).headings) == 10_000
    with pytest.raises(Unreadable, match="more than 50,000 blocks; move most of it"):
        outline("# a\n" * 50_001)


def test_what_is_nested_is_not_parsed_and_so_cannot_add_up() -> None:
    body = "> " * 1_000 + "## a\n\n" + "- " * 1_000 + "## b\n\n## Handoff\ndone\n"
    section = find_section(body, "Handoff")
    assert section is not None
    assert section.text == "done\n"


@pytest.mark.parametrize("name", ["blanks in a heading", "comments left open"])
def test_writing_into_a_hostile_body_takes_no_longer(name: str) -> None:
    body = put_section(READABLE[name], "Handoff", "done")
    section = find_section(body, "Handoff")
    assert section is not None
    assert section.text == "\ndone\n"
    assert all(heading.level > 2 for heading in outline(demote_headings(READABLE[name])).headings)
    assert close_open_blocks(body) == body


def test_many_headings_of_one_name_are_found_among_many_others() -> None:
    body = "## Plan\nold\n```\ncode\n```\n" * 5_000 + "## Plan\nnew\n"
    section = find_section(body, "Plan")
    assert section is not None
    assert section.text == "new\n"
