"""The dialog in which a permission is given or refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Static

from orange_tui.agents.approvals.approvals import ALLOWED, DENIED, FOR_THIS_TASK, Decision
from orange_tui.domain.records import record
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.shown_keys import OwnKeys, show_own_keys
from orange_tui.tui.widgets.strip_view import StripView
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from textual import events
    from textual.app import ComposeResult

    from orange_tui.agents.approvals.approvals import Approvals
    from orange_tui.tui.approvals.contents import Case
    from orange_tui.tui.widgets.bars import Keys

READING_SECONDS = 0.7  # after it is drawn: keys pressed before were meant for something else
_KINDS = {"y": ALLOWED, "Y": FOR_THIS_TASK}
_NEVER = float("inf")
_PLACEHOLDER = "Words for the agent, if you like. Enter denies, Esc goes back"


@record
class Verdict:
    """The answer, and whether it is for the equal questions of other tasks as well."""

    decision: Decision
    is_for_all: bool


class ApprovalDialog(ModalScreen[Verdict | None], OwnKeys):
    """y allows once, Y for this task, n denies; Escape leaves the question open."""

    BINDINGS = [("escape", "leave", "Leave it open")]  # noqa: RUF012 - Textual's own way

    def __init__(self, case: Case, approvals: Approvals) -> None:
        super().__init__()
        self._case, self._approvals = case, approvals
        self._counts_from = _NEVER  # keys that were pressed earlier do not count
        self._is_for_all = False

    def compose(self) -> ComposeResult:
        case = self._case
        with Vertical(classes="dialog wide"):
            yield Label(case.title(), classes="title", markup=False)
            yield Static(case.about(), classes="hint", markup=False, id="about")
            yield StripView(id="asked")
            yield Static(case.notes(), classes="hint", markup=False, id="notes")
            yield Static("", classes="hint", markup=False, id="equal")
            yield Input(id="words", placeholder=_PLACEHOLDER, compact=True)
            with Horizontal(classes="buttons"):
                for name, text in (("leave", "Leave (esc)"), ("n", "Deny (n)"), ("Y", "For this task (Y)")):
                    yield _plain_button(text, name)
                yield _plain_button("Allow once (y)", "y")

    def own_keys(self) -> Keys:
        """The answers there are; once words are asked for, only what sends them."""
        if self.query_one("#words").display:
            return (("⏎", "deny"), ("esc", "back"))
        equal = (("e", "one or all"),) if self._case.equal else ()
        return (("y", "allow once"), ("Y", "for this task"), ("n", "deny"), *equal, ("esc", "leave it open"))

    def on_mount(self) -> None:
        self.query_one("#words", Input).display = False
        self.query_one("#asked").focus()
        self._show_equal()
        self.watch(self.app, "snapshot", self._look, init=False)
        self.call_after_refresh(self._drawn)

    def on_resize(self) -> None:
        view = self.query_one("#asked", StripView)
        strips = self._case.strips(view.size.width or self.size.width - 10, palette_for(self.app))
        view.styles.height = min(len(strips), max(3, self.size.height - 17))
        view.show(strips)

    def _drawn(self) -> None:
        """From a moment after this on, keys count."""
        self.on_resize()
        self.set_timer(READING_SECONDS, self._begin)

    def _begin(self) -> None:
        from textual import _time  # the clock that events are stamped with

        self._counts_from = _time.get_time()
        self.query_one(".buttons").add_class("-ready")

    async def on_key(self, event: events.Key) -> None:
        if self.query_one("#words").display or event.character not in {"y", "Y", "n", "e"}:
            return
        event.stop()
        if event.time >= self._counts_from:
            self._choose(str(event.character))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.name == "leave":
            self.action_leave()
        elif event.time >= self._counts_from:
            self._choose(str(event.button.name))

    def _choose(self, key: str) -> None:
        if key in _KINDS:
            self.dismiss(Verdict(Decision(_KINDS[key]), self._is_for_all))
        elif key == "n":
            self._ask_for_words(is_asked=True)
        elif self._case.equal:
            self._is_for_all = not self._is_for_all
            self._show_equal()

    def _ask_for_words(self, *, is_asked: bool) -> None:
        words = self.query_one("#words", Input)
        words.display = is_asked
        (words if is_asked else self.query_one("#asked")).focus()
        show_own_keys(self)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.dismiss(Verdict(Decision(DENIED, event.value.strip()), self._is_for_all))

    def action_leave(self) -> None:
        if self.query_one("#words").display:
            self._ask_for_words(is_asked=False)
        else:
            self.dismiss(None)

    def _show_equal(self) -> None:
        count = len(self._case.equal)
        line = self.query_one("#equal", Static)
        line.display = bool(count)
        who = f"the same is asked by {count} more: {self._case.equal_tasks()}"
        text = f"e: answer this one alone again ({who})" if self._is_for_all else f"e: answer all together ({who})"
        line.update(f"Your answer goes to all {count + 1}. {text}" if self._is_for_all else text)

    def _look(self) -> None:
        begin_work(self, self._check, group="approval", exclusive=True)

    async def _check(self) -> None:
        """Whether the question is still there: answered elsewhere, it can be answered here no more."""
        case = self._case
        open_now = await asyncio.to_thread(self._approvals.questions, case.ref)
        if case.question not in open_now and self._counts_from is not _NEVER:
            self._counts_from = _NEVER
            self._ask_for_words(is_asked=False)
            self.query_one("#about", Static).update("No longer asked: it was answered elsewhere, or the agent went on.")
            self.query_one(".buttons").remove_class("-ready")


def _plain_button(text: str, name: str) -> Button:
    """A button for the mouse: it takes no focus, so Enter presses none."""
    button = Button(text, name=name, compact=True)
    button.can_focus = False
    return button
