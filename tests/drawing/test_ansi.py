"""An agent's screen: its colours are kept, everything else that a terminal would obey is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style

from orange_tui.tui.drawing import ansi
from orange_tui.tui.drawing.ansi import PaneScreen
from support.looking import assert_harmless, nasty_text, steadily, style_at, texts

if TYPE_CHECKING:
    from textual.strip import Strip


def screen(frame: str) -> list[str]:
    return texts(PaneScreen().render(frame))


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("31", "color(1)"),
        ("97", "color(15)"),
        ("42", "on color(2)"),
        ("103", "on color(11)"),
        ("38;5;208", "color(208)"),
        ("48;5;17", "on color(17)"),
        ("38;2;1;2;3", "#010203"),
        ("48;2;255;0;9", "on #ff0009"),
        ("38:5:208", "color(208)"),
        ("38:2::1:2:3", "#010203"),
        ("38:2:1:2:3", "#010203"),
        ("1", "bold"),
        ("2;3", "dim italic"),
        ("4;7;9", "underline reverse strike"),
        ("4:3", "underline"),
        ("21", "underline"),
        ("1;31;44", "bold color(1) on color(4)"),
        ("1;38;5;208;4", "bold underline color(208)"),
        ("58;5;3;31", "color(1)"),
        ("58:2::1:2:3;1", "bold"),
    ],
)
def test_colour_sequence_becomes_a_style(codes: str, style: str) -> None:
    strips = PaneScreen().render(f"a\x1b[{codes}mword\x1b[0mb")
    assert texts(strips) == ["awordb"]
    assert style_at(strips, "word") == Style.parse(style)
    assert style_at(strips, "b") == Style.null()


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("1;2", "22"),
        ("3", "23"),
        ("4", "24"),
        ("4", "4:0"),
        ("7", "27"),
        ("9", "29"),
        ("35", "39"),
        ("48;5;9", "49"),
        ("1", ""),
    ],
)
def test_attribute_that_was_set_is_reset(begin: str, end: str) -> None:
    assert style_at(PaneScreen().render(f"\x1b[{begin}ma\x1b[{end}mword"), "word") == Style.null()


@pytest.mark.parametrize(
    "codes", ["38", "38;5", "38;2;1;2", "38;5;999", "38;9;1", "77", "999999999999", ";;", "5:3", "38:7:1", ":"]
)
def test_invalid_colour_codes_change_nothing(codes: str) -> None:
    assert style_at(PaneScreen().render(f"\x1b[{codes}mword"), "word") == Style.null()


@pytest.mark.parametrize(
    "junk",
    [
        "\x1b[2J", "\x1b[?1049h", "\x1b[10;20H", "\x1b[>4;2m", "\x1b[1 q",
        "\x1b]0;title\x07", "\x1b]8;;http://x\x1b\\", "\x1bP1$r\x1b\\", "\x1b_app\x1b\\", "\x1b(B", "\x1b=", "\x1bc",
        "\x07", "\x08", "\r", "\x00", "\x7f", "\x9b", "\u202e", "\u2028",
    ],
)  # fmt: skip
def test_every_other_sequence_is_dropped(junk: str) -> None:
    strips = PaneScreen().render(f"a\x1b[31m{junk}word")
    assert texts(strips) == ["aword"]
    assert style_at(strips, "word").color == Color.from_ansi(1)


def test_colour_hidden_in_a_title_goes_with_the_title() -> None:
    assert screen("a\x1b]0;evil \x07b") == ["ab"]
    assert screen("a\x1b]0;never ends") == ["a"]


def test_markup_is_text() -> None:
    assert screen("[bold]x[/] [@click=app.quit]y") == ["[bold]x[/] [@click=app.quit]y"]


def test_a_colour_goes_on_in_the_next_line_as_tmux_prints_it() -> None:
    strips = PaneScreen().render("\x1b[31mred\nstill\x1b[39m plain\nplain\n")
    assert texts(strips) == ["red", "still plain", "plain"]
    assert style_at(strips, "still").color == Color.from_ansi(1)
    assert style_at(strips[2:], "plain") == Style.null()


def test_line_drawing_is_drawn_also_over_lines() -> None:
    assert screen("\x0elqqk\x0f ok\n\x0ex\n\x0f x\x0ex\x0f q") == ["┌──┐ ok", "│", " x│ q"]


def test_tabs_keep_columns() -> None:
    assert screen("ab\tc\n\x1b[1mab\x1b[0m\tc\n日本\tc") == ["ab      c", "ab      c", "日本    c"]


def test_the_same_frame_is_the_same_list_and_the_same_line_the_same_strip() -> None:
    pane = PaneScreen()
    first = pane.render("one\n\x1b[32mtwo\x1b[0m\nthree\n")
    assert pane.render("one\n\x1b[32mtwo\x1b[0m\nthree\n") is first
    second = pane.render("1\n\x1b[32mtwo\x1b[0m\nthree\n")
    assert second is not first
    assert second[1] is first[1]
    assert second[2] is first[2]
    assert texts(first) == ["one", "two", "three"]


def test_the_same_line_under_another_colour_is_not_the_same() -> None:
    pane = PaneScreen()
    plain, red = pane.render("a\nline"), pane.render("\x1b[31ma\nline")
    assert style_at(plain[1:], "line") != style_at(red[1:], "line")


def test_one_changed_line_is_all_that_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    real = ansi._parse_line

    def counting(line: str, pen: ansi.Pen) -> tuple[Strip, ansi.Pen]:
        read.append(line)
        return real(line, pen)

    monkeypatch.setattr(ansi, "_parse_line", counting)
    pane = PaneScreen()
    lines = [f"\x1b[3{n % 8}mline {n}\x1b[0m" for n in range(50)]
    pane.render("\n".join(lines))
    assert len(read) == 50
    pane.render("\n".join([*lines[:20], "spinner", *lines[21:]]))
    assert read[50:] == ["spinner"]


@steadily
@given(nasty_text)
def test_any_frame_gives_harmless_lines(frame: str) -> None:
    strips = PaneScreen().render(frame)
    assert_harmless(strips)
    assert len(strips) == len(frame.removesuffix("\n").split("\n"))


@steadily
@given(st.text(alphabet="0123456789;:", max_size=30))
def test_any_colour_codes_are_survived(codes: str) -> None:
    assert screen(f"\x1b[{codes}mword") == ["word"]
