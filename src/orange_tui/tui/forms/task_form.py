"""The form for a new task. A branch that git has already is no mistake, but the person is told."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.widgets import Input, Label, Select, TextArea

from orange_tui.delivery.review_pr import ReviewRequest, create_review, is_pull_request
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import check_branch, check_summary
from orange_tui.tui.form_choices import branch_exists, initial_states
from orange_tui.tui.forms._fields import agent_field, field, project_field, text_field, workflow_field
from orange_tui.tui.forms._new_work import NewWorkForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import ComposeResult

    from orange_tui.engine.creation import Created, NewTask
    from orange_tui.tui.context import AppContext

_DEFAULT = "default:"  # and which that is: another one is another choice, or the field would go on showing this one
_TYPING_PAUSE_SECONDS = 0.15  # without a key, before git is asked


class TaskForm(NewWorkForm):
    """Summary, branch, agent, workflow, first state, context: all but the project may be left out."""

    HEADING, SUBMIT = "New task", "Create"

    def __init__(self, shared: AppContext) -> None:
        super().__init__(shared)
        self._initial_states: Mapping[str, tuple[str, ...] | str] = {}

    def fields(self) -> ComposeResult:
        yield from project_field(self.shared)
        yield from text_field("summary", "one line, or a PR to review; if empty, the agent asks")
        yield from text_field("branch", "if empty, orange-tasks/<id>")
        yield from agent_field(self.shared)
        yield from workflow_field(self.shared)
        states = Select([("default", _DEFAULT)], id="state", value=_DEFAULT, allow_blank=False, compact=True)
        yield from field("starts in", states)
        yield Label("context (Markdown)", classes="name")
        yield TextArea(id="context", tab_behavior="focus", compact=True)

    def on_mount(self) -> None:
        self.run_worker(self._read_states(), group="states", exit_on_error=False)

    # ── the first state ──

    async def _read_states(self) -> None:
        self._initial_states = await asyncio.to_thread(initial_states, self.shared.orange)
        self._offer_states()
        self._check()

    def _offer_states(self) -> None:
        states = self._initial_states.get(self.workflow_name() or "", ())
        if isinstance(states, str) or not states:
            options = [("default", _DEFAULT)]
        else:
            options = [(f"{states[0]} (default)", f"{_DEFAULT}{states[0]}"), *((name, name) for name in states[1:])]
        select = self.query_one("#state", Select)
        select.set_options(options)
        select.value = options[0][1]

    def choice(self, name: str) -> str | None:
        value = super().choice(name)
        return value if value is not None and not value.startswith(_DEFAULT) else None

    # ── checking ──

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id in {"project", "workflow"}:
            self._offer_states()
        self._check()

    def on_input_changed(self) -> None:
        self._check()

    def _check(self) -> None:
        problem, branch = self._problem(), self.text("branch")
        self.show_problem(problem)
        if not problem and is_pull_request(self._summary()):
            self.show_remark("A pull request: it is fetched and reviewed (workflow review-pr).")
        elif branch and not problem:
            self.run_worker(self._check_in_git(branch), group="git", exclusive=True, exit_on_error=False)

    async def _check_in_git(self, branch: str) -> None:
        """A branch that git has is not refused, but the person should know that the task goes on from there."""
        await asyncio.sleep(_TYPING_PAUSE_SECONDS)
        project = self.project
        if project is None:
            return
        if await asyncio.to_thread(branch_exists, self.shared.orange, project, branch):
            self.show_remark(f"Branch {branch} already exists: the task continues on it.")

    def _problem(self) -> str:
        branch = self.text("branch")
        try:
            check_summary(self._summary())
            if branch:
                check_branch(branch)
        except OrangeError as problem:
            return str(problem)
        states = self._initial_states.get(self.workflow_name() or "", ())
        if isinstance(states, str):
            return states
        return self._branch_problem(branch) if branch else ""

    def _branch_problem(self, branch: str) -> str:
        rows = self.shared.snapshot.rows if self.shared.snapshot else ()
        own = (row.task for row in rows if row.task and not row.finished and row.ref.project == self.project)
        holder = next((task for task in own if task.branch == branch), None)
        return f"Branch {branch} has a task already: {holder.id}. Choose another name." if holder else ""

    def _summary(self) -> str:
        return self.query_one("#summary", Input).value

    # ── creating it ──

    def submit(self) -> None:
        """Create the task."""
        project = self.project
        problem = self._problem() or ("" if project else "Choose a project.")
        if problem or project is None:
            self.show_problem(problem)
            return
        self.show_remark("Creating …")
        if is_pull_request(self._summary()):
            request = ReviewRequest(project, self._summary().strip(), self.choice("harness"))
            self.save(lambda: create_review(self.shared.orange.tasks, request), self._on_created)
            return
        new = self._new_task(project)
        self.save(lambda: self.shared.orange.tasks.create(new), self._on_created)

    def _new_task(self, project: str) -> NewTask:
        from orange_tui.engine.creation import NewTask

        return NewTask(
            project=project,
            branch=self.text("branch") or None,
            summary=self._summary(),
            context=self.long_text("context"),
            status=self.choice("state"),
            harness=self.choice("harness"),
            workflow=self.choice("workflow"),
        )

    def _on_created(self, created: Created) -> None:
        if created.is_untrusted:
            self.shared.ask_trust(created.ref.project, created.waits or "")
        elif created.waits:
            self.app.notify(created.waits, title="Created, waiting", markup=False)
