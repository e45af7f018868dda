"""The few colours and attributes everything is drawn with, taken from whichever Textual theme is on.

A style here is a foreground and attributes; the widget's own background shines through. Only changed lines of a
diff have a background, and only where the theme says what the background behind it is. Nothing is told by colour
alone: what has a colour also has a mark, a sign or an attribute, so the palette without colour loses no meaning.

What colour a status has follows from facts any workflow states, not from a list of names: see `kind_of`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from rich.style import Style
from textual.color import Color

from orange_tui.domain.records import record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.theme import Theme

    from orange_tui.domain.workflow import Workflow

_PLAIN, _BOLD, _DIM = Style(), Style(bold=True), Style(dim=True)
_ITALIC, _STRIKE, _UNDERLINE = Style(italic=True), Style(strike=True), Style(underline=True)
_TITLE = _BOLD + _UNDERLINE
_LINE_SHARE, _WORDS_SHARE = 0.14, 0.38  # of a colour behind a changed line, and behind what has changed in it
_DIM_SHARES = [percent / 100 for percent in range(60, 100)]  # of the foreground; the first that can be read is taken
_LINEAR_UNTIL = 0.04045  # how dark a part of a colour is below which light grows with it evenly (sRGB)
READABLE = 4.5  # the least contrast of a text with what is behind it, as WCAG has it for small text (AA)


@record
class Palette:
    """Styles by what they mean. Without arguments: attributes only, for NO_COLOR."""

    text: Style = _PLAIN
    dim: Style = _DIM
    accent: Style = _BOLD
    title: Style = _TITLE
    heading: Style = _BOLD
    strong: Style = _BOLD
    emphasis: Style = _ITALIC
    strike: Style = _STRIKE
    code: Style = _BOLD
    link: Style = _UNDERLINE
    key: Style = _BOLD
    good: Style = _PLAIN
    warning: Style = _BOLD
    bad: Style = _BOLD
    info: Style = _PLAIN
    other: Style = _PLAIN
    added: Style = _PLAIN
    removed: Style = _DIM
    added_line: Style = _PLAIN
    removed_line: Style = _PLAIN
    added_words: Style = _UNDERLINE
    removed_words: Style = _UNDERLINE
    selected: Style = _BOLD  # the line under the cursor, besides its bar
    syntax: Mapping[tuple[str, ...], Style] | None = None  # by kind of token, as pygments names them


NO_COLOUR = Palette()


def palette_of(theme: Theme, *, colour: bool = True) -> Palette:
    """The palette for a theme; `colour` is off when the person set NO_COLOR (`App.no_color`)."""
    if not colour:
        return NO_COLOUR
    named = theme.to_color_system().generate()
    return _in_terminal_colours(named) if theme.ansi else _in_true_colour(named)


def _in_true_colour(named: dict[str, str]) -> Palette:
    background, foreground = Color.parse(named["background"]), Color.parse(named["foreground"])
    ink = {name: _readable(named, name) for name in ("accent", "success", "warning", "error")}

    def behind(name: str, share: float) -> Color:
        return background.blend(Color.parse(named[name]), share)

    lines = {name: behind(name, _LINE_SHARE) for name in ("success", "error")}
    words = {name: behind(name, _WORDS_SHARE) for name in lines}
    places = [*(Color.parse(named[name]) for name in ("background", "surface", "panel")), *lines.values()]
    shades = (background.blend(foreground, share) for share in _DIM_SHARES)
    dim = next((each for each in shades if all(contrast(each, place) >= READABLE for place in places)), foreground)
    return _coloured(
        {**ink, **_for_agents(named)},
        Style(color=dim.rich_color),
        added_line=Style(bgcolor=lines["success"].rich_color),
        removed_line=Style(bgcolor=lines["error"].rich_color),
        added_words=Style(color=foreground.rich_color, bgcolor=words["success"].rich_color),
        removed_words=Style(color=foreground.rich_color, bgcolor=words["error"].rich_color),
        selected=Style(bgcolor=Color.parse(named["panel"]).rich_color),
    )


def contrast(one: Color, other: Color) -> float:
    """How well one colour can be read on another: from 1, not at all, to 21, black on white (WCAG 2)."""
    darker, lighter = sorted(_luminance(color) for color in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    """How much light a colour gives, from 0 to 1, as eyes weigh it."""
    linear = [part / 12.92 if part <= _LINEAR_UNTIL else ((part + 0.055) / 1.055) ** 2.4 for part in color.normalized]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _for_agents(named: dict[str, str]) -> dict[str, Style]:
    """Two colours for agents at work. A theme whose main colour is its accent lends its second, and a mixture.

    The accent is kept for what is selected and what needs the person.
    """
    second = _readable(named, "secondary")
    if named["primary"] != named["accent"]:
        return {"info": _readable(named, "primary"), "other": second}
    mixed = Color.parse(_shade(named, "secondary")).blend(Color.parse(_shade(named, "error")), 0.5)
    return {"info": second, "other": Style(color=mixed.rich_color)}


def _readable(named: dict[str, str], name: str) -> Style:
    """The shade of a theme's colour that is made to be read on its background."""
    return Style(color=Color.parse(_shade(named, name)).rich_color)


def _shade(named: dict[str, str], name: str) -> str:
    return named.get(f"text-{name}", named[name])


def _in_terminal_colours(named: dict[str, str]) -> Palette:
    """The terminal's own sixteen; its yellow is the nearest it has to orange."""
    ink = {name: _readable(named, name) for name in ("success", "warning", "error")}
    own = {"accent": ink["warning"], "info": _readable(named, "primary"), "other": _readable(named, "secondary")}
    return _coloured(
        {**ink, **own},
        _DIM,
        added_line=_PLAIN,
        removed_line=_PLAIN,
        added_words=_TITLE,
        removed_words=_TITLE,
        selected=_BOLD,  # a background of our own might not go with the terminal's
    )


def _coloured(  # noqa: PLR0913 - one for each that differs between the two kinds of theme
    ink: dict[str, Style],
    dim: Style,
    *,
    added_line: Style,
    removed_line: Style,
    added_words: Style,
    removed_words: Style,
    selected: Style,
) -> Palette:
    return Palette(
        dim=dim,
        accent=ink["accent"] + _BOLD,
        title=ink["accent"] + _BOLD,
        heading=_BOLD,
        code=ink["other"],
        link=ink["info"] + _UNDERLINE,
        key=ink["accent"],
        good=ink["success"],
        warning=ink["warning"],
        bad=ink["error"] + _BOLD,
        info=ink["info"],
        other=ink["other"],
        added=ink["success"],
        removed=ink["error"],
        added_line=added_line,
        removed_line=removed_line,
        added_words=added_words,
        removed_words=removed_words,
        selected=selected,
        syntax=_syntax(ink, dim),
    )


def _syntax(ink: dict[str, Style], dim: Style) -> dict[tuple[str, ...], Style]:
    """Code in the theme's own few colours, told apart by kind of token; names are left as they are."""
    return {
        ("Comment",): dim + _ITALIC,
        ("Keyword",): ink["info"],
        ("Literal", "String"): ink["success"],
        ("Literal", "Number"): ink["warning"],
        ("Name", "Function"): ink["other"] + _BOLD,
        ("Name", "Class"): ink["other"] + _BOLD,
        ("Name", "Decorator"): ink["other"],
        ("Name", "Tag"): ink["info"],
        ("Name", "Attribute"): ink["other"],
        ("Operator", "Word"): ink["info"],
        ("Generic", "Heading"): _BOLD,
    }


Kind = Literal["waiting", "working", "checking", "person", "asking", "trouble", "done", "dropped", "unknown"]

_LOOKS: dict[Kind, tuple[str, str]] = {
    "waiting": ("·", "dim"),
    "working": ("▸", "info"),
    "checking": ("◆", "other"),
    "person": ("◇", "accent"),
    "asking": ("?", "accent"),
    "trouble": ("!", "bad"),
    "done": ("✓", "good"),
    "dropped": ("-", "dim"),
    "unknown": (" ", "text"),
}
_TROUBLE = ("stuck", "block", "fail", "error", "conflict", "broken", "crash")
_ASKING = ("clarif", "question", "ask", "answer", "input", "info")
_JUDGING = ("review", "approv", "accept", "verif", "check", "qa")
_BY_MACHINE = frozenset({"agent", "agents", "ai", "auto", "bot", "machine", "self"})
_WAITING = ("pending", "todo", "backlog", "queue", "new", "wait", "ready", "hold")


@record
class StateFacts:
    """What a workflow says about a state. `agent`: worker, reviewer, any (one may come back there), or None."""

    name: str
    terminal: bool = False
    initial: bool = False
    agent: str | None = None
    known: bool = True
    goes_on: bool = False  # Orange itself moves a task on from there
    done: bool = False  # a good end


@record
class StatusStyle:
    """How a status is shown; `kind` also serves as a CSS class and a group."""

    kind: Kind
    mark: str
    style: Style


def state_facts(workflow: Workflow | None, status: str) -> StateFacts:
    """The facts about a status; a workflow that cannot be read, or does not know it, has none."""
    state = workflow.states.get(status) if workflow is not None else None
    if workflow is None or state is None:
        return StateFacts(status, known=False)
    agent = None if state.agent == "none" else state.agent or ("any" if state.respawn_prompt else None)
    goes_on = state.auto is not None or bool(state.rejoin)
    done = workflow.is_done(status)
    return StateFacts(status, state.terminal, status == workflow.first_state, agent, goes_on=goes_on, done=done)


def status_style(facts: StateFacts, palette: Palette) -> StatusStyle:
    """Mark and style of a status in any workflow."""
    kind = kind_of(facts)
    mark, name = _LOOKS[kind]
    return StatusStyle(kind, mark, getattr(palette, name))


def kind_of(facts: StateFacts) -> Kind:
    """What it means for a task to be there: who is at work, or whom it waits for.

    Facts come first. Names decide only where they say more: a state in which a worker is kept alive for the
    person who reviews is the person's.
    """
    words = re.split(r"[^a-z0-9]+", facts.name.casefold())
    if not facts.known:
        return "unknown"
    if facts.terminal:
        return "done" if facts.done else "dropped"
    return _trouble_or_question(words) or _judging(words, facts) or _by_agent(words, facts)


def _trouble_or_question(words: list[str]) -> Kind | None:
    if _any(words, _TROUBLE):
        return "trouble"
    return "asking" if _any(words, _ASKING) else None


def _judging(words: list[str], facts: StateFacts) -> Kind | None:
    if facts.agent == "reviewer":
        return "checking"
    if not _any(words, _JUDGING):
        return None
    return "checking" if facts.agent and not _BY_MACHINE.isdisjoint(words) else "person"


def _by_agent(words: list[str], facts: StateFacts) -> Kind:
    if facts.agent is not None:
        return "working"
    return "waiting" if facts.initial or facts.goes_on or _any(words, _WAITING) else "person"


def _any(words: list[str], beginnings: tuple[str, ...]) -> bool:
    return any(word.startswith(beginnings) for word in words)
