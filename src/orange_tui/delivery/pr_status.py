"""What is known of a task's pull request, and what follows: a task ends when its pull request was merged or closed.

The status is in runtime.json, beside what the task's agents do: it is true only now, and no part of the task's history.
"""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.pull_request import CLOSED, MERGED, status_from_file
from orange_tui.domain.records import replace
from orange_tui.home import clock
from orange_tui.sessions.runtime import Runtime
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.pull_request import PullRequest, PullRequestStatus
    from orange_tui.engine.tasks import Tasks
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_PR_MERGED, _PR_CLOSED = "pr.merged", "pr.closed"
_RUNTIME_KEY = "@pull_request"  # among the names of windows, and none of them


def read_status(state_directory: str, url: str) -> PullRequestStatus:
    """What is known of the pull request at this URL, by the files of its task."""
    return status_from_file(url, Runtime(state_directory).window(_RUNTIME_KEY))


def refresh(tasks: Tasks, ref: TaskRef) -> str:
    """Ask for a task's pull request now, and do what follows; returns its status in a sentence."""
    from orange_tui.delivery.pull_requests import read_pull_request

    found = tasks.engine.store.read(ref)
    url = found.task.pr_url if isinstance(found, StoredTask) else None
    if url is None:
        raise Refused("It has no pull request; p makes one")
    try:
        answer: PullRequest | str = read_pull_request(url)
    except Refused as problem:
        answer = str(problem)
    status = apply_answer(tasks, ref, url, answer)
    if status.problem:
        raise Refused(status.problem)
    return f"Pull request {status.name}: {status}"


def apply_answer(tasks: Tasks, ref: TaskRef, url: str, answer: PullRequest | str) -> PullRequestStatus:
    """Write the new status of a task's pull request, and end the task if the pull request has ended."""
    before = read_status(tasks.engine.store.state_directory(ref), url)
    answer = _on_the_same_host(url, answer)
    status = before.updated(answer)
    if not isinstance(answer, str):
        if status.url != url:
            _follow_rename(tasks, ref, url, status.url)
        status = status.updated(_end_task(tasks, ref, status.url, answer) or answer)
    status = replace(status, **_open_threads(tasks, ref), unpushed=_unpushed(tasks, ref))
    _write_status(tasks, ref, status, before)
    return status


def count_unpushed(tasks: Tasks, ref: TaskRef, url: str) -> PullRequestStatus:
    """The status with what is not there yet as it is at this moment; nobody asks the forge for that."""
    before = read_status(tasks.engine.store.state_directory(ref), url)
    status = replace(before, unpushed=_unpushed(tasks, ref))
    _write_status(tasks, ref, status, before)
    return status


def _write_status(tasks: Tasks, ref: TaskRef, status: PullRequestStatus, before: PullRequestStatus) -> None:
    """Write a status only if it changed, so that those who watch the file are not woken for nothing."""
    if replace(status, since=before.since) != before:
        values = {**status.__dict__, "since": clock.now()}
        runtime = Runtime(tasks.engine.store.made_state(ref))
        runtime.replace(_RUNTIME_KEY, **{name: value or None for name, value in values.items()})


def _unpushed(tasks: Tasks, ref: TaskRef) -> int:
    from orange_tui.delivery.pull_requests import unpushed_commits

    found, project = tasks.engine.store.read(ref), tasks.projects.find(ref.project)
    if not isinstance(found, StoredTask) or project is None:
        return 0
    return unpushed_commits(project, found.task)


def _open_threads(tasks: Tasks, ref: TaskRef) -> dict[str, int]:
    """How many comments and failed checks wait for an answer."""
    from orange_tui.review.threads_file import ThreadsFile

    try:
        threads = ThreadsFile(tasks.engine.store.home, ref.project, ref.id).read()
    except OrangeError:
        return {}  # every command about its threads says so
    is_open = {"comments": ("github", ("draft", "open")), "failures": ("checks", ("open",))}
    return {name: sum(t.by == by and t.state in states for t in threads) for name, (by, states) in is_open.items()}


def _on_the_same_host(url: str, answer: PullRequest | str) -> PullRequest | str:
    """A renamed repository is followed; never to another host."""
    from orange_tui.outside.forge.registry import find_pull_request

    if isinstance(answer, str):
        return answer
    before, now = find_pull_request(url), find_pull_request(answer.url)
    if before and now and before[1].repository.host.lower() == now[1].repository.host.lower():
        return answer
    return f"it is now at {answer.url}, on another host, where Orange does not follow it"


def _follow_rename(tasks: Tasks, ref: TaskRef, before: str, url: str) -> None:
    with tasks.engine.open(ref) as opened:
        if opened.task.pr_url == before:
            opened.change("pr.moved", {"pr_url": url}, url=url)


def _end_task(tasks: Tasks, ref: TaskRef, url: str, answer: PullRequest) -> str | None:
    """End a task whose pull request has ended; returns why that was not possible, if so."""
    from orange_tui.delivery.pull_requests import why_not_of

    if answer.state not in {MERGED, CLOSED}:
        return None
    project = tasks.projects.find(ref.project)
    reason = why_not_of(project, url) if project is not None else None
    if reason is not None:
        return f"The pull request was {answer.state}, but the task was not ended: {reason}"
    try:
        if answer.state == MERGED:
            _finish(tasks, ref, url, answer)
        else:
            _cancel(tasks, ref, url)
    except OrangeError as problem:
        found = tasks.engine.store.read(ref)
        if isinstance(found, StoredTask) and tasks.is_finished(found.task):
            return None  # somebody else was quicker
        return f"The pull request was {answer.state}, but the task could not be ended: {problem}"
    return None


def _finish(tasks: Tasks, ref: TaskRef, url: str, answer: PullRequest) -> None:
    from orange_tui.delivery.merging.merge import Merger

    with tasks.engine.open(ref) as opened:
        if _is_outdated(tasks, opened, url):
            return
        opened.record_once(_PR_MERGED, url=url, commit=answer.commit)
    Merger(tasks).finish_merged(ref, answer, lambda step: tasks.engine.log.write("info", step, task=ref.id))


def _cancel(tasks: Tasks, ref: TaskRef, url: str) -> None:
    with tasks.engine.open(ref) as opened:
        if _is_outdated(tasks, opened, url):
            return
        opened.record_once(_PR_CLOSED, url=url)
        tasks.engine.cancel(opened)


def _is_outdated(tasks: Tasks, opened: OpenTask, url: str) -> bool:
    """Whether the answer is about nothing any more: the task has ended, or has another pull request."""
    return opened.task.pr_url != url or tasks.is_finished(opened.task)
