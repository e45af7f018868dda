"""Issues become tasks: each allowed one a single task, ever, and what happens to the issue happens to the task.

A task that has not started follows its issue's title, text and labels, and is cancelled with it. One that has is left
alone: when its issue is closed, a person is told. What was deleted here stays deleted.
"""

from __future__ import annotations

from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.text.quoting import plain
from orange_tui.engine.engine import CANCELLED
from orange_tui.engine.tasks import NewTask
from orange_tui.issues.issue import branch_of, labels_of, spoken
from orange_tui.issues.issue_file import IssueFile, tracked
from orange_tui.issues.issue_rules import rules_of
from orange_tui.store.store import StoredTask, TaskRef, working

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.home.projects import Project
    from orange_tui.issues.issue import Issue
    from orange_tui.issues.issue_hub import Found
    from orange_tui.orange import Orange
    from orange_tui.store.open_task import OpenTask

WORKFLOW = "autopilot"
_COMMON_EFFORTS = ("low", "medium", "high")
CREATED, UPDATED, ENDED, MARKED = "created", "updated", "cancelled", "marked"


@record
class Did:
    """One thing that was done, or could not be: `what` is a word for programs, `sentence` one for people."""

    what: str
    sentence: str
    issue: int
    task: str | None = None
    is_problem: bool = False

    def as_json(self) -> dict[str, object]:
        """For `--json`."""
        return {"did": self.what, "issue": self.issue, "task": self.task, "sentence": self.sentence}


class Pull:
    """One round for one project; whoever makes it holds the lock of its issue file."""

    def __init__(self, orange: Orange, project: Project) -> None:
        self._orange, self._project = orange, project
        self._file = IssueFile(orange.home, project.name)
        self._by_url: dict[str, str] | None = None

    def tracked(self) -> list[int]:
        """The issues whose tasks are not finished: their end is of interest."""
        numbers = [n for _, n, task in tracked(self._file.entries()) if self._unfinished(task) is not None]
        return sorted(numbers)

    def take(self, found: Found) -> list[Did]:
        """Do what follows from what was seen."""
        rules, did = rules_of(self._project), []
        for issue in sorted(found.issues, key=lambda issue: issue.number):
            allowed = rules.allow(issue, found.viewer)
            did += self._safely(issue.number, lambda issue=issue, allowed=allowed: self._one(issue, allowed=allowed))  # type: ignore[misc]
        entries = self._file.entries()
        for key, number, _ in list(tracked(entries)):
            if number in found.gone:
                did += self._safely(number, lambda key=key: self._closed(key, self._file.entries()[key]))  # type: ignore[misc]
        return did

    def _safely(self, number: int, work: Callable[[], list[Did]]) -> list[Did]:
        """One issue's trouble is told and stops no other; a disk that takes nothing stops all."""
        try:
            return work()
        except NotSaved:
            raise
        except OrangeError as problem:
            return [Did("problem", f"Issue #{number}: {problem}", number, is_problem=True)]

    def _one(self, issue: Issue, *, allowed: bool) -> list[Did]:
        entry = self._file.entries().get(issue.key) or self._adopted(issue)
        if entry is None:
            return self._begin(issue) if allowed and issue.is_open else []
        if not entry.get("made"):
            return self._finish(issue, entry, wanted=allowed and issue.is_open)
        if not issue.is_open:
            return self._closed(issue.key, entry)
        return self._reopened(issue, entry) + self._changed(issue, entry)

    def _adopted(self, issue: Issue) -> dict[str, Any] | None:
        """A task that says it is this issue's counts also where the file was lost."""
        if self._by_url is None:
            tasks = working(self._orange.store.read_all(self._project.name))
            self._by_url = {
                str(each.task.extra["issue_url"]): each.ref.id for each in tasks if "issue_url" in each.task.extra
            }
        task = self._by_url.get(issue.url)
        if task is None:
            return None
        self._file.note(issue.key, task=task, made=True, **_told(issue))
        return self._file.entries()[issue.key]

    def _begin(self, issue: Issue) -> list[Did]:
        new = self._new_task(issue, self._orange.store.free_id())  # what cannot be made is refused before it is noted
        self._file.note(issue.key, task=new.id, made=False, **_told(issue))
        return self._make(issue, new)

    def _finish(self, issue: Issue, entry: Mapping[str, Any], *, wanted: bool) -> list[Did]:
        """What a crash left half done: the task is there, or it is made now, if it is still wanted."""
        if self._orange.store.has(TaskRef(self._project.name, entry["task"])):
            self._file.note(issue.key, made=True)
            return [self._did(CREATED, issue, entry["task"], "became a task")]
        if not wanted:
            return []
        return self._make(issue, self._new_task(issue, entry["task"]))

    def _make(self, issue: Issue, new: NewTask) -> list[Did]:
        ref = self._orange.tasks.create(new).ref
        self._file.note(issue.key, made=True, **_told(issue))
        self._orange.log.write("info", f"issue {issue.url} became a task", task=ref.id)
        return [self._did(CREATED, issue, ref.id, "became a task")]

    def _new_task(self, issue: Issue, task_id: str) -> NewTask:
        said = spoken(issue.labels)
        workflow = self._workflow(said.get("workflow"))
        harness = self._harness(said.get("agent"))
        return NewTask(
            project=self._project.name,
            branch=branch_of(issue),
            summary=issue.title,
            context=plain(issue.body),
            workflow=workflow.name,
            harness=harness,
            effort=self._effort(harness, said.get("effort")),
            labels=labels_of(issue),
            id=task_id,
            fields={"issue": issue.number, "issue_url": issue.url, **_model(said.get("model"))},
            spawn=workflow.starts_by_itself,  # what a person has to start waits for one
        )

    def _workflow(self, label: str | None) -> Workflow:
        """The one a label names, else the project's if its tasks start by themselves, else the autopilot."""
        load = self._orange.workflows.load
        if label is not None and label in self._orange.workflows.names():
            return load(label)
        own = load(self._project.workflow)
        return own if own.starts_by_itself else load(WORKFLOW)

    def _harness(self, label: str | None) -> str | None:
        harnesses = self._orange.services.harnesses
        return label if label is not None and label in harnesses.names() and harnesses.installed(label) else None

    def _effort(self, harness: str | None, label: str | None) -> str | None:
        """A level counts if the agent knows it; where none is named, if they all do."""
        from orange_tui.domain.harnesses.harness import check_effort

        if harness is None or label is None:
            return label if label in _COMMON_EFFORTS else None
        try:
            return check_effort(self._orange.services.harnesses.get(harness), label)
        except OrangeError:
            return None

    def _changed(self, issue: Issue, entry: Mapping[str, Any]) -> list[Did]:
        """Bring a task up to date that has not started; what a person changed here and not there stays."""
        told = _told(issue)
        new = {name for name, value in told.items() if entry.get(name) != value}
        if not new:
            return []
        found = self._unfinished(entry["task"])
        updated = found is not None and new & {"title", "labels", "body"} and self._update(found, issue, new)
        self._file.note(issue.key, **told)
        return [self._did(UPDATED, issue, entry["task"], "has changed, and its task with it")] if updated else []

    def _update(self, found: StoredTask, issue: Issue, new: set[str]) -> bool:
        with self._orange.engine.open(found.ref) as opened:
            if not self._has_not_started(opened):
                return False
            if "body" in new:
                opened.edit_body("issue.changed", lambda body: _with_context(body, issue.body), url=issue.url)
            changes = self._changes(opened.task, issue, new)
            if changes:
                opened.change("issue.changed", changes, url=issue.url)
            return True

    def _changes(self, task: Task, issue: Issue, new: set[str]) -> dict[str, object]:
        wanted: dict[str, object] = {"summary": issue.title} if "title" in new else {}
        if "labels" in new:
            said = spoken(issue.labels)
            harness = self._harness(said.get("agent"))
            effort = self._effort(harness, said.get("effort"))
            given = {"harness": harness, "effort": effort, **_model(said.get("model"))}
            wanted |= {"labels": labels_of(issue)} | {name: value for name, value in given.items() if value is not None}
        return {name: value for name, value in wanted.items() if getattr(task, name) != value}

    def _closed(self, key: str, entry: Mapping[str, Any]) -> list[Did]:
        found = self._unfinished(entry["task"]) if not entry.get("closed") else None
        did = [] if found is None else [self._end(found, entry)]
        self._file.note(key, closed=True)
        return did

    def _end(self, found: StoredTask, entry: Mapping[str, Any]) -> Did:
        """Cancel a task that has not started; of any other a person decides."""
        number, url = int(entry["number"]), str(entry.get("url"))
        with self._orange.engine.open(found.ref) as opened:
            if self._has_not_started(opened):
                _once(opened, "issue.closed", url=url)
                self._orange.engine.transition(opened, CANCELLED, "person")
                sentence = f"Issue #{number} was closed; its task {found.ref.id}, which had not started, is cancelled"
                return Did(ENDED, sentence, number, found.ref.id)
            said, sentence = opened.task.attention, _closed_sentence(number)
            if sentence not in (said or ""):
                opened.change("issue.closed", {"attention": f"{said}. {sentence}" if said else sentence}, url=url)
        return Did(
            MARKED, f"Issue #{number} was closed while its task {found.ref.id} is under way", number, found.ref.id
        )

    def _reopened(self, issue: Issue, entry: Mapping[str, Any]) -> list[Did]:
        """Open again: a person need not look for that reason any more."""
        if not entry.get("closed"):
            return []
        found, sentence = self._unfinished(entry["task"]), _closed_sentence(issue.number)
        if found is not None:
            with self._orange.engine.open(found.ref) as opened:
                said = opened.task.attention or ""
                if said.endswith(sentence):
                    rest = said.removesuffix(sentence).removesuffix(". ") or None
                    opened.change("issue.reopened", {"attention": rest}, url=issue.url)
        self._file.note(issue.key, closed=False)
        return []

    def _unfinished(self, task_id: str) -> StoredTask | None:
        ref = TaskRef(self._project.name, task_id)
        found = self._orange.store.read(ref) if self._orange.store.has(ref) else None
        return found if isinstance(found, StoredTask) and not self._orange.tasks.is_finished(found.task) else None

    def _has_not_started(self, opened: OpenTask) -> bool:
        first = self._orange.workflows.load(opened.task.workflow).first_state
        return opened.task.status == first and opened.journal.last("agent.spawned") is None

    def _did(self, what: str, issue: Issue, task: str, words: str) -> Did:
        return Did(what, f"Issue #{issue.number} {words}: {task}", issue.number, task)


def _told(issue: Issue) -> dict[str, object]:
    """What of an issue its task has heard of."""
    from hashlib import sha256

    digest = sha256(issue.body.encode(errors="backslashreplace")).hexdigest()[:16]
    labels = list(labels_of(issue))
    return {"number": issue.number, "url": issue.url, "title": issue.title, "labels": labels, "body": digest}


def _model(label: str | None) -> dict[str, object]:
    from orange_tui.domain.harnesses.harness import check_model

    try:
        return {"model": check_model(label)} if label is not None else {}
    except OrangeError:
        return {}


def _with_context(body: str, text: str) -> str:
    from orange_tui.domain.text.sections import demote_headings, put_section

    return put_section(body, "Context", demote_headings(plain(text)))


def _closed_sentence(number: int) -> str:
    return f"Issue #{number} was closed on GitHub; cancel this task if it is not wanted any more"


def _once(opened: OpenTask, event: str, **details: str) -> None:
    known = opened.journal.last(event)
    if known is None or any(known.get(name) != value for name, value in details.items()):
        opened.record(event, **details)
