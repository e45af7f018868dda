"""Creating a task: what is given, what is checked, and what it begins with; and changing that later."""

from __future__ import annotations

from contextlib import ExitStack

from orange_tui.domain.errors import OrangeError, Refused, Untrusted
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import branch_words, check_branch, check_id, check_label, check_summary, free_branch
from orange_tui.domain.usage.budget import without_budget
from orange_tui.engine.starting import CLARIFICATION, start_or_wait
from orange_tui.store.store import BrokenTask, readable
from orange_tui.store.subtasks import cycle_sentence, stored_blockers, waiting_cycle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Workflow
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.engine.parts import HomeParts
    from orange_tui.home.projects import Project
    from orange_tui.store.store import Store, StoredTask, TaskRef


@record
class NewTask:
    """What a person or an agent gives to create a task."""

    project: str
    branch: str | None = None
    summary: str = ""
    context: str = ""
    status: str | None = None
    workflow: str | None = None
    harness: str | None = None
    review_harness: str | None = None
    effort: str | None = None
    review_effort: str | None = None
    model: str | None = None
    blocked_by: tuple[str, ...] = ()
    parent: str | None = None
    labels: tuple[str, ...] = ()
    budget: float | None = None  # None: its parent's, else the project's
    names_branch: bool = False  # without a branch, it is named after the summary, so that nobody else has it
    id: str | None = None  # chosen before, where it must be known who makes the task before it is there
    fields: Mapping[str, object] = {}  # others than ours
    spawn: bool = True
    by: Actor = "person"  # who creates it, and starts it if it starts at once


@record
class Created:
    """A new task; `waits` says why its agent was not started, where one was to be."""

    ref: TaskRef
    moved: Moved | None
    waits: str | None
    is_untrusted: bool = False  # it waits for the person's trust in what its repository brings along


def create_task(engine: Engine, new: NewTask) -> Created:
    """Write a new task down, and start its agent unless it is to wait. Until then nobody else can have the task."""
    parts = engine.parts
    project = parts.projects.get(new.project)
    workflow = parts.workflows.load(new.workflow or project.workflow)
    status = _first_status(new, workflow)
    entered = workflow.first_state if workflow.initial[status] and new.spawn else status
    values = {**_first_values(new, project, workflow, parts), "status": entered}
    with ExitStack() as held:
        with parts.store.project_lock(project.name):
            check_branch_is_free(engine, project.name, new.branch)
            if new.names_branch and not new.branch:
                values["branch"] = _branch_after_summary(engine, project, new.summary)
            body = _first_body(new)
            ref = parts.store.add(project.name, values, body, start=new.spawn, initial=status, held=held)
        parts.log.write("info", "task created", task=ref.id, project=project.name)
        waits_for_room = status == workflow.first_state and workflow.starts_by_itself
        has_start = status == workflow.first_state or bool(workflow.initial[status])
        if not new.spawn or waits_for_room or not has_start:
            return Created(ref, None, None)
        try:
            return Created(ref, start_or_wait(engine, parts.store.opened(ref), new.by), None)
        except OrangeError as problem:  # the task exists by now, and its creator must be told
            return Created(ref, None, str(problem), isinstance(problem, Untrusted))


def _branch_after_summary(engine: Engine, project: Project, summary: str) -> str | None:
    """A branch that neither git nor a task has; None where a summary gives none. The project's lock is held."""
    words = branch_words(summary)
    if not words:
        return None
    claimed = {other.task.branch for other in readable(engine.store.read_all(project.name))}
    taken = names_taken(branches_in_git(project) | claimed | {project.default_branch})
    return free_branch(words, taken.__contains__)


def branches_in_git(project: Project) -> frozenset[str]:
    """The branches that git has, here or as it last saw the remote; where it cannot tell, none."""
    from orange_tui.outside.git import Repository, local, remote

    roots = (local(""), remote(""))
    try:
        found = Repository(project.path).must("for-each-ref", "--format=%(refname)", *roots).splitlines()
    except OrangeError:
        return frozenset()
    return frozenset(name.removeprefix(root) for name in found for root in roots if name.startswith(root))


def names_taken(branches: Iterable[str]) -> frozenset[str]:
    """What no new branch can be called: as one of these, or as what one of them is below (fix, for fix/login)."""
    parts = [branch.split("/") for branch in branches]
    return frozenset("/".join(each[:count]) for each in parts for count in range(1, len(each) + 1))


def check_branch_is_free(engine: Engine, project: str, branch: str | None, but: str | None = None) -> None:
    """Refuse a branch that another unfinished task has."""
    if branch is None:
        return
    for other in engine.store.read_all(project):
        if other.ref.id != but and _claims(engine, other, branch):
            raise Refused(
                f"Branch {branch} has a task already: {other.ref.id}. Choose another name, or finish that one"
            )


def _claims(engine: Engine, other: StoredTask | BrokenTask, branch: str) -> bool:
    """Whether a task has that branch; a finished one has given it up, an unreadable one may still have it."""
    if isinstance(other, BrokenTask):
        try:
            event = engine.store.journal(other.ref).engine_event()
        except OrangeError:
            return False  # nobody can tell, and nothing else stops for it
        return event is not None and event["engine"]["branch"] == branch
    return other.task.branch == branch and not engine.is_finished(other.task)


def _first_status(new: NewTask, workflow: Workflow) -> str:
    """The state it is to begin in; without a summary, by asking, where the workflow can."""
    if new.status is None:
        return CLARIFICATION if not new.summary.strip() and CLARIFICATION in workflow.initial else workflow.first_state
    if new.status not in workflow.initial:
        allowed = ", ".join(workflow.initial)
        raise Refused(f"In {workflow.name} a task cannot start as {new.status}; it can start as {allowed}")
    return new.status


def _first_values(new: NewTask, project: Project, workflow: Workflow, parts: HomeParts) -> dict[str, object]:
    """Its first frontmatter, everything in it checked. Who does it is left open where a router will say."""
    harnesses = parts.harnesses
    harness = new.harness or (None if workflow.has_action("route") else harnesses.first_installed())
    reviewer = new.review_harness or project.entry.get("review_harness") or harness
    _check_effort(harnesses, harness, new.effort)
    _check_effort(harnesses, reviewer, new.review_effort)
    return {
        **new.fields,
        "summary": check_summary(new.summary),
        "branch": _own_branch(new.branch, project) if new.branch else None,
        "workflow": new.workflow or project.workflow,
        "harness": harness,
        "review_harness": reviewer,
        "effort": new.effort,
        "review_effort": new.review_effort,
        "blocked_by": _found_blockers(parts.store, new.blocked_by),
        "labels": new.labels,
        "model": _checked_model(new.model),
        **_from_parent(new, parts.store),
        **({"id": new.id} if new.id else {}),
    }


def checked_changes(engine: Engine, task: Task, given: Mapping[str, object]) -> dict[str, object]:
    """What a person has given to change about how a task is done, by field, everything in it checked.

    An empty text, and a list of nothing but that, takes back what was there.
    """
    parts = engine.parts
    changes = {name: _without_empty(value) for name, value in given.items()}
    after = replace(task, **changes)
    for name, effort in ((after.harness, after.effort), (after.review_harness or after.harness, after.review_effort)):
        _check_effort(parts.harnesses, name, effort)
    if "budget" in changes and task.attention:
        changes["attention"] = without_budget(task.attention) or None
    if "labels" in changes:
        changes["labels"] = tuple(dict.fromkeys(map(check_label, after.labels)))
    if "model" in changes:
        _checked_model(after.model)
    if "blocked_by" in changes:
        blockers = _found_blockers(parts.store, after.blocked_by)
        _check_no_cycle(parts.store, task.id, blockers)
        changes["blocked_by"] = blockers
    return changes


def _without_empty(value: object) -> object:
    return tuple(filter(None, value)) if isinstance(value, tuple) else None if value == "" else value


def _found_blockers(store: Store, names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(store.find(check_id(name)).id for name in names))


def _check_no_cycle(store: Store, task_id: str, blockers: Iterable[str]) -> None:
    """Refuse a blocker that waits, itself or through others, for this very task: neither would ever start.

    Two commands at once may still do that, and so may whoever writes the files: then their rows and doctor say so.
    """
    cycle = waiting_cycle(task_id, blockers, lambda each: stored_blockers(store, each))
    if cycle:
        raise Refused(cycle_sentence(cycle))


def _from_parent(new: NewTask, store: Store) -> dict[str, object]:
    """What comes of being a subtask: what its agents may use is limited as its parent's is."""
    if not new.parent:
        return {"parent": None, "budget": new.budget}
    ref = store.find(check_id(new.parent))
    found = store.read(ref) if new.budget is None else None
    inherited = found.task.budget if found is not None and not isinstance(found, BrokenTask) else None
    return {"parent": ref.id, "budget": new.budget if new.budget is not None else inherited}


def _checked_model(model: str | None) -> str | None:
    if model is None:
        return None
    from orange_tui.domain.harnesses.harness import check_model

    return check_model(model)


def _first_body(new: NewTask) -> str:
    """Its first body: the context it was given, as a section."""
    if not new.context.strip():
        return ""
    from orange_tui.domain.text.sections import demote_headings, put_section

    return "\n" + put_section("", "Context", demote_headings(new.context))


def _own_branch(branch: str, project: Project) -> str:
    if branch == project.default_branch:
        raise Refused(f"{branch} is the default branch of {project.name}; a task needs one of its own")
    return check_branch(branch)


def _check_effort(harnesses: Harnesses, name: str | None, effort: str | None) -> None:
    """An unknown agent, or a level it does not know, is refused before there is a task."""
    if name is None:
        return
    found = harnesses.get(name)
    if effort is not None:
        from orange_tui.domain.harnesses.harness import check_effort

        check_effort(found, effort)
