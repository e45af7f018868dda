"""One world: a home, its repositories, and all who are at work there at once. Everything follows from the seed."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import TYPE_CHECKING, TypeVar

import orange_tui
from orange_tui.cli.main import main
from orange_tui.domain.workflow import send_back_target
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.store.store import StoredTask
from orange_tui.supervisor.doctor import examine
from simulation.agents import Agent, environment_of
from simulation.loop import run_async
from simulation.model import Command, Created, Model
from simulation.scheduler import Process, Scheduler
from simulation.system import DAY, System
from simulation.tmux import Pane, TmuxServer
from simulation.workflows import random_workflow

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping

    from orange_tui.domain.task import Task

    T = TypeVar("T")

_HARNESSES = 'sim:\n  binary: "/bin/true"\n  full: ["{binary}", "{prompt}"]\n  reduced: ["{binary}", "{prompt}"]\n'
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Sim",
    "GIT_AUTHOR_EMAIL": "sim@example.org",
    "GIT_COMMITTER_NAME": "Sim",
    "GIT_COMMITTER_EMAIL": "sim@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
_WORKFLOWS = ("default", "default", "classic", "minimal", "solo")
_REVIEWED = ("default", "default", "default", "classic")  # those with reviewers
_HABITS = (1, 1, 1, 6)
_RATES = (0.005, 0.02, 0.03, 0.05)  # of faults, for each call
_ACTIONS = 30  # of persons, in one world
_REST_SECONDS = 60.0
_CALLS_AT_REST = 220  # of a supervisor, in that time, that looks at six tasks twice (180); one that retries makes more
_QUIET_SECONDS = 100.0  # in which a supervisor has looked at everything, and stale locks have become old


@dataclass
class Result:
    """What came of one world."""

    seed: int
    violations: list[str]
    faults: Counter[str]
    calls: int
    digest: str
    trace: list[str]
    commands: int = 0
    tasks: int = 0
    starts: int = 0
    story: list[str] = field(default_factory=list)


@dataclass
class World:
    """A home, its repositories, and the virtual processes in it."""

    root: str
    seed: int
    repositories: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        _import_everything()
        self.random = Random(self.seed)
        self.scheduler = Scheduler(self.random)
        self.system = System(self.scheduler, self.random, self.root)
        self.tmux = self.system.tmux = TmuxServer(self.system, self._start_agent, self._window_opened)
        self.model = Model(self)
        self._habits: dict[str, int] = {}
        self.is_hostile = self.random.random() < 0.2  # whether its agents forge what the engine has written
        self.is_steady = self.random.random() < 0.3  # whether its workers see their tasks through to the review
        os.environ.update(_IDENTITY, ORANGE_HOME=os.path.join(self.root, "home"), ORANGE_TMUX_SOCKET="virtual")
        self.orange = assemble(Home(os.environ["ORANGE_HOME"]))
        self._found()

    def _found(self) -> None:
        """A home, one or two projects, and the agent that they use."""
        os.makedirs(self.orange.home.root, 0o700)
        for folder in ("tasks", "workspaces"):
            os.mkdir(os.path.join(self.orange.home.root, folder), 0o700)
        with open(os.path.join(self.orange.home.root, "harnesses.yml"), "w", encoding="utf-8") as file:
            file.write(_HARNESSES)
        self.workflows = [*(_REVIEWED if self.is_steady else _WORKFLOWS), "made-up"]
        folder = os.path.join(self.orange.home.root, "workflows")
        os.mkdir(folder, 0o700)
        with open(os.path.join(folder, "made-up.yml"), "w", encoding="utf-8") as file:
            file.write(random_workflow("made-up", self.random))
        sizes = (2, 3) if self.is_steady else (1, 2, 3)
        for name in ("coffee", "tea")[: self.random.choice((1, 1, 2))]:
            path = os.path.join(self.root, name)
            make_repository(path)
            self.repositories.append(path)
            entry = {"name": name, "path": path, "default_branch": "main", "pool_size": self.random.choice(sizes)}
            self.orange.projects.add({**entry, "workflow": self.random.choice(self.workflows)})

    def choose(self, weights: Mapping[T, int]) -> T:
        """One of these. Worlds have habits: what is rare in most of them happens all the time in others."""
        return self.random.choices(list(weights), [self._habit(each) * weights[each] for each in weights])[0]

    def _habit(self, what: object) -> int:
        """How often something happens here, compared with what is usual."""
        name = getattr(what, "__name__", None) or " ".join(what[:2] if isinstance(what, tuple) else [str(what)])
        if name not in self._habits:
            self._habits[name] = Random(f"{self.seed} {name}").choice(_HABITS)
        return self._habits[name]

    # ── running it ──

    def run(self) -> Result:
        """Let everybody loose, then let them come to rest, then see what is left."""
        self.system.install()
        try:
            director = self.scheduler.run(self._direct)
        finally:
            self.system.uninstall()
        if director.problem is not None:
            self.model.say(f"the simulation ended with {director.problem!r}")
        return Result(
            self.seed,
            self.model.violations,
            self.system.faults,
            self.system.calls,
            self.system.digest.hexdigest(),
            self.system.last_steps or list(self.system.trace),
            len(self.model.commands),
            len(self.model.created),
            len(self.tmux.starts),
            [command.story() for command in self.model.commands],
        )

    def _direct(self) -> None:
        self.system.rate = self.random.choice(_RATES)
        self.system.restlessness = self.random.choice((0.02, 0.1, 0.3))
        if self.random.random() < 0.5:
            self._supervise()
        for number in range(_ACTIONS):
            if number < 2:
                self._create()
            else:
                self._act()
            self.scheduler.sleep(self.random.choice((0.0, 0.01, 0.5, 5.0, 20.0)))
        self.system.end_faults()
        self._settle()
        self.model.check()
        if not self.model.violations:
            self._finish_everything()
            self._settle()
            self.model.check()

    def _act(self) -> None:
        """One thing that somebody does, beside all that goes on."""
        actions: dict[Callable[[], object], int] = {
            self._create: 8,
            self._change_task: 14,
            self._supervise: 3,
            self._end_supervisors: 1,
            self._look: 2,
            self._edit: 2,
            self._doctor: 1,
            self._kill_agents: 1,
            self._kill_reviewers: 2,
            self._answer: 3,
        }
        self.choose(actions)()

    def _settle(self) -> None:
        """Without faults, until all is quiet: commands end, agents have done what they are going to do."""
        self.scheduler.wait(lambda: not any(each.name in {"board", "editor"} for each in self.scheduler.processes), 100)
        first = self._kill_reviewers if self.is_steady else self._kill_agents
        for kill in (first, self._kill_most_agents):
            self._wait_for_commands()
            self._end_supervisors()
            supervisor = self._supervise()
            self.scheduler.sleep(_QUIET_SECONDS)
            self._wait_for_commands()
            self._command(["task", "respawn", "--lost"], wait=True)
            kill()
        self.scheduler.sleep(_QUIET_SECONDS)
        self._check_rest(supervisor)
        self._end_supervisors()
        examine(self.orange.doctor)
        for finding in examine(self.orange.doctor):
            is_about_machine = "installed" in finding.what or "sandbox" in finding.what
            if finding.level == "bad" or (finding.level == "note" and not is_about_machine):
                self.model.say(f"doctor: {finding.what}")

    def _check_rest(self, supervisor: Process) -> None:
        """With nothing to do, a supervisor looks now and then, and that is all."""
        before, starts = supervisor.calls, len(self.tmux.starts)
        self.scheduler.sleep(_REST_SECONDS)
        if supervisor.calls - before > _CALLS_AT_REST and len(self.tmux.starts) == starts:
            self.model.say(f"at rest, the supervisor made {supervisor.calls - before} calls in {_REST_SECONDS:.0f} s")

    def _wait_for_commands(self) -> None:
        self.scheduler.wait(
            lambda: not any(command.process.is_alive for command in self.model.commands), 10 * _QUIET_SECONDS
        )
        for command in self.model.commands:
            if command.process.is_alive:
                self.model.say(f"`{command}` does not come to an end")
                self.scheduler.kill(command.process)

    def _finish_everything(self) -> None:
        """The person gives up on all that is left, and the clock jumps: then, too, everything must be somewhere."""
        for each in self._all_tasks():
            workflow = self.orange.workflows.load(each.workflow)
            if not workflow.is_terminal(each.status):
                if each.workspace and self.random.random() < 0.3:
                    self._edit_files_of(each)
                self._command(["task", "cancel", each.id, "--yes"], each.id, wait=True)
            if self.random.random() < 0.3:
                self.model.deleted.add(each.id)
                self._command(["task", "delete", each.id, "--yes"], each.id, wait=True)
        self.system.set_clock(40 * DAY)

    # ── who is there ──

    def _run(self, name: str, work: Callable[[], object]) -> Process:
        process = self.scheduler.new_process(name)
        process.when_over.append(lambda: self.model.process_ended(process))
        self.scheduler.start(process, work)
        return process

    def _supervise(self) -> Process:
        """`orange serve`, until somebody kills it."""

        def act() -> None:
            run_async(self.system, assemble(self.orange.home).new_supervisor().run())

        return self._run("supervisor", act)

    def _end_supervisors(self) -> None:
        for process in list(self.scheduler.processes):
            if process.name == "supervisor":
                self.scheduler.kill(process)

    def _kill_agents(self, share: float = 0.3) -> None:
        """Some agents that live are killed, as by a machine without memory: each of these deaths must be noticed."""
        for pane in self.tmux.panes():
            if pane.process is not None and self.random.random() < share:
                self.scheduler.kill(pane.process)

    def _kill_most_agents(self) -> None:
        """At the end, when there is time to notice: what befell a reviewer before must hide none of these deaths."""
        self._kill_agents(0.7)

    def _kill_reviewers(self) -> None:
        """Reviewers alone are killed: what follows from that is theirs, and their worker may die as well later on."""
        for pane in self.tmux.panes():
            if pane.process is not None and pane.window.startswith("review"):
                self.scheduler.kill(pane.process)

    def _answer(self) -> None:
        """The person writes to an agent, which may not live to read it."""
        panes = [pane for pane in self.tmux.panes() if pane.task]
        if panes:
            pane = self.random.choice(panes)
            self._command(["task", "answer", pane.task, self.model.new_token()], pane.task)
            self.scheduler.sleep(self.random.choice((0.0, 0.0005, 0.001, 0.002)))
            if pane.process is not None and self.random.random() < 0.5:
                self.scheduler.kill(pane.process)

    def _look(self) -> None:
        """The app's board, which reads all the time."""

        def look() -> None:
            orange = assemble(self.orange.home)
            index = orange.new_index()
            boards = orange.new_boards(index)
            for _ in range(20):
                index.refresh_all()
                boards.refresh(None)
                self.system.step("sleep")
                self.scheduler.sleep(1.0)

        self._run("board", look)

    def _edit(self) -> None:
        """An editor, or a container: its working directory is elsewhere, and it writes into a worktree."""
        tasks = [each for each in self._all_tasks() if each.workspace]
        if tasks:
            task = self.random.choice(tasks)
            self._edit_files_of(task)
            if self.random.random() < 0.5:
                self._command(["task", "cancel", task.id, "--yes"], task.id, wait=True)
                if self.random.random() < 0.7:
                    self._command(["task", "undo", task.id], task.id)

    def _edit_files_of(self, task: Task) -> None:
        directory = os.path.join(self.orange.home.workspaces, str(task.workspace))

        def edit() -> None:
            for _ in range(30):
                token = self.model.new_token()
                self.system.step("sleep")
                self.scheduler.sleep(self.random.choice((0.0, 0.001, 0.2)))
                with self.system.really():  # at once: what is half written is the editor's own trouble
                    try:
                        with open(os.path.join(directory, f"{token}.md"), "x", encoding="ascii") as file:
                            file.write(token)
                    except OSError:
                        continue
                self.model.file_written(token, directory)

        self._run("editor", edit).takes_errors = False

    def _doctor(self) -> None:
        self._command(["doctor"])

    def _all_tasks(self) -> list[Task]:
        return [each.task for each in self.orange.store.read_all() if isinstance(each, StoredTask)]

    # ── commands ──

    def _command(
        self, words: list[str], target: str | None = None, *, token: str | None = None, wait: bool = False
    ) -> Command:
        process = self.scheduler.new_process(f"orange {' '.join(words[:3])}")
        return self._start_command(process, words, target, token, wait=wait)

    def _start_command(
        self, process: Process, words: list[str], target: str | None, token: str | None, *, wait: bool
    ) -> Command:
        command = Command(process, words, target, token, self.scheduler.now)
        self.model.commands.append(command)

        def run() -> None:
            process.exit_code = main(words)
            with self.system.really():
                self.model.command_ended(command, process.exit_code)

        self.scheduler.start(process, run)
        if wait:
            self.scheduler.wait(lambda: not process.is_alive)
        return command

    def run_in_window(self, agent: Process, words: list[str]) -> None:
        """A command that an agent types, and waits for."""
        self.system.step("program", f"orange {' '.join(words)}")
        process = self.scheduler.new_process(f"orange {' '.join(words[:3])} (agent)")
        process.environment, process.directory = agent.environment, agent.directory
        process.session, process.parent = agent.session, agent
        token = next((word for word in words if word[0] == "t" and word.endswith("z") and word[1:-1].isdigit()), None)
        self._start_command(process, words, agent.environment["ORANGE_TASK"], token, wait=True)

    def _create(self) -> None:
        project = self.random.choice(self.orange.projects.all())
        name = self.random.choice((project.workflow, *self.workflows))
        workflow = self.orange.workflows.load(name)
        token = self.model.new_token()
        is_further_on = self.choose({"created at the start": 6, "created further on": 4}) == "created further on"
        status = self.random.choice(list(workflow.initial)) if is_further_on else None
        starts = self.random.random() < 0.85
        words = ["task", "create", f"b-{token}", self.random.choice((f"Brew {token}", f"Brew {token}", ""))]
        words += ["--project", project.name, "--workflow", name, "--harness", "sim", "--json"]
        words += ["--status", status] if status is not None else []
        words += [] if starts else ["--no-spawn"]
        known = self._all_tasks()
        if known and self.random.random() < 0.2:
            words += ["--blocked-by", self.random.choice(known).id]
        command = self._command(words)

        def remember() -> None:
            if command.process.exit_code == 0 and not command.process.is_killed:
                made = json.loads("".join(command.process.output))
                self.model.created[made["id"]] = Created(status, starts)

        command.process.when_over.append(remember)

    def _change_task(self) -> None:
        known = self._all_tasks()
        if not known:
            self._create()
            return
        task = self.random.choice(known)
        token = self.model.new_token()
        workflow = self.orange.workflows.load(task.workflow)
        if workflow.is_terminal(task.status):
            verbs: dict[tuple[str, ...], int] = {("delete", "--yes"): 3, ("show", "--json"): 1, ("spawn",): 1}
        else:
            there = [*workflow.targets(task.status, "agent"), *workflow.states]
            target = self.random.choice([each for each in there if not workflow.is_terminal(each)])
            verbs = {
                ("update", "--summary", token): 4,
                ("update", "--status", target): 5,
                ("update", "--branch", f"c-{token}"): 2,
                ("update", "--branch", "shared"): 1,
                ("spawn",): 2 if task.workspace else 6,
                ("respawn",): 3 if task.workspace else 1,
                ("cancel", "--yes"): 3,
                ("answer", token): 3 if task.workspace else 1,
                ("merge", "--force"): 3,
                ("retry",): 1,
                ("request-changes", token): 1 if send_back_target(workflow, task.status) is None else 12,
            }
        verb, *rest = self.choose(verbs)
        words = ["task", verb, task.id, *rest]
        if verb == "delete":
            self.model.deleted.add(task.id)
        tokens = [token]
        if self.random.random() < 0.15:  # twice at once: to the letter, or each with words of its own
            tokens.append(token if self.random.random() < 0.5 else self.model.new_token())
        for own in tokens:
            given = [word.replace(token, own) for word in words]
            self._command(given, task.id, token=own if own in given and verb != "answer" else None)

    # ── agents ──

    def _start_agent(self, pane: Pane) -> Process:
        process = self.scheduler.new_process(f"agent {pane.name}")
        process.takes_errors = False
        process.directory, process.session = pane.directory, process.pid
        with self.system.really():
            process.environment = environment_of(pane)
        process.environment |= {"TMUX": "virtual,1,0", "TMUX_PANE": f"%{pane.number}"}

        def live() -> None:
            process.exit_code = Agent(self, pane).live()

        process.when_over.append(lambda: self._note_exit(pane, process))
        self.scheduler.start(process, live)
        return process

    def _window_opened(self, pane: Pane) -> None:
        with self.system.really():
            self.model.window_opened(pane)

    def _note_exit(self, pane: Pane, process: Process) -> None:
        """What the launcher writes when its agent has ended, unless the window was closed over its head."""
        if process.problem is not None:
            self.model.say(f"{process.name} of the simulation ended with {process.problem!r}")
        if pane.is_closed or (process.is_killed and self.random.random() < 0.3):
            return
        code = 137 if process.exit_code is None else process.exit_code
        with self.system.really():
            try:
                with open(f"{pane.command[-1].removesuffix('.sh')}.exit", "w", encoding="ascii") as file:
                    file.write(f"{code}\n")
            except OSError:
                return


@cache
def _import_everything() -> None:
    """What is imported on the way would be different in the first world."""
    for each in pkgutil.walk_packages(orange_tui.__path__, "orange_tui."):
        if not each.name.startswith(("orange_tui.tui", "orange_tui.__main__")):
            importlib.import_module(each.name)


def make_repository(path: str) -> None:
    """A repository with one commit, always the same."""
    date = {"GIT_AUTHOR_DATE": "@1 +0000", "GIT_COMMITTER_DATE": "@1 +0000"}
    environment = {**os.environ, **_IDENTITY, **date}
    subprocess.run(["git", "init", "-q", "--template=", "-b", "main", path], check=True, env=environment)
    for name, text in (("README", "coffee\n"), ("NOTES", "beans\n"), (".gitignore", ".env\nignored/\n")):
        with open(os.path.join(path, name), "w", encoding="ascii") as file:
            file.write(text)
    subprocess.run(["git", "-C", path, "add", "."], check=True, env=environment)
    subprocess.run(["git", "-C", path, "commit", "-q", "-m", "First"], check=True, env=environment)
    subprocess.run(["git", "-C", path, "branch", "shared"], check=True, env=environment)
