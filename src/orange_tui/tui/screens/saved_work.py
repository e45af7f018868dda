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
from orange_tui.tui.screens.dialogs import ProceedDialog
from orange_tui.tui.workers import begin_work
from orange_tui.workspaces.saved_work import expires_on

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext
    from orange_tui.workspaces.saved_work import SavedSnapshot

_HINT = "Enter restores one to a new branch. The saved copy stays; no checkout changes."
_NOTHING = "No saved work: no workspace was released with work that is on no branch."


class SavedWorkScreen(ModalScreen[None]):
    """All saved work, the latest first; the cursor is on that of the selected task."""

    BINDINGS = [("escape", "dismiss", "Back"), ("q", "dismiss", "Back")]  # noqa: RUF012 - Textual's own way

    def __init__(self, shared: AppContext, selected: TaskRef | None) -> None:
        super().__init__()
        self._shared, self._selected = shared, selected
        self._saved: list[SavedSnapshot] = []

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Label("Saved work", classes="title")
            yield Static("Reading …", id="hint", classes="hint", markup=False)
            yield OptionList(id="pieces", compact=True)

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()
        begin_work(self, self._load, exclusive=True, exit_on_error=True)

    async def _load(self) -> None:
        self._saved = await asyncio.to_thread(self._shared.orange.saved_work.snapshots, self._shared.project)
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(Text(saved_line(saved), no_wrap=True)) for saved in self._saved])
        self.query_one("#hint", Static).update(_HINT if self._saved else _NOTHING)
        own = (place for place, saved in enumerate(self._saved) if saved.ref == self._selected)
        options.highlighted = next(own, 0) if self._saved else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        saved = self._saved[event.option_index]
        branch = f"orange-restored/{saved.ref.id}-{saved.number}"

        def restore(yes: bool | None) -> None:
            if yes:
                self._shared.work.start(saved.ref, "Restoring", lambda _report: work())
                self.dismiss()

        def work() -> str:
            orange = self._shared.orange
            project = orange.projects.get(saved.ref.project)
            made = orange.saved_work.restore(project, saved.ref.id, saved.number, branch)
            return f"Restored to branch {made} in {project.path}."

        what = f"Branch {branch} is created in {saved.repository} with snapshot {saved.number} of {saved_name(saved)},"
        what += f" saved {saved_at(saved)}. Nothing can be lost: no checkout changes, and the saved copy stays."
        self.app.push_screen(
            ProceedDialog(f"Restore the saved work of {saved_name(saved)}?", printable(what), "Restore"), restore
        )


def saved_name(saved: SavedSnapshot) -> str:
    """What people knew the task by."""
    known = saved.task or saved.deleted
    return known.branch if known is not None else f"task {saved.ref.id}"


def saved_at(saved: SavedSnapshot) -> str:
    """When it was written, to the minute."""
    return saved.when[:16].replace("T", " ")


def saved_line(saved: SavedSnapshot) -> str:
    """Saved work in one line: when, whose, which, and how long it will be there."""
    known = saved.task or saved.deleted
    what = f" · {known.summary}" if known is not None and known.summary else ""
    fate = ""
    if saved.task is None:
        until = expires_on(saved.deleted) if saved.deleted is not None else None
        fate = f" · task deleted, kept until {until}" if until is not None else " · its task is gone"
    return printable(f"{saved_at(saved)}  {saved.ref.id}-{saved.number}  {saved_name(saved)}{fate}{what}")
