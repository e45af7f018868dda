"""Demo agents on a stage: real processes, worktrees, commits and `orange` commands; only tmux's part is played here.

The workflows are the shipped ones without the hooks that start and end agents: the test does that, and so says when.
"""

from __future__ import annotations

import functools
import json
import os
import pty
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from orange_tui.demo.clean_up import home_in
from orange_tui.demo.world import PROJECT, make_world
from orange_tui.domain.prompts import render_prompt
from orange_tui.domain.text.sections import find_section
from orange_tui.engine.creation import NewTask
from orange_tui.home.paths import Home, shipped
from orange_tui.orange import assemble
from orange_tui.store.store import StoredTask
from support.driver import put
from support.git import copied, git

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterator

    from orange_tui.domain.task import Task

    Open = Callable[..., "Stage"]

PATIENCE = 60.0
CODE, TEST = "Take orders for oat milk", "Test orders for oat milk"
MENDED = "Fix what review 1 found"
HANDED_OVER = "Handed over."
TOLD = "Review round 1 did not pass. Read ## Review,\nfix it, then run: orange task update --status agent-review"
COUNT_THE_ROUND = {"action": "increment", "field": "review_round"}


def wait_for(condition: Callable[[], object], what: Callable[[], str] = lambda: "it never happened") -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what()
        time.sleep(0.01)


def _plant(root: Path) -> None:
    make_world(str(root))


def _move_project(projects: Path, repository: str) -> None:
    """The project is where its repository was copied to."""
    [entry] = json.loads(projects.read_text())
    projects.write_text(json.dumps([{**entry, "path": repository}]))


@functools.cache
def _without_agents(name: str) -> tuple[dict[str, Any], str]:
    """A shipped workflow without the hooks that start and end agents, and its text."""
    loaded = yaml.safe_load(Path(shipped("workflows"), f"{name}.yml").read_text())
    workflow = {"on" if key is True else key: value for key, value in loaded.items()}  # YAML's `on` is true
    for entry in [*workflow["transitions"], *workflow["initial"].values()]:
        hooks = [hook for hook in entry.pop("hooks", []) if isinstance(hook, dict)]
        if any(hook["action"] == "spawn_reviewer" or "increment" in hook for hook in hooks):
            entry["hooks"] = [dict(COUNT_THE_ROUND)]
    return workflow, yaml.safe_dump(workflow, sort_keys=False)


class Stage:
    """One task of one workflow, in a worktree of its own."""

    def __init__(
        self,
        root: Path,
        workflow: str,
        demo: str,
        *,
        summary: str = "Oat milk",
        branch: str | None = "oat-milk",
        status: str | None = None,
    ) -> None:
        copied(_plant, root)
        self.home, self.repository = Path(home_in(str(root))), root / PROJECT
        _move_project(self.home / "projects.json", str(self.repository))
        self.workflow, text = _without_agents(workflow)
        (self.home / "workflows").mkdir()
        (self.home / "workflows" / f"{workflow}.yml").write_text(text)
        self.environment = {**os.environ, "ORANGE_HOME": str(self.home), "ORANGE_DEMO_PACE": "0", **_path()}
        self.orange = assemble(Home(str(self.home)))
        told = f"As we said.\n\ndemo: {demo}"
        new = NewTask(PROJECT, branch, summary, told, status, workflow, harness="demo", spawn=False)
        self.ref = self.orange.tasks.create(new).ref
        self.worktree = self.home / "workspaces" / "coffee--1"
        self._make_worktree()
        self.agents: list[Agent] = []

    def _make_worktree(self) -> None:
        git(self.repository, "worktree", "add", "--quiet", "-b", self.task.branch, str(self.worktree), "origin/main")
        for name in ("TASK.md", ".orange-outcome"):
            (self.worktree / name).symlink_to(self.directory / name)
        (self.repository / ".git" / "info" / "exclude").write_text("/TASK.md\n/.orange-outcome\n")
        with self.orange.engine.open(self.ref) as opened:
            put(opened, "task.updated", {"workspace": self.worktree.name})

    @property
    def directory(self) -> Path:
        return self.home / "tasks" / "coffee" / self.ref.id

    @property
    def stored(self) -> StoredTask:
        found = self.orange.store.read(self.ref)
        assert isinstance(found, StoredTask), found
        return found

    @property
    def task(self) -> Task:
        return self.stored.task

    @property
    def status(self) -> str:
        return self.task.status

    def section(self, name: str) -> str:
        found = find_section(self.stored.body, name)
        return found.text.strip() if found else ""

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.orange.store.journal(self.ref).events() if event["type"] == kind]

    def path(self) -> list[str]:
        """The states the task has been in since it was created."""
        return [str(event["to"]) for event in self.events("status.changed")]

    def subjects(self) -> list[str]:
        return git(self.worktree, "log", "--reverse", "--format=%s", "origin/main..HEAD").splitlines()

    def is_clean(self) -> bool:
        return not git(self.worktree, "status", "--porcelain")

    def person(self, status: str) -> None:
        """Move the task as a person would."""
        self.orange.tasks.update(self.ref, status=status, actor="person")

    def set_crash_count(self, count: int) -> None:
        """What the monitor does when an agent is gone."""
        with self.orange.engine.open(self.ref) as opened:
            opened.change("agent.crashed", {"crash_count": count}, status=opened.task.status)

    def prompt(self, key: str) -> str:
        return render_prompt(self.workflow["prompts"][key], self.task.as_json())

    def start(self, prompt: str, window: str = "worker", *, terminal: bool = False, **environment: str) -> Agent:
        given = {
            **self.environment,
            "ORANGE_TASK": self.ref.id,
            "ORANGE_TASK_FILE": str(self.directory / "TASK.md"),
            "ORANGE_WINDOW": window,
            **environment,
        }
        kind = TerminalAgent if terminal else Agent
        agent = kind(self.prompt(prompt), self.worktree, given)
        self.agents.append(agent)
        return agent

    def review(self, window: str = "review-1") -> str:
        """Let a reviewer come and go; returns the status after it."""
        reviewer = self.start("reviewer", window)
        assert reviewer.finish() == 0, reviewer.said
        return self.status

    def until(self, status: str) -> None:
        """Wait until the task has arrived there; the status is written before the move is over."""
        wait_for(lambda: self.path()[-1:] == [status], lambda: f"still {self.status}: {[a.said for a in self.agents]}")

    def close(self) -> None:
        for agent in self.agents:
            agent.kill()


def stages(root: Path) -> Iterator[Open]:
    """A function that sets a task up, moved to where its worker begins; its agents are ended afterwards."""
    opened: list[Stage] = []

    def make(workflow: str, demo: str, *, start: str | None = "", **options: str | None) -> Stage:
        made = Stage(root / "demo", workflow, demo, **options)  # type: ignore[arg-type]
        opened.append(made)
        first = ("planning" if workflow == "default" else "working") if start == "" else start
        if first:
            made.person(first)
        return made

    yield make
    for each in opened:
        each.close()


class Agent:
    """One agent's process, with a pipe for its input."""

    def __init__(self, prompt: str, directory: Path, environment: dict[str, str]) -> None:
        self._log = directory.parent / f"said-{os.urandom(4).hex()}.txt"
        words = [sys.executable, "-m", "orange_tui.demo.agent", prompt]
        with self._log.open("wb") as output:
            self._start(words, directory, environment, output.fileno())

    def _start(self, words: list[str], directory: Path, environment: dict[str, str], output: int) -> None:
        self.process = subprocess.Popen(
            words, cwd=directory, env=environment, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
        )

    @property
    def said(self) -> str:
        text = self._log.read_text()
        assert "Traceback" not in text, text
        return text

    def tell(self, message: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"\x1b[200~{message}\x1b[201~\n".encode())
        self.process.stdin.flush()

    def waits_after(self, words: str) -> None:
        wait_for(lambda: words in self.said, lambda: f"never said {words!r}: {self.said}")

    def end(self) -> int:
        """How it ended by itself."""
        return self.process.wait(PATIENCE)

    def finish(self) -> int:
        """No more input: it does what it has to do, and ends."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.end()

    def signal(self, number: signal.Signals) -> int:
        self.process.send_signal(number)
        return self.end()

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(PATIENCE)
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()


class TerminalAgent(Agent):
    """The same at a terminal, as tmux gives it one."""

    def _start(self, words: list[str], directory: Path, environment: dict[str, str], output: int) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            words, cwd=directory, env=environment, stdin=slave, stdout=slave, stderr=slave, start_new_session=True
        )
        os.close(slave)
        self._seen = b""

    @property
    def said(self) -> str:
        os.set_blocking(self._master, False)
        while True:
            try:
                piece = os.read(self._master, 65536)
            except OSError:
                break
            if not piece:
                break
            self._seen += piece
        text = self._seen.decode(errors="replace")
        assert "Traceback" not in text, text
        return text

    def type(self, keys: str) -> None:
        os.set_blocking(self._master, True)
        os.write(self._master, keys.encode())

    def tell(self, message: str) -> None:
        """As tmux pastes: line ends come as returns, and Enter on its own."""
        self.type(f"\x1b[200~{message}\x1b[201~".replace("\n", "\r"))
        self.type("\r")

    def finish(self) -> int:
        self.type("\x04")
        return self.end()

    def kill(self) -> None:
        super().kill()
        os.close(self._master)


@functools.cache
def _path() -> dict[str, str]:
    """`orange` on the PATH, as an agent's window has it."""
    return {"PATH": f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"}
