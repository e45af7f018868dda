"""Merging a task's branch into the default branch, so that whatever goes wrong leaves everything as it was.

The merge is made in git's object store first, then pushed, then the default branch here follows (`_land.py`). Its start
is in the journal before that, so a merge that was killed anywhere is found by the next one of the same task, which
finishes it and merges nothing twice.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from orange_tui.branches.recorded_merge import MADE, is_commit, last_merge
from orange_tui.delivery.merging._branch_tips import preview_merge, read_tips
from orange_tui.delivery.merging._land import LandedMerge, catch_up, land, mention_unfetched_commits, must_be_landable
from orange_tui.delivery.merging.half_moves import MoveNote, merge_turn
from orange_tui.delivery.merging.summary import read_summary, recorded_summary
from orange_tui.delivery.merging.verify import CheckedMerge, MergeChecks, possible_checks, required_checks
from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.pull_request import MERGED, OPEN
from orange_tui.domain.records import record, replace
from orange_tui.outside.git import REMOTE, Repository
from orange_tui.store.store import BrokenTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.delivery.merging._branch_tips import BranchTips
    from orange_tui.delivery.merging._land import Report
    from orange_tui.delivery.merging.summary import MergeSummary
    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor, Workflow
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

NOT_REVIEWED = "Not reviewed. Force merge?"


class NotReviewed(Refused):
    """Nobody has reviewed this: a person has to confirm the merge, and then `force` is given."""


@record
class MergeResult:
    """A merge that is in the default branch: its commit, its strategy (None: it was there already), the move."""

    commit: str
    strategy: str | None
    pushed: bool
    moved: Moved
    checks: tuple[str, ...]  # the commands that the merged result was checked with before
    summary: MergeSummary | None  # None where all of it was in the default branch already, or was merged on a forge

    def sentence(self) -> str:
        """What was merged, and where it is now."""
        what = f": {self.summary}" if self.summary is not None else ""
        checked = f", checked with {', '.join(f'`{check}`' for check in self.checks)}" if self.checks else ""
        return f"merged as {self.commit[:10]}{what}{checked}" + (", pushed" if self.pushed else "")


@record
class _How:
    """How the person wants it merged, and what was found out about it on the way."""

    report: Report
    strategy: str | None = None
    force: bool = False
    verify: bool = False
    checked: CheckedMerge = CheckedMerge()


@record
class Merger:
    """Merges tasks, one at a time in each project."""

    tasks: Tasks

    def merge(  # noqa: PLR0913 - all but the first have a usual value, or are for remarks
        self,
        ref: TaskRef,
        *,
        strategy: str | None = None,
        local: bool = False,
        force: bool = False,
        verify: bool = False,
        report: Report,
    ) -> MergeResult:
        """Merge a task and finish it, or refuse and leave everything as it is; `report` gets remarks for the person.

        With `verify`, every command gate of its workflow must hold on the merged result first.
        """
        with self._turn(ref, report):
            MoveNote(self._directory(ref), self._project(ref)).finish()
            recovered = self._recover(ref)
            if recovered is not None:
                return recovered
            task = self._read(ref)
            pull_request = self._merged_pull_request(task) if task.pr_url is not None and not local else None
            if pull_request is not None:
                return self._finish(ref, pull_request, report)
            final_move(self.tasks.engine, task, force=force)
            self._fetch(task)
            how = _How(report, strategy, force, verify)
            how = replace(how, checked=self._check(ref, how))
            with self.tasks.engine.open(ref) as opened:
                return self._merge(opened, how)

    def finish_merged(self, ref: TaskRef, found: PullRequest, report: Report) -> MergeResult:
        """Finish a task whose pull request was merged on its forge: nothing is merged here, only cleaned up."""
        with self._turn(ref, report):
            return self._finish(ref, found, report)

    def _turn(self, ref: TaskRef, report: Report) -> AbstractContextManager[None]:
        return merge_turn(self._directory(ref), ref.project, report)

    def _directory(self, ref: TaskRef) -> str:
        return os.path.dirname(self.tasks.engine.store.directory(ref))

    def _recover(self, ref: TaskRef) -> MergeResult | None:
        """Finish a merge that was killed when all was merged and only the cleanup was left."""
        if self.tasks.engine.store.journal(ref).unfinished() is None:
            return None
        with self.tasks.engine.store.open(ref) as opened:
            moved, merged = self.tasks.engine.recover(opened), last_merge(opened.journal, MADE)
            if moved is None or merged is None or not self.tasks.is_finished(moved.task):
                return None
            summary = recorded_summary(self._project(ref), opened.journal, merged.commit)
            return MergeResult(merged.commit, merged.strategy, merged.pushed, moved, (), summary)

    def _read(self, ref: TaskRef) -> Task:
        found = self.tasks.engine.store.read(ref)
        if isinstance(found, BrokenTask):
            raise Unreadable(found.error)
        return found.task

    def _project(self, ref: TaskRef) -> Project:
        return self.tasks.projects.get(ref.project)

    def _merged_pull_request(self, task: Task) -> PullRequest:
        """The task's pull request, if it was merged; any other has to be overruled with --local."""
        from orange_tui.delivery.pull_requests import read_pull_request, unpushed_commits, why_not_of

        here = f"`orange task merge {task.id} --local` merges it here anyway"
        try:
            found = read_pull_request(task.pr_url or "")
        except Refused as problem:
            raise Refused(f"{task.pr_url}, the pull request of {task.id}: {problem}. {here}") from None
        if found.state == OPEN:
            left = unpushed_commits(self.tasks.projects.get(task.project), task)
            push = f"`orange task create-pr {task.id}` pushes what is not in it yet, then " if left else ""
            raise Refused(f"{task.id} has an open pull request; {push}merge it there: {task.pr_url}. {here}")
        if found.state != MERGED:
            raise Refused(
                f"The pull request of {task.id} was closed without a merge: {task.pr_url}. {here};"
                f" `orange task cancel {task.id}` cancels the task"
            )
        reason = why_not_of(self.tasks.projects.get(task.project), found.url)
        if reason is not None:
            raise Refused(f"{task.pr_url} was merged, but {reason}. {here}")
        return found

    def _finish(self, ref: TaskRef, found: PullRequest, report: Report) -> MergeResult:
        task, project = self._read(ref), self._project(ref)
        final_move(self.tasks.engine, task, force=True, merged_there=True)
        reason = Repository(project.path).fetch(project.default_branch, task.branch)
        if reason is not None:
            report(f"Fetching from {REMOTE} failed, so {project.default_branch} here may be behind it: {reason}")
        with self.tasks.engine.open(ref) as opened:
            final = final_move(self.tasks.engine, opened.task, force=True, merged_there=True)
            landed = LandedMerge(found.commit, found.head, None, pushed=False)
            return self._done(opened, final, lambda: landed, _How(report=report))

    def _fetch(self, task: Task) -> None:
        project = self.tasks.projects.get(task.project)
        git = Repository(project.path)
        reason = git.fetch(project.default_branch, task.branch) if git.has_remote() else None
        if reason is not None:
            raise Refused(
                f"Fetching {project.default_branch} from {REMOTE} failed, so nothing was merged: {reason}."
                " Try again when it can be reached"
            )

    def _check(self, ref: TaskRef, how: _How) -> CheckedMerge:
        """Have the workflow's commands succeed on the merged result, once nothing else could refuse the merge."""
        engine, project = self.tasks.engine, self._project(ref)
        with engine.open(ref) as opened:
            task, final = opened.task, final_move(engine, opened.task, force=how.force)
            checks = self._checks(task, final, every=how.verify)
            why_not = engine.why_not(opened, *final) if checks else None
        if why_not is not None:
            raise Refused(why_not)
        if not checks:
            return CheckedMerge()
        tips = read_tips(project, task.branch)
        preview = preview_merge(tips, engine.store.journal(ref))
        if preview.is_empty or preview.is_merged:
            return CheckedMerge()
        must_be_landable(tips, preview, how.strategy, MoveNote(self._directory(ref), project))
        try:
            MergeChecks(engine.store.home, task, checks, how.report).verify(tips, preview)
        except Refused as problem:
            with engine.open(ref) as opened:
                opened.record("merge.failed", reason=str(problem))
            raise
        return CheckedMerge(checks, preview.tree)

    def _checks(self, task: Task, final: tuple[str, Actor], *, every: bool) -> tuple[str, ...]:
        """The commands that must succeed on the merged result: all there are, or those that the workflow asks for."""
        workflow = self.tasks.engine.workflows.load(task.workflow)
        found = possible_checks(workflow) if every else required_checks(workflow.candidates(task.status, *final))
        if every and not found:
            raise Refused(
                f"The workflow {workflow.name} has no command gate (`gate: {{command: make test}}`),"
                " so there is nothing to check the merged result with"
            )
        return found

    def _merge(self, opened: OpenTask, how: _How) -> MergeResult:
        """The task is held, and what the remote has is known: merge, and make the move that finishes the task."""
        final = final_move(self.tasks.engine, opened.task, force=how.force)
        return self._done(opened, final, lambda: self._land(opened, how), how)

    def _land(self, opened: OpenTask, how: _How) -> LandedMerge:
        """Land the work in the default branch, or find it there already."""
        task = opened.task
        tips = read_tips(self.tasks.projects.get(task.project), task.branch)
        tips.must_not_have_diverged()
        preview = preview_merge(tips, opened.journal)
        if preview.is_empty and not how.force:
            raise Refused(_nothing_to_merge(tips, task))
        mention_unfetched_commits(tips, how.report)
        if preview.is_merged or preview.is_empty:
            return catch_up(opened, tips, preview, how.report)
        how.checked.must_be(preview, tips)
        return land(opened, tips, preview, how.strategy, how.report)

    def _done(
        self, opened: OpenTask, final: tuple[str, Actor], land: Callable[[], LandedMerge], how: _How
    ) -> MergeResult:
        """Merge once nothing can refuse the last move any more (later is too late), and let the workflow clean up."""
        landing = _Landing(opened, land, self.tasks.projects.get(opened.task.project))
        saved = opened.journal.last("work.saved")
        moved = self.tasks.engine.transition(opened, *final, around=landing)
        landed = landing.landed
        if opened.journal.last("work.saved") != saved:
            how.report(
                f"What was not committed was saved, not merged: `orange task restore {opened.task.id}` restores it"
            )
        self.tasks.engine.log.write("info", "merged", task=opened.task.id, commit=landed.commit, pushed=landed.pushed)
        return MergeResult(landed.commit, landed.strategy, landed.pushed, moved, how.checked.checks, landing.summary)


class _Landing(AbstractContextManager[None]):
    """The merge itself, between the checks of the last move and its journal entry."""

    def __init__(self, opened: OpenTask, land: Callable[[], LandedMerge], project: Project) -> None:
        self._opened, self._land, self._project = opened, land, project
        self.landed: LandedMerge
        self.summary: MergeSummary | None = None

    def __enter__(self) -> None:
        """Land the work in the default branch, and record that in the journal."""
        self.landed = landed = self._land()
        self.summary = recorded_summary(self._project, self._opened.journal, landed.commit)
        known = last_merge(self._opened.journal, MADE)
        if landed.head is not None and (known is None or (known.head, known.commit) != (landed.head, landed.commit)):
            details = {"branch": self._opened.task.branch, "strategy": landed.strategy, "pushed": landed.pushed}
            self._opened.record(MADE, commit=landed.commit, head=landed.head, **details, **self._lines(landed.head))

    def _lines(self, head: str) -> dict[str, int]:
        """What it brought, for whoever asks once the branch is gone; of a forge's merge, against its first parent."""
        found, commit = self.summary, self.landed.commit
        if found is None and is_commit(commit) and is_commit(head):
            found = read_summary(self._project.path, self._project.default_branch, f"{commit}^", head)
        return {} if found is None else {"commits": found.commits, "added": found.added, "removed": found.removed}

    def __exit__(self, *_problem: object) -> None:
        """Nothing to undo: what is merged stays merged, and the next command finishes the move."""


def final_move(engine: Engine, task: Task, *, force: bool, merged_there: bool = False) -> tuple[str, Actor]:
    """The move that finishes a task well, and in whose name it is made: a person's own, or a confirmed forced one.

    Where a forge has merged it, the engine's own will do: some workflows let nobody merge here.
    """
    workflow = engine.workflows.load(task.workflow)
    if workflow.is_terminal(task.status):
        raise Refused(f"{task.id} is already {task.status}; there is nothing left to merge")
    reviewed = _good_end(engine, workflow, task, "person")
    if reviewed:
        return reviewed, "person"
    forced = _good_end(engine, workflow, task, "force")
    ended = _good_end(engine, workflow, task, "engine") if merged_there and forced is None else None
    if ended is not None:
        return ended, "engine"
    if forced is None:
        raise Refused(f"{task.id} can't be merged from {task.status} (workflow {workflow.name})")
    if not force:
        raise NotReviewed(f"{task.id} is {task.status}. {NOT_REVIEWED}")
    return forced, "force"


def _good_end(engine: Engine, workflow: Workflow, task: Task, actor: Actor) -> str | None:
    """The good end for this actor; of several that differ in their `when`, the one for this task."""
    ends = workflow.good_ends(task.status, actor)
    moves = (move for end in ends for move in workflow.candidates(task.status, end, actor))
    return next((move.target for move in moves if engine.holds(move.when, task)), next(iter(ends), None))


def _nothing_to_merge(tips: BranchTips, task: Task) -> str:
    return (
        f"There is nothing to merge: {tips.branch} has no commits of its own. Have the work committed,"
        f" finish the task without it (`orange task merge {task.id} --force`),"
        f" or cancel it (`orange task cancel {task.id}`)"
    )
