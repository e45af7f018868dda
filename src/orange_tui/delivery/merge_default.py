"""Moving the default branch here, wherever it is checked out, without touching what the person has changed.

Whether that will work is asked before anything is pushed; git asks again, for itself, when it is done.
"""

from __future__ import annotations

import os

from orange_tui.delivery.merge_plan import listed
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import SLOW, Repository, local
from orange_tui.outside.git_worktree import common_directory, operation_on_branch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.delivery.merge_plan import Sight
    from orange_tui.outside.git import Ref

_REBASES = ("rebase-merge", "rebase-apply")


@record
class DefaultBranch:
    """The default branch of a person's repository: `ours` is where it was when we looked; None when it is not here."""

    repository: str
    default: str
    ours: Ref | None

    @property
    def _place(self) -> Repository | None:
        """The worktree that has the default branch checked out."""
        return Repository(self.ours.worktree) if self.ours is not None and self.ours.worktree is not None else None

    def must_be_free(self, commit: str) -> None:
        """Whether the branch could be moved to a commit that it leads to; refused in words, with nothing changed."""
        if self.ours is None or self.ours.commit == commit:
            return
        rebasing = _rebase_of(self.repository, self.default)
        if rebasing is not None:
            raise Refused(f"A rebase of {self.default} is under way in {rebasing}; end or abort it, then merge again")
        if self._place is not None:
            self._must_be_clean(self._place)
            self._must_have_room(self._place, self.ours.commit, commit)

    def _must_be_clean(self, place: Repository) -> None:
        if not os.path.isdir(place.path):
            raise Refused(
                f"{self.default} is checked out in {place.path}, which is gone; `git worktree prune` forgets it"
            )
        under_way = operation_on_branch(place)
        if under_way is not None:
            raise Refused(f"{self.default} is checked out in {place.path}, in the middle of {under_way}; end it there")
        changed = place.must("status", "--porcelain", "-z", "--untracked-files=no", "--no-renames", timeout=SLOW)
        files = tuple(entry[3:] for entry in changed.split("\0") if entry)
        if files:
            raise Refused(
                f"{self.default} is checked out in {place.path} with changes in {listed(files)}. Commit them, or put"
                f" them aside (`git -C {place.path} stash`), then merge again. Nothing was changed"
            )

    def _must_have_room(self, place: Repository, before: str, after: str) -> None:
        """Files of the person's own, also ignored ones, are not overwritten by new ones of the same name."""
        added = place.must("diff", "--name-only", "--no-renames", "--diff-filter=A", "-z", before, after)
        in_the_way = tuple(name for name in added.split("\0") if name and _is_file(os.path.join(place.path, name)))
        if in_the_way:
            raise Refused(
                f"{listed(in_the_way)} in {place.path} would be overwritten: not in git there, and in the merge."
                " Move it away, then merge again. Nothing was changed"
            )
        place.ask("update-index", "-q", "--refresh", timeout=SLOW)  # a file that was only touched is no change
        tried = place.ask("read-tree", "--dry-run", "-m", "-u", before, after, timeout=SLOW)
        if tried.code != 0:
            raise Refused(f"{place.path} is in the way of the merge: {tried.message}. Nothing was changed")

    def move(self, commit: str, why: str) -> None:
        """Move the branch, with the files of the worktree that has it; only from where it was."""
        if self.ours is None or self.ours.commit == commit:
            return
        if self._place is not None:
            self._move_with_files(self._place, commit)
            return
        done = Repository(self.repository).ask(
            "update-ref", "-m", f"orange: {why}", local(self.default), commit, self.ours.commit
        )
        if done.code != 0:
            raise Refused(f"{self.default} was moved by somebody else just now; merge again. ({done.message})")

    def _move_with_files(self, place: Repository, commit: str) -> None:
        if place.current_branch() != self.default:
            raise Refused(f"Another branch was checked out in {place.path} just now; merge again")
        done = place.ask("merge", "--ff-only", "--no-overwrite-ignore", "--quiet", commit, timeout=SLOW)
        if place.answer("rev-parse", "--verify", "--quiet", local(self.default)) != commit:
            raise Refused(f"{self.default} could not be moved in {place.path}: {done.message}")


def default_branch_of(sight: Sight) -> DefaultBranch:
    """The default branch as it was seen."""
    return DefaultBranch(sight.project.path, sight.default, sight.ours)


def _is_file(path: str) -> bool:
    """Whether something is there that git would have to replace; directories it looks through itself."""
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
