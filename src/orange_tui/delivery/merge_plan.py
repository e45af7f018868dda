"""What a merge would do, found out without changing anything: where the branches are, what comes of joining them."""

from __future__ import annotations

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import REMOTE, Repository, local, remote
from orange_tui.outside.git_merge import (
    ahead_and_behind,
    contains,
    has_moved,
    known_tree,
    make_commit,
    merged_tree,
    tree_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from orange_tui.domain.task import Task
    from orange_tui.home.projects import Project
    from orange_tui.outside.git import Ref
    from orange_tui.store.journal import Event, Journal

    Strategy = Literal["ff", "merge", "squash"]

STRATEGIES = ("ff", "merge", "squash")
_MOST_FILES = 20


@record
class MergeCheck:
    """Whether a task's branch would merge now, and how it stands to the default branch.

    `tree` is what the merge would make: of a file in `conflicts`, `git show <tree>:<file>` shows the marked hunks.
    """

    merges: bool
    already: bool  # all of it is in the default branch
    empty: bool  # nothing was ever committed on it
    ahead: int
    behind: int
    conflicts: tuple[str, ...]
    base: str
    head: str
    tree: str


@record
class Sight:
    """Where the branches of one merge are: the default branch here and on the remote, and the task's."""

    project: Project
    branch: str
    ours: Ref | None
    theirs: str | None
    head: str
    head_there: str | None

    @property
    def git(self) -> Repository:
        """git, in the person's repository."""
        return Repository(self.project.path)

    @property
    def default(self) -> str:
        """What the default branch is called."""
        return self.project.default_branch

    def base(self) -> str:
        """What is merged into: the remote's tip where ours only lags behind it, else ours."""
        if self.ours is None:
            if self.theirs is None:
                raise Refused(
                    f"{self.project.path} has no branch {self.default} to merge into;"
                    f" `orange project update {self.project.name} --default-branch …` names another"
                )
            return self.theirs
        if self.theirs is not None and contains(self.git, self.theirs, self.ours.commit):
            return self.theirs
        return self.ours.commit

    def must_not_have_diverged(self) -> None:
        """Which of two histories is meant is not ours to decide."""
        if self.ours is None or self.theirs is None:
            return
        here, there = ahead_and_behind(self.project.path, self.theirs, self.ours.commit)
        if here and there:
            at, theirs = self.project.path, f"{REMOTE}/{self.default}"
            raise Refused(
                f"{self.default} has diverged from {theirs}: {counted(here)} only here, {counted(there)} only there."
                f" With {self.default} checked out, either keep yours on top (`git -C {at} rebase {theirs}`) or join"
                f" the two (`git -C {at} merge {theirs}`), then merge again. Nothing was changed"
            )


def look(project: Project, branch: str) -> Sight:
    """Where everything is now; one question to git."""
    default = project.default_branch
    if branch == default:
        raise Refused(f"{branch} is the default branch of {project.name}; there is nothing to merge it into")
    refs = Repository(project.path).refs(local(default), remote(default), local(branch), remote(branch))
    theirs, there = refs.get(remote(default)), refs.get(remote(branch))
    head = refs.get(local(branch)) or there
    if head is None:
        raise NotFound(f"There is no branch {branch} in {project.path}, so there is nothing to merge")
    return Sight(
        project,
        branch,
        refs.get(local(default)),
        theirs.commit if theirs else None,
        head.commit,
        there.commit if there else None,
    )


def check(sight: Sight, journal: Journal) -> MergeCheck:
    """What would come of a merge. Nothing is changed for it, and most of it is remembered by pair of commits."""
    base, head, path = sight.base(), sight.head, sight.project.path
    ahead, behind = ahead_and_behind(path, base, head)
    found = known_tree(path, base, head)
    landed = landed_before(sight, base, journal) is not None
    empty = ahead == 0 and not landed and not has_moved(sight.git, local(sight.branch))
    brings_nothing = ahead == 0 or (not found.conflicts and found.tree == tree_of(sight.git, base))
    already = landed or (brings_nothing and not empty)
    merges = already or not found.conflicts
    conflicts = () if already else found.conflicts
    return MergeCheck(merges, already, empty, ahead, behind, conflicts, base, head, found.tree)


def landed_before(sight: Sight, base: str, journal: Journal) -> Event | None:
    """The merge of just this that was begun earlier and got there: of a squash, git's history does not tell."""
    started = journal.last("merge.started")
    if started is None or started.get("head") != sight.head:
        return None
    return started if contains(sight.git, base, str(started.get("commit"))) else None


@record
class Plan:
    """The commit that the default branch will be moved to."""

    base: str
    head: str
    commit: str
    strategy: Strategy


def plan(sight: Sight, found: MergeCheck, task: Task, strategy: Strategy | None) -> Plan:
    """Make the commit, which is on no branch yet; refused where it cannot be made as asked."""
    if found.conflicts:
        raise Refused(conflict(sight, found.conflicts))
    is_straight = contains(sight.git, found.head, found.base)
    chosen = strategy or ("ff" if is_straight else "merge")
    if chosen == "ff":
        if not is_straight:
            raise Refused(
                f"{sight.branch} is {counted(found.behind)} behind {sight.default}, so it cannot be fast-forwarded;"
                " use --strategy merge or squash, or have it rebased"
            )
        return Plan(found.base, found.head, found.head, "ff")
    return Plan(found.base, found.head, _commit(sight, found, task, chosen), chosen)


def _commit(sight: Sight, found: MergeCheck, task: Task, strategy: Strategy) -> str:
    merged = merged_tree(sight.git, found.base, found.head)
    what = task.summary or sight.branch
    if strategy == "squash":
        return make_commit(sight.git, merged.tree, (found.base,), what)
    return make_commit(sight.git, merged.tree, (found.base, found.head), f"Merge {sight.branch}: {what}")


def conflict(sight: Sight, files: tuple[str, ...]) -> str:
    """Why a branch does not merge, and the way out."""
    return (
        f"{sight.branch} conflicts with {sight.default} in {listed(files)}. Nothing was changed."
        f" In the app, r sends it back to its agent with this list; or merge {sight.default} into it yourself"
    )


def listed(files: tuple[str, ...]) -> str:
    """File names in a sentence; a thousand of them are too many."""
    shown = ", ".join(files[:_MOST_FILES])
    return f"{shown} and {len(files) - _MOST_FILES} more" if len(files) > _MOST_FILES else shown


def counted(commits: int) -> str:
    """How many commits, in a sentence."""
    return "1 commit" if commits == 1 else f"{commits} commits"
