"""The supervisor goes on whatever happens to one task or to tmux, and ends when it is told to."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.actions import ACTIONS
from orange_tui.domain.errors import Refused, Unreadable
from orange_tui.domain.workflow import Hook
from orange_tui.engine.hooks import Actions, HookRun
from orange_tui.home import paths
from orange_tui.home.watch import Watch
from orange_tui.issues.watcher import IssueWatcher
from orange_tui.orange import assemble
from orange_tui.outside.tmux.server import Tmux
from orange_tui.supervisor.cleanup import recover
from orange_tui.supervisor.exits.rules import ExitRules
from orange_tui.supervisor.supervisor import Supervisor
from support.live_home import kill_agent, started

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.store.store import TaskRef
    from support.driver import World
    from support.live_home import LiveHome

PATIENCE = 60.0
END_SECONDS = 60.0  # it takes milliseconds


async def let_the_loop_turn(times: int) -> None:
    for _ in range(times):
        await asyncio.sleep(0)


@pytest.mark.parametrize("turns", range(6))
def test_supervisor_that_is_woken_and_ended_at_once_ends(world: World, turns: int) -> None:
    """A signal that comes together with a changed file: whichever the loop sees first, it ends."""

    async def run() -> None:
        supervisor = world.orange.new_supervisor()
        acting = asyncio.create_task(supervisor.run())
        await is_at_rest(lambda: getattr(supervisor, "_wake", asyncio.Event()))
        supervisor._enqueue(())  # as for a changed file
        await let_the_loop_turn(turns)
        acting.cancel()
        _, pending = await asyncio.wait([acting], timeout=END_SECONDS)
        assert not pending

    asyncio.run(run())


async def is_at_rest(wake: Callable[[], asyncio.Event]) -> None:
    """Wait until somebody waits to be woken."""
    async with asyncio.timeout(PATIENCE):
        while not wake()._waiters:  # noqa: ASYNC110 - nobody tells us
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("turns", range(6))
def test_issue_watcher_that_is_woken_and_ended_at_once_ends(world: World, turns: int) -> None:
    ref = world.task(issue_url="https://github.com/me/coffee/issues/1")

    async def run() -> None:
        watcher = IssueWatcher(world.orange.tasks)
        watching = asyncio.create_task(watcher.run())
        await is_at_rest(lambda: watcher._wake)
        watcher.track(ref, world.read(ref))
        watcher.wake_if_new()
        await let_the_loop_turn(turns)
        watching.cancel()
        _, pending = await asyncio.wait([watching], timeout=END_SECONDS)
        assert not pending

    asyncio.run(run())


def polled_every_second(live_home: LiveHome) -> None:
    workflows = live_home.root / "home" / "workflows"
    workflows.mkdir()
    text = Path(paths.shipped("workflows"), "default.yml").read_text()
    (workflows / "default.yml").write_text(text.replace("poll_interval: 30", "poll_interval: 1"))


class Rounds:
    """A condition that counts how often the supervisor asks for it, about ten times a second, and acts meanwhile."""

    def __init__(self, condition: Callable[[], bool], acts: Mapping[int, Callable[[], object]]) -> None:
        self._condition, self._acts = condition, acts
        self._count = 0

    def __call__(self) -> bool:
        self._count += 1
        self._acts.get(self._count, lambda: None)()
        return self._condition()


def test_what_goes_wrong_with_one_task_is_logged_and_stops_no_other(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = started(live_home, "fix/one"), started(live_home, "fix/other")
    real = ExitRules.check

    def fail_for_one(rules: ExitRules, ref: TaskRef) -> None:
        if ref == one:
            raise KeyError("timestamp")
        real(rules, ref)

    monkeypatch.setattr(ExitRules, "check", fail_for_one)
    kill_agent(live_home, other)
    live_home.supervised(lambda: live_home.task(other).crash_count == 1)
    assert [entry["message"] for entry in live_home.orange.log.entries() if entry.get("task") == one.id][-1] == (
        "KeyError('timestamp')"
    )


def test_move_in_the_journal_that_nobody_can_finish_stops_no_other_task(live_home: LiveHome) -> None:
    one, other = started(live_home, "fix/one"), started(live_home, "fix/other")
    with open(live_home.orange.store.journal(one).path, "a", encoding="utf-8") as journal:
        journal.write(
            '{"type": "transition.started", "from": "a", "to": "b", "by": "me", "hooks": [{"action": "x"}]}\n'
        )
    kill_agent(live_home, other)
    live_home.supervised(lambda: live_home.task(other).crash_count == 1)


def test_death_is_noticed_after_tmux_did_not_answer_for_a_while(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    polled_every_second(live_home)
    ref = started(live_home, "fix/closed")

    def does_not_answer(_tmux: Tmux) -> list[object]:
        raise Refused("`tmux list-panes` took longer than 60 s and was ended")

    def answer_again() -> None:
        monkeypatch.undo()
        kill_agent(live_home, ref)

    acts = {5: lambda: monkeypatch.setattr(Tmux, "panes", does_not_answer), 30: answer_again}
    noticed = Rounds(lambda: live_home.task(ref).crash_count == 1, acts)
    assert live_home.orange.new_supervisor().run_until(noticed, 20), live_home.story()


def test_interrupted_move_is_finished_in_a_home_that_reports_no_changes(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of a network file system, where a command on another machine was killed."""
    polled_every_second(live_home)
    ref = started(live_home, "fix/elsewhere")

    def be_killed() -> None:
        monkeypatch.setattr(Watch, "_note", lambda _watch, _path: None)
        with live_home.orange.store.open(ref) as opened:
            details = {"from": "planning", "to": "working", "by": "agent", "hooks": []}
            opened.change("transition.started", {"status": "working"}, **details)

    finished = Rounds(lambda: live_home.rests(ref, "working"), {5: be_killed})
    assert live_home.orange.new_supervisor().run_until(finished, 15), live_home.story()


def test_supervisor_notices_deaths_again_after_what_listens_to_files_has_failed(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orange_tui.supervisor.supervisor._RETRY_SECONDS", 0.05)
    real = Supervisor._watch_tasks
    failures: list[str] = []

    async def fail_once(supervisor: Supervisor) -> None:
        if not failures:
            failures.append("once")
            raise RuntimeError("can't start new thread")
        await real(supervisor)

    monkeypatch.setattr(Supervisor, "_watch_tasks", fail_once)
    ref = started(live_home, "fix/listen")
    kill_agent(live_home, ref)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)
    assert any("can't start new thread" in str(entry["message"]) for entry in live_home.orange.log.entries())


def test_finished_task_that_could_not_release_all_it_had_does_so_at_the_next_look(world: World) -> None:
    """Its workspace may be another task's by then, whose TASK.md is not this one's business."""
    orange = assemble(world.home, Actions({name: action.implementation for name, action in ACTIONS.items()}))
    attention = "release_workspace failed: no room; spawn_next failed: no pool"
    ref = world.task(status="cancelled", workspace="coffee--1", tmux_session="coffee/brew", attention=attention)

    done = orange.recover()

    assert f"{ref.id}: released coffee--1, which it still held" in done
    assert (world.read(ref).workspace, world.read(ref).tmux_session) == (None, None)
    assert world.read(ref).attention == "spawn_next failed: no pool"
    orange.tasks.delete(ref)
    assert not orange.store.has(ref)


def test_release_that_only_the_pool_knows_of_is_in_the_history_when_it_is_repeated(world: World) -> None:
    orange = assemble(world.home, Actions({name: action.implementation for name, action in ACTIONS.items()}))
    ref, other = world.task(status="doing", workspace="coffee--1"), world.task(branch="tea")
    orange.pool.reserve(orange.projects.get("coffee"), world.read(other))

    with orange.engine.open(ref) as opened:
        run = HookRun(orange.engine, opened, Hook("release_workspace", {}), token="")
        orange.engine.actions.find(run.action).run(run)

    assert run.changes == {"workspace": None}


def test_agent_whose_task_is_on_a_disk_that_is_missing_goes_on(live_home: LiveHome) -> None:
    ref, tasks = started(live_home, "fix/tea"), Path(live_home.orange.home.tasks)
    tasks.rename(tasks.with_name("away"))
    tasks.symlink_to("/nonexistent/disk")
    with pytest.raises(Unreadable, match="leads to nothing"):
        list(recover(live_home.orange.tasks, (), lambda: ()))
    assert live_home.orange.sessions.windows(ref.id, fresh=True)
    tasks.unlink()
    tasks.with_name("away").rename(tasks)
