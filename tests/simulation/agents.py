"""The agents of a world: they write TASK.md in every way there is, commit, leave files, hand in, stop and crash.

What they write is unique, and the model is told of it once it is written: it must be somewhere for ever.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from contextlib import suppress
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.gates.outcome import OutcomeGate, ReportGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.store.store import StoredTask

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.gates.gate import Gate
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Transition, Workflow
    from orange_tui.store.store import TaskRef
    from simulation.tmux import Pane
    from simulation.world import World

FORGED = "touch forged"  # a command that nobody but an agent has ever asked for
_ENDINGS = {"hand in": 12, "hand in ahead": 4, "nothing": 4, "crash": 3, "end": 2}
_STEADY_ENDINGS = {"hand in": 12, "nothing": 1}
_FAILING_ENDINGS = {"hand in": 6, "nothing": 2, "crash in a review": 12, "end": 1}
_AFTER_HANDING_IN = {"stay": 2, "go on": 2, "leave": 1}
_EXPORT = re.compile(r"^export (\w+)=(.*)$", re.MULTILINE)


class Agent:
    """One agent in its window."""

    def __init__(self, world: World, pane: Pane) -> None:
        self._world, self._pane = world, pane
        self._random = world.random
        self._process = world.scheduler.process()
        self.task_id = self._process.environment["ORANGE_TASK"]
        self._file = self._process.environment["ORANGE_TASK_FILE"]
        self._is_reviewer = self._process.environment["ORANGE_WINDOW"].startswith("review")
        self._been: set[str] = set()  # the states in which it has handed in

    @property
    def _ref(self) -> TaskRef:
        return self._world.orange.store.find(self.task_id)

    def live(self) -> int:
        """Work, hand in, wait for words; returns the exit code."""
        self._sleep(3)
        self._pane.screen = "ready\n"
        while True:
            for _ in range(self._random.randrange(4)):
                self._do_something()
            ending = self._world.choose(self._endings())
            if ending == "hand in ahead":
                self._hand_in(ahead=True)
                return 0
            if ending == "hand in":
                self._hand_in()
                then = self._world.choose(_AFTER_HANDING_IN)
                if then == "leave" and not self._is_steady:
                    return 0
                if then == "go on" or self._is_my_turn():
                    continue
            elif ending in {"crash", "crash in a review", "end"}:
                return 0 if ending == "end" else 1
            self._wait_for_words()

    @property
    def _is_steady(self) -> bool:
        """A worker that goes from state to state and then waits, so that it is there when its reviewer dies."""
        return self._world.is_steady and not self._is_reviewer

    def _endings(self) -> dict[str, int]:
        """Where workers are steady, it is their reviewers that fail."""
        if not self._world.is_steady:
            return _ENDINGS
        return _FAILING_ENDINGS if self._is_reviewer else _STEADY_ENDINGS

    def _is_my_turn(self) -> bool:
        """Whether it goes on because the state that the task is in now asks for a worker, and there are ways on."""
        found = self._read() if self._is_steady else None
        if found is None:
            return False
        task, workflow = found
        state = workflow.states.get(task.status)
        return state is not None and state.agent == "worker" and bool(self._ways_on(task, workflow))

    def _sleep(self, most: float) -> None:
        self._world.system.step("sleep")
        self._world.scheduler.sleep(self._random.random() * most)

    def _wait_for_words(self) -> None:
        self._world.system.step("wait", "for a message")
        is_patient = self._is_steady or self._random.random() < 0.5
        patience = None if is_patient else self._random.random() * 60
        self._world.scheduler.wait(lambda: bool(self._pane.inbox), patience)
        if self._pane.inbox:
            self._pane.inbox.pop(0)

    def _do_something(self) -> None:
        works: dict[Callable[[], object], int] = {
            self._append_line: 5,
            self._replace_file: 2,
            self._replace_link: 2,
            self._commit: 5,
            self._leave_file: 3,
            self._commit_detached: 1,
            self._edit_unwatched: 2,
            self._edit_untracked: 1,
            self._leave_secret: 2,
            self._change_summary: 1,
            self._forge: 5 if self._world.is_hostile else 0,
        }
        work = self._world.choose(works)
        with suppress(OSError, OrangeError):  # a worktree that is gone, a full disk: an agent's trouble
            work()

    # ── TASK.md ──

    def _append_line(self, text: str | None = None) -> str:
        """In place, through the link or not, at once or with the file kept open for a while."""
        token = self._world.model.new_token()
        path = self._file if self._random.random() < 0.5 else os.path.join(self._pane.directory, "TASK.md")
        data = f"\n{text or ''}\n- {token}\n".encode()
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            if self._random.random() < 0.4:
                self._sleep(self._random.choice((0.5, 20.0)))
            elif self._random.random() < 0.2:
                self._change_summary()
            half = self._random.choice((0, 0, len(data) // 2))
            if half:
                os.write(descriptor, data[:half])
            os.write(descriptor, data[half:])
            self._world.model.line_written(token, self.task_id, descriptor)
        finally:
            os.close(descriptor)
        return token

    def _replace_file(self, text: str | None = None) -> str:
        """As most editors do: a new file in the old one's place."""
        return self._rewrite(self._file, text)

    def _replace_link(self, text: str | None = None) -> str:
        """As `sed -i` does: the link in the worktree becomes a file."""
        return self._rewrite(os.path.join(self._pane.directory, "TASK.md"), text)

    def _rewrite(self, path: str, text: str | None) -> str:
        token = self._world.model.new_token()
        with open(path, encoding="utf-8") as file:
            body = file.read()
        aside = f"{path}.{token}"
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, f"{body}\n{text or ''}\n- {token}\n".encode())
        finally:
            os.close(descriptor)
        if self._random.random() < 0.3:
            self._sleep(0.2)
        self._world.system.step("name", f"rename {aside}")
        with self._world.system.really():  # what it takes the place of is known at that very moment
            self._world.model.file_replaced(path, aside)
            os.rename(aside, path)
        self._world.model.line_written(token, self.task_id)
        return token

    def _forge(self) -> None:
        """Lines in the history that would run a command, or that no engine can have written."""
        place = os.path.relpath(os.path.dirname(self._file), self._world.orange.home.tasks)
        path = os.path.join(self._world.orange.home.state, place, "history.jsonl")
        with open(path, "rb") as file:
            lines = file.read().splitlines()
        engines = [line for line in lines if b'"engine": {' in line and line.endswith(b"}")]  # none that is torn
        if not engines:
            return
        event = json.loads(engines[-1])
        status = event["engine"]["status"]
        if self._random.random() < 0.5:
            event |= {"type": "transition.started", "from": status, "to": status, "by": "person", "start": "again"}
            event["hooks"] = [{"action": "run_command", "command": FORGED}]
        else:
            event |= {"type": "task.updated", "engine": event["engine"] | {"status": 7}}
        self._world.model.forged.add(self.task_id)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(descriptor, json.dumps(event).encode() + b"\n")
        finally:
            os.close(descriptor)

    # ── the worktree ──

    def _write(self, name: str, text: str, flags: int = os.O_CREAT) -> None:
        descriptor = os.open(os.path.join(self._pane.directory, name), os.O_WRONLY | flags, 0o644)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)

    def _leave_file(self) -> str:
        token = self._world.model.new_token()
        self._write(f"{token}.txt", f"{token}\n")
        self._world.model.file_written(token, self._pane.directory)
        return f"{token}.txt"

    def _leave_secret(self) -> None:
        self._write(".env", f"SECRET OF {self.task_id}\n", os.O_CREAT | os.O_TRUNC)

    def _git(self, *words: str) -> int:
        self._world.system.step("git", f"{words}")
        code, _, _ = self._world.system.real_git(["git", "-C", self._pane.directory, *words])
        self._world.system.step("wait", "git")
        return code

    def _commit(self) -> None:
        name = self._leave_file()
        if self._git("add", name) == 0 and self._git("commit", "--quiet", "-m", name) == 0:
            self._world.model.committed(self._pane.directory)

    def _commit_detached(self) -> None:
        if self._git("checkout", "--quiet", "--detach") == 0:
            self._commit()
        if self._random.random() < 0.5:
            self._world.run_in_window(self._process, ["task", "update", "--branch", "shared"])

    def _edit_unwatched(self) -> None:
        """A change that git was told not to look at."""
        token = self._world.model.new_token()
        if self._git("update-index", self._random.choice(("--skip-worktree", "--assume-unchanged")), "README") == 0:
            self._write("README", f"{token}\n", os.O_APPEND)
            self._world.model.file_written(token, self._pane.directory, self.task_id)

    def _edit_untracked(self) -> None:
        """A change to a file that git was told to ignore from now on, though the default branch has it."""
        token = self._world.model.new_token()
        if self._git("rm", "--quiet", "--cached", "NOTES") == 0:
            self._write(".gitignore", "NOTES\n", os.O_APPEND)
            if self._random.random() < 0.5 and self._git("add", ".gitignore") == 0:
                self._commit()
            self._write("NOTES", f"{token}\n", os.O_APPEND)
            self._world.model.file_written(token, self._pane.directory, self.task_id)
            self._world.model.untracked.add(token)

    # ── orange ──

    def _change_summary(self) -> None:
        self._world.run_in_window(self._process, ["task", "update", "--summary", self._world.model.new_token()])

    def _hand_in(self, *, ahead: bool = False) -> None:
        """Write what the next state asks for, then say so; or say so and forget to write.

        Those who are ahead write what the state after that asks for as well, before the task is there.
        """
        found = self._read()
        moves = self._ways_on(*found) if found is not None else []
        if found is None or not moves:
            return
        workflow, gates = found[1], []
        self._been.add(found[0].status)
        move = moves[0] if self._is_steady else self._random.choice((moves[0], *moves))
        if ahead:
            move = next((each for each in moves if _first_gate(workflow, each.target) is not None), move)
            gates.append(_first_gate(workflow, move.target))
        with suppress(OSError):
            for part in [part for gate in (move.gate, *gates) if gate is not None for part in gate.parts]:
                if self._random.random() < 0.9:
                    self._write_artifact(part)
        how = "update" if ahead else self._world.choose({"update": 6, "complete": 1, "stuck": 1, "silence": 1})
        words = {
            "update": ["task", "update", "--status", move.target],
            "complete": ["task", "complete"],
            "stuck": ["task", "stuck", "--reason", self._world.model.new_token()],
        }
        if how != "silence":
            self._world.run_in_window(self._process, words[how])

    def _read(self) -> tuple[Task, Workflow] | None:
        """The task as it is now, and its workflow; None where that cannot be told."""
        try:
            found = self._world.orange.store.read(self._ref)
            if isinstance(found, StoredTask):
                return found.task, self._world.orange.workflows.load(found.task.workflow)
        except OrangeError:
            pass
        return None

    def _ways_on(self, task: Task, workflow: Workflow) -> list[Transition]:
        """The moves that it can ask for, but for those that end the task.

        One that is steady leaves reviews to reviewers, and never goes in circles.
        """
        moves = [move for move in workflow.moves(task.status, "agent") if not workflow.is_terminal(move.target)]
        if not self._is_steady:
            return moves
        state = workflow.states.get(task.status)
        is_review = state is not None and state.agent == "reviewer"
        return [move for move in moves if not is_review and move.target not in self._been | {task.status}]

    def _write_artifact(self, gate: Gate) -> None:
        text = artifact(gate, self.task_id)
        if isinstance(gate, SectionGate):
            write = self._random.choice((self._append_line, self._append_line, self._replace_file, self._replace_link))
            self._world.model.artifact_written(self.task_id, self._process.pid, gate.section, write(text))
        elif text:
            path = os.path.join(self._pane.directory, ".orange-outcome")
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                os.write(descriptor, text.encode())
            finally:
                os.close(descriptor)


def _first_gate(workflow: Workflow, state: str) -> Gate | None:
    """What the way on from a state asks for."""
    return next((move.gate for move in workflow.moves(state, "agent") if move.gate is not None), None)


def artifact(gate: Gate, task_id: str) -> str:
    """What opens a gate."""
    if isinstance(gate, SectionGate):
        verdict = f"Verdict: {gate.verdict}\n" if gate.verdict else ""
        field = f"{gate.fields[0]}: all of it\n" if gate.fields else "All of it.\n"
        return f"{gate.section}\n{verdict}{field}"
    if isinstance(gate, OutcomeGate):
        return json.dumps({"id": task_id, "outcome": gate.outcomes[0], "reason": "it was so"})
    if isinstance(gate, ReportGate):
        return json.dumps({"status": gate.judged[0], "summary": "what was done", "reason": "it was so"})
    return ""


def environment_of(pane: Pane) -> dict[str, str]:
    """The environment that a window's launcher gives its agent."""
    with open(pane.command[-1], encoding="utf-8") as file:
        exports = _EXPORT.findall(file.read())
    return {name: shlex.split(value)[0] for name, value in exports if value}
