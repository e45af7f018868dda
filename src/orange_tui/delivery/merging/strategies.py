"""The merge strategies: each makes the commit that the default branch is moved to. A new one is one more entry.

The commit is on no branch yet: `_land.py` pushes it and moves the branch.
"""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.delivery.merging._branch_tips import BranchTips, MergePreview

    WhyNot = Callable[[BranchTips, MergePreview], str | None]
    MakeCommit = Callable[[BranchTips, MergePreview, str], str]


@record
class MergeStrategy:
    """What a strategy does, for `--help` and in one word, and what makes its commit, given the task's summary."""

    help: str
    title: str
    make_commit: MakeCommit
    why_not: WhyNot


@record
class PlannedMerge:
    """The commit that the default branch will be moved to."""

    base: str
    head: str
    commit: str
    strategy: str


def _fast_forward(tips: BranchTips, preview: MergePreview, summary: str) -> str:
    del summary
    why_not = _why_not_straight(tips, preview)
    if why_not is not None:
        raise Refused(f"{why_not}; use --strategy merge or squash, or have it rebased")
    return preview.head


def _why_not_straight(tips: BranchTips, preview: MergePreview) -> str | None:
    from orange_tui.delivery.wording import counted

    if _is_straight(tips, preview):
        return None
    behind = counted(preview.behind, "commit")
    return f"{tips.branch} is {behind} behind {tips.default}, so it cannot be fast-forwarded"


def _nothing_against_it(_tips: BranchTips, _preview: MergePreview) -> str | None:
    return None


def _merge_commit(tips: BranchTips, preview: MergePreview, summary: str) -> str:
    from orange_tui.outside.git_merge import make_commit

    message = f"Merge {tips.branch}: {summary}"
    return make_commit(tips.git, preview.tree, (preview.base, preview.head), message)


def _squash(tips: BranchTips, preview: MergePreview, summary: str) -> str:
    from orange_tui.outside.git_merge import make_commit

    return make_commit(tips.git, preview.tree, (preview.base,), summary)


STRATEGIES: Mapping[str, MergeStrategy] = {
    "ff": MergeStrategy("fast-forwards the default branch", "fast-forward", _fast_forward, _why_not_straight),
    "merge": MergeStrategy("creates a merge commit", "merge commit", _merge_commit, _nothing_against_it),
    "squash": MergeStrategy("a single commit", "squash", _squash, _nothing_against_it),
}


def usual_strategy(tips: BranchTips, preview: MergePreview) -> str:
    """The strategy where a person names none: the first that is possible."""
    return next(name for name, each in STRATEGIES.items() if each.why_not(tips, preview) is None)


def why_conflicting(tips: BranchTips, preview: MergePreview) -> str | None:
    """Which files are in the way of any merge, and what to do; None where there are none."""
    from orange_tui.delivery.wording import listed_files

    if not preview.conflicts:
        return None
    return (
        f"{tips.branch} conflicts with {tips.default} in {listed_files(preview.conflicts)}. Nothing was changed."
        f" In the app, r sends it back to its agent with this list; or merge {tips.default} into it yourself"
    )


def plan_merge(tips: BranchTips, preview: MergePreview, summary: str, strategy: str | None) -> PlannedMerge:
    """Make the commit with a strategy, or with the simplest that is possible; refused where there are conflicts."""
    conflicts = why_conflicting(tips, preview)
    if conflicts is not None:
        raise Refused(conflicts)
    chosen = strategy or usual_strategy(tips, preview)
    commit = STRATEGIES[chosen].make_commit(tips, preview, summary or tips.branch)
    return PlannedMerge(preview.base, preview.head, commit, chosen)


def _is_straight(tips: BranchTips, preview: MergePreview) -> bool:
    """Whether the branch begins at the tip of the default branch."""
    from orange_tui.outside.git_merge import contains

    return contains(tips.git, preview.head, preview.base)
