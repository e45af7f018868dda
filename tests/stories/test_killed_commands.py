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
    from support.office import Office


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


def next_command(office: Office, ref: TaskRef) -> None:
    with assemble(office.orange.home).engine.open(ref):
        pass


def recovered(office: Office, ref: TaskRef, step: int) -> None:
    """Whoever comes first finishes what was begun: the next command on the task, or a supervisor."""
    if step % 2:
        next_command(office, ref)
    else:
        office.supervised(lambda: office.orange.store.journal(ref).unfinished() is None)


def is_locked(office: Office, ref: TaskRef) -> bool:
    with office.orange.store.open(ref, wait=False):
        return False


def agents_started(office: Office, ref: TaskRef) -> list[str]:
    return [event["window"] for event in office.events(ref, "agent.spawned")]


def all_free(office: Office) -> bool:
    return all(slot.state == "free" for slot in office.orange.pool.slots())


def test_a_task_whose_creation_was_killed_anywhere_has_one_agent_in_the_end(office: Office) -> None:
    seen = office.harness()
    created: list[TaskRef] = []
    for step in every_step(lambda step: office.create(f"fix/{step}", harness="recorder")):
        new = [ref for ref in office.orange.store.refs() if ref not in created]
        if not new:
            assert step == 1  # before it was written down at all
            continue
        (ref,) = new
        created.append(ref)
        office.supervised(lambda: office.rests(ref, "planning"))  # noqa: B023 - it is called at once
        task = office.task(ref)
        assert office.windows(ref) == ["worker"], step
        assert agents_started(office, ref) == ["worker"], step
        assert office.orange.tasks.session_state(task) == "active", step
        assert (task.tmux_session, task.attention) == (f"coffee/{task.branch}", None), step
        assert office.git("branch", "--show-current", at=office.worktree(ref)) == task.branch, step
        assert not is_locked(office, ref)
        office.orange.tasks.cancel(ref)
        assert all_free(office), step
    assert (seen / "starts").read_text().count("started") <= len(created)
    assert office.orange.sessions.panes(fresh=True) == []


def at_work(office: Office, orders: str = "") -> TaskRef:
    (office.root / "home" / "workflows").mkdir()
    (office.root / "home" / "workflows" / "rounds.yml").write_text(ROUNDS)
    office.harness(orders=orders)
    return office.create("fix/rounds", harness="recorder", workflow="rounds")


def test_reviews_killed_anywhere_have_one_reviewer_and_tell_the_worker_once(office: Office) -> None:
    ref = at_work(office, orders='echo ready; [ "$ORANGE_WINDOW" = worker ] && exec cat >>"$here/heard"')
    heard = office.root / "recorder" / "heard"
    office.wait(heard.exists)

    def killed_on_the_way(target: str, source: str, check: Callable[[int], None]) -> None:
        for step in every_step(lambda _: assemble(office.orange.home).tasks.update(ref, status=target)):
            recovered(office, ref, step)
            if office.status(ref) == source:  # it was killed before it had begun
                office.orange.tasks.update(ref, status=target)
            assert office.rests(ref, target), step
            check(step)
            office.orange.tasks.update(ref, status=source)
            assert office.task(ref).attention is None, step

    def one_reviewer(step: int) -> None:
        number = office.task(ref).review_round
        assert office.windows(ref) == [f"review-{number}", "worker"], step
        assert agents_started(office, ref) == ["worker", *(f"review-{n}" for n in range(1, number + 1))], step

    def no_reviewer(step: int) -> None:
        number = office.task(ref).review_round
        assert office.windows(ref) == ["worker"], step
        assert len(office.events(ref, "agent.notified")) == number, step
        office.wait(lambda: f"Round {number} did not pass" in heard.read_text())

    killed_on_the_way("review", "working", one_reviewer)
    office.orange.tasks.update(ref, status="review")
    killed_on_the_way("working", "review", no_reviewer)
    rounds = office.task(ref).review_round
    told = [heard.read_text().count(f"Round {number} did") for number in range(1, rounds)]
    assert sum(told) <= len(told) + 2  # only who dies between the key and the note about it tells it again
    assert agents_started(office, ref).count("worker") == 1


def test_a_cancellation_killed_anywhere_keeps_the_work_and_leaks_nothing(office: Office) -> None:
    office.harness()
    refs = [office.create("fix/0", harness="recorder")]

    def prepared() -> TaskRef:
        (office.worktree(refs[-1]) / "draft.txt").write_text("work\n")
        return refs[-1]

    prepared()
    for step in every_step(lambda _: assemble(office.orange.home).tasks.cancel(refs[-1])):
        ref = refs[-1]
        recovered(office, ref, step)
        if office.status(ref) == "planning":
            office.orange.tasks.cancel(ref)
        task = office.task(ref)
        assert (task.status, task.workspace, task.tmux_session) == ("cancelled", None, None), step
        assert (office.windows(ref), task.attention) == ([], None), step
        assert all_free(office), step
        saved = office.git("for-each-ref", "--format=%(refname)", f"refs/orange/{ref.id}").splitlines()
        assert [office.git("show", f"{name}:draft.txt") for name in saved] == ["work"], step
        assert len(office.events(ref, "task.cancelled")) == 1, step
        assert not is_locked(office, ref)
        refs.append(office.create(f"fix/{step}", harness="recorder"))
        prepared()
    assert agents_started(office, refs[-1]) == ["worker"]


def test_a_respawn_killed_anywhere_has_one_agent_whose_death_is_noticed(office: Office) -> None:
    ref = at_work(office)

    def dead() -> None:
        pane = office.orange.sessions.window(ref.id, "worker")
        if pane is not None:
            office.tmux.cmd("kill-window", "-t", pane.window_id)
        office.wait(lambda: office.windows(ref) == [])

    dead()
    office.supervised(lambda: bool(office.events(ref, "agent.died")))
    for step in every_step(lambda _: assemble(office.orange.home).agents.respawn(ref)):
        if not office.windows(ref):
            office.orange.agents.respawn(ref)
        office.supervised(lambda: office.task(ref).attention is None)
        assert office.windows(ref) == ["worker"], step
        deaths = len(office.events(ref, "agent.died"))
        dead()
        office.supervised(lambda: len(office.events(ref, "agent.died")) == deaths + 1)  # noqa: B023 - called at once


def test_a_workspace_that_was_given_back_by_a_killed_start_is_not_shared_with_its_next_holder(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The agent was gone just then, its workspace was released, and the command was killed before it said so."""
    monkeypatch.setattr(agents, "SPAWN_AGENT", replace(agents.SPAWN_AGENT, check=None))  # it was there at the look
    office.orange.projects.update("coffee", {"pool_size": 1})
    seen = office.harness("absent")
    (seen / "agent").rename(seen / "away")
    office.harness()
    for step in every_step(lambda step: office.create(f"fix/{step}", harness="absent")):
        refs = [ref for ref in office.orange.store.refs() if office.task(ref).branch == f"fix/{step}"]
        other = office.create(f"other/{step}", harness="recorder")
        shutil.copy(seen / "away", seen / "agent")  # somebody installs it just then
        for ref in refs:
            next_command(office, ref)
        holders = [pane.task for pane in office.orange.sessions.panes(fresh=True)]
        assert len(holders) <= 1, step
        (seen / "agent").unlink()
        for ref in [*refs, other]:
            office.orange.tasks.cancel(ref)
        assert all_free(office), step
