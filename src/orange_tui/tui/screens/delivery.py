"""The questions before work leaves this place: what a merge will do and how, and what a review says.

What a merge will do is worked out while the dialog is open already.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Label, Static, TextArea

from orange_tui.delivery.merging.strategies import STRATEGIES
from orange_tui.delivery.send_review import APPROVE, COMMENT, REQUEST_CHANGES
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.pull_request import MERGED
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import printable
from orange_tui.tui.theme import palette_for
from orange_tui.tui.typing_ahead import SeenFirst
from orange_tui.tui.widgets.shown_keys import show_own_keys
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping

    from textual.app import ComposeResult

    from orange_tui.delivery.merging.forecast import MergeForecast
    from orange_tui.tui.drawing.palette import Palette

_AFTERWARDS = "Afterwards its session ends and its workspace is released; uncommitted work is saved."
_WORKING = "Working out what it brings …"


@record
class MergeChoice:
    """How the person wants it merged."""

    strategy: str | None = None
    local: bool = False  # here, whatever its pull request is like
    verify: bool = False  # only once the workflow's commands have succeeded on the merged result


class MergeDialog(ModalScreen[MergeChoice | None], SeenFirst):
    """No is what Escape and Enter say, unless the person has gone to yes."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape", "dismiss(None)", "No"),
        ("n", "dismiss(None)", "No"),
        ("y", "merge", "Yes"),
        ("l", "toggle_local", "Merge here"),
        ("c", "toggle_checks", "Check first"),
        *((name[0], f"choose('{name}')", strategy.title) for name, strategy in STRATEGIES.items()),
    ]

    def __init__(self, title: str, yes: str, work_out: Callable[[], MergeForecast]) -> None:
        super().__init__()
        self._title, self._yes, self._work_out = title, yes, work_out
        self._choice = MergeChoice()
        self._forecast: MergeForecast | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            with VerticalScroll(id="forecast", can_focus=False):
                yield Static(_WORKING, classes="hint", markup=False)
            yield Static(_AFTERWARDS, classes="hint", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("No (⏎ or n)", id="no", compact=True)
                yield Button(f"{self._yes} (y)", id="yes", compact=True)

    def on_mount(self) -> None:
        self.query_one("#no").focus()
        begin_work(self, self._fill_in, exit_on_error=True)

    async def _fill_in(self) -> None:
        try:
            self._forecast = await asyncio.to_thread(self._work_out)
        except OrangeError as problem:
            self._update(printable(str(problem)))
            return
        self._show()

    def _show(self) -> None:
        if self._forecast is not None:
            self._update(forecast_table(self._forecast, self._choice, palette_for(self.app)))
            show_own_keys(self)

    def _update(self, content: Table | str) -> None:
        for shown in self.query("#forecast Static").results(Static):  # none, where somebody has answered already
            shown.update(content)

    def action_choose(self, strategy: str) -> None:
        why_not = self._forecast.why_not(strategy) if self._forecast is not None else None
        if why_not is not None:
            self.app.notify(f"{why_not}.", severity="warning", markup=False)
            return
        self._choice = replace(self._choice, strategy=strategy)
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There are only the keys for what can be chosen, which the forecast tells."""
        found = self._forecast
        if action == "toggle_local":
            return found is not None and found.pull_request is not None
        if action == "toggle_checks":
            return found is not None and bool(found.checks) and not found.must_check
        if action == "choose":
            return found is None or (found.strategy is not None and not _is_merged_there(found, self._choice))
        return super().check_action(action, parameters)

    def action_toggle_local(self) -> None:
        self._choice = replace(self._choice, local=not self._choice.local)
        self._show()

    def action_toggle_checks(self) -> None:
        self._choice = replace(self._choice, verify=not self._choice.verify)
        self._show()

    def action_merge(self) -> None:
        self.dismiss(self._choice)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(self._choice if event.button.id == "yes" else None)


def forecast_table(forecast: MergeForecast, choice: MergeChoice, palette: Palette) -> Table:
    """What will happen, a line for each part of it."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style=palette.dim, no_wrap=True)
    table.add_column(overflow="fold")
    for name, line in _lines(forecast, choice, palette):
        table.add_row(name, line)
    return table


def _lines(forecast: MergeForecast, choice: MergeChoice, palette: Palette) -> Iterator[tuple[str, Text]]:
    is_merged_there = _is_merged_there(forecast, choice)
    if forecast.summary is not None and not is_merged_there:
        yield "What", Text(printable(str(forecast.summary)), "bold")
    if forecast.strategy is not None and not is_merged_there:
        yield "How", _strategies(forecast, choice.strategy or forecast.strategy)
        yield "Then", Text(printable(forecast.destination))
        if forecast.checks:
            yield "Checks", _checks(forecast, choice)
    if forecast.pull_request is not None:
        yield "PR", Text(printable(_pull_request(forecast, choice)))
    for warning in forecast.warnings:
        yield "Note", Text(printable(warning), palette.warning)
    if forecast.problem is not None and not is_merged_there:
        yield "Refused", Text(f"as it is now: {printable(forecast.problem)}", palette.bad)


def _is_merged_there(forecast: MergeForecast, choice: MergeChoice) -> bool:
    return not choice.local and forecast.pull_request is not None and forecast.pull_request.state == MERGED


def _pull_request(forecast: MergeForecast, choice: MergeChoice) -> str:
    status = forecast.pull_request
    assert status is not None  # noqa: S101 - asked for by who has looked
    known = f"{status.name}: {status}"
    if choice.local:
        return f"{known}; merged here anyway (l)"
    if status.state == MERGED:
        return f"{known}; nothing is merged here, the task is finished"
    return f"{known}; merge it there, or here with l"


def _checks(forecast: MergeForecast, choice: MergeChoice) -> Text:
    """Whether the merged result is checked before anything is pushed, and with what."""
    listed = printable(", ".join(forecast.checks))
    if forecast.must_check:
        return Text(f"☑ {listed} must succeed on the merged result first")
    return Text(f"{'☑' if choice.verify else '☐'} run {listed} on the merged result first (c)")


def _strategies(forecast: MergeForecast, chosen: str) -> Text:
    """All strategies with their keys; one that is impossible is dimmed, and why is said below."""
    line = Text()
    for name, strategy in STRATEGIES.items():
        mark, style = ("●", "bold") if name == chosen else ("○", "dim" if forecast.why_not(name) else "")
        line.append(f"{mark} {strategy.title} ({name[0]})", style).append("   ")
    for _, why_not in forecast.impossible:
        line.append(f"\n{printable(why_not)}", "dim")
    return line


_REVIEW_HINT = (
    "All open comments and drafts go to GitHub as one review, with this text; resolved ones stay here."
    " Then the task is done."
)
_VERDICTS = {"comment": COMMENT, "changes": REQUEST_CHANGES, "approve": APPROVE}


class SendReviewDialog(ModalScreen[tuple[str, str] | None]):
    """The text and the verdict; what was written and not sent is there again the next time."""

    BINDINGS = [("escape", "leave", "Cancel"), ("ctrl+s", "send", "Send")]  # noqa: RUF012 - Textual's own way

    def __init__(self, title: str, *, drafts: MutableMapping[str, str]) -> None:
        super().__init__()
        self._title, self._drafts = title, drafts

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(_REVIEW_HINT, classes="hint", markup=False)
            yield TextArea(self._drafts.get(self._title, ""), id="text", tab_behavior="focus", compact=True)
            with Horizontal(classes="buttons"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button("Approve", id="approve", compact=True)
                yield Button("Request changes", id="changes", compact=True)
                yield Button("Comment (ctrl+s)", id="comment", compact=True)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.move_cursor(area.document.end)
        area.focus()

    def action_send(self, verdict: str = COMMENT) -> None:
        self._drafts.pop(self._title, None)
        self.dismiss((self.query_one(TextArea).text.strip(), verdict))

    def action_leave(self) -> None:
        self._drafts[self._title] = self.query_one(TextArea).text
        self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id in _VERDICTS:
            self.action_send(_VERDICTS[event.button.id])
        else:
            self.action_leave()
