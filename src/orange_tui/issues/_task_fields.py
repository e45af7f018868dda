"""The fields of a task that come from its issue; labels such as `agent:codex` set some of them."""

from __future__ import annotations

import re

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.text.quoting import plain
from orange_tui.engine.creation import NewTask
from orange_tui.issues._labels import label_settings, task_labels

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.home.projects import Project
    from orange_tui.home.workflows import Workflows
    from orange_tui.outside.forge.interface import Issue

_FALLBACK_WORKFLOW = "autopilot"
_COMMON_EFFORTS = ("low", "medium", "high")
_MAX_SLUG_CHARACTERS = 40


def branch_name(issue: Issue) -> str:
    """The branch of an issue's task: its number, and enough of its title to recognise it."""
    slug = ""
    for word in re.findall(r"[a-z0-9]+", issue.title.lower()):
        longer = f"{slug}-{word}" if slug else word[:_MAX_SLUG_CHARACTERS]
        if len(longer) > _MAX_SLUG_CHARACTERS:
            break
        slug = longer
    return f"gh-task-{issue.number}-{slug}" if slug else f"gh-task-{issue.number}"


def with_context(body: str, text: str) -> str:
    """A task's body with an issue's text as its context."""
    from orange_tui.domain.text.sections import demote_headings, put_section

    return put_section(body, "Context", demote_headings(plain(text)))


class TaskFields:
    """Works out the fields of one project's tasks."""

    def __init__(self, project: Project, workflows: Workflows, harnesses: Harnesses) -> None:
        self._project, self._workflows, self._harnesses = project, workflows, harnesses

    def new_task(self, issue: Issue, task_id: str) -> NewTask:
        """The task that an issue becomes."""
        settings = label_settings(issue.labels)
        workflow = self._workflow(settings.get("workflow"))
        harness = self._harness(settings.get("agent"))
        return NewTask(
            project=self._project.name,
            branch=branch_name(issue),
            summary=issue.title,
            context=plain(issue.body),
            workflow=workflow.name,
            harness=harness,
            effort=self._effort(harness, settings.get("effort")),
            labels=task_labels(issue),
            id=task_id,
            model=_model(settings.get("model")),
            fields={"issue": issue.number, "issue_url": issue.url},
            spawn=workflow.starts_by_itself,  # what a person has to start waits for one
            by="engine",
        )

    def changes(self, task: Task, issue: Issue, changed: set[str]) -> dict[str, object]:
        """The fields of a task that differ after its issue's title or labels changed."""
        wanted: dict[str, object] = {"summary": issue.title} if "title" in changed else {}
        if "labels" in changed:
            settings = label_settings(issue.labels)
            harness = self._harness(settings.get("agent"))
            effort = self._effort(harness, settings.get("effort"))
            given = {"harness": harness, "effort": effort, "model": _model(settings.get("model"))}
            wanted["labels"] = task_labels(issue)
            wanted |= {name: value for name, value in given.items() if value is not None}
        return {name: value for name, value in wanted.items() if getattr(task, name) != value}

    def _workflow(self, label: str | None) -> Workflow:
        """The one a label names, else the project's if its tasks start by themselves, else the autopilot."""
        if label is not None and label in self._workflows.names():
            return self._workflows.load(label)
        own = self._workflows.load(self._project.workflow)
        return own if own.starts_by_itself else self._workflows.load(_FALLBACK_WORKFLOW)

    def _harness(self, label: str | None) -> str | None:
        if label is None or label not in self._harnesses.names():
            return None
        return label if self._harnesses.installed(label) else None

    def _effort(self, harness: str | None, label: str | None) -> str | None:
        """A level counts if the agent knows it; where no agent is named, if all of them do."""
        from orange_tui.domain.harnesses.harness import check_effort

        if harness is None or label is None:
            return label if label in _COMMON_EFFORTS else None
        try:
            return check_effort(self._harnesses.get(harness), label)
        except OrangeError:
            return None


def _model(label: str | None) -> str | None:
    from orange_tui.domain.harnesses.harness import check_model

    try:
        return check_model(label) if label is not None else None
    except OrangeError:
        return None
