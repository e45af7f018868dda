"""What the stories are told with: a home of one's own, hooks that leave a trace, and a way to run commands."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.cli.main import main
from orange_tui.domain.actions import ACTIONS
from orange_tui.domain.errors import Refused
from orange_tui.engine.actions.agents import clear_outcome
from orange_tui.engine.hooks import Action, Actions, increment, set_field
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.store.store import StoredTask, TaskRef
from support.usage import write_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from orange_tui.domain.task import Task
    from orange_tui.domain.usage.totals import UsageRow
    from orange_tui.domain.workflow import Actor
    from orange_tui.engine.engine import Moved
    from orange_tui.engine.hooks import HookRun
    from orange_tui.orange import Orange
    from orange_tui.store.open_task import OpenTask

COMMAND_SECONDS = 60.0  # for a command: it takes seconds, also on a busy machine

STEPS = """\
name: steps
states:
  todo: {}
  doing: {}
  checked: {}
  stuck: {}
  done: {terminal: true}
  cancelled: {terminal: true}
initial:
  todo: {}
  checked: {}
transitions:
  - from: todo
    to: doing
    hooks:
      - push_branch
      - {action: increment, field: review_round}
      - {action: set_field, field: labels, value: [seen]}
      - create_pr
      - {action: set_field, field: attempts, value: 3}
      - spawn_next
  - from: doing
    to: checked
    when: "review_round < 3"
    gate: {section: "## Handoff", fields: [DONE, REMAINING]}
    hooks: [kill_session]
  - {from: doing, to: todo}
  - {from: doing, to: stuck, by: engine, hooks: [kill_session]}
  - {from: checked, to: doing, hooks: [acquire_workspace]}
  - {from: checked, to: stuck, when: "review_round >= 2"}
  - {from: stuck, to: doing}
  - {from: checked, to: done, hooks: [release_workspace]}
  - {from: [todo, doing, stuck], to: done, by: force}
  - {from: [todo, doing, checked, stuck], to: cancelled}
"""


@dataclass
class Result:
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """The one JSON value on standard output."""
        return json.loads(self.out)


@dataclass
class Effects:
    """Hooks that do one thing: leave their name in a file, once, however often they are run."""

    path: Path
    failing: set[str] = field(default_factory=set)
    without: set[str] = field(default_factory=set)

    def __call__(self, run: HookRun) -> None:
        if run.action in self.failing:
            raise Refused(f"no luck with {run.action}")
        if run.action not in self.seen():
            with self.path.open("a") as file:
                file.write(f"{run.action}\n")

    def reserve(self, run: HookRun) -> None:
        if run.action in self.without:
            raise Refused(f"Nothing is free for {run.action}; wait until something is")

    def seen(self) -> list[str]:
        return self.path.read_text().split() if self.path.exists() else []

    def table(self) -> Mapping[str, Action | str]:
        recording = Action(self, self.reserve)
        return dict.fromkeys(ACTIONS, recording) | {
            "increment": Action(increment),
            "set_field": Action(set_field),
            "clear_outcome": Action(clear_outcome),
        }


class World:
    """One ORANGE_HOME, its services with recording hooks, and short words for what tests do all the time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = Home(str(root))
        self.effects = Effects(root.parent / "effects")
        self.orange: Orange = assemble(self.home, Actions(self.effects.table()))

    def workflow(self, name: str, text: str) -> None:
        (self.root / "workflows").mkdir(parents=True, exist_ok=True)
        (self.root / "workflows" / f"{name}.yml").write_text(text)

    def project(self, name: str = "coffee", path: str = "/nowhere", workflow: str = "steps") -> None:
        entry = {"name": name, "path": path, "default_branch": "main", "workflow": workflow}
        self.orange.projects.add(entry)

    def task(self, body: str = "", project: str = "coffee", **values: object) -> TaskRef:
        """A task written down directly, as `task create --no-spawn` would."""
        given = {"workflow": "steps", "status": "todo", "summary": "Brew"} | values
        with self.orange.store.project_lock(project):
            return self.orange.store.add(project, given, body)

    def directory(self, ref: TaskRef) -> Path:
        return self.root / "tasks" / ref.project / ref.id

    def state(self, ref: TaskRef) -> Path:
        """What is the engine's alone."""
        return self.root / "state" / ref.project / ref.id

    @property
    def task_files(self) -> tuple[Path, Path]:
        """Where all of all tasks is."""
        return self.root / "tasks", self.root / "state"

    def history_file(self, ref: TaskRef) -> Path:
        return self.state(ref) / "history.jsonl"

    def file(self, ref: TaskRef) -> Path:
        return self.directory(ref) / "TASK.md"

    def read(self, ref: TaskRef) -> Task:
        return self.stored(ref).task

    def stored(self, ref: TaskRef) -> StoredTask:
        found = self.orange.store.read(ref)
        assert isinstance(found, StoredTask), found
        return found

    def body(self, ref: TaskRef) -> str:
        return self.stored(ref).body

    def write_body(self, ref: TaskRef, text: str) -> None:
        """What an agent does: add to the file in place."""
        with self.file(ref).open("a") as file:
            file.write(text)

    def edit(self, ref: TaskRef, old: str, new: str) -> None:
        """What a careless hand does: change the frontmatter in place."""
        text = self.file(ref).read_text()
        assert old in text
        self.file(ref).write_text(text.replace(old, new, 1))

    def history(self, ref: TaskRef) -> list[dict[str, Any]]:
        return self.orange.store.journal(ref).events()

    def types(self, ref: TaskRef) -> list[str]:
        return [event["type"] for event in self.history(ref)]

    def use(self, ref: TaskRef, *rows: UsageRow, context: float | None = None) -> None:
        """Let a task's agents have used exactly that: what the readers of their files would have stored."""
        write_usage(self.home, ref.project, ref.id, *rows, context=context)

    def touch(self, ref: TaskRef) -> None:
        """Any next command on a task: open it, change nothing."""
        with self.orange.engine.open(ref):
            pass

    def contents(self, ref: TaskRef) -> dict[str, bytes]:
        """Every byte of a task's directories, but for the lock."""
        folders = (self.directory(ref), self.state(ref))
        files = [(path, folder) for folder in folders for path in folder.rglob("*") if path.is_file()]
        return {str(path.relative_to(folder)): path.read_bytes() for path, folder in files if path.name != ".lock"}

    def dotfiles(self, ref: TaskRef) -> list[str]:
        return sorted(name for name in os.listdir(self.directory(ref)) if name.startswith("."))


class Cli:
    """`orange`, in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, stdin: str | bytes = "") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        self._monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        self._capsys.readouterr()
        code = main(list(words))
        said = self._capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        return Result(code, said.out, said.err)

    def ok(self, *words: str, stdin: str | bytes = "") -> Result:
        """A command that must succeed."""
        result = self(*words, stdin=stdin)
        assert result.code == 0, result
        return result

    def no(self, *words: str, stdin: str | bytes = "", code: int = 1) -> str:
        """A command that must be refused; returns why, and makes sure that --json says the same."""
        result = self(*words, stdin=stdin)
        assert (result.code, result.out) == (code, ""), result
        assert result.err.startswith("orange: ")
        if words[0] in {"task", "project"}:
            again = self(*words[:2], "--json", *words[2:], stdin=stdin)
            assert again.code == code
            assert list(again.json()) == ["error"]
            assert again.json()["error"]
        return result.err.removeprefix("orange: ").rstrip("\n")


def orange(*words: str, cwd: Path | None = None, stdin: bytes = b"", **options: Any) -> Result:
    """`orange` as a process of its own, as agents run it."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-X", "faulthandler", "-m", "orange_tui", *words]
    with subprocess.Popen(command, cwd=cwd, stdin=pipe, stdout=pipe, stderr=pipe, **options) as process:
        try:
            out, err = process.communicate(stdin, timeout=COMMAND_SECONDS)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGABRT)  # it prints where each of its threads is
            out, err = process.communicate(timeout=COMMAND_SECONDS)
            pytest.fail(f"orange {' '.join(words)} did not end\n{out.decode()}\n{err.decode()}", pytrace=False)
    result = Result(process.returncode, out.decode(), err.decode())
    assert "Traceback" not in result.out + result.err, result
    return result


def transition(
    orange: Orange, ref: TaskRef, target: str, actor: Actor, changes: Mapping[str, object] | None = None
) -> Moved:
    """Move a task that nobody holds."""
    with orange.engine.open(ref) as opened:
        return orange.engine.transition(opened, target, actor, changes=changes)


def recorded(monkeypatch: pytest.MonkeyPatch, table: Mapping[str, Action | str]) -> None:
    """Let the command line use these hooks, in this process."""
    monkeypatch.setattr("orange_tui.engine.hooks.BUILT_IN", table)


def refusal(act: Callable[[], object]) -> str:
    """Why something is refused."""
    try:
        act()
    except Refused as problem:
        return str(problem)
    raise AssertionError("it was not refused")


def put(opened: OpenTask, event: str, changes: Mapping[str, object], **details: object) -> None:
    """Have a task somewhere without the way there: what its history told of the engine's fields is forgotten."""
    path = opened.journal.path
    with open(path) as file:
        events = [json.loads(line) for line in file]
    with open(path, "w") as file:
        file.writelines(json.dumps({k: v for k, v in each.items() if k != "engine"}) + "\n" for each in events)
    opened.change(event, changes, **details)
