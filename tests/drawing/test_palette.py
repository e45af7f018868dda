"""Colours from any theme, and a look for any status of any workflow."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES

import orange_tui
from orange_tui.domain.workflow import State, Workflow
from orange_tui.tui.drawing.palette import (
    NO_COLOUR,
    READABLE,
    Palette,
    StateFacts,
    contrast,
    kind_of,
    palette_of,
    state_facts,
    status_style,
)
from orange_tui.tui.theme import THEMES
from support.looking import steadily

if TYPE_CHECKING:
    from textual.theme import Theme

STYLES = [name for name in Palette.__annotations__ if name != "syntax"]


def workflow(**states: State) -> Workflow:
    first = next(iter(states))
    return Workflow("own", 1, states, {first: ()}, (), 30, (), (), {})


@pytest.mark.parametrize("theme", BUILTIN_THEMES)
def test_every_theme_gives_a_palette_in_which_meanings_differ(theme: str) -> None:
    palette = palette_of(BUILTIN_THEMES[theme])
    assert palette.added.color != palette.removed.color
    assert len({str(palette.good.color), str(palette.bad.color), str(palette.warning.color)}) == 3
    assert palette.accent.color not in {palette.info.color, palette.other.color}


@pytest.mark.parametrize("theme", [name for name, theme in BUILTIN_THEMES.items() if not theme.ansi])
def test_dim_text_is_readable_in_every_theme(theme: str) -> None:
    background = Color.parse(BUILTIN_THEMES[theme].to_color_system().generate()["background"])
    dim = palette_of(BUILTIN_THEMES[theme]).dim.color
    assert dim is not None
    assert abs(Color.from_rich_color(dim).brightness - background.brightness) > 0.2


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_whatever_is_drawn_in_our_themes_can_be_read_on_whatever_is_behind_it(theme: Theme) -> None:
    named, palette = theme.to_color_system().generate(), palette_of(theme)
    foreground = Color.parse(named["foreground"])
    inks = {name: getattr(palette, name).color for name in STYLES} | {
        " ".join(token): style.color for token, style in (palette.syntax or {}).items()
    }
    own = {name: Color.parse(named[name]) for name in ("background", "surface", "panel")}
    lines = {name: Color.from_rich_color(getattr(palette, name).bgcolor) for name in ("added_line", "removed_line")}
    selected = {"selected": Color.from_rich_color(palette.selected.bgcolor)}
    seen = {
        (ink, behind): contrast(Color.from_rich_color(color) if color is not None else foreground, place)
        for behind, place in (own | lines | selected).items()
        for ink, color in inks.items()
    }
    for name in ("added_words", "removed_words"):  # these bring their ink along
        words = getattr(palette, name)
        seen[name, name] = contrast(Color.from_rich_color(words.color), Color.from_rich_color(words.bgcolor))
    assert {pair: ratio for pair, ratio in seen.items() if ratio < READABLE} == {}


STYLES_OF_TEXT = re.compile(r"(?:^|[^-\w])color: \$([\w-]+)(?: (\d+)%)?;")
# What can't be used now: an answer to no question yet, a disabled button.
FAINT_ON_PURPOSE = {("foreground", "40"), ("foreground", "60")}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_whatever_the_style_sheets_colour_can_be_read_too(theme: Theme) -> None:
    named = theme.to_color_system().generate()
    places = {name: Color.parse(named[name]) for name in ("background", "surface", "panel")}
    sheets = Path(__file__, "../../../styles").resolve().glob("*.tcss")
    sheet = "".join(each.read_text() for each in sheets)
    found = set(STYLES_OF_TEXT.findall(sheet)) - FAINT_ON_PURPOSE - {("background", "")}
    assert ("foreground", "75") in found
    seen = {
        (name, share, behind): contrast(place.blend(Color.parse(named[name]), int(share or 100) / 100), place)
        for name, share in found
        for behind, place in places.items()
    }
    seen["button", "", "primary"] = contrast(Color.parse(named["background"]), Color.parse(named["primary"]))
    assert {what: ratio for what, ratio in seen.items() if ratio < READABLE} == {}


def test_screens_name_no_colours_of_their_own() -> None:
    """What a terminal calls yellow cannot be read on a light ground: colours come from the palette of the theme."""
    named = re.compile(r"""style="dim"|"((bold|italic) )?(red|green|yellow|blue|magenta|cyan|white|black)\"""")
    tui = Path(orange_tui.__file__).parent / "tui"
    screens = [path for path in tui.rglob("*.py") if "drawing" not in path.parts]
    assert {path.name: found[0] for path in screens if (found := named.search(path.read_text()))} == {}


def test_contrast_is_what_the_standard_says() -> None:
    white = Color(255, 255, 255)
    assert contrast(white, Color(0, 0, 0)) == pytest.approx(21)
    assert contrast(white, white) == 1
    assert contrast(Color.parse("#767676"), white) == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", [name for name, theme in BUILTIN_THEMES.items() if theme.ansi])
def test_a_terminals_own_theme_sets_no_background_and_no_true_colour(theme: str) -> None:
    palette = palette_of(BUILTIN_THEMES[theme])
    for name in STYLES:
        style = getattr(palette, name)
        assert style.bgcolor is None, name
        assert style.color is None or style.color.number is not None, name


def test_without_colour_there_are_attributes_and_nothing_else() -> None:
    palette = palette_of(BUILTIN_THEMES["textual-dark"], colour=False)
    assert palette is NO_COLOUR
    assert palette.syntax is None
    for name in STYLES:
        style = getattr(palette, name)
        assert style.color is None, name
        assert style.bgcolor is None, name
    for name in ("dim", "accent", "heading", "key", "link", "code", "added_words"):
        assert getattr(palette, name) != Style.null(), name


WORKING, REVIEWING = State("", agent="worker", respawn_prompt="p"), State("", agent="reviewer", respawn_prompt="p")
NOBODY, ANYBODY, END = State(""), State("", respawn_prompt="p"), State("", terminal=True, agent="none", end="done")
GIVEN_UP = State("", terminal=True, agent="none", end="cancelled")


@pytest.mark.parametrize(
    ("name", "state", "kind"),
    [
        # the shipped workflows
        ("planning", WORKING, "working"),
        ("working", WORKING, "working"),
        ("in_progress", WORKING, "working"),
        ("clarification", WORKING, "asking"),
        ("agent-review", REVIEWING, "checking"),
        ("agent-review", ANYBODY, "checking"),
        ("reviewing", WORKING, "person"),
        ("reviewing", NOBODY, "person"),
        ("needs_review", NOBODY, "person"),
        ("stuck", WORKING, "trouble"),
        ("blocked", NOBODY, "trouble"),
        ("done", END, "done"),
        ("cancelled", GIVEN_UP, "dropped"),
        # somebody's own
        ("brühen", WORKING, "working"),
        ("security", REVIEWING, "checking"),
        ("awaiting-approval", NOBODY, "person"),
        ("abgebrochen", GIVEN_UP, "dropped"),
        ("rejected", END, "done"),
        ("shipped", END, "done"),
        ("backlog", NOBODY, "waiting"),
        ("ask-customer", NOBODY, "asking"),
        ("tasting", NOBODY, "person"),
    ],
)
def test_state_is_styled_by_what_it_means(name: str, state: State, kind: str) -> None:
    facts = state_facts(workflow(first=State("first", agent="none"), **{name: state}), name)
    assert kind_of(facts) == kind


def test_the_first_state_waits_whatever_it_is_called() -> None:
    assert kind_of(state_facts(workflow(beans=State("beans", agent="none")), "beans")) == "waiting"


def test_unknown_state_has_no_colour() -> None:
    assert status_style(state_facts(workflow(a=NOBODY), "b"), NO_COLOUR).kind == "unknown"
    assert status_style(state_facts(None, "working"), NO_COLOUR).style == NO_COLOUR.text


def test_marks_tell_the_kinds_apart_without_colour() -> None:
    names = {"new": NOBODY, "work": WORKING, "check": REVIEWING, "review": NOBODY, "ask": NOBODY, "stuck": NOBODY}
    ends = {"done": END, "cancelled": GIVEN_UP}
    own = workflow(**names, **ends)
    marks = [status_style(state_facts(own, name), NO_COLOUR).mark for name in own.states]
    assert len(set(marks)) == len(marks)


@steadily
@given(st.text(), st.booleans(), st.booleans(), st.sampled_from([None, "worker", "reviewer", "any"]))
def test_any_state_facts_have_a_mark_one_cell_wide(name: str, terminal: bool, initial: bool, agent: str | None) -> None:
    look = status_style(StateFacts(name, terminal, initial, agent), NO_COLOUR)
    assert len(look.mark) == 1
    assert (look.kind in {"done", "dropped"}) == terminal
