"""The table of the preview's tabs. A new tab is one entry here, and a function that makes its lines in a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.tui.drawing.lines import paragraph
from orange_tui.tui.tabs.session import SessionView
from orange_tui.tui.tabs.task_page import task_lines
from orange_tui.tui.widgets.preview import PreviewTab

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.strip import Strip

    from orange_tui.board.rows import TaskRow
    from orange_tui.orange import Orange
    from orange_tui.tui.drawing.palette import Palette
    from orange_tui.tui.widgets.preview import Lines

    TabLines = Callable[[Orange, TaskRow, int, Palette], Sequence[Strip]]


def preview_tabs(orange: Orange) -> tuple[PreviewTab, ...]:
    """All tabs, in the order in which they are shown."""
    session = SessionView()
    return (
        PreviewTab("Task", _safely(orange, task_lines)),
        PreviewTab(
            "Session",
            _safely(orange, session.lines),
            whole=_safely(orange, session.whole_lines),
            use_size=session.use_size,
        ),
        PreviewTab("Diff", _safely(orange, diff_lines), title_for=_diff_title),
        PreviewTab("History", _safely(orange, history_lines)),
    )


def _safely(orange: Orange, lines: TabLines) -> Lines:
    """The lines of a tab; whatever is wrong with it is what there is to see then."""

    def read(row: TaskRow, width: int, palette: Palette) -> Sequence[Strip]:
        try:
            return lines(orange, row, width, palette)
        except OrangeError as problem:
            return paragraph(str(problem), palette.bad, width)
        except Exception as problem:  # noqa: BLE001 - the preview of one task must not stop the others
            orange.log.write("error", f"{row.ref.id} can't be shown: {problem!r}", task=row.ref.id)
            return paragraph(f"Can't be shown: {problem!r}. See `orange log`.", palette.bad, width)

    return read


def _diff_title(row: TaskRow) -> str:
    lines = f" +{row.stats.added} −{row.stats.removed}" if row.stats is not None else ""
    waiting = f" · {row.threads_open} open" if row.threads_open else ""
    return f"Diff{lines}{waiting}{f' · {row.drafts} drafts' if row.drafts > 1 else ' · 1 draft' if row.drafts else ''}"


def diff_lines(orange: Orange, row: TaskRow, width: int, palette: Palette) -> Sequence[Strip]:
    """What the branch changes, against the default branch."""
    from orange_tui.branches.task_diff import TaskDiffs
    from orange_tui.domain.review.diff import parse_diff
    from orange_tui.tui.drawing.diff_view import DiffLines

    if row.task is None:
        return []
    diffs = TaskDiffs(orange.projects, orange.store, orange.pool)
    try:
        files = parse_diff(diffs.read(row.ref, row.task, finished=row.finished))
    except OrangeError as problem:
        return paragraph(str(problem), palette.dim, width)
    return DiffLines(files, palette) if files else paragraph("No changes yet.", palette.dim, width)


def history_lines(orange: Orange, row: TaskRow, width: int, palette: Palette) -> list[Strip]:
    """What happened to the task, newest first."""
    from orange_tui.tui.drawing.history import render_history

    return list(render_history(orange.store.journal(row.ref).events(), width, palette))
