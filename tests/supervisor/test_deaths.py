"""What follows when an agent dies, a window is closed, a tmux server is gone, or a command is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING

from orange_tui.orange import assemble
from support.driver import transition
from support.office import Office, kill_agent, started

if TYPE_CHECKING:
    from support.office import Office


def test_a_killed_agent_is_a_crash_that_counts_once(office: Office) -> None:
    ref = started(office, "fix/crash")
    kill_agent(office, ref)
    office.supervised(lambda: office.task(ref).crash_count == 1)
    office.orange.tasks.update(ref, summary="Something else happens")
    office.supervised(lambda: bool(office.events(ref, "task.updated")))
    task = office.task(ref)
    assert (task.status, task.crash_count) == ("planning", 1)
    assert office.orange.tasks.session_state(task) == "dead"
    assert office.events(ref, "agent.crashed") == [
        office.events(ref, "agent.crashed")[0] | {"status": "planning", "crash_count": 1, "reason": "exit code 137"},
    ]
    assert "crashed" in (task.attention or "")


def test_second_crash_in_a_state_makes_the_task_stuck(office: Office) -> None:
    ref = started(office, "fix/stuck")
    kill_agent(office, ref)
    office.supervised(lambda: office.task(ref).crash_count == 1)
    office.orange.agents.respawn(ref)
    office.wait(lambda: office.windows(ref) == ["worker"])
    office.wait(lambda: (office.root / "recorder" / "starts").read_text().count("started") == 2)
    kill_agent(office, ref)
    office.supervised(lambda: office.rests(ref, "stuck"))
    task = office.task(ref)
    assert task.crash_count == 0
    assert "2 times" in (task.attention or "")
    assert office.windows(ref) == ["worker"]  # the one who sorts it out with the person


def test_an_agent_that_wrote_its_plan_and_ended_is_moved_on(office: Office) -> None:
    ref = started(office, "fix/plan")
    with (office.worktree(ref) / "TASK.md").open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: simple\n")
    kill_agent(office, ref)
    office.supervised(lambda: office.rests(ref, "working"))
    advanced = office.events(ref, "auto.advanced")[0]
    assert (advanced["from"], advanced["to"]) == ("planning", "working")


def test_a_dead_reviewer_is_started_again_in_the_same_round(office: Office) -> None:
    ref = started(office, "fix/review")
    task_file = office.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md"
    with task_file.open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: a\n\n## Handoff\n\nDONE: all\n")
    office.orange.tasks.update(ref, status="working")
    office.orange.tasks.update(ref, status="agent-review")
    starts = office.root / "recorder" / "starts"
    office.wait(lambda: starts.read_text().count("started") == 2)
    kill_agent(office, ref, "review-1")
    office.supervised(lambda: bool(office.events(ref, "agent.respawned")))
    assert office.windows(ref) == ["review-1", "worker"]
    assert (office.task(ref).review_round, office.task(ref).crash_count) == (1, 1)


def test_closed_window_counts_as_a_crash(office: Office) -> None:
    ref = started(office, "fix/closed")
    pane = office.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    office.tmux.cmd("kill-session", "-t", pane.session_id)
    office.supervised(lambda: office.task(ref).crash_count == 1)
    assert office.events(ref, "agent.crashed")[0]["reason"] == "its window was closed"


def test_agent_that_exits_at_once_is_noticed_as_a_crash(office: Office) -> None:
    office.harness("brief", orders="exit 7")
    ref = office.create("fix/brief", harness="brief")
    office.supervised(lambda: bool(office.events(ref, "agent.crashed")))
    assert office.events(ref, "agent.crashed")[0]["reason"] == "exit code 7"


def test_killed_tmux_server_counts_no_crash_and_every_agent_can_be_restarted(office: Office) -> None:
    one, other = started(office, "fix/one"), started(office, "fix/other")
    server = int(office.tmux.cmd("display-message", "-p", "#{pid}").stdout[0])
    os.kill(server, signal.SIGKILL)
    office.supervised(lambda: all(office.events(ref, "session.lost") for ref in (one, other)))
    for ref in (one, other):
        assert office.task(ref).crash_count == 0
        assert office.orange.tasks.session_state(office.task(ref)) == "lost"
        assert office.task(ref).workspace is not None
    assert [problem for _, problem in office.orange.agents.respawn_lost()] == [None, None]
    for ref in (one, other):
        assert office.windows(ref) == ["worker"]
        assert office.orange.tasks.session_state(office.task(ref)) == "active"


def test_pool_of_one_with_three_tasks_plays_them_one_after_the_other(office: Office) -> None:
    office.orange.projects.update("coffee", {"pool_size": 1})
    refs = [office.create(f"fix/{number}", workflow="minimal") for number in range(3)]

    def all_done() -> bool:
        for ref in refs:
            if office.rests(ref, "reviewing"):
                transition(office.orange, ref, "done", "person")
        return all(office.rests(ref, "done") for ref in refs)

    office.supervised(all_done)
    assert all(slot.state == "free" for slot in office.orange.pool.slots())
    branches = office.git("branch", "--format=%(refname:short)").splitlines()
    assert all(f"fix/{number}" in branches for number in range(3))


def test_a_blocked_task_starts_when_what_it_waits_for_is_done(office: Office) -> None:
    first = office.create("fix/first", workflow="minimal")
    second = office.create("fix/second", workflow="minimal", blocked_by=(first.id,))
    office.supervised(lambda: office.rests(first, "reviewing"))
    assert office.status(second) == "pending"
    transition(office.orange, first, "done", "person")
    office.supervised(lambda: office.rests(second, "reviewing"))


def test_a_task_whose_blocker_was_cancelled_asks_for_a_person(office: Office) -> None:
    first = started(office, "fix/first")
    second = office.create("fix/second", blocked_by=(first.id,))
    office.orange.tasks.cancel(first)
    office.supervised(lambda: first.id in (office.task(second).attention or ""))
    assert office.status(second) == "pending"


def test_of_two_supervisors_one_acts_and_the_other_takes_over(office: Office) -> None:
    ref = started(office, "fix/two")
    lock = os.path.join(office.orange.home.root, ".supervisor.lock")
    stop = threading.Event()
    acting = threading.Thread(target=lambda: assemble(office.orange.home).new_supervisor().run_until(stop.is_set, 60))
    acting.start()
    office.wait(lambda: os.path.exists(lock))
    waiting = office.orange.new_supervisor()
    noticed = asyncio.run(waiting.run(lambda: office.task(ref).crash_count == 1, seconds=0.3))
    assert not noticed  # nothing died yet, and the other one is at work
    kill_agent(office, ref)
    office.wait(lambda: office.task(ref).crash_count == 1)
    stop.set()
    acting.join()
    assert office.task(ref).crash_count == 1
    office.orange.agents.respawn(ref)
    office.wait(lambda: (office.root / "recorder" / "starts").read_text().count("started") == 2)
    kill_agent(office, ref)
    office.supervised(lambda: office.rests(ref, "stuck"))


def test_a_session_whose_task_was_deleted_by_hand_is_ended_and_its_workspace_released(office: Office) -> None:
    import shutil

    ref = started(office, "fix/gone")
    worktree = office.worktree(ref)
    (worktree / "draft.txt").write_text("work\n")
    shutil.rmtree(office.root / "home" / "tasks" / "coffee" / ref.id)
    office.supervised(lambda: not office.windows(ref) and all(s.state == "free" for s in office.orange.pool.slots()))
    saved = office.git("for-each-ref", "--format=%(refname)", f"refs/orange/{ref.id}").splitlines()
    assert office.git("show", f"{saved[0]}:draft.txt") == "work"
