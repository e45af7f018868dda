"""Help: every key with what it does, why it can't be used where it can't, and what the symbols mean."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from rich.cells import cell_len

from orange_tui.sessions.attaching import BACK_KEY
from orange_tui.tui.drawing.cells import KEY_CELLS, fit, key_entry
from orange_tui.tui.drawing.labels import LEGEND
from orange_tui.tui.drawing.lines import strip_of, width_of
from orange_tui.tui.listing.columns import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.style import Style
    from textual.strip import Strip

    from orange_tui.tui.commands.context import CommandContext, KeyCommand
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

_MOVING = (
    ("j k ↑ ↓", "Up and down"),
    ("g G", "First and last"),
    ("ctrl+d/u", "A page of the list"),
    ("⇧↓ ⇧↑", "Scroll the preview by a line, in every tab; so do ctrl+e and ctrl+y"),
    ("pgup/dn", "Scroll the preview by a page; where it is not in sight, the list"),
    ("→ ←", "Preview or list, on a narrow screen; on a wide one, both or the list alone"),
    ("0 1…9", "All projects, or only the first … ninth of them"),
    ("⇧⇥", "Previous tab of the preview"),
    ("ctrl+p", "Commands, tasks and themes by name"),
    ("esc", "Back; end the search; unmark all"),
    ("mouse", "Drag over text to select it, in the preview, pages and dialogs; ctrl+c copies it"),
)
_TWO_COLUMNS = 110
_KEYS = 9  # of projects
_NO_KEY = " (`keys` in config.yml has given its key to another; ctrl+p finds it)"


def moving(back_key: str) -> tuple[tuple[str, str], ...]:
    """The keys that are no commands; the last one is what config.yml says."""
    return (*_MOVING, (back_key, "At an agent that you are attached to: back to Orange (`back_key` in config.yml)"))


def help_lines(commands: Sequence[KeyCommand], context: CommandContext, width: int, palette: Palette) -> list[Strip]:
    """Everything there is to know, in two columns where there is room."""
    if width < _TWO_COLUMNS:
        sections = [list(_task_keys(commands, context, width, palette)), *_others(commands, context, width, palette)]
        return [strip_of(line) for line in _one_below_the_other(sections)]
    half = width // 2 - 2
    left = list(_task_keys(commands, context, half, palette))
    right = _others(commands, context, half, palette)
    while len(left) + len(right[-1]) < len(_one_below_the_other(right)):  # so that less has to be scrolled
        left = _one_below_the_other([left, right.pop()])
    nothing: list[Run] = []
    return [
        strip_of([*one, (" " * (half + 4 - width_of(one)), palette.text), *other])
        for one, other in zip_longest(left, _one_below_the_other(right), fillvalue=nothing)
    ]


def _one_below_the_other(sections: Sequence[list[list[Run]]]) -> list[list[Run]]:
    """All lines, with an empty one between two sections."""
    first, *others = sections
    return [*first, *(line for section in others for line in ([], *section))]


def _task_keys(
    commands: Sequence[KeyCommand], context: CommandContext, width: int, palette: Palette
) -> Iterator[list[Run]]:
    row = context.selected
    name = row.task.branch if row is not None and row.task is not None else "the selected task"
    yield [(fit(f"For {name}", width).rstrip(), palette.heading)]
    for command in commands:
        if command.why_not is not None and command.key:
            reason = command.why_unavailable(context) if row is not None else None
            style = palette.dim if reason else palette.text
            yield from _entry(command, context, style, width, palette)
            if reason:
                yield from key_entry("", reason, palette.warning, width, palette)


def _entry(
    command: KeyCommand, context: CommandContext, style: Style, width: int, palette: Palette
) -> Iterator[list[Run]]:
    """A command with its key; one that has lost it to another is found in the palette."""
    key = command.shown_key(context.shared.key_overrides)
    yield from key_entry(key or "no key", f"{command.help}{'' if key else _NO_KEY}", style, width, palette)


def _projects(context: CommandContext) -> list[tuple[str, str]]:
    """Which key shows which project."""
    projects = context.snapshot.projects if context.snapshot is not None else ()
    return [("0", "All projects"), *((str(place), each.name) for place, each in enumerate(projects[:_KEYS], start=1))]


def _others(
    commands: Sequence[KeyCommand], context: CommandContext, width: int, palette: Palette
) -> list[list[list[Run]]]:
    """The lines of each section that is about no task."""
    anywhere: list[list[Run]] = [[("Anywhere", palette.heading)]]
    for command in commands:
        if command.why_not is None and command.key:
            anywhere += _entry(command, context, palette.text, width, palette)
    columns, settings = [(column.title, column.meaning) for column in COLUMNS], context.shared.choices.settings
    sections = (
        ("Moving", moving(settings.text("back_key") if settings is not None else BACK_KEY)),
        ("Symbols", LEGEND),
        ("Projects", _projects(context)),
        ("Columns", columns),
    )
    return [anywhere, *(_section(title, entries, width, palette) for title, entries in sections)]


def _section(title: str, entries: Sequence[tuple[str, str]], width: int, palette: Palette) -> list[list[Run]]:
    lines: list[list[Run]] = [[(title, palette.heading)]]
    key_width = max(KEY_CELLS, *(cell_len(key) + 3 for key, _ in entries))
    for key, what in entries:
        lines += key_entry(key, what, palette.text, width, palette, key_width)
    return lines
