"""The base of every form: a title, fields, a line for what is wrong, and two buttons, the safe one first."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from orange_tui.domain.errors import OrangeError

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult

    from orange_tui.tui.context import AppContext


class Form(ModalScreen[None]):
    """A form over the list. What is typed is checked while it is typed, and nothing typed is lost by a refusal."""

    BINDINGS = [("escape", "dismiss", "Cancel"), ("ctrl+s", "submit", "Submit")]  # noqa: RUF012 - Textual's own way
    HEADING: ClassVar[str]
    SUBMIT: ClassVar[str]

    def __init__(self, shared: AppContext) -> None:
        super().__init__()
        self.shared = shared

    def fields(self) -> ComposeResult:
        """The fields between the title and the buttons."""
        raise NotImplementedError

    def submit(self) -> None:
        """Do what the form is for."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog form"):
            yield Label(self.HEADING, classes="title")
            yield from self.fields()
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button(f"{self.SUBMIT} (ctrl+s)", id="yes", compact=True)

    def on_mount(self) -> None:
        for area in self.query(TextArea):
            area.cursor_blink = False
        for entry in self.query(Input):
            entry.cursor_blink = False
        self.query(Input).first().focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.submit()
        else:
            self.dismiss()

    def action_submit(self) -> None:
        self.submit()

    def text(self, name: str) -> str:
        """What is typed in a field of one line."""
        return self.query_one(f"#{name}", Input).value.strip()

    def long_text(self, name: str) -> str:
        """What is typed in a field of several lines."""
        return self.query_one(f"#{name}", TextArea).text

    def choice(self, name: str) -> str | None:
        """What is chosen in a list; None where it is left to the default."""
        value = self.query_one(f"#{name}", Select).value
        return value if isinstance(value, str) and value else None

    @property
    def project(self) -> str | None:
        """The project it is about: the app's, else the one that is chosen."""
        return self.shared.project or self.choice("project")

    def show_problem(self, problem: str) -> None:
        """Say what is wrong, and let nothing be submitted until it is right; empty: all is well."""
        self._show(problem, is_problem=bool(problem))

    def show_remark(self, text: str) -> None:
        """Say something that is good to know."""
        self._show(text, is_problem=False)

    def _show(self, text: str, *, is_problem: bool) -> None:
        line = self.query_one("#problem", Static)
        line.update(text)
        line.set_class(not is_problem, "-remark")
        self.query_one("#yes", Button).disabled = is_problem

    def save(self, work: Callable[[], Any], on_done: Callable[[Any], None] | None = None) -> None:
        """Do the work in a thread and close the form; what is refused is shown, and the form stays."""
        self.run_worker(self._save(work, on_done), group="save", exclusive=True)

    async def _save(self, work: Callable[[], Any], on_done: Callable[[Any], None] | None) -> None:
        try:
            result = await asyncio.to_thread(work)
        except OrangeError as problem:
            self.show_problem(str(problem))
            return
        if on_done is not None:
            on_done(result)
        self.dismiss()
