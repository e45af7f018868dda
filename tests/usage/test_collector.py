"""The collector: whose use it is, when it is read, and what was missed while Orange was closed."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.agents.agent_sessions import AgentStart, SessionFinder, record_chat_start
from orange_tui.domain.errors import NotSaved
from orange_tui.domain.usage.totals import TaskUsage, Totals
from orange_tui.home import clock
from orange_tui.home.paths import CHAT
from orange_tui.sessions.runtime import Runtime
from orange_tui.usage import _session_files, reading
from orange_tui.usage import collector as module
from orange_tui.usage.collector import CollectorParts, UsageCollector
from orange_tui.usage.limits import Limits
from orange_tui.usage.readers import opencode
from orange_tui.usage.usage_file import UsageFile
from support.usage import used, write_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.store.index import TaskIndex
    from orange_tui.store.store import TaskRef
    from support.driver import World

_FIXTURES = Path(__file__).parent / "fixtures"
_CLAUDE = "72aade48-19c5-4bfc-9c17-a7a2a9308954"
_SINCE = "2026-11-16T20:00:00.000000Z"


class _UsageWorld:
    """One task with agents whose records are those that the real ones have written."""

    def __init__(self, world: World, agents: Path) -> None:
        self.world = world
        self.agents = agents
        self.worktree = f"{world.home.workspaces}/coffee--1"
        self.ref = world.task(tmux_session="coffee/brew")
        world.orange.tasks.update(self.ref, status="doing", actor="person")
        self.restart()

    def restart(self) -> None:
        """Another Orange, which knows only what is on disk."""
        orange = self.world.orange
        self.index: TaskIndex = orange.new_index()
        parts = CollectorParts(orange.home, orange.store, orange.projects, orange.harnesses, orange.log)
        self.collector = UsageCollector(parts, self.index)

    def collect(self) -> bool:
        self.index.refresh_all()
        return self.collector.collect()

    def start(self, window: str, harness: str, **details: object) -> None:
        with self.world.orange.engine.open(self.ref) as opened:
            opened.record("agent.spawned", window=window, harness=harness, directory=self.worktree, **details)

    def half_read(self) -> tuple[Path, str]:
        """A conversation of Claude Code that has been read but for its end; its file, and all that will be in it."""
        path = self.claude()
        whole = path.read_text()
        path.write_text("".join(whole.splitlines(keepends=True)[:-8]))
        self.start("worker", "claude", session_id=_CLAUDE)
        self.collect()
        return path, whole

    def claude(self) -> Path:
        """The conversation that was recorded, where Claude Code would keep it."""
        folder = self.agents / "claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", self.worktree)
        shutil.copytree(_FIXTURES / "claude", folder, dirs_exist_ok=True)
        return folder / f"{_CLAUDE}.jsonl"

    def opencode(self) -> str:
        """The same of opencode; its id."""
        path = self.agents / "opencode" / "opencode.db"
        path.parent.mkdir(parents=True)
        with sqlite3.connect(path) as database:
            database.executescript((_FIXTURES / "opencode" / "opencode.sql").read_text())
            database.execute("UPDATE session SET directory = ?", (self.worktree,))
        database.close()
        return "ses_e1a0b6245ffeAT4k5amXMKAlj8"

    def end(self) -> None:
        with self.world.orange.engine.open(self.ref) as opened:
            opened.change("task.updated", {"tmux_session": None})

    def usage(self, ref: TaskRef | None = None) -> TaskUsage:
        ref = ref or self.ref
        return UsageFile(self.world.home.task_state(ref.project, ref.id)).read() or TaskUsage()

    def runtime(self) -> dict[str, dict[str, Any]]:
        return Runtime(str(self.world.state(self.ref))).read()


@pytest.fixture
def usage_world(world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _UsageWorld:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "agents" / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "agents" / "codex"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "agents"))
    monkeypatch.setattr(module, "_SHORTEST_TURN_SECONDS", 0.0)
    monkeypatch.setattr(module, "_TURN_SECONDS_EACH", 0.0)
    return _UsageWorld(world, tmp_path / "agents")


def _answer(key: str) -> str:
    message = {"id": key, "model": "claude-opus-5-5", "usage": {"input_tokens": 3, "output_tokens": 1}}
    entry = {"type": "assistant", "sessionId": _CLAUDE, "timestamp": clock.now(), "message": message}
    return json.dumps(entry, separators=(",", ":"))


def _raise(problem: Exception) -> Callable[..., Any]:
    def fail(*_: object) -> Any:
        raise problem

    return fail


def test_worker_and_its_subagents_are_counted_and_boards_are_told(usage_world: _UsageWorld) -> None:
    usage_world.claude()
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    assert not usage_world.collect()
    [row] = usage_world.usage().rows
    assert (row.window, row.start, row.agent, row.model) == ("worker", 1, "claude", "claude-opus-5-5")
    assert (row.totals.input, round(row.totals.cost, 6)) == (17_000, 0.088)
    assert "usage_at" in usage_world.runtime()["worker"]


def test_agents_that_codex_has_started_itself_are_counted_and_only_its_own_context_is_shown(
    usage_world: _UsageWorld,
) -> None:
    own, below = sorted((_FIXTURES / "codex-subagents").glob("*.jsonl"))
    day = usage_world.agents / "codex" / "sessions" / "2026" / "11" / "16"
    day.mkdir(parents=True)
    session_id = own.stem[-36:]
    (day / own.name).write_text(own.read_text().replace("/home/ada/coffee", usage_world.worktree))
    usage_world.start("worker", "codex", session_id=session_id)
    usage_world.collect()
    assert usage_world.usage().total().turns == 5
    context = usage_world.usage().context_percent
    next_day = day.parent / "17"
    next_day.mkdir()
    beginning, _, rest = below.read_text().partition("\n")
    (next_day / below.name).write_text(beginning[:50])
    usage_world.collect()
    (next_day / below.name).write_text(f"{beginning}\n{rest}")
    (next_day / "rollout-other.jsonl").write_text(f"{beginning.replace(session_id, 'another')}\n{rest}")
    usage_world.collect()
    assert (usage_world.usage().total().turns, usage_world.usage().total().input) == (8, 8_500 + 6_900)
    assert usage_world.usage().context_percent == context


def test_agent_that_began_and_ended_between_two_rounds_is_counted(usage_world: _UsageWorld) -> None:
    usage_world.end()
    usage_world.collect()
    usage_world.claude()
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    usage_world.collect()
    assert usage_world.usage().total().input == 17_000


def test_file_that_did_not_change_is_not_opened(usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    usage_world.claude()
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    usage_world.collect()
    monkeypatch.setattr(reading, "open_regular", lambda *_, **__: pytest.fail("it was opened"))
    usage_world.collect()


def test_demo_agents_record_in_the_tasks_directory_is_read(usage_world: _UsageWorld) -> None:
    usage = {"input": 7, "output": 2, "cost": {"total": 0.5}}
    message = {"role": "assistant", "model": "demo-1", "usage": usage}
    status_folder = usage_world.world.directory(usage_world.ref) / ".orange-status"
    status_folder.mkdir()
    (status_folder / "review-1.usage.jsonl").write_text(
        json.dumps({"type": "message", "id": "1", "message": message}) + "\n"
    )
    usage_world.start("review-1", "demo")
    usage_world.collect()
    [row] = usage_world.usage().rows
    assert (row.window, row.agent, row.totals.cost) == ("review-1", "demo", 0.5)


def test_status_line_tells_context_and_limits(usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    usage_world.claude()
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    status_folder = usage_world.world.directory(usage_world.ref) / ".orange-status"
    status_folder.mkdir()
    ends = 4_000_000_000
    limits = {"five_hour": {"used_percentage": 93.5, "resets_at": ends}, "seven_day": {"used_percentage": float("nan")}}
    status = {"context_window": {"used_percentage": 41}, "rate_limits": limits}
    (status_folder / "worker.json").write_text(json.dumps(status))
    seen: list[Any] = []
    monkeypatch.setattr(Limits, "see_use", lambda _, *words: seen.append(words))
    usage_world.collect()
    assert usage_world.usage().context_percent == 41
    assert usage_world.runtime()["worker"]["context_percent"] == 41
    [(agent, _, (window,), _)] = seen
    assert (agent, window.name, window.used_percent) == ("claude", "five_hour", 93.5)


def test_last_words_are_read_when_the_task_has_ended(usage_world: _UsageWorld) -> None:
    path, whole = usage_world.half_read()
    before = usage_world.usage().total().turns
    path.write_text(whole)
    usage_world.end()
    usage_world.collect()
    assert before < usage_world.usage().total().turns == 10
    assert usage_world.collector._watched == {}


def test_what_ended_while_orange_was_closed_is_read_once_it_is_open(
    usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    usage_world.collect()
    usage_world.claude()
    usage_world.end()
    usage_world.restart()
    usage_world.collect()
    assert usage_world.usage().total().turns == 10
    usage_world.restart()
    monkeypatch.setattr(reading, "open_regular", lambda *_, **__: pytest.fail("it was opened again"))
    usage_world.collect()


def test_long_file_is_read_in_pieces_between_which_others_have_their_turn(
    usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    from orange_tui.usage import _lines

    usage_world.claude()
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    monkeypatch.setattr(_lines, "_CHUNK_BYTES", 2_000)
    monkeypatch.setattr(_lines, "SLICE_BYTES", 4_000)
    rounds = 1
    while usage_world.collect():
        rounds += 1
    assert rounds > 2
    assert usage_world.usage().total().turns == 10


def test_chat_is_counted_without_a_task(usage_world: _UsageWorld) -> None:
    usage_world.claude()
    folder = usage_world.agents / "claude" / "projects"
    shutil.copytree(next(folder.iterdir()), folder / "-nowhere")
    start = AgentStart("chat", 1, "claude", "/nowhere", _SINCE, None, _CLAUDE, None)
    record_chat_start(usage_world.world.home, "coffee", start)
    usage_world.collect()
    chat = UsageFile(usage_world.world.home.task_state("coffee", CHAT)).read()
    assert chat is not None
    assert [row.window for row in chat.rows] == ["chat"]
    assert chat.total().turns == 10


def test_record_that_is_not_understood_is_said_once_in_the_log(usage_world: _UsageWorld) -> None:
    path = usage_world.claude()
    path.write_text('{"type":"assistant","message":{"model":"m","id":"1","tokens":7}}\n')
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    usage_world.collect()
    usage_world.restart()
    usage_world.collect()
    said = [line for line in Path(usage_world.world.home.log_file).read_text().splitlines() if "not understood" in line]
    assert len(said) == 1
    assert str(path) in said[0]


def test_last_reading_that_fails_is_done_again(usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    usage_world.claude()
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    usage_world.end()
    monkeypatch.setattr(module, "_RETRY_SECONDS", 0.0)
    with monkeypatch.context() as full_disk:
        full_disk.setattr(reading.TaskReading, "read_on", _raise(NotSaved("usage.json was not saved")))
        usage_world.collect()
    usage_world.collect()
    assert usage_world.usage().total().turns == 10
    assert usage_world.collector._watched == {}


def test_database_that_was_locked_is_read_the_next_time_though_it_has_not_changed(
    usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = usage_world.opencode()
    usage_world.start("worker", "opencode", session_id=session)
    with monkeypatch.context() as locked:
        locked.setattr(opencode, "read", _raise(opencode.NotNow("locked")))
        usage_world.collect()
    assert usage_world.usage().total().turns == 0
    usage_world.collect()
    assert usage_world.usage().total().turns == 9


def test_task_whose_files_make_us_fail_holds_up_no_other(
    usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage_world.claude()
    other = usage_world.world.task(tmux_session="coffee/other")
    with usage_world.world.orange.engine.open(other) as opened:
        opened.record(
            "agent.spawned", window="worker", harness="claude", directory=usage_world.worktree, session_id=_CLAUDE
        )
    read_on, states = reading.TaskReading.read_on, []

    def fail_first(self: reading.TaskReading, *words: Any) -> Any:
        states.append(self)
        if self is states[0]:
            raise ZeroDivisionError
        return read_on(self, *words)

    usage_world.start("worker", "claude", session_id=_CLAUDE)
    monkeypatch.setattr(reading.TaskReading, "read_on", fail_first)
    usage_world.collect()
    assert sorted([usage_world.usage().total().turns, usage_world.usage(other).total().turns]) == [0, 10]
    assert "ZeroDivisionError" in Path(usage_world.world.home.log_file).read_text()


def test_last_words_of_a_deleted_task_count_and_it_stays_deleted(usage_world: _UsageWorld) -> None:
    path, whole = usage_world.half_read()
    path.write_text(whole)
    directory = usage_world.world.directory(usage_world.ref)
    shutil.rmtree(directory)
    usage_world.collect()
    assert usage_world.usage().total().turns == 10
    assert not directory.exists()


def test_conversation_of_an_earlier_task_that_is_gone_on_with_counts_from_there_on(usage_world: _UsageWorld) -> None:
    path = usage_world.claude()
    usage_world.start("worker", "claude", session_id="4f2a0c1e-0000-4000-8000-000000000000")
    Runtime(str(usage_world.world.state(usage_world.ref))).update("worker", agent="claude", session_id=_CLAUDE)
    usage_world.collect()
    assert usage_world.usage().total() == Totals()
    [last] = [line for line in path.read_text().splitlines() if '"cost-state"' in line][-1:]
    with path.open("a") as file:
        file.write(f"{_answer('new')}\n{last}\n")
    usage_world.collect()
    assert (usage_world.usage().total().input, usage_world.usage().total().turns) == (3, 1)


def test_ended_agent_has_a_moment_to_write_what_it_has_cost(
    usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage_world.claude()
    usage_world.start("worker", "claude", session_id=_CLAUDE)
    usage_world.collect()
    usage_world.end()
    monkeypatch.setattr(module, "_SHORTEST_TURN_SECONDS", 60.0)
    usage_world.collect()
    [watched] = usage_world.collector._watched.values()
    assert watched.is_last


def test_pipe_in_the_place_of_a_record_is_said_once_and_ends_the_last_reading(usage_world: _UsageWorld) -> None:
    status_folder = usage_world.world.directory(usage_world.ref) / ".orange-status"
    status_folder.mkdir()
    os.mkfifo(status_folder / "worker.usage.jsonl")
    usage_world.start("worker", "demo")
    usage_world.collect()
    usage_world.end()
    usage_world.collect()
    assert usage_world.collector._watched == {}
    assert Path(usage_world.world.home.log_file).read_text().count("worker.usage.jsonl") == 1


def test_conversation_that_cannot_be_found_is_searched_less_and_less(
    usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches: list[object] = []
    monkeypatch.setattr(SessionFinder, "find", lambda _, start: searches.append(start))
    now = 1_000.0
    monkeypatch.setattr(_session_files, "monotonic", lambda: now)
    usage_world.start("worker", "codex")
    for second in range(0, 1_000, 5):
        now = 1_000.0 + second
        usage_world.collect()
    assert 5 < len(searches) < 20


def test_last_words_of_a_conversation_that_the_agent_has_left_count(usage_world: _UsageWorld) -> None:
    path = usage_world.claude()
    usage_world.start("worker", "claude", session_id="4f2a0c1e-0000-4000-8000-000000000000")
    runtime = Runtime(str(usage_world.world.state(usage_world.ref)))
    runtime.update("worker", agent="claude", session_id=_CLAUDE)
    usage_world.collect()
    with path.open("a") as file:
        file.write(f"{_answer('new')}\n")
    runtime.update("worker", session_id="4f2a0c1e-0000-4000-8000-000000000001")
    usage_world.collect()
    assert usage_world.usage().total().turns == 1


def test_new_price_is_that_of_ended_and_deleted_tasks_too(usage_world: _UsageWorld) -> None:
    home, ended, deleted = usage_world.world.home, usage_world.world.task(), usage_world.world.task()
    for ref in (usage_world.ref, ended, deleted):
        write_usage(home, ref.project, ref.id, used(None, model="mine-1", input=1_000_000, output=0))
    shutil.rmtree(usage_world.world.directory(deleted))
    usage_world.collect()
    assert usage_world.usage(ended).total().unpriced == ("mine-1",)
    (Path(home.root) / "prices.yml").write_text("models: {mine-1: {input: 2, output: 8}}\n")
    usage_world.collect()
    for ref in (usage_world.ref, ended, deleted):
        assert (usage_world.usage(ref).total().unpriced, usage_world.usage(ref).total().cost) == ((), 2.0)
    assert "usage_at" in usage_world.runtime()["worker"]
    assert not usage_world.world.directory(deleted).exists()


def test_tasks_of_which_nothing_is_new_keep_nobody_busy(
    usage_world: _UsageWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in (("_PRICED_EACH_ROUND", 4), ("_CAUGHT_UP_EACH_ROUND", 1), ("_SHORTEST_TURN_SECONDS", 1000.0)):
        monkeypatch.setattr(module, name, number)
    for _ in range(4):
        usage_world.world.task()  # has never begun
        ended = usage_world.world.task()
        usage_world.world.orange.tasks.update(ended, status="doing", actor="person")
        write_usage(usage_world.world.home, ended.project, ended.id, used(None))
    usage_world.collect()
    assert usage_world.collector.rest() == module._LONGEST_REST_SECONDS
