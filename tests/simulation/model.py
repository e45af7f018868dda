"""What must be true of a world, whatever befell it: nothing is lost, every move was allowed, everything happened once.

The model is told of all that was written and of every command that reported success. What Orange did it reads from
the files, from git, and from the tmux that remembers everything.
"""

from __future__ import annotations

import gc
import os
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.gates.section import SectionGate
from orange_tui.sessions.liveness import required_window
from orange_tui.store.store import StoredTask
from simulation.agents import FORGED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from orange_tui.domain.workflow import Workflow
    from orange_tui.store.store import TaskRef
    from simulation.scheduler import Process
    from simulation.tmux import Pane
    from simulation.world import World

_TOKEN = re.compile(rb"t\d{6}z")
_HANDLED = frozenset({"agent.crashed", "agent.died", "session.lost", "agent.failed"})
_BUGS = re.compile(
    r"\b(AssertionError|AttributeError|IndexError|KeyError|NameError|RecursionError|RuntimeError|TypeError"
    r"|UnboundLocalError|UnicodeDecodeError|ValueError|StopIteration)\b"
)


@dataclass
class Created:
    """What a person asked for when a task was created."""

    status: str | None
    starts: bool


@dataclass
class Artifact:
    """What an agent has written because a gate asks for it, and how much had happened to the task by then."""

    token: str
    events: int


@dataclass
class Command:
    """One run of `orange`."""

    process: Process
    words: list[str]
    target: str | None  # the task that it names
    token: str | None = None  # what it writes
    started_at: int = 0

    @property
    def verb(self) -> str:
        return self.words[1] if len(self.words) > 1 else self.words[0]

    def __str__(self) -> str:
        return f"orange {' '.join(self.words)}"

    def story(self) -> str:
        """What became of it."""
        end = "killed" if self.process.exit_code is None else f"exit {self.process.exit_code}"
        said = "".join(self.process.errors).strip()
        return f"{self.started_at / 10**9:8.3f} {self} ({end}) {said} {self.process.faults or ''}".rstrip()


@dataclass
class Model:
    """What is known of one world."""

    world: World
    violations: list[str] = field(default_factory=list)
    lines: dict[str, str] = field(default_factory=dict)  # token → task
    files: dict[str, str] = field(default_factory=dict)  # token → worktree
    authors: dict[str, str] = field(default_factory=dict)  # token → task
    untracked: set[str] = field(default_factory=set)  # tokens in a file that git was told to ignore
    commits: dict[str, str] = field(default_factory=dict)  # commit → repository
    excused: set[str] = field(default_factory=set)  # tokens that agents themselves wrote over
    displaced: set[int] = field(default_factory=set)  # files that agents themselves put others in the place of
    deleted: set[str] = field(default_factory=set)  # tasks that a person has asked to delete
    forged: set[str] = field(default_factory=set)  # tasks in whose history an agent has written
    created: dict[str, Created] = field(default_factory=dict)
    artifacts: dict[tuple[str, int, str], Artifact] = field(default_factory=dict)  # by task, process and section
    commands: list[Command] = field(default_factory=list)
    _tokens: int = 0

    def new_token(self) -> str:
        self._tokens += 1
        return f"t{self._tokens:06d}z"

    def say(self, violation: str) -> None:
        if violation not in self.violations:
            self.violations.append(violation)

    # ── what the model is told ──

    def line_written(self, token: str, task: str, descriptor: int | None = None) -> None:
        if descriptor is not None:
            status = os.fstat(descriptor)
            if status.st_nlink == 0 and status.st_ino in self.displaced:
                return
        self.lines[token] = task

    def file_replaced(self, path: str, new: str) -> None:
        """An agent is about to put a file in another one's place: what it has not read is its own loss."""
        if os.path.islink(path) or not os.path.exists(path):
            return
        self.excused |= _tokens_in_file(path) - _tokens_in_file(new)
        status = os.stat(path)
        if status.st_nlink == 1:
            self.displaced.add(status.st_ino)

    def artifact_written(self, task: str, pid: int, section: str, token: str) -> None:
        with self.world.system.really():
            self.artifacts[task, pid, section] = Artifact(token, len(self._events(task)))

    def file_written(self, token: str, directory: str, task: str = "") -> None:
        self.files[token] = os.path.basename(directory)
        self.authors[token] = task

    def committed(self, directory: str) -> None:
        code, output, _ = self.world.system.real_git(["git", "-C", directory, "rev-parse", "HEAD"])
        if code == 0:
            self.commits[output.decode().strip()] = directory

    def window_opened(self, pane: Pane) -> None:
        """Who else is in that window, whose secrets lie about, and may whoever opened it do so?"""
        twins = [
            each
            for each in self.world.system.tmux.panes()
            if each is not pane and (each.task, each.window) == (pane.task, pane.window)
        ]
        if twins:
            self.say(f"{pane.task} has two live windows {pane.window}")
        self._look_for_secrets(pane)
        command = next((each for each in self.commands if _descends(pane.starter, each.process)), None)
        cancel = command if command is not None and command.verb == "cancel" else None
        if cancel is not None and cancel.target != pane.task and self._was_cancelled(cancel.target):
            self.say(f"`{command}` started {pane.task}")
        known = self.created.get(pane.task)
        if known is not None and not known.starts and not self._was_asked_to_start(pane.task):
            self.say(f"{pane.task} was created with --no-spawn, and started by {pane.starter and pane.starter.name}")

    def _was_cancelled(self, task: str | None) -> bool:
        """Whether a task was; a command that only finished its merge, which was interrupted, starts what is next."""
        return task is None or any(event.get("to") == "cancelled" for event in self._events(task))

    def _look_for_secrets(self, pane: Pane) -> None:
        for what in self._left_by_others(pane.directory, pane.task):
            self.say(f"{pane.task} was given a workspace with {what}")

    def _left_by_others(self, directory: str, task: str | None) -> Iterator[str]:
        """What agents of other tasks have left in a workspace."""
        files = [os.path.join(directory, name) for name in ("README", "NOTES")]  # edits of which nobody ever commits
        edits = {token for path in files for token in _tokens_in_file(path)}
        others = {self.authors[token] for token in edits} - {task}
        if others:
            yield f"edits of {', '.join(sorted(others))}"
        secret = _read(os.path.join(directory, ".env")).decode().split()
        if secret and secret[-1] != task:
            yield f"the ignored files of {secret[-1]}"

    def _was_asked_to_start(self, task: str) -> bool:
        return any(
            command.target == task
            and command.verb in {"spawn", "update", "respawn", "retry", "unblock", "request-changes"}
            for command in self.commands
        )

    # ── commands ──

    def command_ended(self, command: Command, code: int) -> None:
        """An exit code of 0 is a promise; a refusal without a fault has changed nothing."""
        text = "".join(command.process.errors)
        if "Something unexpected" in text or "Traceback" in text or _BUGS.search(text):
            self.say(f"`{command}` said: {text.strip()}")
        if code not in {0, 1, 2}:
            self.say(f"`{command}` ended with {code}")
        if code == 2:
            self.say(f"`{command}` was misunderstood: {text.strip()}")
        if command.token is not None and command.target is not None:
            self._check_token(command, code)
        if code == 0:
            self._check_promise(command)

    def _check_token(self, command: Command, code: int) -> None:
        assert command.token is not None
        assert command.target is not None
        is_there = command.token.encode() in self._bytes_of(command.target)
        if code == 0 and command.target not in self.deleted:
            if not is_there:
                self.say(f"`{command}` reported success, and nothing of it is in the task's files")
            self.lines[command.token] = command.target
        elif code == 1 and is_there and self._is_refused_everywhere(command):
            self.say(f"`{command}` was refused, and has changed the task all the same")

    def _is_refused_everywhere(self, command: Command) -> bool:
        """Whether nobody can have written its words: it was refused each time it was given, and nothing befell it.

        One that was given twice is judged when the last of them has ended.
        """
        same = [each.process for each in self.commands if each.token == command.token]
        return all(each.exit_code == 1 and not each.faults for each in same)

    def _bytes_of(self, task: str) -> bytes:
        return b"".join(
            _read(os.path.join(directory, name))
            for root in (self.world.orange.home.tasks, self.world.orange.home.state)
            for directory, _, names in os.walk(root)
            if f"{os.sep}{task}" in directory
            for name in names
        )

    def _check_promise(self, command: Command) -> None:
        target = command.target
        if target is None or target in self.deleted | self.forged:
            return
        events = self._events(target)
        if command.verb == "cancel" and not any(
            e["type"] == "status.changed" and e["to"] == "cancelled" for e in events
        ):
            self.say(f"`{command}` reported success, and the task was not cancelled")
        if "--status" in command.words and command.verb == "update":
            wanted = command.words[command.words.index("--status") + 1]
            if not any(e["type"] == "status.changed" and e.get("to") == wanted for e in events):
                self.say(f"`{command}` reported success, and the task has never been {wanted}")

    def _events(self, task: str) -> list[dict[str, Any]]:
        store = self.world.orange.store
        try:
            return store.journal(store.find(task)).events()
        except OrangeError:
            return []

    # ── the end ──

    def check(self) -> None:
        """Look at everything, now that all is quiet."""
        checks: list[Callable[[], None]] = [
            self._check_processes,
            self._check_nothing_lost,
            self._check_tasks,
            self._check_pool,
            self._check_sessions,
            self._check_messages,
            self._check_git_locks,
            self._check_log,
        ]
        for check in checks:
            check()

    def process_ended(self, process: Process) -> None:
        problem = process.problem
        if problem is not None and not (isinstance(problem, OrangeError | OSError) and process.faults):
            self.say(f"{process.name} ended with {problem!r}")
        if problem is None and process.descriptors and not process.is_killed:
            gc.collect()
        if problem is None and process.descriptors and not process.is_killed:
            self.say(f"{process.name} ended with files open: {', '.join(map(_name_of, process.descriptors))}")

    def _check_processes(self) -> None:
        if any(FORGED in words for words in self.world.system.programs):
            self.say("a command was run that an agent had forged")
        for name in self.world.system.endless:
            self.say(f"{name} went round in circles and did not come to an end")
        for command in self.commands:
            if command.process.problem is not None:
                self.say(f"`{command}` ended with {command.process.problem!r}")

    def _check_nothing_lost(self) -> None:
        found = self._all_tokens()
        for token, task in self.lines.items():
            if token not in found | self.excused and task not in self.deleted:
                self.say(f"the line {token} that was written to TASK.md of {task} is nowhere")
        lost = {token: worktree for token, worktree in self.files.items() if token not in found}
        lost = {token: lost[token] for token in lost if not self._is_only_ignored(token)}
        for worktree in sorted(set(lost.values())):
            tokens = [token for token in lost if lost[token] == worktree]
            self.say(f"{tokens[0]} and {len(tokens) - 1} more that were written in {worktree} are nowhere")
        known = {line for path in self.world.repositories for line in self._git(path, "rev-list", "--all").split()}
        for commit, directory in self.commits.items():
            if commit not in known:
                self.say(f"the commit {commit} that was made in {os.path.basename(directory)} is on no ref")

    def _is_only_ignored(self, token: str) -> bool:
        """Whether it was in a file that the default branch does not have any more: one like all that git ignores."""
        project = self.files[token].partition("--")[0]
        path = next(path for path in self.world.repositories if os.path.basename(path) == project)
        return token in self.untracked and not self._git(path, "ls-tree", "main", "NOTES")

    def _git(self, path: str, *words: str, given: bytes | None = None) -> str:
        return self._git_bytes(path, *words, given=given).decode(errors="replace")

    def _git_bytes(self, path: str, *words: str, given: bytes | None = None) -> bytes:
        return self.world.system.real_git(["git", "-C", path, *words], given=given)[1]

    def _all_tokens(self) -> set[str]:
        """Every token in a file of the home, or in an object that a ref leads to."""
        home, found = self.world.orange.home, set()
        for root in (home.tasks, home.state, home.workspaces, *self.world.repositories):
            for directory, folders, names in os.walk(root):
                folders[:] = [name for name in folders if name != ".git"]
                for name in names:
                    found |= _tokens_in_file(os.path.join(directory, name))
        for path in self.world.repositories:
            objects = self._git(path, "rev-list", "--all", "--objects").splitlines()
            names_of = "\n".join(line.split(" ")[0] for line in objects).encode()
            found |= _tokens_in(self._git_bytes(path, "cat-file", "--batch", given=names_of))
        return found

    def _tasks(self) -> Iterator[tuple[TaskRef, StoredTask, Workflow]]:
        store = self.world.orange.store
        for ref in store.refs():
            found = store.read(ref)
            if not isinstance(found, StoredTask):
                self.say(f"{ref.id} cannot be read: {found.error}")
                continue
            yield ref, found, self.world.orange.workflows.load(found.task.workflow)

    def _check_tasks(self) -> None:
        there = {ref.id for ref in self.world.orange.store.refs()}
        for task in self.created.keys() - there - self.deleted:
            self.say(f"the task {task} is gone")
        for ref, found, workflow in self._tasks():
            if found.task.status not in workflow.states:
                self.say(f"{ref.id} is {found.task.status!r}, which is no state of {workflow.name}")
            if ref.id in self.forged:
                continue  # what is in its history is no story any more
            if found.tampered:
                self.say(f"{ref.id}: TASK.md differs from the journal")
            events = self.world.orange.store.journal(ref).events()
            _History(self, ref.id, workflow, self.created.get(ref.id)).check(events, found)

    def _check_pool(self) -> None:
        slots = self.world.orange.pool.slots()
        held = {found.task.workspace: ref.id for ref, found, _ in self._tasks() if found.task.workspace}
        for slot in slots:
            for what in self._left_by_others(slot.path, None) if slot.state == "free" else ():
                self.say(f"{slot.name} is free, with {what}")
            if slot.state == "quarantined":
                self.say(f"{slot.name} is quarantined: {slot.reason}")
            elif slot.state == "bound" and held.get(slot.name) != slot.task:
                self.say(f"{slot.name} is bound to {slot.task}, whose task does not say so")
            elif slot.state == "free" and slot.name in held:
                self.say(f"{held[slot.name]} says that it has {slot.name}, which is free")
        names = [found.task.workspace for _, found, _ in self._tasks() if found.task.workspace]
        for name, count in Counter(names).items():
            if count > 1:
                self.say(f"{count} tasks say that they have {name}")

    def _check_sessions(self) -> None:
        panes = self.world.system.tmux.panes()
        known = {ref.id: (found, workflow) for ref, found, workflow in self._tasks()}
        for pane in panes:
            found, workflow = known.get(pane.task, (None, None))
            if found is None or workflow is None or workflow.is_terminal(found.task.status):
                self.say(f"{pane.task} is finished or gone, and has a live window {pane.window}")
        for task_id, (found, workflow) in known.items():
            state = workflow.states.get(found.task.status)
            window = required_window(found.task, state)
            live = {pane.window for pane in panes if pane.task == task_id}
            if found.task.tmux_session is not None and window is not None and window not in live:
                self._check_death(task_id, window, found.task.status)

    def _check_death(self, task: str, window: str, status: str) -> None:
        """An agent that should be alive is not: that must have had consequences since it was started."""
        for event in reversed(self._events(task)):
            if event["type"] in _HANDLED and event.get("window", window) == window:
                return
            if event["type"] == "agent.spawned" and event.get("window") == window:
                self.say(f"{task} is {status}, its {window} has died, and nobody has noticed")
                return

    def _check_messages(self) -> None:
        """Each is submitted once, but by a process that was killed before it could write that down."""
        seen: dict[tuple[int, str], list[Process]] = {}
        for each in self.world.system.tmux.submitted:
            seen.setdefault((each.pane.number, each.text), []).append(each.by)
        for (_, text), by in seen.items():
            asked = sum(text in command.words for command in self.commands)
            if len(by) > asked > 0 and not any(process.faults for process in by[:-1]):
                self.say(f"the message {text[:60]!r} was sent {len(by)} times")

    def _check_git_locks(self) -> None:
        for path in self.world.repositories:
            for directory, _, names in os.walk(os.path.join(path, ".git")):
                for name in names:
                    if name.endswith(".lock"):
                        self.say(f"{os.path.relpath(os.path.join(directory, name), self.world.root)} was left behind")

    def _check_log(self) -> None:
        for entry in self.world.orange.log.entries():
            text = f"{entry.get('message')} {entry.get('reason', '')}"
            if entry.get("level") == "error" and _BUGS.search(text):
                self.say(f"the log has an error: {text[:300]}")


class _History:
    """One task's journal, read as the story of its moves."""

    def __init__(self, model: Model, task: str, workflow: Workflow, created: Created | None) -> None:
        self._model, self._task, self._workflow, self._created = model, task, workflow, created
        self._status: str | None = None
        self._move: dict[str, Any] | None = None
        self._moves = 0
        self._last: tuple[str, str, str] | None = None  # the last move: from where, where to, by whom
        self._hooks: Counter[int] = Counter()
        self._crashes = 0
        self._starts = 0
        self._deaths = 0
        self._agents: dict[str, int] = {}  # the process in each window
        self._left: dict[str, int] = {}  # when each state was left last
        self._position = 0
        self._body = ""

    def _say(self, what: str) -> None:
        self._model.say(f"{self._task} ({self._workflow.name}): {what}")

    def check(self, events: list[dict[str, Any]], found: StoredTask) -> None:
        self._body = found.body
        for self._position, event in enumerate(events):
            handler = getattr(self, f"_{event['type'].replace('.', '_')}", None)
            if handler is not None:
                handler(event)
        if self._move is not None:
            self._say(f"the move to {self._move['to']} was never finished")
        if found.task.status != self._status:
            self._say(f"it is {found.task.status}, but its history leads to {self._status}")
        if found.task.crash_count != self._crashes:
            self._say(f"crash_count is {found.task.crash_count}, and should be {self._crashes}")
        if self._deaths > self._starts:
            self._say(f"{self._starts} starts, but {self._deaths} crashes")

    def _task_created(self, event: dict[str, Any]) -> None:
        self._status = event["engine"]["status"]

    def _transition_started(self, event: dict[str, Any]) -> None:
        source, target, actor = event["from"], event["to"], event["by"]
        if self._move is not None:
            self._say(f"a move to {target} was begun in the middle of one to {self._move['to']}")
        if source != self._status:
            self._say(f"a move from {source}, but it was {self._status}")
        is_undo = event.get("start") == "undo" and self._last == (target, source, "person") and source == "cancelled"
        self._last = (source, target, actor)
        if not is_undo and not self._is_allowed(source, target, actor):
            self._say(f"{actor} moved it {source} → {target}, which the workflow does not have")
        self._moves += 1
        if self._moves == 1:
            self._check_first(source, target, actor)
        self._move, self._status = event, target
        self._left[source] = self._position
        self._hooks.clear()

    def _is_allowed(self, source: str, target: str, actor: str) -> bool:
        if self._moves == 0 and target in self._workflow.initial and actor != "agent":
            return True  # it begins where it was created for, at once or when its time has come
        if source == target:
            return actor == "person"  # a start that failed, once more
        return any(
            move.source == source and move.target == target and move.by in {None, actor}
            for move in self._workflow.transitions
        )

    def _check_first(self, source: str, target: str, actor: str) -> None:
        wanted = self._created.status if self._created is not None else None
        has_begun = wanted in {None, self._workflow.first_state, source, target}  # where it was created, it goes on
        is_other = not has_begun and not self._workflow.is_terminal(target)
        if is_other and actor != "agent":
            self._say(f"it was created for {wanted}, but began as {target}")

    def _hook_done(self, event: dict[str, Any]) -> None:
        index = event.get("index")
        if isinstance(index, int):
            self._hooks[index] += 1
            if self._hooks[index] > 1:
                self._say(f"its hook {event.get('action')} had its turn {self._hooks[index]} times in one move")

    _hook_failed = _hook_done

    def _status_changed(self, event: dict[str, Any]) -> None:
        if self._move is None:
            self._say(f"it became {event['to']} without a move")
        elif (event["from"], event["to"]) != (self._move["from"], self._move["to"]):
            self._say(f"a move to {self._move['to']} ended in {event['to']}")
        self._move, self._crashes = None, 0

    def _agent_spawned(self, event: dict[str, Any]) -> None:
        self._starts += 1
        self._agents[event["window"]] = event["pid"]

    def _agent_crashed(self, event: dict[str, Any]) -> None:
        self._crashes += 1
        self._deaths += 1
        if event.get("crash_count") != self._crashes:
            self._say(f"crash {event.get('crash_count')} follows crash {self._crashes - 1}")
        self._check_artifact(event["status"], self._agents.get(event.get("window", "worker"), 0))

    def _check_artifact(self, status: str, pid: int) -> None:
        """An agent that had written what was asked in its own time has not crashed; a verdict may be the wrong one."""
        for rule in self._workflow.rules:
            gate = rule.has_artifact
            if rule.status != status or not isinstance(gate, SectionGate) or gate.verdict:
                continue
            found = self._model.artifacts.get((self._task, pid, gate.section))
            if found and found.token in self._body and self._left.get(status, -1) < found.events:
                self._say(f"its agent had written {gate.section} ({found.token}), and its end counts as a crash")

    def _agent_died(self, _event: dict[str, Any]) -> None:
        self._deaths += 1

    def _task_tampered(self, event: dict[str, Any]) -> None:
        self._say(f"was taken for tampered with: {event.get('fields')}")


def _descends(process: Process | None, ancestor: Process) -> bool:
    while process is not None:
        if process is ancestor:
            return True
        process = process.parent
    return False


def _name_of(descriptor: int) -> str:
    """Which file that is, where the system tells."""
    try:
        return os.path.basename(os.readlink(f"/proc/self/fd/{descriptor}"))
    except OSError:
        return str(descriptor)


def _tokens_in(data: bytes) -> set[str]:
    return {found.decode() for found in _TOKEN.findall(data)}


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _tokens_in_file(path: str) -> set[str]:
    return _tokens_in(_read(path))
