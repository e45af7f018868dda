"""kill -9 of a command at every step of spawn, review and cancel, tmux included: as if it had never happened."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from orange_tui.domain.records import replace
from orange_tui.engine.actions import agents
from orange_tui.orange import assemble
from support.killing import every_step

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


# One worker, one reviewer after the other, and no end to it: as in `default`, without a limit of rounds.
ROUNDS = """\
name: rounds
states:
  todo: {}
  working: {agent: worker, respawn_prompt: go}
  review: {agent: reviewer, respawn_prompt: look}
  cancelled: {terminal: true}
initial: {todo: {}}
transitions:
  - {from: todo, to: working, hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}
  - {from: working, to: review, hooks: [{action: spawn_reviewer, prompt: look}]}
  - from: review
    to: working
    hooks: [kill_reviewer, {action: notify_worker, message: "Round {review_round} did not pass."}]
  - {from: [working, review], to: cancelled, hooks: [kill_session, release_workspace]}
prompts: {go: "Go on with {branch}", look: "Look at {branch}"}
"""


def next_command(live_home: LiveHome, ref: TaskRef) -> None:
    with assemble(live_home.orange.home).engine.open(ref):
        pass


def recovered(live_home: LiveHome, ref: TaskRef, step: int) -> None:
    """Whoever comes first finishes what was begun: the next command on the task, or a supervisor."""
    if step % 2:
        next_command(live_home, ref)
    else:
        live_home.supervised(lambda: live_home.orange.store.journal(ref).unfinished() is None)


def is_locked(live_home: LiveHome, ref: TaskRef) -> bool:
    with live_home.orange.store.open(ref, wait=False):
        return False


def agents_started(live_home: LiveHome, ref: TaskRef) -> list[str]:
    return [event["window"] for event in live_home.events(ref, "agent.spawned")]


def all_free(live_home: LiveHome) -> bool:
    return all(slot.state == "free" for slot in live_home.orange.pool.slots())


def test_a_task_whose_creation_was_killed_anywhere_has_one_agent_in_the_end(live_home: LiveHome) -> None:
    seen = live_home.harness()
    created: list[TaskRef] = []
    for step in every_step(lambda step: live_home.create(f"fix/{step}", harness="recorder")):
        new = [ref for ref in live_home.orange.store.refs() if ref not in created]
        if not new:
            assert step == 1  # before it was written down at all
            continue
        (ref,) = new
        created.append(ref)
        live_home.supervised(lambda: live_home.rests(ref, "planning"))  # noqa: B023 - it is called at once
        task = live_home.task(ref)
        assert live_home.windows(ref) == ["worker"], step
        assert agents_started(live_home, ref) == ["worker"], step
        assert live_home.orange.tasks.session_state(task) == "active", step
        assert (task.tmux_session, task.attention) == (f"coffee/{task.branch}", None), step
        assert live_home.git("branch", "--show-current", at=live_home.worktree(ref)) == task.branch, step
        assert not is_locked(live_home, ref)
        live_home.orange.tasks.cancel(ref)
        assert all_free(live_home), step
    assert (seen / "starts").read_text().count("started") <= len(created)
    assert live_home.orange.sessions.panes(fresh=True) == []


def at_work(live_home: LiveHome, orders: str = "") -> TaskRef:
    (live_home.root / "home" / "workflows").mkdir()
    (live_home.root / "home" / "workflows" / "rounds.yml").write_text(ROUNDS)
    live_home.harness(orders=orders)
    return live_home.create("fix/rounds", harness="recorder", workflow="rounds")


def test_reviews_killed_anywhere_have_one_reviewer_and_tell_the_worker_once(live_home: LiveHome) -> None:
    ref = at_work(live_home, orders='echo ready; [ "$ORANGE_WINDOW" = worker ] && exec cat >>"$here/heard"')
    heard = live_home.root / "recorder" / "heard"
    live_home.wait(heard.exists)

    def killed_on_the_way(target: str, source: str, check: Callable[[int], None]) -> None:
        for step in every_step(lambda _: assemble(live_home.orange.home).tasks.update(ref, status=target)):
            recovered(live_home, ref, step)
            if live_home.status(ref) == source:  # it was killed before it had begun
                live_home.orange.tasks.update(ref, status=target)
            assert live_home.rests(ref, target), step
            check(step)
            live_home.orange.tasks.update(ref, status=source)
            assert live_home.task(ref).attention is None, step

    def one_reviewer(step: int) -> None:
        number = live_home.task(ref).review_round
        assert live_home.windows(ref) == [f"review-{number}", "worker"], step
        assert agents_started(live_home, ref) == ["worker", *(f"review-{n}" for n in range(1, number + 1))], step

    def no_reviewer(step: int) -> None:
        number = live_home.task(ref).review_round
        assert live_home.windows(ref) == ["worker"], step
        assert len(live_home.events(ref, "agent.notified")) == number, step
        live_home.wait(lambda: f"Round {number} did not pass" in heard.read_text())

    killed_on_the_way("review", "working", one_reviewer)
    live_home.orange.tasks.update(ref, status="review")
    killed_on_the_way("working", "review", no_reviewer)
    rounds = live_home.task(ref).review_round
    told = [heard.read_text().count(f"Round {number} did") for number in range(1, rounds)]
    assert sum(told) <= len(told) + 2  # only who dies between the key and the note about it tells it again
    assert agents_started(live_home, ref).count("worker") == 1


def test_a_cancellation_killed_anywhere_keeps_the_work_and_leaks_nothing(live_home: LiveHome) -> None:
    live_home.harness()
    refs = [live_home.create("fix/0", harness="recorder")]

    def prepared() -> TaskRef:
        (live_home.worktree(refs[-1]) / "draft.txt").write_text("work\n")
        return refs[-1]

    prepared()
    for step in every_step(lambda _: assemble(live_home.orange.home).tasks.cancel(refs[-1])):
        ref = refs[-1]
        recovered(live_home, ref, step)
        if live_home.status(ref) == "planning":
            live_home.orange.tasks.cancel(ref)
        task = live_home.task(ref)
        assert (task.status, task.workspace, task.tmux_session) == ("cancelled", None, None), step
        assert (live_home.windows(ref), task.attention) == ([], None), step
        assert all_free(live_home), step
        saved = live_home.git("for-each-ref", "--format=%(refname)", f"refs/orange/{ref.id}").splitlines()
        assert [live_home.git("show", f"{name}:draft.txt") for name in saved] == ["work"], step
        assert len(live_home.events(ref, "task.cancelled")) == 1, step
        assert not is_locked(live_home, ref)
        refs.append(live_home.create(f"fix/{step}", harness="recorder"))
        prepared()
    assert agents_started(live_home, refs[-1]) == ["worker"]


def test_a_respawn_killed_anywhere_has_one_agent_whose_death_is_noticed(live_home: LiveHome) -> None:
    ref = at_work(live_home)

    def dead() -> None:
        pane = live_home.orange.sessions.window(ref.id, "worker")
        if pane is not None:
            live_home.tmux.cmd("kill-window", "-t", pane.window_id)
        live_home.wait(lambda: live_home.windows(ref) == [])

    dead()
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.died")))
    for step in every_step(lambda _: assemble(live_home.orange.home).agents.respawn(ref)):
        if not live_home.windows(ref):
            live_home.orange.agents.respawn(ref)
        live_home.supervised(lambda: live_home.task(ref).attention is None)
        assert live_home.windows(ref) == ["worker"], step
        deaths = len(live_home.events(ref, "agent.died"))
        dead()
        live_home.supervised(lambda: len(live_home.events(ref, "agent.died")) == deaths + 1)  # noqa: B023 - called at once


def test_a_workspace_that_was_given_back_by_a_killed_start_is_not_shared_with_its_next_holder(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent was gone just then, its workspace was released, and the command was killed before it said so."""
    monkeypatch.setattr(agents, "SPAWN_AGENT", replace(agents.SPAWN_AGENT, check=None))  # it was there at the look
    live_home.orange.projects.update("coffee", {"pool_size": 1})
    seen = live_home.harness("absent")
    (seen / "agent").rename(seen / "away")
    live_home.harness()
    for step in every_step(lambda step: live_home.create(f"fix/{step}", harness="absent")):
        refs = [ref for ref in live_home.orange.store.refs() if live_home.task(ref).branch == f"fix/{step}"]
        other = live_home.create(f"other/{step}", harness="recorder")
        shutil.copy(seen / "away", seen / "agent")  # somebody installs it just then
        for ref in refs:
            next_command(live_home, ref)
        holders = [pane.task for pane in live_home.orange.sessions.panes(fresh=True)]
        assert len(holders) <= 1, step
        (seen / "agent").unlink()
        for ref in [*refs, other]:
            live_home.orange.tasks.cancel(ref)
        assert all_free(live_home), step
