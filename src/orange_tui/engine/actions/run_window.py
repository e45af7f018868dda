"""The project's own command (`run`), such as a development server, in a window `run` of a task's session.

It is the project's command, but it runs the task's code, which an agent has written: so it is launched as an agent is
(`agents/launch.py`), and whatever confines agents confines it too. It is no agent: its end is no crash, nothing is sent
to it, and it ends with the session or when the workspace is released.
"""

from __future__ import annotations

from orange_tui.agents import launch
from orange_tui.agents.sandbox.commands import command_sandbox
from orange_tui.domain.errors import OrangeError, Refused, Unreadable
from orange_tui.domain.records import record
from orange_tui.outside.tmux.windows import Window
from orange_tui.sessions.liveness import RUN, find_window
from orange_tui.store.store import BrokenTask
from orange_tui.trust.trust import Trust
from orange_tui.workspaces.ports import port_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.engine.engine import Engine
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef


@record
class RunState:
    """Whether a task's `run` command runs, what it is, and where to look at it."""

    task: str
    command: str | None
    is_running: bool
    ports: tuple[int, ...]

    @property
    def address(self) -> str | None:
        """Where its first port answers, if it has one."""
        return f"http://localhost:{self.ports[0]}" if self.ports else None

    def as_json(self) -> dict[str, object]:
        """The same for a program."""
        known = {"id": self.task, "command": self.command, "running": self.is_running, "ports": list(self.ports)}
        return {**known, "address": self.address}


@record
class RunWindows:
    """Starts and ends the `run` windows of tasks."""

    engine: Engine

    def state(self, ref: TaskRef) -> RunState:
        """How it stands with a task's command."""
        task = self._read(ref)
        return RunState(task.id, self._command(task), self._pane(task) is not None, self._ports(task))

    def start(self, ref: TaskRef) -> RunState:
        """Start the command; one that runs already is ended first."""
        with self.engine.open(ref) as opened:
            task = opened.task
            self._check(task)
            command = self._command(task)
            if command is None:
                raise Refused(
                    f"{task.project} has no command to run; `orange project update {task.project} --run CMD` sets one,"
                    " or `run:` in its .orange.yml, once you trust it"
                )
            if task.workspace is None or not self.engine.parts.pool.is_ready(task):
                raise Refused(f"{task.id} has no workspace to run anything in; `orange task start {task.id}` starts it")
            self._end(task)
            self._open(opened, command)
            return RunState(task.id, command, True, self._ports(task))

    def stop(self, ref: TaskRef) -> bool:
        """End the command; returns whether it ran."""
        with self.engine.open(ref) as opened:
            return self._end(opened.task)

    def _read(self, ref: TaskRef) -> Task:
        found = self.engine.store.read(ref)
        if isinstance(found, BrokenTask):
            raise Unreadable(found.error)
        return found.task

    def _check(self, task: Task) -> None:
        """Nothing of a stranger's branch is run: where its workflow sets nothing up, nothing runs either."""
        workflow = self.engine.workflows.load(task.workflow)
        hooks = [*(move.hooks for move in workflow.transitions), *workflow.initial.values()]
        if any(hook.params.get("setup") == "skip" for each in hooks for hook in each):
            raise Refused(f"{task.id} is there to be read ({workflow.name}): nothing of it is run")

    def _command(self, task: Task) -> str | None:
        parts = self.engine.parts
        said = Trust(parts.home).setup(parts.projects.get(task.project)).get("run")
        return said if isinstance(said, str) and said.strip() else None

    def _ports(self, task: Task) -> tuple[int, ...]:
        return self.engine.parts.pool.ports(task.workspace)

    def _pane(self, task: Task) -> Pane | None:
        try:
            return find_window(self.engine.parts.sessions.every_window(task.id), RUN)
        except OrangeError:
            return None

    def _end(self, task: Task) -> bool:
        pane = find_window(self.engine.parts.sessions.every_window(task.id), RUN)
        if pane is not None:
            self.engine.parts.sessions.end_window(pane)
        return pane is not None

    def _open(self, opened: OpenTask, command: str) -> None:
        parts, task = self.engine.parts, opened.task
        directory = parts.pool.worktree(str(task.workspace))
        variables = launch.task_environment(opened.directory, task.id, RUN, parts.home.root)
        variables |= port_environment(self._ports(task))
        sandbox = command_sandbox(parts.home, task, directory)
        words = ("/bin/sh", "-c", command)
        spec = launch.LaunchSpec(words, "", directory, opened.directory, variables, sandbox=sandbox)
        made = launch.write_launcher(opened.state_directory, RUN, spec)
        window = Window(parts.home.root, task.id, RUN, "", directory, made.command, made.log_command)
        beside = parts.sessions.every_window(task.id)
        if beside:
            parts.tmux.start_window(beside[0].session_id, window)
        else:
            parts.tmux.start_session(f"{task.project}/{task.branch}", window)
        parts.sessions.forget_panes()
