"""What a merge will do, for the person who is about to confirm it. Nothing is changed and nothing is fetched.

It is made of what is known here: the merge itself asks the remote first. Nothing that an agent could have configured
in the repository is run for it, since nobody has agreed to anything yet. Everything here waits for git: call it off
the event loop.
"""

from __future__ import annotations

import os

from orange_tui.branches.task_diff import TaskDiffs
from orange_tui.delivery.merging._branch_tips import preview_merge, read_tips
from orange_tui.delivery.merging._default_branch import DefaultBranch
from orange_tui.delivery.merging.half_moves import MoveNote
from orange_tui.delivery.merging.merge import final_move
from orange_tui.delivery.merging.strategies import STRATEGIES, usual_strategy, why_conflicting
from orange_tui.delivery.merging.summary import read_summary
from orange_tui.delivery.merging.verify import possible_checks, required_checks
from orange_tui.delivery.pr_status import read_status
from orange_tui.delivery.wording import counted
from orange_tui.domain.errors import OrangeError, Unreadable
from orange_tui.domain.records import record, replace
from orange_tui.domain.review.diff import parse_diff
from orange_tui.outside.git import REMOTE, Repository
from orange_tui.outside.git_guard.look import look_at_repository, look_at_worktree
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.review.viewed_file import ViewedFile
from orange_tui.review.what_is_new import Review
from orange_tui.store.store import BrokenTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.delivery.merging._branch_tips import BranchTips, MergePreview
    from orange_tui.delivery.merging.summary import MergeSummary
    from orange_tui.domain.pull_request import PullRequestStatus
    from orange_tui.domain.task import Task
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.store.store import TaskRef


@record
class MergeForecast:
    """What a merge will do, and what speaks against it."""

    destination: str  # what becomes of it then
    pull_request: PullRequestStatus | None
    warnings: tuple[str, ...]  # what is unread, unanswered or left out
    checks: tuple[str, ...]  # commands that can be run on the merged result
    must_check: bool  # the workflow asks for some of them
    summary: MergeSummary | None = None  # None: it brings nothing, or that cannot be told
    strategy: str | None = None  # where the person chooses none; None where there is nothing to merge
    impossible: tuple[tuple[str, str], ...] = ()  # strategies that cannot be used, and why
    problem: str | None = None  # why it would be refused as things are

    def why_not(self, strategy: str) -> str | None:
        """Why a strategy cannot be used; None where it can."""
        return dict(self.impossible).get(strategy)


def forecast(tasks: Tasks, ref: TaskRef) -> MergeForecast:
    """What a merge of this task will do; whatever keeps it from being found out is its problem."""
    found = tasks.engine.store.read(ref)
    if isinstance(found, BrokenTask):
        raise Unreadable(found.error)
    task, project = found.task, tasks.projects.get(ref.project)
    directory = tasks.engine.store.directory(ref)
    status = read_status(tasks.engine.store.state_directory(ref), task.pr_url) if task.pr_url is not None else None
    warnings = (*_unanswered(tasks, ref), *_unread(tasks, ref, task), *_uncommitted(tasks, project, task))
    known = MergeForecast(_destination(project), status, warnings, *_checks(tasks, task))
    try:
        tips = read_tips(project, task.branch)
        with look_at_repository(project.path) as looking:
            preview = preview_merge(tips, tasks.engine.store.journal(ref), looking)
    except OrangeError as problem:
        return replace(known, problem=str(problem))
    if preview.is_empty or preview.is_merged:
        what = f"all of {tips.branch} is in {tips.default} already" if preview.is_merged else "it has no commits"
        return replace(known, warnings=(f"Nothing to merge: {what}", *known.warnings))
    return replace(
        known,
        summary=read_summary(project.path, tips.default, preview.base, preview.head),
        strategy=usual_strategy(tips, preview),
        impossible=tuple((name, why) for name, each in STRATEGIES.items() if (why := each.why_not(tips, preview))),
        problem=_problem(tips, preview, directory),
    )


def _problem(tips: BranchTips, preview: MergePreview, directory: str) -> str | None:
    """Why the merge would be refused, as far as can be told by looking."""
    checkout = tips.default_here.worktree if tips.default_here is not None else None
    default = DefaultBranch.of(tips, MoveNote(os.path.dirname(directory), tips.project))
    try:
        tips.must_not_have_diverged()
        if checkout is not None and os.path.isdir(checkout):
            with look_at_repository(checkout) as looking:
                default.must_be_clean(looking)
    except OrangeError as problem:
        return str(problem)
    return why_conflicting(tips, preview)


def _checks(tasks: Tasks, task: Task) -> tuple[tuple[str, ...], bool]:
    """What the merged result can be checked with, and whether the workflow asks for that."""
    try:
        workflow = tasks.engine.workflows.load(task.workflow)
        final = final_move(tasks.engine, task, force=True)
    except OrangeError:
        return (), False
    required = required_checks(workflow.candidates(task.status, *final))
    return required or possible_checks(workflow), bool(required)


def _destination(project: Project) -> str:
    """Where the merge goes: the remote, with its address but without a password in it, or nowhere else."""
    address = Repository(project.path).answer("remote", "get-url", "--push", REMOTE)
    return f"pushed to {REMOTE}, {_without_login(address)}" if address is not None else "no remote: it stays here"


def _without_login(address: str) -> str:
    scheme, is_url, rest = address.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}" if is_url else address


def _unanswered(tasks: Tasks, ref: TaskRef) -> Iterator[str]:
    """A warning where comments wait for an answer, or were never sent."""
    try:
        threads = ThreadsFile(tasks.engine.store.home, ref.project, ref.id).read()
    except OrangeError as problem:
        yield str(problem)
        return
    waiting = {state: sum(thread.state == state for thread in threads) for state in ("open", "draft")}
    if waiting["open"]:
        yield f"{counted(waiting['open'], 'thread')} open"
    if waiting["draft"]:
        yield f"{counted(waiting['draft'], 'draft')} not sent: r sends the comments back with the task"


def _unread(tasks: Tasks, ref: TaskRef, task: Task) -> Iterator[str]:
    """A warning where the person has not marked all changes as viewed."""
    store, pool = tasks.engine.store, tasks.engine.parts.pool
    try:
        files = parse_diff(TaskDiffs(tasks.projects, store, pool).read(ref, task, finished=False))
        review = Review.of(files, ViewedFile(store.home, ref.project, ref.id).read())
    except OrangeError:
        return
    if review.viewed < review.total:
        yield f"{review.total - review.viewed} of {counted(review.total, 'change')} not marked as viewed (D, then v)"


def _uncommitted(tasks: Tasks, project: Project, task: Task) -> Iterator[str]:
    """A warning where the workspace has changes that no commit has: they are saved, and not in the merge."""
    worktree = tasks.engine.parts.pool.worktree(task.workspace) if task.workspace is not None else None
    if worktree is None or not os.path.isdir(worktree):
        return
    try:
        with look_at_worktree(project.path, worktree) as git:
            changed = git.must("status", "--porcelain", "-z", "--no-renames").count("\0")
    except OrangeError:
        return
    if changed:
        yield f"{counted(changed, 'file')} not committed: saved, not merged"
