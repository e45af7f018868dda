"""A repository with a remote, a home, and a pool of two workspaces: where the stories about workspaces happen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import orange_tui.outside.git as git_seam
from orange_tui.domain.errors import OrangeError
from orange_tui.home.log import Log
from orange_tui.home.paths import Home
from orange_tui.home.projects import Projects
from orange_tui.outside.git_guard.judge import use_judge
from orange_tui.store.store import Store, StoredTask, TaskRef
from orange_tui.trust.trust import Trust
from orange_tui.workspaces.pool import Pool
from support.git import commit, copied, git

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from orange_tui.domain.task import Task
    from orange_tui.home.projects import Project
    from orange_tui.workspaces.pool import ReleaseResult
    from orange_tui.workspaces.pool_file import Slot


def _plant(root: Path) -> None:
    """The remote, and the person's own checkout."""
    remote, main = root / "remote.git", root / "coffee"
    git(root, "init", "--quiet", "--bare", "--template=", "--initial-branch=main", str(remote))
    git(root, "clone", "--quiet", "--template=", str(remote), str(main))
    git(main, "switch", "--quiet", "--create", "main")
    (main / ".gitignore").write_text("ignored/\n.env\n")
    git(main, "add", ".gitignore")
    commit(main, "README", "coffee\n")
    git(main, "push", "--quiet", "--set-upstream", "origin", "main")


class Cafe:
    """The project `coffee`: its remote, the person's own checkout, and the pool under a home."""

    def __init__(self, root: Path, **settings: object) -> None:
        self.root = root
        self.remote = root / "remote.git"
        self.main = root / "coffee"
        self.home = Home(str(root / "home"))
        (root / "home").mkdir()
        self.store = Store(self.home, lambda task: task)
        self.pool = Pool(self.store, Projects(self.home), Log(self.home.log_file))
        use_judge(Trust(self.home).trusted)
        copied(_plant, root)
        self.register(path=str(self.main), **settings)

    def register(self, **settings: object) -> None:
        """Write projects.json, with other settings than before."""
        entry = {"name": "coffee", "path": str(self.main), "default_branch": "main", **settings}
        (self.root / "home/projects.json").write_text(json.dumps([entry]))

    @property
    def project(self) -> Project:
        return Projects(self.home).get("coffee")

    def trust(self) -> None:
        """The person has seen all that the repository brings along, and trusts it."""
        Trust(self.home).confirm(self.project, Trust(self.home).brought(self.project))

    def task(self, branch: str = "feat/x", **values: object) -> Task:
        """A task as it is once created."""
        fields = {"branch": branch, "workflow": "default", "status": "pending", **values}
        with self.store.project_lock("coffee"):
            ref = self.store.add("coffee", fields, "")
        return self.read(ref)

    def read(self, ref: TaskRef) -> Task:
        found = self.store.read(ref)
        assert isinstance(found, StoredTask)
        return found.task

    def task_directory(self, task: Task) -> Path:
        return self.root / "home/tasks/coffee" / task.id

    def state_directory(self, task: Task) -> Path:
        return self.root / "home/state/coffee" / task.id

    def spawn(self, task: Task) -> Path:
        """What `acquire_workspace` does; returns the worktree."""
        name = self.pool.reserve(self.project, task)
        self.pool.prepare(self.project, task, name)
        return self.root / "home/workspaces" / name

    def refusal(self, task: Task) -> str:
        """Why a task does not get its workspace."""
        with pytest.raises(OrangeError) as problem:
            self.spawn(task)
        assert problem.value.exit_code == 1
        return str(problem.value)

    def hold(self, task: Task, name: str | None) -> Task:
        """The task says itself which workspace it has, as the engine writes it after the hook."""
        with self.store.open(TaskRef("coffee", task.id)) as opened:
            opened.change("hook.done", {"workspace": name})
            return opened.task

    def release(self, task: Task, workspace: Path) -> ReleaseResult:
        return self.pool.release(self.project, task.id, workspace.name)

    def gc(self) -> list[str]:
        known = {(ref.project, ref.id) for ref in self.store.refs()}
        return self.pool.gc(lambda project, task: (project, task) in known)

    def slot(self, number: int = 1) -> Slot:
        return self.pool.slots(self.project)[number - 1]

    def states(self) -> list[str]:
        return [slot.state for slot in self.pool.slots(self.project)]

    def logged(self, text: str) -> bool:
        return any(text in json.dumps(entry) for entry in Log(self.home.log_file).entries())

    def in_saved(self, ref: str, path: str) -> str:
        """A file as it was saved."""
        return git(self.main, "show", f"{ref}:{path}")

    def is_clean(self, workspace: Path) -> bool:
        """As a free workspace should be: detached at the default branch, nothing else in it."""
        files = {path.name for path in workspace.iterdir()}
        return (
            git(workspace, "status", "--porcelain") == ""
            and git(workspace, "rev-parse", "HEAD") == git(workspace, "rev-parse", "origin/main")
            and git(workspace, "symbolic-ref", "--quiet", "HEAD", code=1) == ""
            and files == {".git", ".gitignore", "README"}
        )


def git_calls(act: Callable[[], object]) -> list[str]:
    """What git was asked on the way, for those who count."""
    calls: list[str] = []
    real = vars(git_seam)["run"]

    def counted(words: list[str], **options: Any) -> Any:
        calls.append(next(word for word in words[3:] if word != "-c" and "=" not in word))
        return real(words, **options)

    vars(git_seam)["run"] = counted
    try:
        act()
    finally:
        vars(git_seam)["run"] = real
    return calls
