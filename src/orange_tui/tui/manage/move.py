"""Moving a task to another state by hand: where its workflow lets a person put it, and what each place asks for."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Label, OptionList, Static
from textual.widgets.option_list import Option

from orange_tui.domain.errors import OrangeError, Untrusted
from orange_tui.domain.task import printable
from orange_tui.options.task_options import TaskChanges, update_task
from orange_tui.presentation.tasks import state_words
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import keys_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Transition
    from orange_tui.engine.engine import Moved
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.palette import Palette

    Ways = dict[str, list[Transition]]  # the states to go to, with the moves there

_KEYS = (("j k", "choose"), ("⏎", "move there"), ("esc", "cancel"))
_HINT = "The workflow's rules hold for you, too: what a state asks for must be there. m merges, x cancels."


def what_it_asks(moves: Sequence[Transition]) -> str:
    """What is asked for on the way to a state, in a line; empty where nothing is."""
    needs = [[str(move.when)] if move.when is not None else [] for move in moves]
    gates = [[f"needs {move.gate.description()}"] if move.gate is not None else [] for move in moves]
    found = [", ".join([*when, *gate]) for when, gate in zip(needs, gates, strict=True)]
    return " or ".join(filter(None, dict.fromkeys(found)))


class MoveDialog(ModalScreen[None]):
    """Enter moves the task; what is refused is shown here, as the command line says it, and another can be chosen."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape,q", "dismiss", "Cancel"),
        ("j", "move(1)", "Down"),
        ("k", "move(-1)", "Up"),
    ]

    def __init__(self, shared: AppContext, ref: TaskRef, task: Task, ways: Ways) -> None:
        super().__init__()
        self._shared, self._ref, self._moved = shared, ref, task
        self._ways = ways

    def compose(self) -> ComposeResult:
        palette = palette_for(self.app)
        with Vertical(classes="dialog"):
            title = f"Move {self._moved.branch}, which is in {state_words(self._moved.status)}"
            yield Label(printable(title), classes="title", markup=False)
            yield Static(_HINT, classes="hint", markup=False)
            yield OptionList(*(Option(_line(*way, palette), id=way[0]) for way in self._ways.items()), compact=True)
            yield Static("", id="problem", classes="problem", markup=False)
            yield Static(keys_line(_KEYS, palette), classes="keys")

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if step > 0 else options.action_cursor_up)()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._start(list(self._ways)[event.option_index])

    def _start(self, target: str) -> None:
        if self.is_mounted:
            self.run_worker(self._go(target), group="move", exclusive=True)

    async def _go(self, target: str) -> None:
        self._show(f"Moving to {state_words(target)} …", is_problem=False)
        try:
            moved = await asyncio.to_thread(self._update, target)
        except Untrusted as problem:  # who trusts it need not press the key again
            self._show(str(problem), is_problem=True)
            self._shared.ask_trust(self._ref.project, str(problem), lambda: self._start(target))
            return
        except OrangeError as problem:
            self._show(str(problem), is_problem=True)
            return
        except Exception as problem:  # noqa: BLE001 - whatever it is, the person hears of it and the app goes on
            await asyncio.to_thread(self._shared.orange.log.write, "error", f"moving: {problem!r}", task=self._ref.id)
            self._show(f"{problem!r}. See `orange log`.", is_problem=True)
            return
        if moved is not None and moved.hook_errors:
            text = f"It has moved, but {'; '.join(moved.hook_errors)}"
            self.app.notify(text, title=self._moved.branch, severity="error", timeout=15, markup=False)
        else:
            self.app.notify(f"{self._moved.branch} is in {state_words(target)} now.", markup=False)
        self.dismiss()

    def _update(self, target: str) -> Moved | None:
        wanted = TaskChanges(status=target)
        _, moved = update_task(self._shared.orange.tasks, self._ref, wanted, directory="", actor="person")
        return moved

    def _show(self, text: str, *, is_problem: bool) -> None:
        line = self.query_one("#problem", Static)
        line.update("\n".join(map(printable, text.splitlines())))
        line.set_class(not is_problem, "-remark").add_class("-some")


def _line(target: str, moves: Sequence[Transition], palette: Palette) -> Text:
    asks = what_it_asks(moves)
    return Text.assemble(
        (printable(target), palette.text), (f"  {printable(asks)}" if asks else "", palette.dim), overflow="fold"
    )
