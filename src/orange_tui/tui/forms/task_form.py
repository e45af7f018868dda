"""The form for a new task: one line and Enter; Tab opens the rest. What is wrong is said while it is typed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Button, Input, Select, TextArea

from orange_tui.delivery.review_pr import ReviewRequest, create_review, is_pull_request
from orange_tui.domain.errors import OrangeError
from orange_tui.tui.form_choices import branches_of, initial_states
from orange_tui.tui.forms._fields import agent_field, choice_field, field, project_field, text_field, workflow_field
from orange_tui.tui.forms._new_task import DEFAULT, Known, TypedTask
from orange_tui.tui.forms._new_work import NewWorkForm
from orange_tui.tui.widgets.shown_keys import show_own_keys
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.app import App, ComposeResult

    from orange_tui.engine.creation import Created
    from orange_tui.tui.context import AppContext
    from orange_tui.tui.widgets.bars import Keys

_ANY = "if empty, "
_TALL_ROWS = 28  # from here on all fields, two lines of what is wrong and the buttons have room to spare
_REVIEWER = [("the project's, else the same agent", "")]
_WORKTREE = [("its own", ""), ("none: the agent only answers, and can change nothing", "no")]
_START = [("at once", ""), ("when I say so", "no")]


class TaskForm(NewWorkForm):
    """One line; Tab shows everything else that can be said of a task. All but the project may be left out."""

    HEADING, SUBMIT, LEAVE, FIRST = "New task", "Create", "Close (esc)", "#summary"
    BINDINGS = [Binding("tab", "next_field", show=False)]  # noqa: RUF012 - Textual's own way
    VERTICAL_BREAKPOINTS = [(0, "-short"), (_TALL_ROWS, "-tall")]  # noqa: RUF012 - Textual's own way

    def __init__(self, shared: AppContext, project: str | None = None) -> None:
        super().__init__(shared)
        self._default_project = project
        self._initial_states: Mapping[str, tuple[str, ...] | str] = {}
        self._branches: dict[str, frozenset[str]] = {}  # by project, as far as they were read

    @property
    def heading(self) -> str:
        """Where the task will be: nobody should find it in another project."""
        return f"New task in {self.shared.project}" if self.shared.project else self.HEADING

    def fields(self) -> ComposeResult:
        yield from project_field(self.shared, self._default_project)
        yield from text_field("summary", "what is to be done, in one line; or a PR to review", label="task")
        with Vertical(id="more"):
            yield from text_field("branch", "")
            notes = TextArea(id="context", tab_behavior="focus", compact=True, placeholder="what to know; Markdown")
            yield from field("context", notes)
            yield from agent_field(self.shared)
            yield from text_field("model", f"{_ANY}the agent's own default")
            yield from text_field("effort", "")
            reviewers = [*_REVIEWER, *((name, name) for name in self.shared.choices.harnesses)]
            yield from choice_field("review_harness", reviewers, label="reviewer")
            yield from text_field("blocked_by", "branches or ids, with commas; it waits for them", label="blocked by")
            yield from text_field("labels", "comma-separated")
            yield from text_field("budget", f"dollars; {_ANY}the project's")
            yield from workflow_field(self.shared)
            yield from choice_field("state", [("default", DEFAULT)], label="starts in")
            yield from choice_field("worktree", _WORKTREE)
            yield from choice_field("start", _START, label="start")

    def buttons(self) -> ComposeResult:
        yield Button(self.LEAVE, id="no", compact=True)
        yield Button("More (tab)", id="open", compact=True)
        yield Button(f"{self.SUBMIT} (⏎)", id="yes", compact=True)

    def own_keys(self) -> Keys:
        """Enter creates the task from its one line; among more fields it opens a list, or begins another line."""
        if self.has_class("-more"):
            return super().own_keys()
        return [("esc", "close"), ("⇥", "more"), ("⏎", self.SUBMIT.lower())]

    def on_mount(self) -> None:
        self.query_one("#open", Button).can_focus = False  # Tab itself is its key
        begin_work(self, self._read_states, group="states")
        begin_work(self, self._read_branches, group="branches")
        self.call_next(self._open_for_draft)

    def _open_for_draft(self) -> None:
        """A draft that has more than the line shows it."""
        texts = [entry.value for entry in self.query_one("#more").query(Input)]
        if any(texts) or self.long_text("context"):
            self._open()

    # ── more ──

    def _open(self) -> None:
        self.add_class("-more")
        self._check()
        create = self.query_one("#yes", Button)
        create.label = f"{self.SUBMIT} (ctrl+s)"  # Enter opens a list, or begins another line
        create.refresh(layout=True)
        show_own_keys(self)

    def action_next_field(self) -> None:
        """Go to the next field; from the line, that opens the rest."""
        if self.has_class("-more") or self.focused is not self.query_one("#summary"):
            self.focus_next()
            return
        self._open()
        self.set_focus(self.query_one("#branch"))

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "open":
            event.stop()
            event.prevent_default()
            self._open()
            self.set_focus(self.query_one("#branch"))

    def on_input_submitted(self) -> None:
        """Enter creates it; with nothing typed that would only be a slip."""
        if any(self.texts().values()):
            self.submit()
        else:
            self.show_remark("Type what is to be done. Ctrl+S creates it all the same, and the agent asks you.")

    # ── what can be chosen ──

    async def _read_states(self) -> None:
        self._initial_states = await asyncio.to_thread(initial_states, self.shared.orange)
        self._offer_states()
        self._check()

    async def _read_branches(self) -> None:
        project = self.project
        if project is not None and project not in self._branches:
            self._branches[project] = await asyncio.to_thread(branches_of, self.shared.orange, project)
            self._check()

    def _offer_states(self) -> None:
        states = self._initial_states.get(self.workflow_name() or "", ())
        if isinstance(states, str) or not states:
            self.offer("state", [("default", DEFAULT)])
        else:
            first = (f"{states[0]} (default)", f"{DEFAULT}{states[0]}")
            self.offer("state", [first, *((name, name) for name in states[1:])])

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id in {"project", "workflow"}:
            self._offer_states()
            begin_work(self, self._read_branches, group="branches")
        self._check()

    # ── checking ──

    def on_input_changed(self) -> None:
        self._check()

    def on_text_area_changed(self) -> None:
        self._check()

    def _check(self) -> None:
        typed = self._typed()
        problem = typed.problem()
        self.query_one("#branch", Input).placeholder = typed.branch or "orange-tasks/ and its id"
        levels = typed.known.efforts.get(typed["harness"], ())
        self.query_one("#effort", Input).placeholder = ", ".join(levels) or f"{_ANY}the agent's own default"
        self.query_one("#worktree", Select).disabled = not self.has_router
        self.show_problem(problem)
        if not problem:
            is_review = is_pull_request(typed["summary"])
            review = "A pull request: it is fetched and reviewed (workflow review-pr)."
            self.show_remark(review if is_review else typed.remark(is_open=self.has_class("-more")))

    def _typed(self) -> TypedTask:
        snapshot = self.shared.snapshot
        rows = snapshot.rows if snapshot is not None else ()
        projects = {project.name: project for project in snapshot.projects} if snapshot is not None else {}
        own = projects.get(self.project or "")
        known = Known(
            tuple(row.task for row in rows if row.task and not row.finished and row.ref.project == self.project),
            self._branches.get(self.project or "", frozenset()),
            self.shared.choices.efforts,
            self._initial_states.get(self.workflow_name() or "", ()),
            own.default_branch if own is not None else "",
            self.shared.choices.lacks_agent,
        )
        values = self.values()
        return TypedTask(values if self.has_router else {**values, "worktree": ""}, known)

    # ── creating it ──

    def submit(self) -> None:
        """Create the task: the form closes, and the list shows it as soon as it is there."""
        project, typed = self.project, self._typed()
        problem = typed.problem() or ("" if project else "Choose a project.")
        if problem or project is None:
            self.show_problem(problem)
            return
        tasks = self.shared.orange.tasks
        if is_pull_request(typed["summary"]):
            request = ReviewRequest(project, typed["summary"], self.choice("harness"))
            self._create(lambda: create_review(tasks, request))
        else:
            new = typed.new_task(project)
            self._create(lambda: tasks.create(new))

    def _create(self, work: Callable[[], Created]) -> None:
        """Close the form, and create the task meanwhile; refused, all that was typed is there again."""
        app, values = self.app, self.values()

        async def create() -> None:
            try:
                created = await asyncio.to_thread(work)
            except OrangeError as problem:
                self.keep({**values, **self._newer_draft()})
                said = f"{problem} What you typed is kept: c shows it again."
                app.notify(said, title="New task: refused", severity="error", timeout=15, markup=False)
            else:
                await _tell(app, self.shared, created)

        self.keep({})
        self.dismiss()
        begin_work(app, create, group="create")

    def _newer_draft(self) -> dict[str, str]:
        """What was typed into the next form meanwhile."""
        own = f"{self.HEADING}: "
        return {name.removeprefix(own): text for name, text in self.shared.drafts.items() if name.startswith(own)}


async def _tell(app: App[Any], shared: AppContext, created: Created) -> None:
    """Say that a task was created, under which branch, and what it waits for."""
    from orange_tui.store.store import StoredTask

    if created.is_untrusted:
        shared.ask_trust(created.ref.project, created.waits or "")
        return
    found = await asyncio.to_thread(shared.orange.store.read, created.ref)
    branch = found.task.branch if isinstance(found, StoredTask) else created.ref.id
    if created.waits:
        app.notify(f"{branch}: {created.waits}", title="Created, waiting", markup=False)
    else:
        app.notify(f"{branch} was created.", markup=False)
