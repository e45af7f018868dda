"""Issues → tasks: each allowed issue becomes one task, ever, and what happens to the issue happens to the task.

A task that has not started follows its issue's title, text and labels, and is cancelled with it. One that has started
is left alone: when its issue is closed, a person is told. What was deleted here stays deleted.
"""

from __future__ import annotations

from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.issues._labels import task_labels
from orange_tui.issues._task_fields import TaskFields, with_context
from orange_tui.issues.changes import CANCELLED, CREATED, MARKED, PROBLEM, UPDATED, IssueChange
from orange_tui.issues.links import IssueLinks
from orange_tui.issues.rules import rules_of
from orange_tui.store.store import StoredTask, TaskRef, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from orange_tui.domain.task import Task
    from orange_tui.engine.creation import NewTask
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.outside.forge.interface import Issue, IssueList
    from orange_tui.store.open_task import OpenTask


class IssueImporter:
    """Brings one project's tasks up to date with its issues; the caller holds the lock of its links."""

    def __init__(self, tasks: Tasks, project: Project) -> None:
        self._tasks, self._project = tasks, project
        self._engine, self._store = tasks.engine, tasks.engine.store
        self._fields = TaskFields(project, tasks.engine.workflows, tasks.engine.parts.harnesses)
        self._links = IssueLinks(self._store.home, project.name)
        self._task_by_url: dict[str, str] | None = None

    def unfinished_issues(self) -> list[int]:
        """The numbers of the issues whose tasks are not finished: it matters when they are closed."""
        return sorted(number for _, number, task in self._links.linked() if self._unfinished(task) is not None)

    def apply(self, found: IssueList) -> list[IssueChange]:
        """Create, update and cancel tasks, after what the forge has."""
        rules = rules_of(self._project)
        changes: list[IssueChange] = []
        for issue in sorted(found.issues, key=lambda issue: issue.number):
            allowed = rules.allow(issue, found.viewer)
            changes += _isolated(issue.number, lambda issue=issue, allowed=allowed: self._apply(issue, allowed=allowed))  # type: ignore[misc]
        for key, number, _ in self._links.linked():
            if number in found.deleted:
                changes += _isolated(number, lambda key=key: self._close(key, self._links.entries()[key]))  # type: ignore[misc]
        return changes

    def _apply(self, issue: Issue, *, allowed: bool) -> list[IssueChange]:
        entry = self._links.entries().get(issue.key) or self._adopt(issue)
        if entry is None:
            return self._begin(issue) if allowed and issue.is_open else []
        if not entry.get("made"):
            return self._recover(issue, entry, wanted=allowed and issue.is_open)
        if not issue.is_open:
            return self._close(issue.key, entry)
        return self._reopen(issue, entry) + self._update(issue, entry)

    def _adopt(self, issue: Issue) -> dict[str, Any] | None:
        """Where the file was lost, a task is found by the issue's URL in its TASK.md."""
        if self._task_by_url is None:
            tasks = readable(self._store.read_all(self._project.name))
            urls = {each.ref.id: each.task.extra.get("issue_url") for each in tasks}
            self._task_by_url = {str(url): task for task, url in urls.items() if url is not None}
        task = self._task_by_url.get(issue.url)
        if task is None:
            return None
        self._links.update(issue.key, task=task, made=True, **_issue_fields(issue))
        return self._links.entries()[issue.key]

    def _begin(self, issue: Issue) -> list[IssueChange]:
        new = self._fields.new_task(issue, self._store.free_id())  # refused before anything is written
        self._links.update(issue.key, task=new.id, made=False, **_issue_fields(issue))
        return self._create(issue, new)

    def _recover(self, issue: Issue, entry: Mapping[str, Any], *, wanted: bool) -> list[IssueChange]:
        """After a crash half-way: the task is there, or it is created now, if it is still wanted."""
        if self._store.has(TaskRef(self._project.name, entry["task"])):
            self._links.update(issue.key, made=True)
            return [_created(issue, entry["task"])]
        if not wanted:
            return []
        return self._create(issue, self._fields.new_task(issue, entry["task"]))

    def _create(self, issue: Issue, new: NewTask) -> list[IssueChange]:
        ref = self._tasks.create(new).ref
        self._links.update(issue.key, made=True, **_issue_fields(issue))
        self._engine.log.write("info", f"issue {issue.url} became a task", task=ref.id)
        return [_created(issue, ref.id)]

    def _update(self, issue: Issue, entry: Mapping[str, Any]) -> list[IssueChange]:
        """Bring a task up to date that has not started; what a person changed here and not there stays."""
        fields = _issue_fields(issue)
        changed = {name for name, value in fields.items() if entry.get(name) != value}
        if not changed:
            return []
        found = self._unfinished(entry["task"])
        updated = found is not None and changed & {"title", "labels", "body"} and self._edit(found, issue, changed)
        self._links.update(issue.key, **fields)
        sentence = f"Issue #{issue.number} has changed, and its task with it: {entry['task']}"
        return [IssueChange(UPDATED, sentence, issue.number, entry["task"])] if updated else []

    def _edit(self, found: StoredTask, issue: Issue, changed: set[str]) -> bool:
        with self._engine.open(found.ref) as opened:
            if not self._has_not_started(opened):
                return False
            if "body" in changed:
                opened.edit_body("issue.changed", lambda body: with_context(body, issue.body), url=issue.url)
            changes = self._fields.changes(opened.task, issue, changed)
            if changes:
                opened.change("issue.changed", changes, url=issue.url)
            return True

    def _close(self, key: str, entry: Mapping[str, Any]) -> list[IssueChange]:
        found = self._unfinished(entry["task"]) if not entry.get("closed") else None
        changes = [] if found is None else [self._cancel_or_mark(found, entry)]
        self._links.update(key, closed=True)
        return changes

    def _cancel_or_mark(self, found: StoredTask, entry: Mapping[str, Any]) -> IssueChange:
        """Cancel a task that has not started; about any other a person decides."""
        number, url, task = int(entry["number"]), str(entry.get("url")), found.ref.id
        with self._engine.open(found.ref) as opened:
            if self._has_not_started(opened) and self._can_be_cancelled(opened.task):
                opened.record_once("issue.closed", url=url)
                self._engine.cancel(opened)
                sentence = f"Issue #{number} was closed; its task {task}, which had not started, is cancelled"
                return IssueChange(CANCELLED, sentence, number, task)
            before, sentence = opened.task.attention, _closed_sentence(number)
            if sentence not in (before or ""):
                attention = f"{before}. {sentence}" if before else sentence
                opened.change("issue.closed", {"attention": attention}, url=url)
        return IssueChange(MARKED, f"Issue #{number} was closed while its task {task} is under way", number, task)

    def _can_be_cancelled(self, task: Task) -> bool:
        return self._engine.workflows.load(task.workflow).cancelled_end(task.status) is not None

    def _reopen(self, issue: Issue, entry: Mapping[str, Any]) -> list[IssueChange]:
        """The issue is open again: the task no longer needs a person for that reason."""
        if not entry.get("closed"):
            return []
        found, sentence = self._unfinished(entry["task"]), _closed_sentence(issue.number)
        if found is not None:
            with self._engine.open(found.ref) as opened:
                before = opened.task.attention or ""
                if before.endswith(sentence):
                    rest = before.removesuffix(sentence).removesuffix(". ") or None
                    opened.change("issue.reopened", {"attention": rest}, url=issue.url)
        self._links.update(issue.key, closed=False)
        return []

    def _unfinished(self, task_id: str) -> StoredTask | None:
        ref = TaskRef(self._project.name, task_id)
        found = self._store.read(ref) if self._store.has(ref) else None
        return found if isinstance(found, StoredTask) and not self._tasks.is_finished(found.task) else None

    def _has_not_started(self, opened: OpenTask) -> bool:
        first = self._engine.workflows.load(opened.task.workflow).first_state
        return opened.task.status == first and opened.journal.last("agent.spawned") is None


def _isolated(number: int, work: Callable[[], list[IssueChange]]) -> list[IssueChange]:
    """One issue's problem is reported and stops no other; a disk that cannot be written stops all."""
    try:
        return work()
    except NotSaved:
        raise
    except OrangeError as problem:
        return [IssueChange(PROBLEM, f"Issue #{number}: {problem}", number)]


def _issue_fields(issue: Issue) -> dict[str, object]:
    """What is kept of an issue, so that a change of it is noticed."""
    from hashlib import sha256

    digest = sha256(issue.body.encode(errors="backslashreplace")).hexdigest()[:16]
    labels = list(task_labels(issue))
    return {"number": issue.number, "url": issue.url, "title": issue.title, "labels": labels, "body": digest}


def _created(issue: Issue, task: str) -> IssueChange:
    return IssueChange(CREATED, f"Issue #{issue.number} became a task: {task}", issue.number, task)


def _closed_sentence(number: int) -> str:
    """Part of a task's `attention`; found there again when the issue is reopened."""
    return f"Issue #{number} was closed on GitHub; cancel this task if it is not wanted any more"
