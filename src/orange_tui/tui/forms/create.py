"""The form for a new task: what is typed is checked while it is typed, and nothing is lost by a refusal."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static, TextArea

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import check_branch, check_summary
from orange_tui.tui.forms.branch_choices import branch_exists, first_states
from orange_tui.tui.forms.fields import agent_field, field, project_field, workflow_field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult

    from orange_tui.engine.tasks import NewTask
    from orange_tui.tui.app import OrangeApp

_USUAL = "usual:"  # and which that is: another one is another choice, or the field would go on showing this one
_SETTLE = 0.15  # seconds without a key before git is asked


class Create(ModalScreen[None]):
    """Summary, branch, agent, workflow, first state, context: all but the project may be left out."""

    app: OrangeApp
    BINDINGS = [("escape", "dismiss", "Never mind"), ("ctrl+s", "create", "Create")]  # noqa: RUF012

    def __init__(self) -> None:
        super().__init__()
        self._first_states: Mapping[str, tuple[str, ...] | str] = {}

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog form"):
            yield Label("New task", classes="title")
            if not self.app.project:
                yield from project_field(self.app)
            yield from field("summary", _input("summary", "one line; empty: the agent asks"))
            yield from field("branch", _input("branch", "empty: orange-tasks/<id>"))
            yield from agent_field(self.app)
            yield from workflow_field(self.app)
            states = Select([("as usual", _USUAL)], id="state", value=_USUAL, allow_blank=False, compact=True)
            yield from field("begins", states)
            yield Label("context, in Markdown", classes="name")
            yield TextArea(id="context", tab_behavior="focus", compact=True)
            yield Static("", id="problem", classes="problem", markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Never mind (esc)", id="no", compact=True)
                yield Button("Create (ctrl+s)", id="yes", compact=True)

    def on_mount(self) -> None:
        self.query_one("#context", TextArea).cursor_blink = False
        self.query_one("#summary").focus()
        self.run_worker(self._read_states(), group="states", exit_on_error=False)

    # ── where it begins ──

    async def _read_states(self) -> None:
        self._first_states = await asyncio.to_thread(first_states, self.app.orange)
        self._offer_states()
        self._check()

    def _offer_states(self) -> None:
        states = self._first_states.get(self._workflow() or "", ())
        if isinstance(states, str) or not states:
            options = [("as usual", _USUAL)]
        else:
            options = [(f"{states[0]}, as usual", f"{_USUAL}{states[0]}"), *((name, name) for name in states[1:])]
        select = self.query_one("#state", Select)
        select.set_options(options)
        select.value = options[0][1]

    def _workflow(self) -> str | None:
        """The name of the workflow it would have."""
        projects = self.app.snapshot.projects if self.app.snapshot else ()
        own = (project.workflow for project in projects if project.name == self._project())
        return self._chosen("workflow") or next(own, None)

    def _project(self) -> str | None:
        return self.app.project or self._chosen("project")

    def _chosen(self, name: str) -> str | None:
        value = self.query_one(f"#{name}", Select).value
        return value if isinstance(value, str) and value and not value.startswith(_USUAL) else None

    # ── what is wrong with it ──

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id in {"project", "workflow"}:
            self._offer_states()
        self._check()

    def on_input_changed(self) -> None:
        self._check()

    def _check(self) -> None:
        problem = self._problem()
        self._tell(problem, is_problem=bool(problem))
        branch = self.query_one("#branch", Input).value.strip()
        if branch and not problem:
            self.run_worker(self._look_in_git(branch), group="git", exclusive=True, exit_on_error=False)

    async def _look_in_git(self, branch: str) -> None:
        """A branch that git has is not refused, but the person should know that it is taken as it is."""
        await asyncio.sleep(_SETTLE)
        project = self._project()
        if project is None:
            return
        if await asyncio.to_thread(branch_exists, self.app.orange, project, branch):
            self._tell(f"Branch {branch} is in git already: the task goes on from there.", is_problem=False)

    def _problem(self) -> str:
        branch = self.query_one("#branch", Input).value.strip()
        try:
            check_summary(self.query_one("#summary", Input).value)
            if branch:
                check_branch(branch)
        except OrangeError as problem:
            return str(problem)
        states = self._first_states.get(self._workflow() or "", ())
        if isinstance(states, str):
            return states
        return self._taken(branch) if branch else ""

    def _taken(self, branch: str) -> str:
        rows = self.app.snapshot.rows if self.app.snapshot else ()
        project = self._project()
        mine = (row.task for row in rows if row.task and not row.finished and row.ref.project == project)
        holder = next((task for task in mine if task.branch == branch), None)
        return f"Branch {branch} has a task already: {holder.id}. Choose another name." if holder else ""

    def _tell(self, text: str, *, is_problem: bool) -> None:
        line = self.query_one("#problem", Static)
        line.update(text)
        line.set_class(not is_problem, "-remark")
        self.query_one("#yes", Button).disabled = is_problem

    # ── creating it ──

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.action_create()
        else:
            self.dismiss()

    def action_create(self) -> None:
        project = self._project()
        problem = self._problem() or ("" if project else "Choose a project.")
        if problem or project is None:
            self._tell(problem, is_problem=True)
            return
        self.run_worker(self._create(self._asked_for(project)), group="create", exclusive=True)

    def _asked_for(self, project: str) -> NewTask:
        from orange_tui.engine.tasks import NewTask

        return NewTask(
            project=project,
            branch=self.query_one("#branch", Input).value.strip() or None,
            summary=self.query_one("#summary", Input).value,
            context=self.query_one("#context", TextArea).text,
            status=self._chosen("state"),
            harness=self._chosen("harness"),
            workflow=self._chosen("workflow"),
        )

    async def _create(self, new: NewTask) -> None:
        self._tell("Creating …", is_problem=False)
        try:
            created = await asyncio.to_thread(self.app.orange.tasks.create, new)
        except OrangeError as problem:
            self._tell(str(problem), is_problem=True)
            return
        if created.waits:
            self.app.notify(created.waits, title="Created, and waiting", markup=False)
        self.dismiss()


def _input(name: str, placeholder: str) -> Input:
    entry = Input(placeholder=placeholder, id=name, compact=True)
    entry.cursor_blink = False
    return entry
