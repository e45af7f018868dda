"""Moving a task to another state by hand: where its workflow lets a person put it, and what each place asks for."""

from __future__ import annotations

from functools import partial
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
from orange_tui.store.store import StoredTask
from orange_tui.tui.background_work import run_in_thread
from orange_tui.tui.theme import palette_for
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Transition, Workflow
    from orange_tui.engine.engine import Moved
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.drawing.palette import Palette

_HINT = "The workflow's rules hold for you, too: what a state asks for must be there. To end it, merge or cancel it."


def what_it_asks(moves: Sequence[Transition]) -> str:
    """What is asked for on the way to a state, in a line; empty where nothing is."""
    needs = [[str(move.when)] if move.when is not None else [] for move in moves]
    gates = [[f"needs {move.gate.description()}"] if move.gate is not None else [] for move in moves]
    found = [", ".join([*when, *gate]) for when, gate in zip(needs, gates, strict=True)]
    return " or ".join(filter(None, dict.fromkeys(found)))


class _Elsewhere(OrangeError):
    """The task is in another state by now than the dialog shows."""

    def __init__(self, task: Task) -> None:
        self.task = task


class MoveDialog(ModalScreen[None]):
    """Enter moves the task; what is refused is shown here, as the command line says it, and another can be chosen."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("enter", "choose", "Move there"),
        ("j", "move(1)", "Choose"),
        ("k", "move(-1)", "Choose"),
        ("escape,q", "dismiss", "Cancel"),
    ]

    def __init__(self, shared: AppContext, ref: TaskRef, task: Task, workflow: Workflow) -> None:
        super().__init__()
        self._shared, self._ref, self._moved = shared, ref, task
        self._workflow, self._ways = workflow, workflow.choices(task.status)
        self._is_moving = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(_HINT, classes="hint", markup=False)
            yield OptionList(*self._options(), compact=True)
            yield Static("", id="problem", classes="problem", markup=False)

    @property
    def _title(self) -> str:
        return printable(f"Move {self._moved.branch}, which is in {state_words(self._moved.status)}")

    def _options(self) -> list[Option]:
        palette = palette_for(self.app)
        return [Option(_line(*way, palette), id=way[0]) for way in self._ways.items()]

    def on_mount(self) -> None:
        self.query_one(OptionList).focus()

    def action_choose(self) -> None:
        self.query_one(OptionList).action_select()

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if step > 0 else options.action_cursor_up)()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self._start(list(self._ways)[event.option_index])

    def _start(self, target: str) -> None:
        """Move it once, however often the key is pressed; it is the app's work: who leaves hears of it, too."""
        if self.is_attached and not self._is_moving:
            self._is_moving = True
            self._show(f"Moving to {state_words(target)} …", is_problem=False)
            begin_work(self.app, partial(self._go, target), group="move")

    async def _go(self, target: str) -> None:
        try:
            moved = await run_in_thread(
                self._shared.orange.log, "moving", lambda: self._update(target), task=self._ref.id
            )
        except _Elsewhere as found:
            self._follow(found.task)
            return
        except Untrusted as problem:  # who trusts it need not press the key again
            self._show(str(problem), is_problem=True)
            self._shared.ask_trust(self._ref.project, str(problem), lambda: self._start(target))
            return
        except OrangeError as problem:
            self._show(str(problem), is_problem=True)
            return
        finally:
            self._is_moving = False
        if moved is not None and moved.hook_errors:
            text = f"It has moved, but {'; '.join(moved.hook_errors)}"
            self.app.notify(text, title=self._moved.branch, severity="error", timeout=15, markup=False)
        else:
            self.app.notify(f"{self._moved.branch} is in {state_words(target)} now.", markup=False)
        self.dismiss()

    def _follow(self, task: Task) -> None:
        """Somebody else has moved it meanwhile: what the person chose was meant for where it was."""
        self._moved, self._ways = task, self._workflow.choices(task.status)
        if self.is_attached:
            self.query_one(".title", Label).update(self._title)
            self.query_one(OptionList).set_options(self._options())
        instead = "choose again" if self._ways else "its workflow has no other state for you from there"
        self._show(f"It was moved meanwhile, to {state_words(task.status)}: {instead}.", is_problem=True)

    def _update(self, target: str) -> Moved | None:
        found = self._shared.orange.store.read(self._ref)
        if isinstance(found, StoredTask) and found.task.status != self._moved.status:
            raise _Elsewhere(found.task)
        wanted = TaskChanges(status=target)
        _, moved = update_task(self._shared.orange.tasks, self._ref, wanted, directory="", actor="person")
        return moved

    def _show(self, text: str, *, is_problem: bool) -> None:
        if not self.is_attached:
            if is_problem:
                self.app.notify(text, title=self._moved.branch, severity="error", timeout=15, markup=False)
            return
        line = self.query_one("#problem", Static)
        line.update("\n".join(map(printable, text.splitlines())))
        line.set_class(not is_problem, "-remark").add_class("-some")


def _line(target: str, moves: Sequence[Transition], palette: Palette) -> Text:
    asks = what_it_asks(moves)
    return Text.assemble(
        (printable(target), palette.text), (f"  {printable(asks)}" if asks else "", palette.dim), overflow="fold"
    )
