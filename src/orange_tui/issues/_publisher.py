"""Results → comments and labels: a comment on the issue for each result, and labels for a task that needs a person.

Nothing is posted twice. What was posted is in the task's journal; and because a command may be killed between
posting and recording, and a home may be lost, the issue's comments are searched for our hidden marker first.
"""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.issues._comment_text import comment_text
from orange_tui.issues._labels import OUR_LABELS, STATUS_LABELS
from orange_tui.issues._result import is_at_rest, links_for, result_of
from orange_tui.issues.changes import COMMENTED, LABELLED, IssueChange
from orange_tui.issues.links import IssueLinks
from orange_tui.issues.rules import rules_of
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.engine.tasks import Tasks
    from orange_tui.issues._comment_text import TaskResult
    from orange_tui.outside.forge.interface import Address, Forge, IssueThread
    from orange_tui.store.journal import Journal
    from orange_tui.store.store import TaskRef

_COMMENTED, _LABELLED = "issue.commented", "issue.labelled"


@record
class PendingPost:
    """What is to be posted about a task: a result that was not, and labels other than those we put on last."""

    task: Task
    forge: Forge
    issue: Address
    result: TaskResult | None
    add: tuple[str, ...]
    remove: tuple[str, ...]


class ResultPublisher:
    """Posts the results of tasks. Who calls `publish` holds the lock of the project's links, so that only one posts."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks, self._store = tasks, tasks.engine.store

    def pending(self, ref: TaskRef) -> PendingPost | None:
        """What there is to post about a task, by what is on this disk; the forge is not asked."""
        stored = self._store.read(ref) if self._store.has(ref) else None
        project = self._tasks.projects.find(ref.project)
        if not isinstance(stored, StoredTask) or "issue_url" not in stored.task.extra:
            return None
        if project is None or not rules_of(project).on:
            return None
        issue = IssueLinks(self._store.home, project.name).issue_of(ref.id)
        task, journal = stored.task, self._store.journal(ref)
        if issue is None or journal.unfinished() is not None:
            return None  # a task that is being moved is posted about when it has arrived
        result = result_of(task, journal) if is_at_rest(self._tasks.engine.workflows, task) else None
        if result is not None and _was_posted(journal, result.digest):
            result = None
        before, wanted = _labels_put(journal), _labels_for(task)
        add, remove = tuple(sorted(wanted - before)), tuple(sorted(before - wanted))
        return PendingPost(task, *issue, result, add, remove) if result or add or remove else None

    def publish(self, ref: TaskRef) -> list[IssueChange]:
        """Post what there is to post about a task."""
        post = self.pending(ref)
        if post is None:
            return []
        thread = post.forge.read_thread(post.issue, tuple(OUR_LABELS))
        return self._comment(ref, post, thread) + self._label(ref, post, thread)

    def _comment(self, ref: TaskRef, post: PendingPost, thread: IssueThread) -> list[IssueChange]:
        if post.result is None:
            return []
        existing = next((url for url, body in thread.comments if post.result.marker in body), None)
        text = comment_text(post.result, links_for(self._tasks, post.task, post.result, post.forge, post.issue))
        url = existing if existing is not None else post.forge.post_comment(post.issue, text)
        with self._store.open(ref) as opened:
            opened.record(_COMMENTED, hash=post.result.digest, url=url, status=post.task.status)
        number = post.issue.number
        return [] if existing is not None else [IssueChange(COMMENTED, f"Commented on issue #{number}", number, ref.id)]

    def _label(self, ref: TaskRef, post: PendingPost, thread: IssueThread) -> list[IssueChange]:
        if not post.add and not post.remove:
            return []
        for label in post.add:
            if label not in thread.existing_labels:
                post.forge.create_label(post.issue.repository, OUR_LABELS[label])
            if label not in thread.labels:
                post.forge.add_label(post.issue, label)
        for label in set(post.remove) & set(thread.labels):
            post.forge.remove_label(post.issue, label)
        with self._store.open(ref) as opened:
            opened.record(_LABELLED, labels=sorted(_labels_for(post.task)))
        words = [*(f"put {label} on" for label in post.add), *(f"took {label} off" for label in post.remove)]
        sentence = f"{' and '.join(words)} issue #{post.issue.number}"
        return [IssueChange(LABELLED, f"{sentence[0].upper()}{sentence[1:]}", post.issue.number, ref.id)]


def _labels_for(task: Task) -> set[str]:
    label = STATUS_LABELS.get(task.status)
    return {label.name} if label else set()


def _labels_put(journal: Journal) -> set[str]:
    event = journal.last(_LABELLED) or {}
    labels = event.get("labels")
    return {label for label in OUR_LABELS if label in labels} if isinstance(labels, list) else set()


def _was_posted(journal: Journal, digest: str) -> bool:
    return any(event["type"] == _COMMENTED and event.get("hash") == digest for event in journal.backwards())
