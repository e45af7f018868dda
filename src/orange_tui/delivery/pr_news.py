"""What follows from a pull request's news: a note for the person, and the end of a task that was ended on GitHub."""

from __future__ import annotations

from orange_tui.delivery.pr_notes import note_of, take_answer, write_note
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.pull_request import CLOSED, MERGED, address_of
from orange_tui.engine.engine import CANCELLED
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.delivery.pr_notes import PullRequestNote
    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.orange import Orange
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_PR_MERGED, _PR_CLOSED = "pr.merged", "pr.closed"


def refresh(orange: Orange, ref: TaskRef) -> str:
    """Ask for a task's pull request now, and do what follows; what was heard, in a sentence."""
    from orange_tui.delivery.pull_requests import pull_request_at

    found = orange.store.read(ref)
    url = found.task.pr_url if isinstance(found, StoredTask) else None
    if url is None:
        raise Refused("It has no pull request; p makes one")
    try:
        answer: PullRequest | str = pull_request_at(url)
    except Refused as problem:
        answer = str(problem)
    note = take(orange, ref, url, answer)
    if note.problem:
        raise Refused(note.problem)
    return f"Pull request {note.name}: {note}"


def take(orange: Orange, ref: TaskRef, url: str, answer: PullRequest | str) -> PullRequestNote:
    """Note what was heard of the pull request that a task has, and end the task where that was ended."""
    directory = orange.store.directory(ref)
    before = note_of(directory, url)
    note = take_answer(before, _at_its_place(url, answer))
    if not isinstance(answer, str):
        if note.url != url:
            _follow(orange, ref, url, note.url)
        note = take_answer(note, _ended(orange, ref, note.url, answer) or answer)
    write_note(directory, note, before)
    return note


def _at_its_place(url: str, answer: PullRequest | str) -> PullRequest | str:
    """A repository may be called otherwise by now, and is followed; to another host nobody is."""
    if isinstance(answer, str):
        return answer
    here, there = address_of(url), address_of(answer.url)
    same = here is not None and there is not None and here.host.lower() == there.host.lower()
    return answer if same else f"GitHub says that it is at {answer.url}, which is not its host"


def _follow(orange: Orange, ref: TaskRef, before: str, url: str) -> None:
    with orange.engine.open(ref) as opened:
        if opened.task.pr_url == before:
            opened.change("pr.moved", {"pr_url": url}, url=url)


def _ended(orange: Orange, ref: TaskRef, url: str, answer: PullRequest) -> str | None:
    """End a task whose pull request was; why that could not be, if so."""
    if answer.state not in {MERGED, CLOSED}:
        return None
    try:
        if answer.state == MERGED:
            _finish(orange, ref, url, answer)
        else:
            _cancel(orange, ref, url)
    except OrangeError as problem:
        found = orange.store.read(ref)
        if isinstance(found, StoredTask) and orange.tasks.is_finished(found.task):
            return None  # somebody else was quicker
        return f"It was {answer.state} on GitHub, and the task could not follow: {problem}"
    return None


def _finish(orange: Orange, ref: TaskRef, url: str, answer: PullRequest) -> None:
    from orange_tui.delivery.merge import Merges

    with orange.engine.open(ref) as opened:
        if _is_over(orange, opened, url):
            return
        _once(opened, _PR_MERGED, url=url, commit=answer.commit)
    Merges(orange).finish_merged(ref, answer, lambda step: orange.log.write("info", step, task=ref.id))


def _cancel(orange: Orange, ref: TaskRef, url: str) -> None:
    with orange.engine.open(ref) as opened:
        if _is_over(orange, opened, url):
            return
        _once(opened, _PR_CLOSED, url=url)
        orange.engine.transition(opened, CANCELLED, "person")


def _is_over(orange: Orange, opened: OpenTask, url: str) -> bool:
    """Whether the news is none any more: the task has ended, or has another pull request."""
    return opened.task.pr_url != url or orange.tasks.is_finished(opened.task)


def _once(opened: OpenTask, event: str, **details: str) -> None:
    known = opened.journal.last(event)
    if known is None or any(known.get(name) != value for name, value in details.items()):
        opened.record(event, **details)
