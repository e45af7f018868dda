"""Putting a merge that was made into the default branch: on the remote first, then here.

Only what the remote has taken moves the branch here, so a push that is rejected leaves nothing to put back. And
once the remote has it, the merge is a fact: a checkout that is in the way by then only lags behind, and is told.
"""

from __future__ import annotations

from orange_tui.delivery.merge_default import default_branch_of
from orange_tui.delivery.merge_plan import counted, landed_before, plan
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import FETCH_EVERY_BRANCH, REMOTE, SLOW, local
from orange_tui.outside.git_merge import ahead_and_behind, contains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.delivery.merge_plan import MergeCheck, Sight, Strategy
    from orange_tui.store.open_task import OpenTask

    Say = Callable[[str], None]


@record
class Landed:
    """What is in the default branch now; without a `head` nothing of the task's is, because there was nothing."""

    commit: str
    head: str | None
    strategy: Strategy | None
    pushed: bool


def land(opened: OpenTask, sight: Sight, found: MergeCheck, strategy: Strategy | None, say: Say) -> Landed:
    """Merge. Everything that can be refused is, before it is written down, and only then it is done."""
    made = plan(sight, found, opened.task, strategy)
    default = default_branch_of(sight)
    default.must_be_free(made.commit)
    details = {"base": made.base, "head": made.head, "commit": made.commit, "strategy": made.strategy}
    opened.record("merge.started", **details)
    try:
        pushed = _push(sight, made.commit, opened.task.id, say)
        if not pushed:
            default.move(made.commit, f"merge {sight.branch}")
    except OrangeError as problem:
        opened.record("merge.failed", reason=str(problem))
        raise
    if pushed:
        _follow(sight, made.commit, say)
    return Landed(made.commit, made.head, made.strategy, pushed=pushed)


def catch_up(opened: OpenTask, sight: Sight, found: MergeCheck, say: Say) -> Landed:
    """All of it is in the default branch, by an earlier merge or by hand: bring the other side up to date."""
    if found.empty:
        return Landed(found.base, None, None, pushed=False)
    is_news_there = sight.theirs != found.base
    pushed = is_news_there and _push(sight, found.base, opened.task.id, say)
    _follow(sight, found.base, say)
    before = landed_before(sight, found.base, opened.journal)
    if before is None:
        say(f"All of {sight.branch} was in {sight.default} already; nothing was merged again")
        return Landed(found.base, found.head, None, pushed=pushed)
    is_there = sight.git.has_remote()
    return Landed(before["commit"], found.head, before["strategy"], pushed=is_there)


def _push(sight: Sight, commit: str, task: str, say: Say) -> bool:
    """Give the remote its new tip, if there is a remote; never by force."""
    git = sight.git
    if not git.has_remote():
        return False
    words = ("push", "--quiet", REMOTE, f"{commit}:{local(sight.default)}")
    done = git.ask(*words, timeout=SLOW, settings=(FETCH_EVERY_BRANCH,))
    if done.code != 0:
        raise Refused(
            f"The push of {sight.default} to {REMOTE} was rejected, so nothing was merged: {_said(done.message)}."
            f" Where only pull requests are let in, `orange task create-pr {task}` opens one"
        )
    if sight.ours is not None and sight.theirs is not None:
        along, _ = ahead_and_behind(sight.project.path, sight.theirs, sight.ours.commit)
        if along:
            say(f"Pushed with it: {counted(along)} of {sight.default} that {REMOTE} did not have")
    return True


def _said(message: str) -> str:
    """What git and the remote's hooks said, as part of a sentence."""
    lines = (line.removeprefix("remote:").removeprefix("error:").strip() for line in message.splitlines())
    return "; ".join(line.rstrip(".") for line in lines if line)


def _follow(sight: Sight, commit: str, say: Say) -> None:
    """Let the branch here follow what the remote has; where something is in the way it stays, and that is said."""
    default = default_branch_of(sight)
    try:
        default.must_be_free(commit)
        default.move(commit, f"merge {sight.branch}")
    except OrangeError as problem:
        say(f"{sight.default} here stays where it was, behind {REMOTE}: {problem}. `git pull` brings it there")


def mention_other_commits(sight: Sight, say: Say) -> None:
    """Somebody may have pushed to the task's branch what nobody has fetched into it."""
    if sight.head_there is not None and not contains(sight.git, sight.head, sight.head_there):
        say(f"{REMOTE}/{sight.branch} has commits that {sight.branch} here has not; they are not in this merge")
