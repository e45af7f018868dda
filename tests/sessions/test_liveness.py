"""One judge says whether a task's agent is alive, from its windows, its exit note, its server and its journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.workflow import State
from orange_tui.outside.tmux.server import Pane
from orange_tui.sessions.liveness import Sessions, new_window, required_window
from support.driver import STEPS, put

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import World

GONE = "999999999.1"  # no process has this id
WORKING, REVIEW = State("doing", agent="worker"), State("checked", agent="reviewer")


class FakeTmux:
    """A tmux server with the windows it is given."""

    def __init__(self, *panes: Pane) -> None:
        self._panes = list(panes)

    def panes(self) -> list[Pane]:
        return self._panes


def pane(world: World, ref: TaskRef, window: str, server: str = "1.1") -> Pane:
    return Pane(
        session="coffee/brew",
        session_id="$1",
        window_id="@1",
        pane_id="%1",
        pid=7,
        title="",
        home=str(world.root),
        task=ref.id,
        window=window,
        spawn="",
        server=server,
    )


class OvertakenSessions(Sessions):
    """What tmux said is replaced at once by what another thread was told before, and heard only now."""

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if name == "_panes" and value:
            super().__setattr__(name, [])


def judge(world: World, ref: TaskRef, state: State, *panes: Pane, earlier: str | None = None) -> str:
    sessions = Sessions(FakeTmux(*panes), str(world.root), world.orange.store)  # type: ignore[arg-type]
    return sessions.judge(world.read(ref), state, sessions.windows(ref.id), earlier)


@pytest.fixture
def ref(world: World) -> TaskRef:
    """A task whose worker was started in a server that runs no more."""
    ref = world.task(status="doing", tmux_session="coffee/brew", review_round=2)
    with world.orange.engine.open(ref) as opened:
        opened.record("agent.spawned", window="worker", server=GONE)
    return ref


def leave_exit_note(world: World, ref: TaskRef) -> None:
    logs = world.state(ref) / "logs"
    logs.mkdir()
    (logs / "worker.exit").write_text("0\n")


def test_task_without_a_session_has_none(world: World) -> None:
    assert judge(world, world.task(), WORKING) == "none"


def test_agent_is_active_only_in_the_window_that_its_state_asks_for(world: World, ref: TaskRef) -> None:
    worker, reviewer = pane(world, ref, "worker"), pane(world, ref, "review-2")
    assert judge(world, ref, WORKING, worker) == "active"
    assert judge(world, ref, REVIEW, reviewer) == "active"
    assert judge(world, ref, State("any"), reviewer) == "active"
    assert judge(world, ref, WORKING, reviewer) != "active"


def test_agent_whose_server_is_gone_is_lost_and_one_with_an_exit_note_is_dead(world: World, ref: TaskRef) -> None:
    assert judge(world, ref, WORKING) == "lost"
    leave_exit_note(world, ref)
    assert judge(world, ref, WORKING) == "dead"


def test_agent_whose_server_still_has_other_windows_is_dead(world: World, ref: TaskRef) -> None:
    other = pane(world, world.task(), "worker", server=GONE)
    assert judge(world, ref, WORKING, other) == "dead"


def test_agent_missing_in_the_middle_of_a_move_counts_as_active(world: World, ref: TaskRef) -> None:
    leave_exit_note(world, ref)
    with world.orange.store.open(ref) as opened:
        put(opened, "test", {"status": "todo"})
        details = {"from": "todo", "to": "doing", "by": "agent", "hooks": []}
        opened.change("transition.started", {"status": "doing"}, **details)
    assert judge(world, ref, WORKING) == "active"


def test_agent_whose_task_was_read_before_the_move_ended_that_started_it_is_not_called_dead(
    world: World, ref: TaskRef
) -> None:
    read_before = world.read(ref)
    with world.orange.store.open(ref) as opened:
        put(opened, "status.changed", {"status": "checked", "review_round": 3})
    tmux = FakeTmux(pane(world, ref, "review-3", server=GONE))
    sessions = Sessions(tmux, str(world.root), world.orange.store)  # type: ignore[arg-type]
    assert sessions.state(read_before, REVIEW) == "active"


def test_earlier_verdict_on_a_dead_agent_stands_until_it_is_alive_again(world: World, ref: TaskRef) -> None:
    assert judge(world, ref, WORKING, earlier="dead") == "dead"
    assert judge(world, ref, WORKING, pane(world, ref, "worker"), earlier="dead") == "active"


def test_tmux_that_cannot_be_asked_means_lost(world: World, ref: TaskRef) -> None:
    assert world.orange.sessions.judge(world.read(ref), WORKING, None) == "lost"


def test_thread_that_asks_anew_gets_the_answer_to_its_own_question(world: World, ref: TaskRef) -> None:
    worker = pane(world, ref, "worker")
    sessions = OvertakenSessions(FakeTmux(worker), str(world.root), world.orange.store)  # type: ignore[arg-type]
    assert sessions.windows(ref.id, fresh=True) == [worker]


def test_worker_is_in_a_window_in_which_every_state_that_it_may_come_to_finds_it(world: World) -> None:
    world.workflow("steps", STEPS.replace("stuck: {}", "stuck: {agent: worker}"))
    workflow, ref = world.orange.workflows.load("steps"), world.task(status="doing", review_round=1)
    window = new_window(world.read(ref), workflow, "task")  # in a later round, in a state where any window will do
    assert window == required_window(world.read(ref), workflow.states["stuck"])


def test_each_round_has_windows_of_its_own_where_any_will_do(world: World) -> None:
    workflow = world.orange.workflows.load("steps")
    rounds = [world.read(world.task(status="doing", review_round=number)) for number in range(3)]
    assert [new_window(task, workflow, "task") for task in rounds] == ["worker", "worker-2", "worker-3"]
    assert [new_window(task, workflow, "review") for task in rounds[1:]] == ["review-1", "review-2"]


def test_agent_that_was_started_since_tmux_was_asked_is_not_called_dead(world: World, ref: TaskRef) -> None:
    leave_exit_note(world, ref)  # of the one before
    tmux = FakeTmux()
    sessions = Sessions(tmux, str(world.root), world.orange.store)  # type: ignore[arg-type]
    assert sessions.panes() == []
    tmux._panes.append(pane(world, ref, "worker"))
    assert sessions.state(world.read(ref), WORKING) == "active"
