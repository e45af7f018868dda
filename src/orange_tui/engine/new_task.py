"""A task that is to be created: what is said about it, and what it begins with."""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.task import check_branch, check_id, check_summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.workflow import Workflow
    from orange_tui.engine.services import Services
    from orange_tui.home.projects import Project

ASKING = "clarification"


@record
class NewTask:
    """What a person or an agent says about a task to be created."""

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
    blocked_by: tuple[str, ...] = ()
    parent: str | None = None
    labels: tuple[str, ...] = ()
    id: str | None = None  # chosen before, where it must be known who makes the task before it is there
    fields: Mapping[str, object] = {}  # others than ours
    spawn: bool = True


def first_status(new: NewTask, workflow: Workflow) -> str:
    """The state it is to begin in; without a summary, by asking, where the workflow can."""
    if new.status is None:
        return ASKING if not new.summary.strip() and ASKING in workflow.initial else workflow.first_state
    if new.status not in workflow.initial:
        allowed = ", ".join(workflow.initial)
        raise Refused(f"In {workflow.name} a task cannot start as {new.status}; it can start as {allowed}")
    return new.status


def first_values(new: NewTask, project: Project, workflow: Workflow, services: Services) -> dict[str, object]:
    """Its first frontmatter, everything in it checked. Who does it is left open where a router will say."""
    find, harnesses = services.store.find, services.harnesses
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
        "blocked_by": tuple(dict.fromkeys(find(check_id(other)).id for other in new.blocked_by)),
        "labels": new.labels,
        "parent": find(check_id(new.parent)).id if new.parent else None,
        **({"id": new.id} if new.id else {}),
    }


def first_body(new: NewTask) -> str:
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
