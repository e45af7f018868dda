"""The form for changing a task: what `orange task update` can change, and through the same code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.options.comma_lists import join_texts
from orange_tui.options.settings_file import shown_value
from orange_tui.options.task_options import TASK_OPTIONS, TaskChanges, next_start_note, read_options, update_task
from orange_tui.store.store import StoredTask
from orange_tui.tui.forms._table_form import TableField, TableForm, separated, with_current

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.task import Task
    from orange_tui.options.task_options import TaskOption
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.context import AppContext

_BRANCH = "Another name: where git has that branch it is checked out, else the present one is renamed. tmux follows."


class ChangeTaskForm(TableForm):
    """Summary, branch, and how it is done. What an agent is at work with counts from its next start on."""

    HEADING, SUBMIT = "Change", "Save"

    def __init__(self, shared: AppContext, ref: TaskRef, task: Task) -> None:
        super().__init__(shared, _table(task, shared))
        self._ref, self._changed = ref, task

    @property
    def heading(self) -> str:
        return f"Change {self._changed.branch}"

    def table_now(self) -> list[TableField]:
        """As TASK.md has it; one that can't be read is refused where it is written."""
        found = self.shared.orange.store.read(self._ref)
        return _table(found.task, self.shared) if isinstance(found, StoredTask) else []

    def write(self, changes: Mapping[str, str]) -> tuple[Task, dict[str, object]]:
        options: dict[str, object] = {
            option.name: separated(changes[option.name]) if option.repeat else changes[option.name]
            for option in TASK_OPTIONS
            if option.name in changes
        }
        wanted = TaskChanges(summary=changes.get("summary"), branch=changes.get("branch"), options=options)
        task, _ = update_task(self.shared.orange.tasks, self._ref, wanted, directory="", actor="person")
        return task, read_options(options)

    def on_written(self, result: Any) -> None:
        task, fields = result
        note = next_start_note(task, fields)
        if note is not None:
            self.app.notify(note, title=task.branch, markup=False)


def _table(task: Task, shared: AppContext) -> list[TableField]:
    return [
        TableField("summary", "summary", task.summary, "What you want done, in one line."),
        TableField("branch", "branch", task.branch, _BRANCH),
        *(_field(option, task, shared) for option in TASK_OPTIONS),
    ]


def _field(option: TaskOption, task: Task, shared: AppContext) -> TableField:
    value = getattr(task, option.field)
    shown = join_texts(value) if isinstance(value, tuple) else "" if value is None else shown_value(value)
    choices: tuple[tuple[str, str], ...] = ()
    if option.complete == "harness":
        choices = (("nobody is named", ""), *with_current(shared.choices.harnesses, shown))
    hint = "ids, comma-separated" if option.complete == "task" else "comma-separated" if option.repeat else ""
    return TableField(option.name, option.title, shown, f"{option.meaning}.", choices, hint or _DEFAULT)


_DEFAULT = "if empty, the default"
