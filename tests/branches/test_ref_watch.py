"""Branches that move are told of when they do, whoever moves them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from orange_tui.branches.ref_watch import RefWatch
from support.git import git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE = 60.0


class Listener:
    """Looks when it is told to, as the app does."""

    def __init__(self, *repositories: Path) -> None:
        self._repositories = [str(path) for path in repositories]
        self._told = asyncio.Event()
        self._watch = RefWatch(self._told.set)

    async def after(self, act: Callable[[], object]) -> None:
        """Do something, and wait until that is heard of."""
        await self._watch.follow(self._repositories)
        self._told.clear()
        await asyncio.to_thread(act)
        await asyncio.wait_for(self._told.wait(), PATIENCE)

    async def does_not_hear(self, act: Callable[[], object]) -> bool:
        await self._watch.follow(self._repositories)
        self._told.clear()
        await asyncio.to_thread(act)
        await asyncio.sleep(0)
        return not self._told.is_set()

    def close(self) -> None:
        self._watch.close()


def test_commits_new_branches_and_fetches_are_reported(repository: Path, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"

    def clone() -> None:
        git(tmp_path, "clone", "--quiet", "--bare", str(repository), str(remote))
        git(repository, "remote", "add", "origin", str(remote))
        git(repository, "fetch", "--quiet")

    async def listen() -> None:
        listener = Listener(repository)
        for act in (
            lambda: git(repository, "commit", "--quiet", "--allow-empty", "--message=one"),
            lambda: git(repository, "branch", "fix/deep/one"),  # directories that were not there before
            lambda: git(repository, "branch", "fix/deep/two"),
            lambda: git(repository, "branch", "--force", "fix/deep/one", "HEAD~1"),
            clone,
            lambda: git(repository, "push", "--quiet", "origin", "main:refs/heads/new"),
            lambda: git(repository, "branch", "-D", "fix/deep/two"),
        ):
            await listener.after(act)
        listener.close()

    asyncio.run(listen())


def test_reading_and_editing_files_reports_nothing(repository: Path) -> None:
    async def listen() -> None:
        listener = Listener(repository)
        assert await listener.does_not_hear(lambda: git(repository, "status"))
        assert await listener.does_not_hear(lambda: git(repository, "for-each-ref"))
        assert await listener.does_not_hear(lambda: (repository / "README").write_text("changed\n"))
        listener.close()

    asyncio.run(listen())


def test_a_commit_in_a_worktree_is_reported_and_a_missing_repository_stops_nothing(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "fix", str(tmp_path / "worktree"))

    async def listen() -> None:
        listener = Listener(tmp_path / "gone", repository)
        await listener.after(lambda: git(tmp_path / "worktree", "commit", "--quiet", "--allow-empty", "--message=one"))
        listener.close()

    asyncio.run(listen())
