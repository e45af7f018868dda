"""Moving the default branch here, wherever it is checked out, without touching what the person has changed.

Whether that will work is checked before anything is pushed; git checks again for itself when it is done. What it is
about to do in a checkout is written down before, so that half of it is finished after a kill (`half_moves.py`).
"""

from __future__ import annotations

import os

from orange_tui.delivery.merging.half_moves import Move
from orange_tui.delivery.wording import listed_files
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import SLOW_SECONDS, Repository, local
from orange_tui.outside.git_worktree import common_directory, operation_on_branch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.delivery.merging._branch_tips import BranchTips
    from orange_tui.delivery.merging.half_moves import MoveNote
    from orange_tui.outside.git import Ref

_REBASES = ("rebase-merge", "rebase-apply")


@record
class DefaultBranch:
    """The default branch of a person's repository; `tip` is where it was when it was read, None if it is not here."""

    repository: str
    name: str
    tip: Ref | None
    note: MoveNote

    @classmethod
    def of(cls, tips: BranchTips, note: MoveNote) -> DefaultBranch:
        """The default branch of a merge."""
        return cls(tips.project.path, tips.default, tips.default_here, note)

    @property
    def _checkout(self) -> Repository | None:
        """The worktree that has the default branch checked out."""
        return Repository(self.tip.worktree) if self.tip is not None and self.tip.worktree is not None else None

    def must_be_movable(self, commit: str) -> None:
        """Refuse if the branch could not be moved forward to a commit; nothing is changed."""
        if self.tip is None or self.tip.commit == commit:
            return
        rebasing = _rebase_of(self.repository, self.name)
        if rebasing is not None:
            raise Refused(f"A rebase of {self.name} is under way in {rebasing}; finish or abort it, then merge again")
        if self._checkout is not None:
            self.must_be_clean(self._checkout)
            self._must_not_overwrite(self._checkout, self.tip.commit, commit)

    def must_be_clean(self, checkout: Repository) -> None:
        """Refuse over what the person has changed there and not committed; git is given, so that it may only look."""
        if not os.path.isdir(checkout.path):
            raise Refused(
                f"{self.name} is checked out in {checkout.path}, which is gone; `git worktree prune` forgets it"
            )
        operation = operation_on_branch(checkout)
        if operation is not None:
            raise Refused(
                f"{self.name} is checked out in {checkout.path}, in the middle of {operation}; finish or abort it first"
            )
        changed = checkout.must(
            "status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", timeout=SLOW_SECONDS
        )
        files = tuple(entry[3:] for entry in changed.split("\0") if entry)
        if files:
            raise Refused(
                f"{self.name} is checked out in {checkout.path} with changes in {listed_files(files)}. Commit"
                f" or stash them (`git -C {checkout.path} stash`), then merge again. Nothing was changed"
            )

    def _must_not_overwrite(self, checkout: Repository, before: str, after: str) -> None:
        """A merge does not overwrite the person's own files that are not in git, ignored ones included."""
        added = checkout.must("diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", before, after)
        in_the_way = tuple(name for name in added.split("\0") if name and _is_file(os.path.join(checkout.path, name)))
        if in_the_way:
            raise Refused(
                f"The merge would overwrite {listed_files(in_the_way)} in {checkout.path}, which is not in git there."
                " Move it away, then merge again. Nothing was changed"
            )
        checkout.ask(
            "update-index", "-q", "--refresh", timeout=SLOW_SECONDS
        )  # a file that was only touched is no change
        tried = checkout.ask("read-tree", "--dry-run", "-m", "-u", before, after, timeout=SLOW_SECONDS)
        if tried.code != 0:
            raise Refused(
                f"Something in {checkout.path} is in the way of the merge: {tried.message}. Nothing was changed"
            )

    def move(self, commit: str, why: str) -> None:
        """Move the branch, with the files of the worktree that has it; only from where it was."""
        if self.tip is None or self.tip.commit == commit:
            return
        if self._checkout is not None:
            self._move_with_files(self._checkout, self.tip.commit, commit)
            return
        done = Repository(self.repository).ask(
            "update-ref", "-m", f"orange: {why}", local(self.name), commit, self.tip.commit
        )
        if done.code != 0:
            raise Refused(f"{self.name} was moved by somebody else just now; merge again. ({done.message})")

    def _move_with_files(self, checkout: Repository, before: str, commit: str) -> None:
        if checkout.current_branch() != self.name:
            raise Refused(f"Another branch was checked out in {checkout.path} just now; merge again")
        move = Move(checkout.path, self.name, before, commit)
        self.note.write(move)
        done = checkout.ask("merge", "--ff-only", "--no-overwrite-ignore", "--quiet", commit, timeout=SLOW_SECONDS)
        if done.code < 0:
            self.note.finish()
        elif done.code > 0:  # a full disk, or a filter that fails: git stops on the way and leaves it so
            move.undo()
        self.note.remove()
        if checkout.answer("rev-parse", "--verify", "--quiet", local(self.name)) != commit:
            raise Refused(f"{self.name} could not be moved in {checkout.path}: {done.message}")


def _is_file(path: str) -> bool:
    """Whether something is there that git would have to replace; directories are git's own check."""
    return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))


def _rebase_of(repository: str, branch: str) -> str | None:
    """Where a branch is being rebased: git does not call it checked out then, and would lose the rebase's end."""
    shared = common_directory(repository) or repository
    linked = os.path.join(shared, "worktrees")
    names = os.listdir(linked) if os.path.isdir(linked) else []
    for own in [shared, *(os.path.join(linked, name) for name in names)]:
        for kind in _REBASES:
            if _text(os.path.join(own, kind, "head-name")) == local(branch):
                return os.path.dirname(_text(os.path.join(own, "gitdir")) or own)
    return None


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().strip()
    except OSError:
        return None
