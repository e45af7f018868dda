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

    MakeCommit = Callable[[BranchTips, MergePreview, str], str]


@record
class MergeStrategy:
    """What a strategy does, for `--help`, and the function that makes its commit, given the task's summary."""

    help: str
    make_commit: MakeCommit


@record
class PlannedMerge:
    """The commit that the default branch will be moved to."""

    base: str
    head: str
    commit: str
    strategy: str


def _fast_forward(tips: BranchTips, preview: MergePreview, summary: str) -> str:
    from orange_tui.delivery.wording import counted_commits

    del summary
    if not _is_straight(tips, preview):
        raise Refused(
            f"{tips.branch} is {counted_commits(preview.behind)} behind {tips.default}, so it cannot be"
            " fast-forwarded; use --strategy merge or squash, or have it rebased"
        )
    return preview.head


def _merge_commit(tips: BranchTips, preview: MergePreview, summary: str) -> str:
    from orange_tui.outside.git_merge import make_commit

    message = f"Merge {tips.branch}: {summary}"
    return make_commit(tips.git, preview.tree, (preview.base, preview.head), message)


def _squash(tips: BranchTips, preview: MergePreview, summary: str) -> str:
    from orange_tui.outside.git_merge import make_commit

    return make_commit(tips.git, preview.tree, (preview.base,), summary)


STRATEGIES: Mapping[str, MergeStrategy] = {
    "ff": MergeStrategy("fast-forwards the default branch", _fast_forward),
    "merge": MergeStrategy("creates a merge commit", _merge_commit),
    "squash": MergeStrategy("a single commit", _squash),
}


def plan_merge(tips: BranchTips, preview: MergePreview, summary: str, strategy: str | None) -> PlannedMerge:
    """Make the commit with a strategy, or with the simplest that is possible; refused where there are conflicts."""
    from orange_tui.delivery.wording import listed_files

    if preview.conflicts:
        raise Refused(
            f"{tips.branch} conflicts with {tips.default} in {listed_files(preview.conflicts)}. Nothing was changed."
            f" In the app, r sends it back to its agent with this list; or merge {tips.default} into it yourself"
        )
    chosen = strategy or ("ff" if _is_straight(tips, preview) else "merge")
    commit = STRATEGIES[chosen].make_commit(tips, preview, summary or tips.branch)
    return PlannedMerge(preview.base, preview.head, commit, chosen)


def _is_straight(tips: BranchTips, preview: MergePreview) -> bool:
    """Whether the branch begins at the tip of the default branch."""
    from orange_tui.outside.git_merge import contains

    return contains(tips.git, preview.head, preview.base)
