"""The workspaces: who holds which, which are set aside and why, and keys to look, to release and to tidy up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.git_guard.look import look_at_worktree
from orange_tui.presentation.tasks import age, state_words
from orange_tui.presentation.workspaces import slot_words, workspace_statuses
from orange_tui.store.store import TaskRef
from orange_tui.tui.drawing.cells import fit, fit_end
from orange_tui.tui.drawing.labels import shorten_home
from orange_tui.tui.drawing.lines import paragraph, safe
from orange_tui.tui.manage._list_screen import ListScreen, note_lines
from orange_tui.tui.theme import palette_for
from orange_tui.workspaces.pool_file import BOUND

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.strip import Strip

    from orange_tui.presentation.workspaces import WorkspaceStatus
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.palette import Palette

_NAME, _STATE = 24, 12
_STILL_HELD = "It can't be released now: its task still has it, or a command is at work on that."
_WORDS = {"bound": "held", "quarantined": "set aside", "free": "free"}


class WorkspacesScreen(ListScreen["WorkspaceStatus"]):
    """Every workspace of the app's project, or of all; those first that somebody should look at."""

    HEADING = "Workspaces"
    EMPTY = "No workspaces yet.\n\nRegister a repository first (P): its workspaces\nare made when tasks need them."
    KEYS = (("⏎", "its task"), ("l", "look"), ("r", "release"), ("G", "release idle"), ("i", "make all"))

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("l", "look", "Look"),
        ("r", "release", "Release"),
        ("G", "collect", "Release all idle"),
        ("i", "init", "Create all"),
    ]

    def __init__(self, shared: AppContext, go_to: Callable[[TaskRef], None]) -> None:
        super().__init__(shared)
        self._go_to = go_to

    def read(self) -> Sequence[WorkspaceStatus]:
        return workspace_statuses(self.shared.orange, self.shared.project)

    def titles(self) -> str:
        return f"   {fit('WORKSPACE', _NAME)} {fit('STATE', _STATE)} TASK"

    def name_of(self, item: WorkspaceStatus) -> str:
        return item.slot.name

    def lines(self, item: WorkspaceStatus, width: int, palette: Palette) -> Text:
        slot, task = item.slot, item.task
        icon = ("! ", palette.warning) if item.is_quarantined else ("● " if slot.state == BOUND else "○ ", palette.dim)
        style = palette.text if item.is_made else palette.dim
        holder = f"{task.branch}, {state_words(task.status)}" if task is not None else slot.task or ""
        since = f" · {age(slot.since)}" if slot.state == BOUND and slot.since else ""
        first = [icon, (fit_end(slot.name, _NAME) + " ", style), (fit(_WORDS[slot.state], _STATE) + " ", style)]
        lines = Text.assemble(*first, (fit(f"{holder}{since}", width - _NAME - _STATE - 4), style))
        if item.is_quarantined:
            lines.append_text(note_lines(slot.reason or "nobody knows why", palette.warning, width, "! "))
        if item.advice:
            lines.append_text(note_lines(item.advice, palette.dim, width))
        return lines

    # ── keys ──

    def on_option_list_option_selected(self) -> None:
        found = self.chosen
        if found is None or found.task is None:
            self.notify("No task holds it.", markup=False)
            return
        self.dismiss()
        self._go_to(TaskRef(found.slot.project, found.task.id))

    def action_look(self) -> None:
        from orange_tui.tui.screens.page import Page

        found = self.chosen
        if found is not None:
            palette = palette_for(self.app)
            self.app.push_screen(Page(found.slot.name, lambda width: self._look(found, width, palette)))

    def _look(self, found: WorkspaceStatus, width: int, palette: Palette) -> list[Strip]:
        slot = found.slot
        ports = f"Ports: {', '.join(map(str, slot.ports))}." if slot.ports else ""
        about = [shorten_home(slot.path), slot_words(slot).capitalize() + ".", found.advice, ports]
        lines = [line for text in about if text for line in paragraph(text, palette.text, width)]
        git = self._git_status(found) if found.is_made else "It is not created yet."
        return [*lines, *paragraph("", palette.text, width), *_plain(git, palette)]

    def _git_status(self, found: WorkspaceStatus) -> str:
        """What git says of it, without running anything that its agent may have configured."""
        orange = self.shared.orange
        try:
            path = orange.projects.get(found.slot.project).path
            with look_at_worktree(path, found.slot.path) as git:
                said = git.must("status", "--branch", "--short")
                return said if "\n" in said.strip() else f"{said}\nNothing is changed in it."
        except OrangeError as problem:
            return str(problem)

    def action_release(self) -> None:
        found = self.chosen
        if found is None:
            return
        if not found.is_releasable:
            held = "Its task still needs it: merge or cancel that first." if found.task else "There is nothing in it."
            self.notify(found.advice or held, severity="warning", markup=False)
            return
        self.work("Releasing", lambda: self._collect([found.slot.name]) or _STILL_HELD, self.tell)

    def action_collect(self) -> None:
        names = [self.name_of(each) for each in self._items]
        self.work("Releasing", lambda: self._collect(names) or "Nothing to release.", self.tell)

    def _collect(self, names: Sequence[str]) -> str:
        """Release those that no task holds any more; others than these are somebody else's business."""
        orange = self.shared.orange
        return "\n".join(sentence for name in names for sentence in orange.tasks.free_workspaces(name))

    def action_init(self) -> None:
        found = self.chosen
        if found is not None:
            orange, name = self.shared.orange, found.slot.project
            self.work("Creating workspaces", lambda: orange.pool.init(orange.projects.get(name)), self._tell_made)

    def _tell_made(self, made: object) -> None:
        names = list(made) if isinstance(made, list) else []
        self.tell(f"Created: {', '.join(names)}." if names else "All of them are there already.")


def _plain(text: str, palette: Palette) -> list[Strip]:
    from orange_tui.tui.screens.page import plain_lines

    return plain_lines("\n".join(safe(line) for line in text.splitlines()), palette)
