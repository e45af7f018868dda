"""The form for handing a task over: which agent goes on with it, and with which model."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.widgets import Select, Static

from orange_tui.agents.harnesses import DEMO
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.harnesses.harness import check_model
from orange_tui.domain.task import printable
from orange_tui.presentation.tasks import state_words
from orange_tui.tui.forms._fields import field, text_field
from orange_tui.tui.forms._form import Form
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.task import Task
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext


class HandOverForm(Form):
    """What happens to whose work, the other agents that are installed, and a model. Escape changes nothing."""

    HEADING, SUBMIT, FIRST = "Hand over to another agent", "Hand over", "#agent"

    def __init__(self, shared: AppContext, ref: TaskRef, task: Task, agent: str | None, others: Sequence[str]) -> None:
        super().__init__(shared)
        self._ref, self._handed, self._agent, self._others = ref, task, agent or "the agent", others

    def fields(self) -> ComposeResult:
        yield Static(self._what_happens(), classes="hint", markup=False)
        options = [(name, name) for name in self._others]
        yield from field("to", Select(options, id="agent", value=options[0][1], allow_blank=False, compact=True))
        yield from text_field("model", "if empty, the agent's own default")

    def _what_happens(self) -> str:
        task = self._handed
        ends = (
            f"{task.branch}: {self._agent} is ended, and the one you choose goes on in {task.workspace}, with the same"
        )
        stays = f"The task stays in {state_words(task.status)}."
        return printable(f"{ends} TASK.md and all that was done there, committed or not. {stays}")

    def on_mount(self) -> None:
        begin_work(self, self._note_limits, exit_on_error=True)

    async def _note_limits(self) -> None:
        """Say who is at a limit, and offer whoever is not before them."""
        limits = self.shared.orange.engine.parts.limits
        waits = await asyncio.to_thread(lambda: {name: limits.why_wait(name) for name in self._others})
        if not any(waits.values()):
            return
        select = self.query_one("#agent", Select)
        is_untouched = select.value == self._others[0]
        chosen = select.value
        names = sorted(self._others, key=lambda name: (name == DEMO, waits[name] is not None))  # one that only plays
        with self.prevent(Select.Changed):
            select.set_options([(_label(name, waits[name]), name) for name in names])
            select.value = names[0] if is_untouched else chosen

    def on_input_changed(self) -> None:
        self.show_problem(self._problem())

    def _problem(self) -> str:
        model = self.text("model")
        try:
            if model:
                check_model(model)
        except OrangeError as problem:
            return str(problem)
        return ""

    def submit(self) -> None:
        """Have the other agent go on, in the background: the row says how far it is."""
        problem, agent, model = self._problem(), self.choice("agent"), self.text("model") or None
        if problem or agent is None:
            self.show_problem(problem)
            return
        for ref in self._refs():
            self._start(ref, agent, model)
        self.dismiss()

    def _refs(self) -> Sequence[TaskRef]:
        """The tasks that are handed over."""
        return [self._ref]

    def _start(self, ref: TaskRef, agent: str, model: str | None) -> None:
        def work(_report: object) -> str:
            self.shared.orange.agents.hand_over(ref, agent, model)
            return f"{agent} goes on."

        self.shared.work.start(ref, "Handing over", work)


class HandOverManyForm(HandOverForm):
    """The same for several tasks: one agent and one model for all of them; each is handed over by itself."""

    def __init__(
        self,
        shared: AppContext,
        rows: Sequence[TaskRow],
        others: Sequence[str],
        which: str,
        on_start: Callable[[], None],
    ) -> None:
        first = rows[0]
        assert first.task is not None  # noqa: S101 - what cannot be read is not handed over
        super().__init__(shared, first.ref, first.task, None, others)
        self._rows, self._which, self._on_start = rows, which, on_start

    def _what_happens(self) -> str:
        count = f"{len(self._rows)} task{'s' if len(self._rows) != 1 else ''}"
        ends = f"{count}: their agents are ended, and the one you choose goes on in the same workspaces, with the same"
        return f"{ends} TASK.md and all that was done there, committed or not.\n{self._which}"

    def _refs(self) -> Sequence[TaskRef]:
        self._on_start()
        return [row.ref for row in self._rows]


def _label(name: str, waits: str | None) -> str:
    """An agent, and until when it is at its limit."""
    if waits is None:
        return name
    until = waits.removeprefix(f"{name}'s ")
    return printable(f"{name} ({until})")
