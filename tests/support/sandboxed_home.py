"""A person's home with secrets, a repository and two tasks, and a sandbox for the agent of the first."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.sandbox.planning import SandboxSpec, git_place, make_plan
from orange_tui.domain.harnesses.shipped import DEMO
from orange_tui.domain.records import replace
from orange_tui.outside.sandbox.bwrap import why_no_sandbox
from orange_tui.outside.sandbox.enter import in_sandbox
from support.git import commit, git, make_repository

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from orange_tui.domain.harnesses.harness import Harness

SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "src")
# Where no sandbox can be made, and that is known: its tests are expected to fail then, and are not merely left out.
_EXPECTED = os.environ.get("ORANGE_TEST_SANDBOX") == "none"


def need_sandbox() -> None:
    """Leave a test out where no sandbox can be made; where CI is set, that is a failure unless it was said before."""
    problem = why_no_sandbox()
    if problem is not None and _EXPECTED:
        pytest.xfail(problem)
    if problem is not None:
        pytest.skip(problem)


class SandboxedHome:
    """What the agent of task `aaa` is in."""

    def __init__(self, root: Path, branch: str = "orange-tasks/aaa") -> None:
        self.person = root / "person"
        self.home = self.person / "orange"
        self.branch = branch
        for name, text in {
            ".ssh/id": "the key",
            ".config/gh/hosts.yml": "the token",
            ".config/editor/settings": "light",
            ".netrc": "the password",
            "notes.txt": "milk",
            "orange/config.yml": "bell: false",
            "orange/projects.json": "[]",
            "orange/state/coffee/aaa/history.jsonl": "the journal",
            "orange/tasks/coffee/aaa/TASK.md": "own task",
            "orange/tasks/coffee/bbb/TASK.md": "other task",
        }.items():
            path = self.person / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.repository = make_repository(self.person / "src" / "coffee")
        commit(self.repository, "second")
        git(self.repository, "branch", "old")
        git(self.repository, "pack-refs", "--all")
        self.worktree = self.home / "workspaces" / "coffee--1"
        self.other = self.home / "workspaces" / "coffee--2"
        git(self.repository, "worktree", "add", "--quiet", "-b", branch, str(self.worktree))
        git(self.repository, "worktree", "add", "--quiet", "-b", "orange-tasks/bbb", str(self.other))
        (self.worktree / "TASK.md").symlink_to(self.home / "tasks/coffee/aaa/TASK.md")
        self.plan_file = root / "plan.json"
        self.spec = SandboxSpec(
            str(self.home),
            "coffee",
            str(self.repository),
            str(self.home / "tasks/coffee/aaa"),
            str(self.worktree),
            DEMO,
            git_place(str(self.worktree), branch),
        )

    @property
    def git_directory(self) -> Path:
        """The one that all worktrees share."""
        return self.repository / ".git"

    def allow(self, *, read: Sequence[str] = (), write: Sequence[str] = ()) -> None:
        """What the project opens besides."""
        self.spec = replace(self.spec, read=read, write=write)

    def employ(self, harness: Harness) -> None:
        """Another agent, with other needs."""
        self.spec = replace(self.spec, harness=harness)

    def words(self, *words: str) -> tuple[str, ...]:
        """What starts a command in there, with a new plan."""
        self.plan_file.write_text(make_plan(self.spec).as_text())
        return in_sandbox(words, str(self.plan_file), SOURCE)

    def run(self, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a shell's text in there, as the agent would."""
        environment = {**os.environ, **variables}
        words = self.words("/bin/sh", "-c", script)
        return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)

    def must(self, script: str, **variables: str) -> str:
        """What it prints; it must succeed."""
        done = self.run(script, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def cannot(self, script: str, **variables: str) -> str:
        """What it says; it must fail."""
        done = self.run(script, **variables)
        assert done.returncode != 0, done.stdout
        return done.stdout + done.stderr
