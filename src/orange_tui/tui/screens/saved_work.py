"""Saved work: what was on no branch when a workspace was given back, and the way back onto one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from orange_tui.domain.task import printable
from orange_tui.tui.screens.dialogs import ConfirmDialog
from orange_tui.workspaces.saved_work import expires_on

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext
    from orange_tui.workspaces.saved_work import SavedSnapshot

_HINT = "Enter restores one to a new branch. The saved copy stays; no checkout changes."
_NOTHING = "No saved work: no workspace was released with work that is on no branch."


class SavedWorkScreen(ModalScreen[None]):
    """Every piece, the latest first; those of the selected task are where the cursor is."""

    BINDINGS = [("escape", "dismiss", "Back"), ("q", "dismiss", "Back")]  # noqa: RUF012 - Textual's own way

    def __init__(self, shared: AppContext, selected: TaskRef | None) -> None:
        super().__init__()
        self._shared, self._selected = shared, selected
        self._pieces: list[SavedSnapshot] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Label("Saved work", classes="title")
            yield Static("Reading …", id="hint", classes="hint", markup=False)
            yield OptionList(id="pieces", compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        self.run_worker(self._load(), exclusive=True)

    async def _load(self) -> None:
        self._pieces = await asyncio.to_thread(self._shared.orange.saved_work.snapshots, self._shared.project)
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(Text(line_of(piece), no_wrap=True)) for piece in self._pieces])
        self.query_one("#hint", Static).update(_HINT if self._pieces else _NOTHING)
        own = (place for place, piece in enumerate(self._pieces) if piece.ref == self._selected)
        options.highlighted = next(own, 0) if self._pieces else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        piece = self._pieces[event.option_index]
        branch = f"orange-restored/{piece.ref.id}-{piece.number}"

        def restore(yes: bool | None) -> None:
            if yes:
                self._shared.work.start(piece.ref, "Restoring", lambda _report: work())
                self.dismiss()

        def work() -> str:
            orange = self._shared.orange
            project = orange.projects.get(piece.ref.project)
            made = orange.saved_work.restore(project, piece.ref.id, piece.number, branch)
            return f"Restored to branch {made} in {project.path}."

        what = f"Branch {branch} is created in {piece.repository} with snapshot {piece.number} of {name_of(piece)},"
        what += f" saved {day_of(piece)}. No checkout changes; the saved copy stays."
        self.app.push_screen(
            ConfirmDialog(f"Restore the saved work of {name_of(piece)}?", printable(what), "Restore"), restore
        )


def name_of(piece: SavedSnapshot) -> str:
    """What people knew the task by."""
    known = piece.task or piece.deleted
    return known.branch if known is not None else f"task {piece.ref.id}"


def day_of(piece: SavedSnapshot) -> str:
    """When it was written, to the minute."""
    return piece.when[:16].replace("T", " ")


def line_of(piece: SavedSnapshot) -> str:
    """A piece in one line: when, whose, which, and how long it will be there."""
    known = piece.task or piece.deleted
    what = f" · {known.summary}" if known is not None and known.summary else ""
    fate = ""
    if piece.task is None:
        until = expires_on(piece.deleted) if piece.deleted is not None else None
        fate = f" · task deleted, kept until {until}" if until is not None else " · its task is gone"
    return printable(f"{day_of(piece)}  {piece.ref.id}-{piece.number}  {name_of(piece)}{fate}{what}")
