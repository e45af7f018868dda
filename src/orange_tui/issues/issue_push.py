"""What became of a task is said on its issue: a comment for each result, and labels for a task that needs somebody.

Nothing is said twice. What was said is in the task's journal; and because a command may be killed between saying and
noting, and a home may be lost, the comments are looked through for our hidden marker before anything is said.
"""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.issues import issue_hub
from orange_tui.issues.issue import STATUS_LABELS
from orange_tui.issues.issue_comment import comment
from orange_tui.issues.issue_file import IssueFile
from orange_tui.issues.issue_pull import Did
from orange_tui.issues.issue_result import is_at_rest, links_for, result_of
from orange_tui.issues.issue_rules import rules_of
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.issues.issue import Repository
    from orange_tui.issues.issue_comment import Result
    from orange_tui.issues.issue_hub import Thread
    from orange_tui.orange import Orange
    from orange_tui.store.journal import Journal
    from orange_tui.store.store import TaskRef

_COMMENTED, _LABELLED = "issue.commented", "issue.labelled"


@record
class News:
    """What is to be said about a task: a result that was not, and labels that are not those we put last."""

    task: Task
    where: Repository
    number: int
    result: Result | None
    put: tuple[str, ...]
    take: tuple[str, ...]


def news_of(orange: Orange, ref: TaskRef) -> News | None:
    """What there is to say of a task, by what is on this disk; nobody is asked."""
    stored = orange.store.read(ref) if orange.store.has(ref) else None
    if not isinstance(stored, StoredTask):
        return None
    project = orange.projects.find(ref.project)
    if "issue_url" not in stored.task.extra or project is None or not rules_of(project).on:
        return None
    place = IssueFile(orange.home, project.name).place(ref.id)
    if place is None:
        return None
    task, journal = stored.task, orange.store.journal(ref)
    if journal.unfinished() is not None:
        return None  # a move is under way: it is told when it is done
    said = result_of(task, journal) if is_at_rest(orange, task) else None
    if said is not None and _was_said(journal, said.digest):
        said = None
    before, wanted = _labels_put(journal), _labels_for(task)
    put, take = tuple(sorted(wanted - before)), tuple(sorted(before - wanted))
    return News(task, *place, said, put, take) if said or put or take else None


def push(orange: Orange, ref: TaskRef) -> list[Did]:
    """Say what there is to say of a task. The caller holds the lock of the project's issues: nobody else says it."""
    news = news_of(orange, ref)
    if news is None:
        return []
    thread = issue_hub.thread_of(news.where, news.number)
    return _say(orange, ref, news, thread) + _label(orange, ref, news, thread)


def _say(orange: Orange, ref: TaskRef, news: News, thread: Thread) -> list[Did]:
    if news.result is None:
        return []
    there = next((url for url, body in thread.comments if news.result.marker in body), None)
    text = comment(news.result, links_for(orange, news.task, news.result, news.where))
    url = there if there is not None else issue_hub.say(news.where, news.number, text)
    with orange.store.open(ref) as opened:
        opened.record(_COMMENTED, hash=news.result.digest, url=url, status=news.task.status)
    return [] if there is not None else [Did("commented", f"Commented on issue #{news.number}", news.number, ref.id)]


def _label(orange: Orange, ref: TaskRef, news: News, thread: Thread) -> list[Did]:
    if not news.put and not news.take:
        return []
    for label in news.put:
        if label not in thread.known_labels:
            issue_hub.make_label(news.where, label)
        if label not in thread.labels:
            issue_hub.put_label(news.where, news.number, label)
    for label in set(news.take) & set(thread.labels):
        issue_hub.take_label(news.where, news.number, label)
    with orange.store.open(ref) as opened:
        opened.record(_LABELLED, labels=sorted(_labels_for(news.task)))
    words = [*(f"put {label} on" for label in news.put), *(f"took {label} from" for label in news.take)]
    sentence = f"{' and '.join(words)} issue #{news.number}"
    return [Did("labelled", f"{sentence[0].upper()}{sentence[1:]}", news.number, ref.id)]


def _labels_for(task: Task) -> set[str]:
    label = STATUS_LABELS.get(task.status)
    return {label} if label else set()


def _labels_put(journal: Journal) -> set[str]:
    event = journal.last(_LABELLED) or {}
    labels = event.get("labels")
    return set(labels) & set(STATUS_LABELS.values()) if isinstance(labels, list) else set()


def _was_said(journal: Journal, digest: str) -> bool:
    return any(event["type"] == _COMMENTED and event.get("hash") == digest for event in journal.backwards())
