"""Committing what lies in a worktree, for an agent that was not allowed to."""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.outside.git import SLOW, Repository

_IDENTITY = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "Orange"), ("EMAIL", "orange@localhost"))
}


def commit_all(worktree: str, branch: str, message: str) -> bool:
    """Commit every file that is not ignored onto the branch that must be checked out; False when all is committed."""
    git = Repository(worktree)
    present = git.current_branch()
    if present != branch:
        raise Refused(f"what is not committed stays so: {present or 'no branch'} is checked out there, not {branch}")
    git.must("add", "--all", timeout=SLOW)
    if git.ask("diff", "--cached", "--quiet", timeout=SLOW).code == 0:
        return False
    identity = {} if git.answer("config", "user.email") else _IDENTITY
    git.must("commit", "--quiet", "-m", message, extra=identity, settings=("commit.gpgsign=false",), timeout=SLOW)
    return True
