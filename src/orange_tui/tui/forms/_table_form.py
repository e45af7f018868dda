"""The base of forms that are made from a table: each entry is a field, and what the one under the cursor means is said.

Only what the person has changed is written: what an agent or another command changes meanwhile stays. Where both have
changed the same field, the person is told first, and then has the last word.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.widgets import Button, Input, Label, Select, Static

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.options.comma_lists import split_line
from orange_tui.tui.forms._fields import field
from orange_tui.tui.forms._form import Form
from orange_tui.tui.forms._secret_input import SecretInput

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.widget import Widget

    from orange_tui.tui.context import AppContext

_MOST_SHOWN = 60
_OTHER_ROWS, _FEWEST_ROWS = 13, 4  # title, meaning, problem, buttons and the border


@record
class TableField:
    """One field: its name in the table, what stands before it, what it holds now, and what it means."""

    name: str
    title: str
    value: str
    meaning: str
    choices: tuple[tuple[str, str], ...] = ()  # what is shown and what it stands for; none: it is typed
    placeholder: str = ""
    group: str = ""
    is_secret: bool = False  # hidden while it is not being edited


class TableForm(Form):
    """Title, fields that scroll, the meaning of the one under the cursor, what is wrong, and the two buttons."""

    def __init__(self, shared: AppContext, table: Sequence[TableField]) -> None:
        super().__init__(shared)
        self._table = table
        self._shown: dict[str, str] = {each.name: each.value for each in table}

    @property
    def heading(self) -> str:
        """What it is about."""
        return self.HEADING

    def table_now(self) -> Sequence[TableField]:
        """The fields as they would be if the form were opened now, read in a thread; none where nothing is changed."""
        return ()

    def write(self, changes: Mapping[str, str]) -> Any:
        """Write what was changed, in a thread; what is refused is shown, and the form stays."""
        raise NotImplementedError

    def on_written(self, result: Any) -> None:
        """Say what came of it."""

    # ── drawing ──

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog form long"):
            yield Label(printable(self.heading), classes="title", markup=False)
            with VerticalScroll(classes="fields", can_focus=False):
                yield from self.fields()
            yield Static("", id="meaning", markup=False)
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button(f"{self.SUBMIT} (ctrl+s)", id="yes", compact=True)

    def fields(self) -> ComposeResult:
        for group, entries in groupby(self._table, lambda each: each.group):
            if group:
                yield Label(group, classes="group")
            for each in entries:
                yield from field(each.title, _widget(each))

    def on_mount(self) -> None:
        self.call_after_refresh(self.query_one(f"#{self._table[0].name}").focus)

    def on_resize(self) -> None:
        """The fields take what they need, up to what is left beside all that must stay in sight."""
        groups = len({each.group for each in self._table if each.group})
        needed = len(self._table) + max(0, 2 * groups - 1)
        self.query_one(".fields").styles.height = max(_FEWEST_ROWS, min(needed, self.size.height - _OTHER_ROWS))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Say what the field means that the cursor is in; of a list of choices, the list has the cursor."""
        ids = [widget.id for widget in event.widget.ancestors_with_self]
        found = next((each for each in self._table if each.name in ids), None)
        if found is not None:
            self.query_one("#meaning", Static).update(printable(found.meaning))

    def show_problem(self, problem: str) -> None:
        """Say what is wrong, where the meaning of the field stood: a refusal may be long."""
        super().show_problem(problem)
        self.query_one("#yes", Button).disabled = False  # nothing is known to be wrong before it was tried
        self.query_one("#meaning").display = not problem
        self.query_one("#problem").set_class(bool(problem), "-some")

    # ── what was changed ──

    def on_input_changed(self) -> None:
        self.show_problem("")

    def on_select_changed(self) -> None:
        self.show_problem("")

    def _value(self, name: str) -> str:
        widget = self.query_one(f"#{name}")
        if isinstance(widget, Select):
            return widget.value if isinstance(widget.value, str) else ""
        return widget.value.strip() if isinstance(widget, Input) else ""

    def changes(self) -> dict[str, str]:
        """What is not as it was when the form was opened."""
        now = {name: self._value(name) for name in self._shown}
        return {name: value for name, value in now.items() if value != self._shown[name].strip()}

    def submit(self) -> None:
        """Write what was changed; with nothing changed there is nothing to do."""
        changes = self.changes()
        if not changes:
            self.dismiss()
            return
        self.show_remark("Saving …")
        self.save(lambda: self._write(changes), self.on_written)

    def _write(self, changes: Mapping[str, str]) -> Any:
        """Write them, unless somebody else has changed the same meanwhile: that is said once."""
        now = {each.name: each for each in self.table_now() if each.name in changes}
        found = [each for each in now.values() if each.value not in {self._shown[each.name], changes[each.name]}]
        if found:
            self._shown |= {each.name: each.value for each in found}
            words = ", ".join(f"{each.title} is {_shortened(each)} by now" for each in found)
            raise Refused(f"Changed meanwhile: {words}. Save again to have yours instead, or cancel.")
        return self.write(changes)


def _shortened(entry: TableField) -> str:
    return "another one" if entry.is_secret else printable(entry.value)[:_MOST_SHOWN] or "empty"


def _widget(entry: TableField) -> Widget:
    if not entry.choices:
        kind = SecretInput if entry.is_secret else Input
        return kind(entry.value, placeholder=entry.placeholder, id=entry.name, compact=True)
    values = [value for _, value in entry.choices]
    # What is written by hand may be none of them: it is offered, too, or saving anything would change it.
    choices = entry.choices if entry.value in values else [(printable(entry.value), entry.value), *entry.choices]
    return Select(choices, id=entry.name, value=entry.value, allow_blank=False, compact=True)


def with_current(names: Sequence[str], current: str) -> tuple[tuple[str, str], ...]:
    """Names to choose from, and the present one, even where it is no longer among them."""
    listed = names if not current or current in names else [*names, current]
    return tuple((printable(name), name) for name in listed)


def separated(text: str) -> tuple[str, ...]:
    """What a field holds that takes several, with commas between them; one empty text where it holds none."""
    return tuple(split_line(text)) or ("",)
