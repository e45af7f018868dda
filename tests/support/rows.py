"""Rows of a board, made without one: for tests of what is done with them."""

from __future__ import annotations

from typing import Any

from orange_tui.board.needs import Need
from orange_tui.board.rows import TaskRow
from orange_tui.domain.records import replace
from orange_tui.domain.task import make_task
from orange_tui.store.store import TaskRef


def row(name: str, *, needs: str = "", session: str = "none", finished: bool = False, **more: Any) -> TaskRow:
    """A task; `needs` is since when it does."""
    project, since = more.pop("project", "coffee"), more.pop("since", "")
    task = make_task({"id": name, "project": project, "branch": name, "status": "working", **more})
    order = (0 if finished else 1, "", project, name)
    ref, need = TaskRef(project, name), Need("Look", "attention") if needs else None
    made = TaskRow(ref, task, None, session, None, need, None, finished, None, None, order)
    return replace(made, since=since, needs_since=needs)
