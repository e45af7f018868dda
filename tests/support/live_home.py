"""A home where agents really work: a repository with a remote, a private tmux server, the demo agent at full speed."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import libtmux

from orange_tui.engine.creation import NewTask
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.store.store import StoredTask
from support.git import copied, git, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.task import Task
    from orange_tui.store.store import TaskRef

PATIENCE = 60.0

# An agent that writes down how it was started, and then does as the file `orders` beside it says.
RECORDER = """\
#!/bin/sh
here=$(dirname "$0")
printf '%s' "$1" >"$here/prompt"
env >"$here/environment"
pwd >"$here/directory"
echo started >>"$here/starts"
[ -e "$here/orders" ] && . "$here/orders"
exec cat
"""


def _plant(root: Path) -> None:
    """A repository with a remote, which knows nothing of it."""
    repository, remote = make_repository(root / "coffee"), root / "remote.git"
    git(root, "clone", "-q", "--bare", str(repository), str(remote))
    git(repository, "remote", "add", "origin", str(remote))
    git(repository, "fetch", "-q", "origin")


class LiveHome:
    """What the stories are told with."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.socket = f"orange-test-{uuid.uuid4().hex[:12]}"
        os.environ["ORANGE_TMUX_SOCKET"] = self.socket
        os.environ["ORANGE_DEMO_PACE"] = "0"
        self.repository, self.remote = root / "coffee", root / "remote.git"
        copied(_plant, root)
        self.orange = assemble(Home(str(root / "home")))
        entry = {"name": "coffee", "path": str(self.repository), "default_branch": "main", "pool_size": 2}
        self.orange.projects.add(entry)

    @property
    def tmux(self) -> libtmux.Server:
        """The same server, seen by somebody else's eyes."""
        return libtmux.Server(socket_name=self.socket)

    def git(self, *words: str, at: Path | None = None) -> str:
        return git(at or self.repository, *words)

    def harness(self, name: str = "recorder", orders: str = "") -> Path:
        """An agent of our own; returns the directory where it leaves what it saw."""
        folder = self.root / name
        folder.mkdir()
        agent = folder / "agent"
        agent.write_text(RECORDER)
        agent.chmod(0o755)
        if orders:
            (folder / "orders").write_text(orders)
        with (self.root / "home" / "harnesses.yml").open("a") as file:
            file.write(f'{name}:\n  binary: "{agent}"\n  full: ["{{binary}}", "{{prompt}}"]\n')
        self.orange = assemble(self.orange.home)
        return folder

    def create(self, branch: str, *, demo: str = "good", **more: Any) -> TaskRef:
        """A task for the demo agent, or for the harness that is named."""
        values: dict[str, Any] = {"harness": "demo", "summary": f"Brew {branch}", "context": f"demo: {demo}", **more}
        return self.orange.tasks.create(NewTask(project="coffee", branch=branch, **values)).ref

    def task(self, ref: TaskRef) -> Task:
        found = self.orange.store.read(ref)
        assert isinstance(found, StoredTask), found
        return found.task

    def status(self, ref: TaskRef) -> str:
        return self.task(ref).status

    def rests(self, ref: TaskRef, status: str) -> bool:
        """Whether a task is in a state, with everything done that goes with it."""
        return self.status(ref) == status and self.orange.store.journal(ref).unfinished() is None

    def events(self, ref: TaskRef, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.orange.store.journal(ref).events() if event["type"] == kind]

    def windows(self, ref: TaskRef) -> list[str]:
        """The live windows of a task, as tmux tells them."""
        return sorted(pane.window for pane in self.orange.sessions.windows(ref.id, fresh=True))

    def worktree(self, ref: TaskRef) -> Path:
        workspace = self.task(ref).workspace
        assert workspace is not None
        return self.root / "home" / "workspaces" / workspace

    def supervised(self, condition: Callable[[], bool]) -> None:
        """Let the supervisor act until the condition holds."""
        assert self.orange.new_supervisor().run_until(condition, PATIENCE), self.story()

    def story(self) -> str:
        """What happened to every task: for the person who reads a failed test."""
        lines = []
        for ref in self.orange.store.refs():
            lines.append(f"{ref.id} {self.orange.store.read(ref)}")
            lines += [
                str({k: v for k, v in e.items() if k != "engine"}) for e in self.orange.store.journal(ref).events()
            ]
        return "\n".join(lines)

    def wait(self, condition: Callable[[], bool]) -> None:
        wait_for(condition, self.story)

    def refused(self) -> list[str]:
        """Lines of histories that the engine has written itself and does not believe."""
        told = [event for ref in self.orange.store.refs() for event in self.events(ref, "task.tampered")]
        return [reason for event in told for reason in event.get("reasons", ())]

    def close(self) -> None:
        subprocess.run(["tmux", "-L", self.socket, "kill-server"], check=False, capture_output=True)
        os.environ.pop("ORANGE_TMUX_SOCKET", None)
        os.environ.pop("ORANGE_DEMO_PACE", None)


def wait_for(condition: Callable[[], bool], story: Callable[[], str] = str) -> None:
    """Look again and again until the condition holds."""
    deadline = time.monotonic() + PATIENCE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, story()
        pause.wait(0.01)


def kill_agent(live_home: LiveHome, ref: TaskRef, window: str = "worker") -> None:
    """Kill -9 of the agent itself, below the shell that started it."""
    pane = live_home.orange.sessions.window(ref.id, window)
    assert pane is not None
    live_home.wait(lambda: bool(_agents_below(pane.pid)))
    os.kill(_agents_below(pane.pid)[0], signal.SIGKILL)


def _agents_below(shell: int) -> list[int]:
    """What a window's shell runs, but not what it runs first: a copy of itself, and what reads the prompt."""
    found = subprocess.run(["pgrep", "-P", str(shell)], check=False, capture_output=True, text=True).stdout.split()
    return [int(pid) for pid in found if not _last_word(pid).endswith((".sh", ".prompt.md"))]


def _last_word(pid: str) -> str:
    try:
        words = Path("/proc", pid, "cmdline").read_bytes()
    except OSError:  # it has ended
        return ".sh"
    return words.rstrip(b"\0").rpartition(b"\0")[2].decode(errors="replace") or ".sh"


def started(live_home: LiveHome, branch: str, workflow: str = "default") -> TaskRef:
    """A task in its working state whose agent waits and does nothing."""
    seen = live_home.root / "recorder"
    name = "recorder" if seen.exists() else live_home.harness().name
    before = _starts(seen)
    ref = live_home.create(branch, harness=name, workflow=workflow)
    live_home.wait(lambda: _starts(seen) > before)  # before that, its window's shell has other children
    return ref


def _starts(seen: Path) -> int:
    path = seen / "starts"
    return path.read_text().count("started\n") if path.exists() else 0
