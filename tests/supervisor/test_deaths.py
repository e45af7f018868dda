"""What follows when an agent dies, a window is closed, a tmux server is gone, or a command is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING

from orange_tui.orange import assemble
from support.driver import transition
from support.live_home import LiveHome, kill_agent, started

if TYPE_CHECKING:
    from support.live_home import LiveHome


def test_a_killed_agent_is_a_crash_that_counts_once(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/crash")
    kill_agent(live_home, ref)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)
    live_home.orange.tasks.update(ref, summary="Something else happens")
    live_home.supervised(lambda: bool(live_home.events(ref, "task.updated")))
    task = live_home.task(ref)
    assert (task.status, task.crash_count) == ("planning", 1)
    assert live_home.orange.tasks.session_state(task) == "dead"
    assert live_home.events(ref, "agent.crashed") == [
        live_home.events(ref, "agent.crashed")[0] | {"status": "planning", "crash_count": 1, "reason": "exit code 137"},
    ]
    assert "crashed" in (task.attention or "")


def test_second_crash_in_a_state_makes_the_task_stuck(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/stuck")
    kill_agent(live_home, ref)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)
    live_home.orange.agents.respawn(ref)
    live_home.wait(lambda: live_home.windows(ref) == ["worker"])
    live_home.wait(lambda: (live_home.root / "recorder" / "starts").read_text().count("started") == 2)
    kill_agent(live_home, ref)
    live_home.supervised(lambda: live_home.rests(ref, "stuck"))
    task = live_home.task(ref)
    assert task.crash_count == 0
    assert "2 times" in (task.attention or "")
    assert live_home.windows(ref) == ["worker"]  # the one who sorts it out with the person


def test_an_agent_that_wrote_its_plan_and_ended_is_moved_on(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/plan")
    with (live_home.worktree(ref) / "TASK.md").open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: simple\n")
    kill_agent(live_home, ref)
    live_home.supervised(lambda: live_home.rests(ref, "working"))
    advanced = live_home.events(ref, "auto.advanced")[0]
    assert (advanced["from"], advanced["to"]) == ("planning", "working")


def test_a_dead_reviewer_is_started_again_in_the_same_round(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/review")
    task_file = live_home.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md"
    with task_file.open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: a\n\n## Handoff\n\nDONE: all\n")
    live_home.orange.tasks.update(ref, status="working")
    live_home.orange.tasks.update(ref, status="agent-review")
    starts = live_home.root / "recorder" / "starts"
    live_home.wait(lambda: starts.read_text().count("started") == 2)
    kill_agent(live_home, ref, "review-1")
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.respawned")))
    assert live_home.windows(ref) == ["review-1", "worker"]
    assert (live_home.task(ref).review_round, live_home.task(ref).crash_count) == (1, 1)


def test_closed_window_counts_as_a_crash(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/closed")
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.tmux.cmd("kill-session", "-t", pane.session_id)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)
    assert live_home.events(ref, "agent.crashed")[0]["reason"] == "its window was closed"


def test_agent_that_exits_at_once_is_noticed_as_a_crash(live_home: LiveHome) -> None:
    live_home.harness("brief", orders="exit 7")
    ref = live_home.create("fix/brief", harness="brief")
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.crashed")))
    assert live_home.events(ref, "agent.crashed")[0]["reason"] == "exit code 7"


def test_killed_tmux_server_counts_no_crash_and_every_agent_can_be_restarted(live_home: LiveHome) -> None:
    one, other = started(live_home, "fix/one"), started(live_home, "fix/other")
    server = int(live_home.tmux.cmd("display-message", "-p", "#{pid}").stdout[0])
    os.kill(server, signal.SIGKILL)
    live_home.supervised(lambda: all(live_home.events(ref, "session.lost") for ref in (one, other)))
    for ref in (one, other):
        assert live_home.task(ref).crash_count == 0
        assert live_home.orange.tasks.session_state(live_home.task(ref)) == "lost"
        assert live_home.task(ref).workspace is not None
    assert [problem for _, problem in live_home.orange.agents.respawn_lost()] == [None, None]
    for ref in (one, other):
        assert live_home.windows(ref) == ["worker"]
        assert live_home.orange.tasks.session_state(live_home.task(ref)) == "active"


def test_pool_of_one_with_three_tasks_plays_them_one_after_the_other(live_home: LiveHome) -> None:
    live_home.orange.projects.update("coffee", {"pool_size": 1})
    refs = [live_home.create(f"fix/{number}", workflow="minimal") for number in range(3)]

    def all_done() -> bool:
        for ref in refs:
            if live_home.rests(ref, "reviewing"):
                transition(live_home.orange, ref, "done", "person")
        return all(live_home.rests(ref, "done") for ref in refs)

    live_home.supervised(all_done)
    assert all(slot.state == "free" for slot in live_home.orange.pool.slots())
    branches = live_home.git("branch", "--format=%(refname:short)").splitlines()
    assert all(f"fix/{number}" in branches for number in range(3))


def test_a_blocked_task_starts_when_what_it_waits_for_is_done(live_home: LiveHome) -> None:
    first = live_home.create("fix/first", workflow="minimal")
    second = live_home.create("fix/second", workflow="minimal", blocked_by=(first.id,))
    live_home.supervised(lambda: live_home.rests(first, "reviewing"))
    assert live_home.status(second) == "pending"
    transition(live_home.orange, first, "done", "person")
    live_home.supervised(lambda: live_home.rests(second, "reviewing"))


def test_a_task_whose_blocker_was_cancelled_asks_for_a_person(live_home: LiveHome) -> None:
    first = started(live_home, "fix/first")
    second = live_home.create("fix/second", blocked_by=(first.id,))
    live_home.orange.tasks.cancel(first)
    live_home.supervised(lambda: first.id in (live_home.task(second).attention or ""))
    assert live_home.status(second) == "pending"


def test_of_two_supervisors_one_acts_and_the_other_takes_over(live_home: LiveHome) -> None:
    ref = started(live_home, "fix/two")
    lock = os.path.join(live_home.orange.home.root, ".supervisor.lock")
    stop = threading.Event()
    acting = threading.Thread(
        target=lambda: assemble(live_home.orange.home).new_supervisor().run_until(stop.is_set, 60)
    )
    acting.start()
    live_home.wait(lambda: os.path.exists(lock))
    waiting = live_home.orange.new_supervisor()
    noticed = asyncio.run(waiting.run(lambda: live_home.task(ref).crash_count == 1, seconds=0.3))
    assert not noticed  # nothing died yet, and the other one is at work
    kill_agent(live_home, ref)
    live_home.wait(lambda: live_home.task(ref).crash_count == 1)
    stop.set()
    acting.join()
    assert live_home.task(ref).crash_count == 1
    live_home.orange.agents.respawn(ref)
    live_home.wait(lambda: (live_home.root / "recorder" / "starts").read_text().count("started") == 2)
    kill_agent(live_home, ref)
    live_home.supervised(lambda: live_home.rests(ref, "stuck"))


def test_a_session_whose_task_was_deleted_by_hand_is_ended_and_its_workspace_released(live_home: LiveHome) -> None:
    import shutil

    ref = started(live_home, "fix/gone")
    worktree = live_home.worktree(ref)
    (worktree / "draft.txt").write_text("work\n")
    shutil.rmtree(live_home.root / "home" / "tasks" / "coffee" / ref.id)
    live_home.supervised(
        lambda: not live_home.windows(ref) and all(s.state == "free" for s in live_home.orange.pool.slots())
    )
    saved = live_home.git("for-each-ref", "--format=%(refname)", f"refs/orange/{ref.id}").splitlines()
    assert live_home.git("show", f"{saved[0]}:draft.txt") == "work"
