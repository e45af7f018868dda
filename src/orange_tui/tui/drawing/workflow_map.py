"""A workflow as a map: which way a task goes, how many stand where, and where the one under the cursor is.

The ways in detail are the picture that `orange workflow show` prints; here it gets the colours of its states.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from orange_tui.presentation.workflow_path import forward_path
from orange_tui.presentation.workflow_picture import picture
from orange_tui.tui.drawing.cells import fit, fit_right
from orange_tui.tui.drawing.lines import strip_of
from orange_tui.tui.drawing.palette import state_facts, status_style

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.style import Style
    from textual.strip import Strip

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.tui.drawing.lines import Run
    from orange_tui.tui.drawing.palette import Palette

_STATE = re.compile(r"^(?:([■●○]) |  ([├└]─▶) )(\S+)(.*)$")
_LEAST_NAMES = 12


def workflow_map(
    workflow: Workflow, tasks: Sequence[Task], here: Task | None, width: int, palette: Palette
) -> list[Strip]:
    """The states with their tasks, the forward path first, then every move."""
    mine = [task for task in tasks if task.workflow == workflow.name]
    return [
        *_where_tasks_are(workflow, mine, here, width, palette),
        strip_of([]),
        *(_in_colour(line, workflow, palette) for line in picture(workflow, width).splitlines()),
    ]


def _where_tasks_are(
    workflow: Workflow, tasks: Sequence[Task], here: Task | None, width: int, palette: Palette
) -> Iterator[Strip]:
    path = forward_path(workflow)
    others = [name for name in workflow.states if name not in path]
    column = max(map(len, workflow.states)) + 1
    for number, name in enumerate([*path, *others]):
        if number == len(path):
            yield strip_of([("  Other states", palette.dim)])
        yield strip_of(_state(workflow, name, tasks, here, column, width, palette))
        if number < len(path) - 1:
            yield strip_of([("  │", palette.dim)])


def _state(  # noqa: PLR0913, PLR0917 - one line's facts
    workflow: Workflow,
    name: str,
    tasks: Sequence[Task],
    here: Task | None,
    column: int,
    width: int,
    palette: Palette,
) -> list[Run]:
    is_here = here is not None and here.status == name and here.workflow == workflow.name
    there = [task.branch for task in tasks if task.status == name and not (is_here and task.id == here.id)]  # type: ignore[union-attr]
    count = len(there) + is_here
    status = status_style(state_facts(workflow, name), palette)
    runs: list[Run] = [
        ("▌ " if is_here else "  ", palette.accent),
        (f"{status.mark} ", status.style),
        (fit(name, column), status.style),
        (fit_right(str(count) if count else "·", 6), palette.text if count else palette.dim),
        ("  ", palette.text),
    ]
    room = width - column - 12
    if is_here and here is not None:
        named = f"{here.branch} is here" + (", with " if there else "")
        runs.append((fit(named, min(room, len(named))), palette.accent))
        room -= len(named)
    if there and room > _LEAST_NAMES:
        runs.append((fit(", ".join(there), room).rstrip(), palette.dim))
    return runs


def _in_colour(line: str, workflow: Workflow, palette: Palette) -> Strip:
    """A line of the picture: headings stand out, and a state has the colour it has everywhere."""
    if line.startswith("──"):
        return strip_of([(line, palette.heading)])
    found = _STATE.match(line)
    if found is None or found[3] not in workflow.states:
        return strip_of([(line, palette.dim if line.startswith("  │") else palette.text)])
    lead = f"{found[1]} " if found[1] else f"  {found[2]} "
    style: Style = status_style(state_facts(workflow, found[3]), palette).style
    return strip_of([(lead, style if found[1] else palette.dim), (found[3], style), (found[4], palette.text)])
