"""Adding a worktree to a repository, and checking a task's branch out in it."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import FETCH_EVERY_BRANCH, SLOW_SECONDS, Repository, local, remote
from orange_tui.outside.git_worktree import find_worktree, pointer_problem
from orange_tui.outside.processes import git_processes
from orange_tui.workspaces._save_and_reset import reset, save_work

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from orange_tui.home.log import Log
    from orange_tui.home.projects import Project
    from orange_tui.outside.git import Ref
    from orange_tui.outside.git_worktree import Worktree

_SWITCH = ("switch", "--quiet", "--no-overwrite-ignore")


@record
class ExistingWorktree:
    """A worktree that was found; `restored` when its directory was gone and has been checked out again."""

    worktree: Worktree
    restored: bool


def find_existing(project: Project, path: str) -> ExistingWorktree | None:
    """The worktree at a path, repaired where that loses nothing; None when there is none yet."""
    if not os.path.isdir(project.path):
        raise Refused(f"{project.path}, the repository of {project.name}, does not exist")
    problem = pointer_problem(project.path, path)
    if problem is not None:
        raise Refused(problem)
    worktree, gone = find_worktree(path), not _has_content(path)
    if worktree is None and (gone or os.path.exists(os.path.join(path, ".git"))):
        worktree = _repair(project, path)
    if worktree is None and not gone:
        raise Refused(
            f"{path} is not a worktree of {project.name}: git has forgotten it, or it never was one."
            " Check what is in it, then move it away"
        )
    return ExistingWorktree(worktree, restored=gone) if worktree is not None else None


def _has_content(path: str) -> bool:
    try:
        with os.scandir(path) as entries:
            return any(entries)
    except FileNotFoundError:
        return False


def _repair(project: Project, path: str) -> Worktree | None:
    """Bring back what git still knows of a deleted directory: the branch, the index. Also after a repository moved."""
    gone = not _has_content(path)
    os.makedirs(path, exist_ok=True)
    # Without a path, links from git to its worktrees are repaired; with one, the link back is repaired too.
    Repository(project.path).ask("worktree", "repair", *(() if gone else (path,)))
    worktree = find_worktree(path)
    if worktree is not None and gone and os.path.exists(os.path.join(worktree.git_directory, "index")):
        worktree.restore_files()
    return worktree


@record
class Checkout:
    """Checks out one branch of one project in a worktree."""

    project: Project
    branch: str
    log: Log

    def fetch(self) -> str | None:
        """Fetch the branches that matter; returns why that failed, which is only logged."""
        if not Repository(self.project.path).has_remote():
            return None
        reason = Repository(self.project.path).fetch(*dict.fromkeys((self.project.default_branch, self.branch)))
        if reason is not None:
            self.log.write("warning", "fetch failed; using the local copy", project=self.project.name, why=reason)
        return reason

    def refs(self) -> dict[str, Ref]:
        """The branches that matter, here and as the remote has them."""
        return Repository(self.project.path).refs(*self._names())

    def _names(self) -> list[str]:
        return [form(branch) for branch in (self.branch, self.project.default_branch) for form in (local, remote)]

    def start_point(self, refs: Container[str], fetch_error: str | None) -> str:
        """The commit new branches start from: the default branch of the remote, else the local one."""
        default = self.project.default_branch
        for name in (remote(default), local(default)):
            if name in refs:
                return name
        reason = f" The remote could not be reached: {fetch_error}." if fetch_error else ""
        if Repository(self.project.path).answer("rev-list", "--all", "--max-count=1") is None:
            raise Refused(f"{self.project.path} has no commits yet; commit something, then try again.{reason}")
        raise Refused(
            f"{self.project.path} has no branch {default}, neither here nor on the remote.{reason}"
            f" Choose another with `orange project update {self.project.name} --default-branch …`"
        )

    def add_worktree(self, path: str, start_point: str, *, retry: bool) -> Worktree:
        """A new worktree. With `retry`, what a killed attempt left is removed first: nobody has worked in it."""
        if retry:
            self._remove_leftovers(path)
        force = ("--force", "--force") if retry else ()
        arguments = ("worktree", "add", "--quiet", "--detach", *force, path, start_point)
        done = Repository(self.project.path).ask(*arguments, timeout=SLOW_SECONDS)
        worktree = find_worktree(path)
        if worktree is None or os.path.exists(os.path.join(worktree.git_directory, "locked")):
            raise Refused(f"git worktree add: {done.message}")
        if done.code != 0:
            self.log.write("warning", "a git hook failed in a new worktree", worktree=path, why=done.message)
        return worktree

    def _remove_leftovers(self, path: str) -> None:
        import shutil

        users = git_processes(path)
        if users:
            raise Refused(f"git is still creating {path} ({users[0]}); try again when it has ended")
        if os.path.lexists(path):
            shutil.rmtree(path)

    def switch(self, worktree: Worktree, *, clean: bool, task: str) -> str | None:
        """Check the branch out. A worktree that is not clean, or where git refuses, is saved and reset first.

        Returns the ref that was saved under, if there was anything to be saved.
        """
        saved = None if clean else self._save_and_reset(worktree, task)
        failed = self._try_switch(worktree)
        if failed is None:
            return saved
        try:
            saved = self._save_and_reset(worktree, task) or saved
        except (OrangeError, OSError) as problem:
            raise Refused(f"{failed} {problem}") from None
        failed = self._try_switch(worktree)
        if failed is not None:
            raise Refused(failed)
        return saved

    def _try_switch(self, worktree: Worktree) -> str | None:
        done = worktree.git.ask(*self._switch_arguments(worktree), timeout=SLOW_SECONDS, settings=(FETCH_EVERY_BRANCH,))
        if done.code == 0:
            return None
        if worktree.head() == local(self.branch):
            self.log.write("warning", "a git hook failed after the checkout", worktree=worktree.path, why=done.message)
            return None
        return f"git switch: {done.message}"

    def _switch_arguments(self, worktree: Worktree) -> tuple[str, ...]:
        """A local branch is checked out as it is; one that only the remote has is tracked; else it is created."""
        existing = worktree.existing_refs(*self._names())
        if local(self.branch) in existing:
            check_not_elsewhere(self.branch, self.refs().get(local(self.branch)), worktree.path)
            return (*_SWITCH, self.branch)
        if remote(self.branch) in existing:
            return (*_SWITCH, "--create", self.branch, "--track", remote(self.branch))
        return (*_SWITCH, "--no-track", "--create", self.branch, self.start_point(existing, None))

    def _save_and_reset(self, worktree: Worktree, task: str) -> str | None:
        saved = save_work(self.project, worktree, task)
        if saved.ref is not None:
            self.log.write("warning", "work left in a workspace was saved", worktree=worktree.path, saved=saved.ref)
        reset(self.project, worktree, saved)
        return saved.ref


def check_not_elsewhere(branch: str, ref: Ref | None, here: str) -> None:
    """Refuse a branch that another worktree has: git allows it in one only."""
    where = ref.worktree if ref is not None else None
    if where is None or os.path.realpath(where) == os.path.realpath(here):
        return
    if not os.path.isdir(where):
        raise Refused(
            f"Branch {branch} is checked out in {where}, which no longer exists; `git worktree prune` forgets it"
        )
    raise Refused(
        f"Branch {branch} is checked out in {where}, and git allows a branch in one worktree only;"
        f" switch to another one there (`git -C {where} switch …`) and try again"
    )
