"""The page of a task's workflow: its picture, and what is wrong with it and with the others, with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import printable
from orange_tui.tui.drawing.labels import shorten_home
from orange_tui.tui.drawing.lines import strip_of, wrap
from orange_tui.tui.drawing.workflow_map import workflow_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.strip import Strip

    from orange_tui.domain.task import Task
    from orange_tui.home.workflows import Workflows
    from orange_tui.tui.drawing.palette import Palette

_NARROWEST = 60
_HANG = 4


def workflow_lines(
    workflows: Workflows, here: Task, tasks: Sequence[Task], width: int, palette: Palette
) -> list[Strip]:
    """The workflow of a task, as it is on disk: what is wrong with it first, then its picture where it has one."""
    name, width = here.workflow, max(_NARROWEST, width)
    problems = list(check_lines(workflows, [name], width, palette, says_good=False))
    try:
        picture = workflow_map(workflows.load(name), tasks, here, width, palette)
    except OrangeError:
        picture = []
        problems.append(strip_of([("Its tasks wait until that is mended; all others go on.", palette.dim)]))
    others = [other for other in workflows.names() if other != name]
    found = list(check_lines(workflows, others, width, palette, says_good=False))
    if found and picture:
        problems.append(strip_of([("Another workflow has mistakes: see the end of this page.", palette.warning)]))
    return [*_spaced(problems), *picture, *_below("Other workflows", found, palette)]


def check_lines(
    workflows: Workflows, names: Sequence[str], width: int, palette: Palette, *, says_good: bool = True
) -> Iterator[Strip]:
    """What `orange workflow check` says of each."""
    for name in names:
        try:
            found = workflows.check(name)
            problems, warnings = list(map(str, found.problems)), list(map(str, found.warnings))
        except OrangeError as problem:
            problems, warnings = [str(problem)], []
        if says_good and not problems:
            yield strip_of([("✓ ", palette.good), (printable(name), palette.text)])
        for mark, style, sentences in (("✗ ", palette.bad, problems), ("! ", palette.warning, warnings)):
            for sentence in sentences:
                shown = shorten_home(printable(sentence))
                for number, line in enumerate(wrap([(shown, palette.text)], width - _HANG)):
                    yield strip_of([(mark if number == 0 else "  ", style), *line])


def _spaced(lines: Sequence[Strip]) -> list[Strip]:
    return [*lines, strip_of([])] if lines else []


def _below(title: str, lines: Sequence[Strip], palette: Palette) -> list[Strip]:
    return [strip_of([]), strip_of([(title, palette.heading)]), *lines] if lines else []
