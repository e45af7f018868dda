"""The base of every form: a title, fields, a line for what is wrong, and its buttons, the safe one first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from orange_tui.domain.errors import OrangeError
from orange_tui.tui.background_work import run_in_thread
from orange_tui.tui.widgets.shown_keys import OwnKeys
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from textual.app import ComposeResult

    from orange_tui.tui.context import AppContext
    from orange_tui.tui.widgets.bars import Keys


class Form(ModalScreen[None], OwnKeys):
    """A form over the list. What is typed is checked while it is typed, and nothing typed is lost by a refusal."""

    BINDINGS = [("escape", "leave", ""), ("ctrl+s", "submit", "")]  # noqa: RUF012 - Textual's own way
    HEADING: ClassVar[str]
    SUBMIT: ClassVar[str]
    LEAVE: ClassVar[str] = "Cancel (esc)"
    FIRST: ClassVar[str] = "Input"  # what has the focus when the form opens
    KEEPS_DRAFT: ClassVar[bool] = False  # what was typed is there again the next time: Escape is pressed too easily

    def __init__(self, shared: AppContext) -> None:
        super().__init__()
        self.shared = shared
        self._is_saving = False

    @property
    def heading(self) -> str:
        """The title."""
        return self.HEADING

    def fields(self) -> ComposeResult:
        """The fields between the title and the buttons."""
        raise NotImplementedError

    def submit(self) -> None:
        """Do what the form is for."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog form", can_focus=False):
            yield Label(self.heading, classes="title", markup=False)
            yield from self.fields()
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield from self.buttons()

    def own_keys(self) -> Keys:
        """The keys, as the buttons call them."""
        return [("esc", self.LEAVE.partition(" ")[0].lower()), ("⇥", "next field"), ("ctrl+s", self.SUBMIT.lower())]

    def buttons(self) -> ComposeResult:
        """The buttons, each with its key."""
        yield Button(self.LEAVE, id="no", compact=True)
        yield Button(f"{self.SUBMIT} (ctrl+s)", id="yes", compact=True)

    def on_mount(self) -> None:
        for area in self.query(TextArea):
            area.cursor_blink = False
        for entry in self.query(Input):
            entry.cursor_blink = False
        if self.KEEPS_DRAFT:
            self._restore()
        self.query(self.FIRST).first().focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.submit()
        else:
            self.action_leave()

    def action_submit(self) -> None:
        self.submit()

    def action_leave(self) -> None:
        """Close the form; where it keeps a draft, that is as it is now."""
        if self.KEEPS_DRAFT:
            self.keep(self.values() if any(self.texts().values()) else {})
        self.dismiss()

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

    def offer(self, name: str, options: Sequence[tuple[str, str]]) -> None:
        """Offer other things to choose from; what a draft has chosen stays so, else the first one is."""
        select = self.query_one(f"#{name}", Select)
        select.set_options(options)
        drafted = self.shared.drafts.get(self._draft_key(name)) if self.KEEPS_DRAFT else None
        select.value = drafted if drafted in dict(options).values() else options[0][1]
        # The same value may be called otherwise now. Select is generic, which mypy can't tell from its instances.
        select.mutate_reactive(Select.value)  # type: ignore[misc]

    @property
    def project(self) -> str | None:
        """The project it is about: the app's, else the one that is chosen."""
        return self.shared.project or self.choice("project")

    # ── drafts ──

    def values(self) -> dict[str, str]:
        """Everything that is typed and chosen, by field."""
        chosen = {str(each.id): each.value for each in self.query(Select) if isinstance(each.value, str)}
        return {**chosen, **self.texts()}

    def texts(self) -> dict[str, str]:
        """Everything that is typed, by field."""
        lines = {str(entry.id): entry.value for entry in self.query(Input)}
        return lines | {str(area.id): area.text for area in self.query(TextArea)}

    def keep(self, values: Mapping[str, str]) -> None:
        """Have these values be there the next time; none of them: forget what was there."""
        drafts, own = self.shared.drafts, self._draft_key("")
        for name in [name for name in drafts if name.startswith(own)]:
            del drafts[name]
        drafts.update({self._draft_key(name): value for name, value in values.items()})

    def _restore(self) -> None:
        drafts = self.shared.drafts
        for entry in self.query(Input):
            entry.value = drafts.get(self._draft_key(str(entry.id)), entry.value)
        for area in self.query(TextArea):
            area.text = drafts.get(self._draft_key(str(area.id)), area.text)
        for select in self.query(Select):
            chosen = drafts.get(self._draft_key(str(select.id)))
            if chosen is not None and chosen in [value for _, value in select._options]:  # noqa: SLF001 - it tells nobody
                select.value = chosen

    def _draft_key(self, field: str) -> str:
        return f"{self.HEADING}: {field}"

    # ── what is wrong, and saving ──

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
        """Do the work in a thread and close the form; what is refused is shown, and the form stays.

        Once, however often the key is pressed. It is the app's work: who closes the form meanwhile hears of it, too.
        """
        if not self._is_saving:
            self._is_saving = True
            begin_work(self.app, partial(self._save, work, on_done), group="save")

    async def _save(self, work: Callable[[], Any], on_done: Callable[[Any], None] | None) -> None:
        try:
            result = await run_in_thread(self.shared.orange.log, self.heading, work)
        except OrangeError as problem:
            self._refuse(str(problem))
            return
        finally:
            self._is_saving = False
        if on_done is not None:
            on_done(result)
        if self.KEEPS_DRAFT:
            self.keep({})
        self.dismiss()

    def _refuse(self, problem: str) -> None:
        if self.is_attached:
            self.show_problem(problem)
        else:
            self.app.notify(problem, title=self.heading, severity="error", timeout=15, markup=False)
