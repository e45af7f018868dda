"""How a row of the task list is drawn: its line in columns, what stands below it, and the heading above a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.segment import Segment

from orange_tui.domain.records import record
from orange_tui.tui.drawing.cells import fit, fit_right
from orange_tui.tui.drawing.labels import MARK, budget_note, shown_name, task_icon
from orange_tui.tui.listing.column_layout import MARKS
from orange_tui.tui.listing.columns import RowLook

if TYPE_CHECKING:
    from rich.style import Style

    from orange_tui.board.rows import TaskRow
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.listing.column_layout import ColumnLayout

_ICON = 2  # one of the icons is two cells wide


@record
class RowState:
    """What the list has to say of a row besides what is in it."""

    is_selected: bool
    is_marked: bool
    is_busy: bool  # something is being done to it
    guide: str = ""  # in a tree, what leads to it
    guide_below: str = ""


@record
class RowDrawing:
    """The look of all rows of a list."""

    width: int
    palette: Palette
    columns: ColumnLayout
    shows_project: bool

    def heading(self, text: str) -> list[Segment]:
        """The quiet line above a group."""
        return [Segment(fit(f"{' ' * (MARKS - 2)}{text}", self.width), self.palette.dim)]

    def first(self, row: TaskRow, state: RowState, status_style: Style) -> list[Segment]:
        """The line that every row has."""
        palette = self.palette
        icon, icon_style = task_icon(row, palette)
        marks = [
            self._bar(state),
            Segment(fit(icon, _ICON), icon_style),
            Segment(MARK if state.is_marked else " ", palette.accent),
        ]
        if row.task is None:
            name = f"{' ' * (MARKS - 2 - _ICON)}{row.ref.project}/{row.ref.id}"
            return [*marks, Segment(fit(name, self.width - 2 - _ICON), palette.bad)]
        name = shown_name(row.task, shows_project=self.shows_project)
        name_style = palette.dim if row.finished else palette.accent if row.needs else palette.text
        number = Segment(f"{fit_right(row.workspace_number or '', 2)} ", palette.dim)
        look = RowLook(row, name, name_style, status_style, palette, state.guide)
        return [*marks, number, *self.columns.line(look)]

    def second(self, row: TaskRow, state: RowState, text: str) -> list[Segment]:
        """The line below, where there is something to tell."""
        palette = self.palette
        style = palette.info if state.is_busy else palette.warning if row.needs or row.error else palette.dim
        margin, guide = " " * (MARKS - 1), state.guide_below[: self.width // 2]
        if not guide:
            return [self._bar(state), Segment(fit(margin + text.replace("\n", " "), self.width - 1), style)]
        shown = fit(text.replace("\n", " "), self.width - MARKS - len(guide))
        return [self._bar(state), Segment(margin + guide, palette.dim), Segment(shown, style)]

    def _bar(self, state: RowState) -> Segment:
        return Segment("▌" if state.is_selected else " ", self.palette.accent)


def second_line(row: TaskRow, work: str | None, *, is_selected: bool) -> str:
    """What stands below a row: what is done to it, what is wrong, why it needs the person; if selected, its summary."""
    if work is not None:
        return work
    if row.error:
        return row.error[max(0, row.error.find("TASK.md")) :]  # which one, the line above says
    summary = row.task.summary if is_selected and row.task is not None else ""
    waits = _why_it_waits(row) if is_selected else ""
    return " · ".join(text for text in (row.needs, waits, row.limit, budget_note(row), summary) if text)


def _why_it_waits(row: TaskRow) -> str:
    """What the task waits for; where that is a limit, which is said anyway, nothing."""
    if not row.waits or row.finished or (row.limit and row.limit in row.waits):
        return ""
    return row.waits[:1].upper() + row.waits[1:]
