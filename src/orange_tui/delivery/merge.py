"""Merging a task's branch into the default branch, so that whatever goes wrong leaves everything as it was.

The merge is made in git's object store first, then pushed, then the default branch here follows (`merge_land`).
That it was begun is in the journal before, so a merge that was killed anywhere is found by the next one of the same
task, which finishes it and merges nothing twice.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from orange_tui.delivery import merge_plan
from orange_tui.delivery.merge_land import Landed, catch_up, land, mention_other_commits
from orange_tui.delivery.merge_plan import look
from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.pull_request import MERGED, OPEN
from orange_tui.domain.records import record
from orange_tui.domain.workflow import CANCELLED
from orange_tui.home.files import locked
from orange_tui.outside.git import REMOTE, Repository
from orange_tui.store.store import BrokenTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.delivery.merge_plan import MergeCheck, Sight, Strategy
    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Workflow
    from orange_tui.engine.engine import Moved
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

    Say = Callable[[str], None]

NOT_REVIEWED = "Not reviewed. Force merge?"
_DONE = "done"


class NotReviewed(Refused):
    """Nobody has looked at this: it takes a person who says so twice, and then `force`."""


@record
class Merged:
    """A merge that is in the default branch: its commit, how it was made (None: it was there already), the move."""

    commit: str
    strategy: Strategy | None
    pushed: bool
    moved: Moved


@record
class Merges:
    """Getting work out."""

    tasks: Tasks

    def check(self, ref: TaskRef) -> MergeCheck:
        """Whether a task would merge now, as far as is known here: no network, no checkout, nothing changed."""
        task = self._read(ref)
        return merge_plan.check(look(self._project(ref), task.branch), self.tasks.engine.store.journal(ref))

    def needs_force(self, ref: TaskRef) -> bool:
        """Whether a person must say twice that they want this, because nobody has reviewed it."""
        task = self._read(ref)
        return _ending(self._workflow(task), task, force=True)[1] == "force"

    def merge(
        self,
        ref: TaskRef,
        *,
        strategy: Strategy | None = None,
        local: bool = False,
        force: bool = False,
        say: Say,
    ) -> Merged:
        """Merge a task and finish it, or refuse and leave everything as it is. One at a time in a project."""
        with self._alone(ref):
            recovered = self._recovered(ref)
            if recovered is not None:
                return recovered
            task = self._read(ref)
            merged_there = self._merged_there(task) if task.pr_url is not None and not local else None
            if merged_there is not None:
                return self._finish(ref, merged_there, say)
            _ending(self._workflow(task), task, force=force)
            self._fetch(task)
            with self.tasks.engine.open(ref) as opened:
                return self._merge(opened, strategy, force=force, say=say)

    def finish_merged(self, ref: TaskRef, found: PullRequest, say: Say) -> Merged:
        """Finish a task whose pull request was merged on GitHub: nothing is merged here, only tidied up."""
        with self._alone(ref):
            return self._finish(ref, found, say)

    def _alone(self, ref: TaskRef) -> AbstractContextManager[bool]:
        path = os.path.join(os.path.dirname(self.tasks.engine.store.directory(ref)), ".merge.lock")
        return locked(path, what=f"a merge in {ref.project}")

    def _recovered(self, ref: TaskRef) -> Merged | None:
        """A merge that was killed when all was merged, and only the tidying up was left."""
        if self.tasks.engine.store.journal(ref).unfinished() is None:
            return None
        with self.tasks.engine.store.open(ref) as opened:
            moved, merged = self.tasks.engine.recover(opened), opened.journal.last("task.merged")
            if moved is None or merged is None or not self.tasks.is_finished(moved.task):
                return None
            return Merged(merged["commit"], merged["strategy"], merged["pushed"], moved)

    def _read(self, ref: TaskRef) -> Task:
        found = self.tasks.engine.store.read(ref)
        if isinstance(found, BrokenTask):
            raise Unreadable(found.error)
        return found.task

    def _project(self, ref: TaskRef) -> Project:
        return self.tasks.projects.get(ref.project)

    def _workflow(self, task: Task) -> Workflow:
        return self.tasks.engine.workflows.load(task.workflow)

    def _merged_there(self, task: Task) -> PullRequest:
        """What the pull request says: a merged one is all we need, any other must be overruled by name."""
        from orange_tui.delivery.pull_requests import read_pull_request

        here = f"`orange task merge {task.id} --local` merges it here all the same"
        try:
            found = read_pull_request(task.pr_url or "")
        except Refused as problem:
            raise Refused(f"{task.pr_url}, the pull request of {task.id}: {problem}. {here}") from None
        if found.state == OPEN:
            raise Refused(f"{task.id} has an open pull request; merge it there: {task.pr_url}. {here}")
        if found.state != MERGED:
            raise Refused(
                f"The pull request of {task.id} was closed without a merge: {task.pr_url}. {here};"
                f" `orange task cancel {task.id}` gives it up"
            )
        return found

    def _finish(self, ref: TaskRef, found: PullRequest, say: Say) -> Merged:
        task, project = self._read(ref), self._project(ref)
        _ending(self._workflow(task), task, force=True)
        reason = Repository(project.path).fetch(project.default_branch, task.branch)
        if reason is not None:
            say(f"{REMOTE} could not be asked, so {project.default_branch} here may be behind it: {reason}")
        with self.tasks.engine.open(ref) as opened:
            ending = _ending(self._workflow(opened.task), opened.task, force=True)
            return self._done(opened, ending, lambda: Landed(found.commit, found.head, None, pushed=False), say)

    def _fetch(self, task: Task) -> None:
        project = self.tasks.projects.get(task.project)
        git = Repository(project.path)
        reason = git.fetch(project.default_branch, task.branch) if git.has_remote() else None
        if reason is not None:
            raise Refused(
                f"{REMOTE} could not be asked where {project.default_branch} is, so nothing was merged: {reason}."
                " Try again when it can be reached"
            )

    def _merge(self, opened: OpenTask, strategy: Strategy | None, *, force: bool, say: Say) -> Merged:
        """The task is held, and what the remote has is known: merge, and make the move that finishes the task."""
        ending = _ending(self._workflow(opened.task), opened.task, force=force)
        return self._done(opened, ending, lambda: self._land(opened, strategy, force=force, say=say), say)

    def _land(self, opened: OpenTask, strategy: Strategy | None, *, force: bool, say: Say) -> Landed:
        """Look, decide, do."""
        task = opened.task
        sight = look(self.tasks.projects.get(task.project), task.branch)
        sight.must_not_have_diverged()
        found = merge_plan.check(sight, opened.journal)
        if found.empty and not force:
            raise Refused(_nothing_to_merge(sight, task))
        mention_other_commits(sight, say)
        if found.already or found.empty:
            return catch_up(opened, sight, found, say)
        return land(opened, sight, found, strategy, say)

    def _done(self, opened: OpenTask, ending: tuple[str, Actor], land: Callable[[], Landed], say: Say) -> Merged:
        """Merge once nothing can refuse the last move any more (later is too late), and let the workflow tidy up."""
        landing = _Landing(opened, land)
        saved = opened.journal.last("work.saved")
        moved = self.tasks.engine.transition(opened, *ending, around=landing)
        landed = landing.landed
        if opened.journal.last("work.saved") != saved:
            say(f"What was not committed was not merged; it is saved: `orange task restore {opened.task.id}`")
        self.tasks.engine.log.write("info", "merged", task=opened.task.id, commit=landed.commit, pushed=landed.pushed)
        return Merged(landed.commit, landed.strategy, landed.pushed, moved)


class _Landing(AbstractContextManager[None]):
    """The merge itself, between the checks of the last move and its journal entry."""

    def __init__(self, opened: OpenTask, land: Callable[[], Landed]) -> None:
        self._opened, self._land = opened, land
        self.landed: Landed

    def __enter__(self) -> None:
        """Get the work into the default branch, and say so in the history."""
        self.landed = landed = self._land()
        known = self._opened.journal.last("task.merged")
        if landed.head is not None and (known is None or known.get("head") != landed.head):
            details = {"branch": self._opened.task.branch, "strategy": landed.strategy, "pushed": landed.pushed}
            self._opened.record("task.merged", commit=landed.commit, head=landed.head, **details)

    def __exit__(self, *_problem: object) -> None:
        """Nothing to undo: what is merged stays merged, and the next command finishes the move."""


def _ending(workflow: Workflow, task: Task, *, force: bool) -> tuple[str, Actor]:
    """The move that finishes a task well, and in whose name it is made: a person's own, or a confirmed forced one."""
    if workflow.is_terminal(task.status):
        raise Refused(f"{task.id} is {task.status} already; there is nothing left to merge")
    reviewed = _good_end(workflow, task.status, "person")
    if reviewed:
        return reviewed, "person"
    forced = _good_end(workflow, task.status, "force")
    if forced is None:
        raise Refused(f"{task.id} is {task.status}: in {workflow.name} nothing is merged from there")
    if not force:
        raise NotReviewed(f"{task.id} is {task.status}. {NOT_REVIEWED}")
    return forced, "force"


def _good_end(workflow: Workflow, status: str, actor: Actor) -> str | None:
    ends = [end for end in workflow.targets(status, actor) if workflow.is_terminal(end) and end != CANCELLED]
    return _DONE if _DONE in ends else next(iter(ends), None)


def _nothing_to_merge(sight: Sight, task: Task) -> str:
    return (
        f"There is nothing to merge: {sight.branch} has no commits of its own. Have the work committed,"
        f" finish the task without it (`orange task merge {task.id} --force`),"
        f" or give it up (`orange task cancel {task.id}`)"
    )
