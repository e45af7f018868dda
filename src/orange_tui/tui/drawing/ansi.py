"""An agent's screen, as `tmux capture-pane -p -e` prints it, as lines for a Line-API view.

Of all escape sequences only those that set colours and attributes are understood; whatever else is in a pane is
dropped. Two things of tmux's way to print are worth knowing: colours set in one line go on in the next, so a line's
look depends on the pen it begins with; and line drawing may come as letters between SO and SI.

It is called five times a second, so it does nothing twice: the same frame gives the same list, and a line that was
seen before with the same pen comes from a cache.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_OTHER_ESCAPES = re.compile(
    r"\x1b(?!\[[0-9;:]*m)(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # control sequences
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links, images: up to where they end, or the end of the line
    r"|[ -/]*[0-~])?",  # character sets and the like
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SHIFT = re.compile(r"[\x0e\x0f]")
_LINE_DRAWING = str.maketrans("`afgjklmnopqrstuvwxyz{|}~", "◆▒°±┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")
_TAB_CELLS = 8
_CACHED_LINES, _CACHED_PENS = 2_000, 8_000

_UNCHANGED, _DEFAULT_COLOUR = -2, -1  # no colour of its own: what was there before, and the terminal's own
_TRUE_COLOUR, _BYTE, _LONGEST_NUMBER = 1 << 24, 0xFF, 3
_NAMES = ("bold", "dim", "italic", "underline", "reverse", "strike")
_BOLD, _DIM, _ITALIC, _UNDERLINE, _REVERSE, _STRIKE = (1 << bit for bit in range(len(_NAMES)))
_SET_CODES = {1: _BOLD, 2: _DIM, 3: _ITALIC, 4: _UNDERLINE, 7: _REVERSE, 9: _STRIKE, 21: _UNDERLINE}
_RESET_CODES = {22: _BOLD | _DIM, 23: _ITALIC, 24: _UNDERLINE, 27: _REVERSE, 29: _STRIKE}
_UNDERLINE_ON, _UNDERLINE_OFF = 4, 24
_FOREGROUND, _BACKGROUND, _UNDERLINE_COLOUR = 38, 48, 58
_SIXTEEN_COLOURS = {base + number: number + high for base, high in ((30, 0), (90, 8)) for number in range(8)}
_FOREGROUND_CODES = {39: _DEFAULT_COLOUR, **_SIXTEEN_COLOURS}
_BACKGROUND_CODES = {code + 10: colour for code, colour in _FOREGROUND_CODES.items()}


class _Mode(IntEnum):
    """How an extended colour is given."""

    RGB = 2
    INDEXED = 5


_ARGUMENTS: dict[int, int] = {_Mode.RGB: 4, _Mode.INDEXED: 2}


class Pen(NamedTuple):
    """What the next character will look like, and whether letters stand for line drawing.

    All numbers, for pens are looked up for every piece of a line: a colour is its place among the 256, or `_TRUE`
    and its red, green and blue; an attribute is a bit.
    """

    fg: int = _DEFAULT_COLOUR
    bg: int = _DEFAULT_COLOUR
    attributes: int = 0
    draws: bool = False


class SgrEffect(NamedTuple):
    """What one colour sequence does to any pen: worked out once, however many pens it meets."""

    fg: int = _UNCHANGED
    bg: int = _UNCHANGED
    mask: int = -1
    set_bits: int = 0


class PaneScreen:
    """The lines of one pane. Cropping to a width or height is for the view."""

    def __init__(self) -> None:
        self._frame: str | None = None
        self._strips: list[Strip] = []
        self._line = lru_cache(maxsize=_CACHED_LINES)(_parse_line)

    def render(self, frame: str) -> list[Strip]:
        """The lines of a frame; the same list as before when nothing has changed."""
        if frame != self._frame:
            pen, strips = Pen(), []
            for line in frame.removesuffix("\n").split("\n"):
                strip, pen = self._line(line, pen)
                strips.append(strip)
            self._frame, self._strips = frame, strips
        return self._strips


def _parse_line(line: str, pen: Pen) -> tuple[Strip, Pen]:
    """One line, and the pen the next begins with."""
    parts = _SGR.split(line)
    if line.count("\x1b") != len(parts) // 2:
        parts = _SGR.split(_OTHER_ESCAPES.sub("", line))
    if pen.draws or not all(map(str.isprintable, parts[::2])):
        return _parse_line_with_controls(parts, pen)
    fg, bg, attributes, _ = pen
    segments = [Segment(parts[0], style_of(fg, bg, attributes))] if parts[0] else []
    for codes, text in zip(parts[1::2], parts[2::2], strict=True):  # as `after` does: a frame may have thousands
        new_fg, new_bg, mask, set_bits = _parse_sgr(codes)
        fg, bg = fg if new_fg == _UNCHANGED else new_fg, bg if new_bg == _UNCHANGED else new_bg
        attributes = attributes & mask | set_bits
        if text:
            segments.append(Segment(text, style_of(fg, bg, attributes)))
    return Strip(segments), Pen(fg, bg, attributes)


def _parse_line_with_controls(parts: list[str], pen: Pen) -> tuple[Strip, Pen]:
    """The same for a line with controls in it: tabs become blanks, shifts change the alphabet, the rest is dropped."""
    segments, column = [], 0
    for index, part in enumerate(parts):
        if index % 2:
            pen = apply_sgr(pen, part)
            continue
        text, pen = _apply_shifts(part, pen)
        text = _without_controls(text, column)
        column += cell_len(text)
        if text:
            segments.append(Segment(text, style_of(*pen[:3])))
    return Strip(segments), pen


def _apply_shifts(text: str, pen: Pen) -> tuple[str, Pen]:
    """Text with line drawing as it is meant; after SO letters draw, after SI they are letters again."""
    pieces, start, draws = [], 0, pen.draws
    for found in _SHIFT.finditer(text):
        pieces.append(_as_line_drawing(text[start : found.start()], draws=draws))
        start, draws = found.end(), found[0] == "\x0e"
    pieces.append(_as_line_drawing(text[start:], draws=draws))
    return "".join(pieces), pen._replace(draws=draws)


def _as_line_drawing(text: str, *, draws: bool) -> str:
    return text.translate(_LINE_DRAWING) if draws else text


def _without_controls(text: str, column: int) -> str:
    pieces = []
    for piece in text.split("\t"):
        clean = _CONTROLS.sub("", piece)
        column += cell_len(clean)
        blanks = _TAB_CELLS - column % _TAB_CELLS
        column += blanks
        pieces += [clean, " " * blanks]
    return "".join(pieces[:-1])


def apply_sgr(pen: Pen, codes: str) -> Pen:
    """The pen after one colour sequence."""
    fg, bg, mask, set_bits = _parse_sgr(codes)
    return Pen(
        pen[0] if fg == _UNCHANGED else fg,
        pen[1] if bg == _UNCHANGED else bg,
        pen[2] & mask | set_bits,
        pen[3],
    )


@lru_cache(maxsize=_CACHED_PENS)
def style_of(fg: int, bg: int, attributes: int) -> Style:
    """The style a pen writes in."""
    style = Style.from_color(_colour(fg), _colour(bg))
    return style + _attribute_style(attributes) if attributes else style


@lru_cache(maxsize=1 << len(_NAMES))
def _attribute_style(attributes: int) -> Style:
    return Style.parse(" ".join(name for bit, name in enumerate(_NAMES) if attributes >> bit & 1))


@lru_cache(maxsize=_CACHED_PENS)
def _colour(number: int) -> Color | None:
    if number < _TRUE_COLOUR:
        return None if number == _DEFAULT_COLOUR else Color.from_ansi(number)
    return Color.from_rgb(number >> 16 & _BYTE, number >> 8 & _BYTE, number & _BYTE)


@lru_cache(maxsize=_CACHED_PENS)
def _parse_sgr(codes: str) -> SgrEffect:
    """What a sequence does; codes that are not known do nothing."""
    numbers, effect = _parse_codes(codes), SgrEffect()
    while numbers:
        code = numbers.pop(0)
        if isinstance(code, list):
            effect = _apply_extended_code(effect, code)
        elif code in {_FOREGROUND, _BACKGROUND, _UNDERLINE_COLOUR}:
            effect = _apply_extended_code(effect, [code, *_colour_arguments(numbers)])
        else:
            effect = _apply_code(effect, code)
    return effect


def _parse_codes(codes: str) -> list[int | list[int]]:
    """`1;38:2::1:2:3` is 1 and a group; a number left out is 0, and one out of all proportion is none."""
    parts = codes.split(";")
    if ":" not in codes:
        return [_parse_number(part) for part in parts]
    return [[_parse_number(word) for word in part.split(":")] if ":" in part else _parse_number(part) for part in parts]


def _parse_number(word: str) -> int:
    return int(word or 0) if len(word) <= _LONGEST_NUMBER else _DEFAULT_COLOUR


def _colour_arguments(numbers: list[int | list[int]]) -> list[int]:
    """The numbers that belong to an extended colour, taken from those that follow it; in no known mode, all do."""
    mode = numbers[0] if numbers else None
    count = _ARGUMENTS.get(mode, len(numbers)) if isinstance(mode, int) else 0
    taken = [each for each in numbers[:count] if isinstance(each, int)]
    del numbers[:count]
    return taken


def _apply_extended_code(effect: SgrEffect, group: list[int]) -> SgrEffect:
    code, *values = group
    if code == _UNDERLINE_ON:  # in some style; 4:0 ends it
        return _apply_code(effect, _UNDERLINE_ON if values[0] else _UNDERLINE_OFF)
    colour = _parse_colour(values)
    if colour is None or code not in {_FOREGROUND, _BACKGROUND}:
        return effect
    return effect._replace(fg=colour) if code == _FOREGROUND else effect._replace(bg=colour)


def _parse_colour(values: list[int]) -> int | None:
    """A colour of 256, or of all; between the mode and the three numbers a colour space may stand."""
    if not all(0 <= value <= _BYTE for value in values):
        return None
    match values:
        case [_Mode.INDEXED, number, *_]:
            return number
        case [_Mode.RGB, red, green, blue] | [_Mode.RGB, _, red, green, blue, *_]:
            return _TRUE_COLOUR | red << 16 | green << 8 | blue
    return None


def _apply_code(effect: SgrEffect, code: int) -> SgrEffect:
    if code == 0:
        return SgrEffect(_DEFAULT_COLOUR, _DEFAULT_COLOUR, 0, 0)
    if code in _SET_CODES:
        return effect._replace(set_bits=effect.set_bits | _SET_CODES[code])
    if code in _RESET_CODES:
        return effect._replace(mask=effect.mask & ~_RESET_CODES[code], set_bits=effect.set_bits & ~_RESET_CODES[code])
    if code in _FOREGROUND_CODES:
        return effect._replace(fg=_FOREGROUND_CODES[code])
    return effect._replace(bg=_BACKGROUND_CODES[code]) if code in _BACKGROUND_CODES else effect
