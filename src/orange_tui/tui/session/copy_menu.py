"""A small menu of what can be copied of a task: a letter each, so that two keys do it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from orange_tui.domain.records import record
from orange_tui.tui.drawing.cells import fit, fit_end
from orange_tui.tui.drawing.labels import shorten_home
from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.app import ComposeResult

_NAME_CELLS, _TEXT_CELLS = 17, 48


@record
class CopyChoice:
    """A letter, what it stands for, and the text; None where the task has no such thing."""

    key: str
    name: str
    text: str | None


class CopyMenu(ModalScreen[CopyChoice | None]):
    """A letter chooses, or the arrows and Enter; Escape copies nothing."""

    BINDINGS = [("escape", "dismiss(None)", "Cancel")]  # noqa: RUF012 - Textual's own way

    def __init__(self, branch: str, choices: Sequence[CopyChoice]) -> None:
        super().__init__()
        self._branch, self._choices = branch, choices

    def compose(self) -> ComposeResult:
        """The choices, each with the text that would be copied."""
        with Vertical(classes="dialog"):
            yield Label(f"Copy from {self._branch}", classes="title", markup=False)
            yield OptionList(*(self._option(each) for each in self._choices), markup=False)

    def _option(self, choice: CopyChoice) -> Option:
        palette = palette_for(self.app)
        line = Text.assemble(
            (f"{choice.key}  ", palette.accent if choice.text else palette.dim),
            (fit(choice.name, _NAME_CELLS), palette.text if choice.text else palette.dim),
            (fit_end(shorten_home(choice.text or "none"), _TEXT_CELLS).rstrip(), palette.dim),
        )
        return Option(line, id=choice.key, disabled=choice.text is None)

    def on_key(self, event: events.Key) -> None:
        """Copy what the letter stands for."""
        chosen = next((each for each in self._choices if each.key == event.character), None)
        if chosen is not None:
            event.stop()
            if chosen.text is None:
                self.notify(f"It has no {chosen.name}.", severity="warning", markup=False)
            else:
                self.dismiss(chosen)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Copy what was chosen by Enter or a click."""
        self.dismiss(next(each for each in self._choices if each.key == event.option.id))
