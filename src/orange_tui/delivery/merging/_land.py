"""Landing a merge in the default branch: on the remote first, then here.

Only what the remote has accepted moves the branch here, so a rejected push leaves nothing to undo. And once the remote
has it, the merge is a fact: a checkout that is in the way by then is only behind, and the person is told.
"""

from __future__ import annotations

import os

from orange_tui.branches.recorded_merge import STARTED
from orange_tui.delivery.merging._branch_tips import earlier_merge
from orange_tui.delivery.merging._default_branch import DefaultBranch
from orange_tui.delivery.merging.half_moves import MoveNote
from orange_tui.delivery.merging.strategies import STRATEGIES, plan_merge, why_conflicting
from orange_tui.delivery.wording import counted
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import FETCH_EVERY_BRANCH, REMOTE, SLOW_SECONDS, local
from orange_tui.outside.git_merge import ahead_and_behind, contains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.delivery.merging._branch_tips import BranchTips, MergePreview
    from orange_tui.store.open_task import OpenTask

    Report = Callable[[str], None]


@record
class LandedMerge:
    """What is in the default branch now; without a `head` nothing of the task's is, because there was nothing."""

    commit: str
    head: str | None
    strategy: str | None
    pushed: bool


def land(
    opened: OpenTask, tips: BranchTips, preview: MergePreview, strategy: str | None, report: Report
) -> LandedMerge:
    """Merge. Everything that can be refused is refused before the merge is in the journal; then it is done."""
    plan = plan_merge(tips, preview, opened.task.summary, strategy)
    default = DefaultBranch.of(tips, _note(opened, tips))
    default.must_be_movable(plan.commit)
    details = {"base": plan.base, "head": plan.head, "commit": plan.commit, "strategy": plan.strategy}
    opened.record(STARTED, **details)
    try:
        pushed = _push(tips, plan.commit, opened.task.id, report)
        if not pushed:
            default.move(plan.commit, f"merge {tips.branch}")
    except OrangeError as problem:
        opened.record("merge.failed", reason=str(problem))
        raise
    if pushed:
        _follow(opened, tips, plan.commit, report)
    return LandedMerge(plan.commit, plan.head, plan.strategy, pushed=pushed)


def must_be_landable(tips: BranchTips, preview: MergePreview, strategy: str | None, note: MoveNote) -> None:
    """Refuse what landing would refuse, before anybody takes the time to check it; nothing is changed."""
    tips.must_not_have_diverged()
    why_not = STRATEGIES[strategy].why_not(tips, preview) if strategy is not None else None
    reason = why_conflicting(tips, preview) or why_not
    if reason is not None:
        raise Refused(reason)
    DefaultBranch.of(tips, note).must_be_movable(preview.tree)


def catch_up(opened: OpenTask, tips: BranchTips, preview: MergePreview, report: Report) -> LandedMerge:
    """All of it is in the default branch, by an earlier merge or by hand: bring the other side up to date."""
    if preview.is_empty:
        return LandedMerge(preview.base, None, None, pushed=False)
    pushed = tips.default_there != preview.base and _push(tips, preview.base, opened.task.id, report)
    _follow(opened, tips, preview.base, report)
    before = earlier_merge(tips, preview.base, opened.journal)
    if before is None:
        report(f"All of {tips.branch} is in {tips.default} already, so nothing was merged")
        return LandedMerge(preview.base, preview.head, None, pushed=pushed)
    return LandedMerge(before.commit, preview.head, before.strategy, pushed=tips.git.has_remote())


def _push(tips: BranchTips, commit: str, task: str, report: Report) -> bool:
    """Push the default branch's new tip, if there is a remote; never by force."""
    git = tips.git
    if not git.has_remote():
        return False
    target = f"{commit}:{local(tips.default)}"
    done = git.ask("push", "--quiet", REMOTE, target, timeout=SLOW_SECONDS, settings=(FETCH_EVERY_BRANCH,))
    if done.code != 0:
        raise Refused(
            f"The push of {tips.default} to {REMOTE} was rejected, so nothing was merged: {_one_line(done.message)}."
            f" Where only pull requests are allowed, `orange task create-pr {task}` opens one"
        )
    if tips.default_here is not None and tips.default_there is not None:
        others, _ = ahead_and_behind(tips.project.path, tips.default_there, tips.default_here.commit)
        if others:
            report(f"Also pushed: {counted(others, 'commit')} of {tips.default} that {REMOTE} did not have")
    return True


def _one_line(message: str) -> str:
    """What git and the remote's hooks printed, as part of a sentence."""
    lines = (line.removeprefix("remote:").removeprefix("error:").strip() for line in message.splitlines())
    return "; ".join(line.rstrip(".") for line in lines if line)


def _note(opened: OpenTask, tips: BranchTips) -> MoveNote:
    return MoveNote(os.path.dirname(opened.directory), tips.project)


def _follow(opened: OpenTask, tips: BranchTips, commit: str, report: Report) -> None:
    """Move the branch here to what the remote has; where something is in the way it stays, and that is reported."""
    default = DefaultBranch.of(tips, _note(opened, tips))
    try:
        default.must_be_movable(commit)
        default.move(commit, f"merge {tips.branch}")
    except OrangeError as problem:
        report(f"{tips.default} here was not updated and is behind {REMOTE}: {problem}. `git pull` updates it")


def mention_unfetched_commits(tips: BranchTips, report: Report) -> None:
    """Report commits on the remote's copy of the task's branch that were never fetched into it."""
    if tips.head_there is not None and not contains(tips.git, tips.head, tips.head_there):
        report(f"{REMOTE}/{tips.branch} has commits that {tips.branch} here does not have; they are not in this merge")
