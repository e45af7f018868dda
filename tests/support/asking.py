"""Agents that ask for permission: the real hook's process, with the report that Claude Code gives it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from orange_tui.domain.approvals.question import Question
    from orange_tui.store.store import TaskRef

PATIENCE_SECONDS = 60.0
RM = {"tool_name": "Bash", "tool_input": {"command": "rm -rf build", "description": "tidy up"}, "cwd": "/w"}


class AskingHome:
    """A home with tasks whose agents ask. Every process of theirs is ended by `close`."""

    def __init__(self, root: Path) -> None:
        self.home = Home(str(root / "home"))
        self.orange = assemble(self.home)
        self.approvals = self.orange.approvals
        self.ref = self.add()
        self._processes: list[subprocess.Popen[str]] = []

    def add(self, project: str = "coffee") -> TaskRef:
        with self.orange.store.project_lock(project):
            return self.orange.store.add(project, {"branch": "fix", "status": "working", "workflow": "default"}, "")

    def pause(self, hook: subprocess.Popen[str]) -> None:
        """Have a hook's process stand still, as on a machine with much to do; never with its task's lock in hand."""
        with self.orange.store.lock(self.ref):
            hook.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, hook.pid, os.WSTOPPED | os.WNOWAIT)

    def hook(self, ref: TaskRef | None = None, agent: str = "claude", **report: Any) -> subprocess.Popen[str]:
        """Start a permission hook; it waits."""
        environment = {**os.environ, "ORANGE_HOME": self.home.root, "ORANGE_WINDOW": "worker"}
        environment["ORANGE_TASK"] = (ref or self.ref).id
        words = [sys.executable, "-m", "orange_tui", "task", "ask", "--agent", agent, "-"]
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment)
        self._processes.append(process)
        assert process.stdin is not None
        process.stdin.write(json.dumps({"hook_event_name": "PermissionRequest", "session_id": "s1", **RM, **report}))
        process.stdin.close()
        process.stdin = None
        return process

    def question(self, ref: TaskRef | None = None) -> Question:
        """The one question of a task, once it is there."""
        wait_until(lambda: len(self.approvals.questions(ref or self.ref)) == 1)
        return self.approvals.questions(ref or self.ref)[0]

    def window(self) -> dict[str, Any]:
        return Runtime(self.orange.store.state_directory(self.ref)).window("worker")

    def events(self, kind: str, ref: TaskRef | None = None) -> list[dict[str, Any]]:
        return [event for event in self.orange.store.journal(ref or self.ref).events() if event["type"] == kind]

    def left_files(self) -> list[str]:
        return os.listdir(self.approvals.files(self.ref).directory)

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()


def decision_of(process: subprocess.Popen[str]) -> dict[str, str] | None:
    """What the hook printed for its agent, at its end; None: nothing."""
    output, errors = process.communicate(timeout=PATIENCE_SECONDS)
    assert (process.returncode, errors) == (0, "")
    return json.loads(output)["hookSpecificOutput"]["decision"] if output.strip() else None


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.02)
