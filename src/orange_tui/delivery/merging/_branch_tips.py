"""Where the branches of a merge are, and what merging them would give. Nothing is changed to find out."""

from __future__ import annotations

from orange_tui.branches.recorded_merge import STARTED, last_merge
from orange_tui.delivery.wording import counted
from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import REMOTE, Repository, local, remote
from orange_tui.outside.git_merge import ahead_and_behind, contains, has_moved, merged_tree, represents, tree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.branches.recorded_merge import RecordedMerge
    from orange_tui.home.projects import Project
    from orange_tui.outside.git import Ref
    from orange_tui.store.journal import Journal


@record
class BranchTips:
    """The tips of the default branch, here and on the remote, and of the task's branch."""

    project: Project
    branch: str
    default_here: Ref | None
    default_there: str | None
    head: str
    head_there: str | None

    @property
    def git(self) -> Repository:
        """The person's repository."""
        return Repository(self.project.path)

    @property
    def default(self) -> str:
        """The name of the default branch."""
        return self.project.default_branch

    def base(self) -> str:
        """The commit that is merged into: the remote's tip where ours is only behind it, else ours."""
        if self.default_here is None:
            if self.default_there is None:
                raise Refused(
                    f"{self.project.path} has no branch {self.default} to merge into;"
                    f" `orange project update {self.project.name} --default-branch …` names another"
                )
            return self.default_there
        if self.default_there is not None and contains(self.git, self.default_there, self.default_here.commit):
            return self.default_there
        return self.default_here.commit

    def must_not_have_diverged(self) -> None:
        """Which of two histories is the right one is not for Orange to decide."""
        if self.default_here is None or self.default_there is None:
            return
        here, there = ahead_and_behind(self.project.path, self.default_there, self.default_here.commit)
        if here and there:
            at, theirs = self.project.path, f"{REMOTE}/{self.default}"
            raise Refused(
                f"{self.default} has diverged from {theirs}: {counted(here, 'commit')} only here,"
                f" {counted(there, 'commit')} only there. With {self.default} checked out, either keep yours on top"
                f" (`git -C {at} rebase {theirs}`) or join the two (`git -C {at} merge {theirs}`), then merge again."
                " Nothing was changed"
            )


def read_tips(project: Project, branch: str) -> BranchTips:
    """Read all tips with one call of git."""
    default = project.default_branch
    if branch == default:
        raise Refused(f"{branch} is the default branch of {project.name}; there is nothing to merge it into")
    refs = Repository(project.path).refs(local(default), remote(default), local(branch), remote(branch))
    default_there, head_there = refs.get(remote(default)), refs.get(remote(branch))
    head = refs.get(local(branch)) or head_there
    if head is None:
        raise NotFound(f"There is no branch {branch} in {project.path}, so there is nothing to merge")
    return BranchTips(
        project,
        branch,
        refs.get(local(default)),
        default_there.commit if default_there else None,
        head.commit,
        head_there.commit if head_there else None,
    )


@record
class MergePreview:
    """What merging `head` into `base` would give. Of a file in `conflicts`, `tree` has the marked hunks."""

    is_merged: bool  # all of it is in the default branch already
    is_empty: bool  # nothing was ever committed on it
    behind: int
    conflicts: tuple[str, ...]
    base: str
    head: str
    tree: str


def preview_merge(tips: BranchTips, journal: Journal, looking: Repository | None = None) -> MergePreview:
    """Merge in git's object store only: no branch and no checkout is touched.

    Who only wants to know what would come of it gives a git that runs nothing the repository configures.
    """
    base, head = tips.base(), tips.head
    ahead, behind = ahead_and_behind(tips.project.path, base, head)
    merged = merged_tree(looking or tips.git, base, head)
    has_landed = earlier_merge(tips, base, journal) is not None
    is_empty = ahead == 0 and not has_landed and not has_moved(tips.git, local(tips.branch))
    brings_nothing = ahead == 0 or (not merged.conflicts and merged.tree == tree_of(tips.git, base))
    is_merged = has_landed or (brings_nothing and not is_empty)
    conflicts = () if is_merged else merged.conflicts
    return MergePreview(is_merged, is_empty, behind, conflicts, base, head, merged.tree)


def earlier_merge(tips: BranchTips, base: str, journal: Journal) -> RecordedMerge | None:
    """The merge of this very head that was started earlier and has landed; git's history does not show a squash.

    The journal only says which commit to look at: that it is such a merge is for git to say.
    """
    started = last_merge(journal, STARTED)
    if started is None or started.head != tips.head or not contains(tips.git, base, started.commit):
        return None
    return started if represents(tips.git, started.commit, started.head) else None
