"""What a workflow says about a pull request's comments and failed checks (`on`): the task goes back with them.

A rule looks at what is there, not at what has just happened: open threads that were not sent yet, in a task that is in
the rule's state. So a kill, a restart or a night offline changes nothing. Each use is in the journal before the task
moves, and its lines are only ever counted: whoever forges one has fewer tries, not more.
"""

from __future__ import annotations

from contextlib import contextmanager

from orange_tui.delivery.feedback import with_feedback
from orange_tui.delivery.pr_review._checks import CHECKS
from orange_tui.delivery.pr_review._comments import GITHUB
from orange_tui.delivery.pull_requests import push_branch
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.text.quoting import fenced
from orange_tui.outside.git import Repository, local, remote
from orange_tui.outside.git_merge import contains
from orange_tui.review.batch import open_batch
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.store.store import StoredTask
from orange_tui.usage.budget import why_not

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from orange_tui.delivery.pr_review.memory import MemoryFile, ReviewMemory
    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.domain.review.thread import Thread
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import EventRule
    from orange_tui.engine.tasks import Tasks
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

USED, EXHAUSTED = "rule.used", "rule.exhausted"
_CHECKS_FAILED, _CHANGES_REQUESTED, _COMMENT = "checks_failed", "changes_requested", "comment"
_WHY = {
    _CHECKS_FAILED: "checks of its pull request failed",
    _CHANGES_REQUESTED: "changes were requested on its pull request",
    _COMMENT: "somebody commented on its pull request",
}


@record
class Due:
    """A rule that applies, and the threads because of which it does."""

    rule: EventRule
    threads: tuple[Thread, ...]


def apply_rules(tasks: Tasks, ref: TaskRef, now: PullRequest, file: MemoryFile) -> None:
    """Move a task as its workflow's rules say, and push what it has fixed where rules apply to it."""
    stored = tasks.engine.store.read(ref)
    if not isinstance(stored, StoredTask) or not _rules(tasks, stored.task):
        return
    if _due(tasks, stored.task, file.read(now.url)):
        with tasks.engine.open(ref) as opened:
            _apply(tasks, ref, opened, now, file)
    else:
        _push_fixes(tasks, stored.task, now)


def _rules(tasks: Tasks, task: Task) -> list[EventRule]:
    """The rules for the state that a task is in, where their `when` holds."""
    rules = tasks.engine.workflows.load(task.workflow).on
    return [rule for rule in rules if rule.source == task.status and tasks.engine.holds(rule.when, task)]


def _due(tasks: Tasks, task: Task, memory: ReviewMemory) -> list[Due]:
    threads = ThreadsFile(tasks.engine.parts.home, task.project, task.id).read()
    fresh = [each for each in threads if each.state == "open" and memory.sent.get(each.id) != version(each)]
    found = []
    for rule in _rules(tasks, task):
        mine = tuple(thread for thread in fresh if _event(thread, memory) == rule.event)
        if mine:
            found.append(Due(rule, mine))
    return found


def _event(thread: Thread, memory: ReviewMemory) -> str | None:
    """What a thread is a sign of; while checks are running, more of them may fail, and all go back together."""
    if thread.by == CHECKS:
        return None if memory.is_running else _CHECKS_FAILED
    if thread.by != GITHUB:
        return None
    return _CHANGES_REQUESTED if memory.changes_requested else _COMMENT


def version(thread: Thread) -> str:
    """What a thread says, by those who are not here: another one wants another answer."""
    said = sum(reply.by in {GITHUB, CHECKS} and not reply.held for reply in thread.replies)
    return f"{said}@{thread.commit}"


def _apply(tasks: Tasks, ref: TaskRef, opened: OpenTask, now: PullRequest, file: MemoryFile) -> None:
    """Send a task back, unless this was done often enough, or its budget is used up."""
    memory = file.read(now.url)
    uses = _uses(opened)
    due = _due(tasks, opened.task, memory)
    usable = [each for each in due if uses.get(_key(each.rule), 0) < each.rule.limit]
    if not usable:
        _ask_once(opened, [each.rule for each in due])
        return
    reason = why_not(tasks.projects, opened.task)
    if reason is not None:
        raise Refused(f"what was said there is not sent to the agent: {reason}")
    target = usable[0].rule.target
    usable = [each for each in usable if each.rule.target == target]
    threads = ThreadsFile(tasks.engine.parts.home, ref.project, ref.id).read()
    sent = {thread.id: version(thread) for thread in threads if thread.state == "open"}
    text = _feedback(ref, now, usable, threads)
    around = _recorded(opened, [each.rule for each in usable], uses, text, [*sent])
    tasks.engine.transition(opened, target, "engine", around=around)
    file.write(replace(memory, sent={**memory.sent, **sent}))


def _uses(opened: OpenTask) -> dict[tuple[object, ...], int]:
    """How often each rule was used, by the journal."""
    found: dict[tuple[object, ...], int] = {}
    for event in opened.journal.backwards():
        if event["type"] == USED:
            key = tuple(str(event.get(name)) for name in ("event", "from", "to"))
            found[key] = found.get(key, 0) + 1
    return found


def _key(rule: EventRule) -> tuple[str, ...]:
    return rule.event, rule.source, rule.target


def _feedback(ref: TaskRef, now: PullRequest, usable: Sequence[Due], threads: Sequence[Thread]) -> str:
    why = " and ".join(_WHY[each.rule.event] for each in usable)
    return f"{why[0].upper()}{why[1:]}, {now.url}\n\n{fenced(open_batch(ref.id, threads))}"


@contextmanager
def _recorded(
    opened: OpenTask, rules: Sequence[EventRule], uses: Mapping[tuple[object, ...], int], text: str, ids: list[str]
) -> Iterator[None]:
    """The use is in the journal, and what to do in TASK.md, before the task is moved."""
    for rule in rules:
        count = uses.get(_key(rule), 0) + 1
        opened.record(USED, event=rule.event, **{"from": rule.source, "to": rule.target}, count=count, limit=rule.limit)
    opened.edit_body("changes.requested", lambda body: with_feedback(body, text), by="engine", threads=ids)
    yield


def _ask_once(opened: OpenTask, rules: Sequence[EventRule]) -> None:
    """A person is asked; not again and again where they have seen it."""
    told = {str(event.get("event")) for event in opened.journal.backwards() if event["type"] == EXHAUSTED}
    new = [rule for rule in rules if rule.event not in told]
    if not new:
        return
    times = "once" if new[0].limit == 1 else f"{new[0].limit} times"
    why = " and ".join(_WHY[rule.event] for rule in new)
    why = f"It was sent back {times} by itself, and again {why}: look at it"
    changes = {"attention": opened.task.attention_and(why)}
    for rule in new:  # with the first of them the person is asked, in one step
        opened.change(EXHAUSTED, changes, event=rule.event, limit=rule.limit)
        changes = {}


def _push_fixes(tasks: Tasks, task: Task, now: PullRequest) -> None:
    """What came of it is pushed: nobody else would, and the checks look at what is there.

    Only where the branch here goes on from the one there. What somebody else has pushed is theirs to bring together.
    """
    project = tasks.projects.get(task.project)
    repository = Repository(project.path)
    refs = repository.refs(local(task.branch), remote(task.branch))
    here, there = refs.get(local(task.branch)), refs.get(remote(task.branch))
    if here is None or there is None or there.commit != now.head or here.commit == now.head:
        return
    if contains(repository, here.commit, there.commit):
        push_branch(project, task.branch)
