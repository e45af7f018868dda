"""The forms about one project: what `orange project update` can set, and registering another repository."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from orange_tui.home.settings.table import SETTINGS
from orange_tui.options.comma_lists import join_texts
from orange_tui.options.project_options import PROJECT_OPTIONS, project_option
from orange_tui.options.projects import REGISTERING, register_project, update_project
from orange_tui.options.settings_file import shown_value
from orange_tui.tui.forms._table_form import TableField, TableForm, separated, with_current

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.home.projects import Project
    from orange_tui.options.project_options import ProjectOption, Texts
    from orange_tui.tui.context import AppContext


class ProjectForm(TableForm):
    """Everything that can be set of a project; what it does not say itself is as config.yml has it."""

    HEADING, SUBMIT = "Project", "Save"

    def __init__(self, shared: AppContext, project: Project) -> None:
        super().__init__(shared, _table(project, shared))
        self._project = project

    @property
    def heading(self) -> str:
        return f"Project {self._project.name}"

    def table_now(self) -> list[TableField]:
        return _table(self.shared.orange.projects.get(self._project.name), self.shared)

    def write(self, changes: Mapping[str, str]) -> None:
        update_project(self.shared.orange.engine.parts, self._project.name, _given(changes))


class RegisterForm(TableForm):
    """Where the repository is; all else has its default."""

    HEADING, SUBMIT = "Register a git repository", "Register"

    def __init__(self, shared: AppContext) -> None:
        options = [project_option(name) for name in REGISTERING[1:]]
        table = [
            TableField(
                "path",
                "path",
                "",
                "A directory of the repository. Nothing in it changes; workspaces are made when tasks need them.",
                placeholder="~/src/coffee",
            ),
            TableField("name", "name", "", "What to call it.", placeholder="the directory's name"),
            *(_new_field(option, shared) for option in options),
        ]
        super().__init__(shared, table)

    def submit(self) -> None:
        if self.text("path"):
            super().submit()
        else:
            self.show_problem("Where is it? Give the path of a git repository.")

    def write(self, changes: Mapping[str, str]) -> str:
        path = os.path.abspath(os.path.expanduser(changes["path"]))
        others = {name: text for name, text in changes.items() if name != "path"}
        return register_project(self.shared.orange.engine.parts, path, _given(others)).name

    def on_written(self, result: Any) -> None:
        self.app.notify(f"{result} is registered.", markup=False)
        self.shared.ask_trust(result, "")


def _given(changes: Mapping[str, str]) -> dict[str, Texts]:
    repeated = {option.name for option in PROJECT_OPTIONS if option.repeat}
    return {name: separated(text) if name in repeated else (text,) for name, text in changes.items()}


def _new_field(option: ProjectOption, shared: AppContext) -> TableField:
    if option.complete == "workflow":
        return TableField(option.name, _title(option), "default", f"{option.meaning}.", _workflows(shared, "default"))
    hint = "as git says" if option.complete == "branch" else option.unset
    return TableField(option.name, _title(option), "", f"{option.meaning}.", placeholder=hint)


def _table(project: Project, shared: AppContext) -> list[TableField]:
    return [_field(option, project, shared) for option in PROJECT_OPTIONS]


def _field(option: ProjectOption, project: Project, shared: AppContext) -> TableField:
    value = project.as_json().get(option.key)
    shown, unset = "" if value is None else _shown(value), _unset(option, shared)
    emptied = f" Empty: {option.empty}." if option.empty else ""
    choices: tuple[tuple[str, str], ...] = ()
    if option.complete == "workflow":
        choices = _workflows(shared, shown)
    elif option.choices and option.key in SETTINGS:
        choices = ((unset, ""), *((word, word) for word in option.choices))
    elif option.choices:
        shown, choices = shown or option.unset, tuple((word, word) for word in option.choices)
    meaning = f"{option.meaning}.{emptied}"
    return TableField(option.name, _title(option), shown, meaning, choices, unset, option.group)


def _shown(value: object) -> str:
    return join_texts(map(str, value)) if isinstance(value, list) else shown_value(value)


def _title(option: ProjectOption) -> str:
    return option.name.replace("-", " ")


def _workflows(shared: AppContext, current: str) -> tuple[tuple[str, str], ...]:
    return with_current(shared.choices.workflows, current)


def _unset(option: ProjectOption, shared: AppContext) -> str:
    """What counts where the project says nothing."""
    settings = shared.choices.settings
    if option.key not in SETTINGS or settings is None:
        return option.unset
    return f"as in config.yml: {shown_value(settings.values[option.key]) or 'none'}"
