"""Starts that were interrupted once their agent was there: it is found again, and keeps its workspace."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import CannotTell, NotSaved, Refused
from orange_tui.engine import starting
from orange_tui.engine.actions import _agent_start
from orange_tui.engine.creation import NewTask
from orange_tui.orange import assemble
from orange_tui.outside.tmux.server import Tmux
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor.examiner import Examiner
from orange_tui.supervisor.exits.rules import ExitRules
from support.driver import put

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.outside.tmux.windows import Window
    from orange_tui.store.store import TaskRef
    from support.driver import World
    from support.live_home import LiveHome

# The first state has hooks of its own; the agent is started on the way out of it.
ANNOUNCED = """\
name: announced
states: {todo: {}, doing: {}, done: {terminal: true}}
initial: {todo: {hooks: [push_branch]}}
transitions:
  - {from: todo, to: doing, hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}
  - {from: doing, to: done}
prompts: {go: Go}
"""


def failing(problem: BaseException) -> Callable[..., None]:
    def fail(*_: object, **__: object) -> None:
        raise problem

    return fail


def created_with(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch, problem: BaseException) -> TaskRef:
    """A task whose agent was started, and of whose start nothing could be written down."""
    live_home.harness()
    with monkeypatch.context() as patch:
        patch.setattr(_agent_start, "record_start", failing(problem))
        try:
            return live_home.create("brew", harness="recorder")
        except type(problem):
            return live_home.orange.store.refs()[0]


def is_at_work(live_home: LiveHome, ref: TaskRef) -> bool:
    """Whether the one agent that was started works in the task's workspace, and the task knows of both."""
    task = live_home.task(ref)
    spawned = [event["window"] for event in live_home.events(ref, "agent.spawned")]
    assert [slot.reason for slot in live_home.orange.pool.slots()] == [None, None]
    assert (live_home.windows(ref), spawned) == (["worker"], ["worker"])
    return (task.tmux_session, task.workspace) == ("coffee/brew", "coffee--1")


def test_agent_whose_start_could_not_be_written_down_keeps_its_workspace(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = created_with(live_home, monkeypatch, NotSaved("history.jsonl was not saved: No space left on device"))
    assert "No space left" in (live_home.task(ref).attention or "")
    ExitRules(live_home.orange.tasks, live_home.orange.agents).check(ref)
    assert is_at_work(live_home, ref), live_home.story()
    assert live_home.task(ref).attention is None


def test_interrupted_start_waits_for_tmux_to_tell_whether_its_agent_is_there(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = created_with(live_home, monkeypatch, KeyboardInterrupt())
    with monkeypatch.context() as patch:
        patch.setattr(Tmux, "panes", failing(CannotTell("tmux did not tell")))
        with pytest.raises(CannotTell, match="did not tell"):
            live_home.orange.tasks.update(ref, summary="Brew it")
    live_home.orange.tasks.update(ref, summary="Brew it")
    assert is_at_work(live_home, ref), live_home.story()
    assert live_home.events(ref, "hook.failed") == []


def test_supervisor_finishes_an_interrupted_start_as_soon_as_tmux_tells(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = created_with(live_home, monkeypatch, KeyboardInterrupt())
    monkeypatch.setattr(Examiner, "poll_seconds", lambda _: 1)
    rounds = count()
    with monkeypatch.context() as patch:
        patch.setattr(Tmux, "panes", failing(CannotTell("tmux did not tell")))

        def is_known() -> bool:
            if next(rounds) == 10:
                patch.undo()
            return live_home.task(ref).tmux_session is not None

        live_home.supervised(is_known)
    assert is_at_work(live_home, ref), live_home.story()


@pytest.mark.parametrize("tells", [True, False])
def test_agent_is_known_though_the_tmux_that_started_it_was_killed_before_it_said_so(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch, tells: bool
) -> None:
    live_home.harness()
    start_session = Tmux.start_session
    with monkeypatch.context() as patch:

        def start_and_be_killed(tmux: Tmux, name: str, window: Window) -> None:
            start_session(tmux, name, window)
            if not tells:
                patch.setattr(Tmux, "panes", failing(CannotTell("tmux did not tell")))
            raise Refused("tmux could not start a session: -9")

        patch.setattr(Tmux, "start_session", start_and_be_killed)
        ref = live_home.create("brew", harness="recorder")
    if not tells:
        assert "tmux did not tell" in (live_home.task(ref).attention or "")
        live_home.orange.agents.respawn(ref)
    assert is_at_work(live_home, ref), live_home.story()
    assert live_home.task(ref).attention is None


def test_live_agent_of_which_a_task_does_not_know_is_its_own_when_it_is_started(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = created_with(live_home, monkeypatch, KeyboardInterrupt())
    with live_home.orange.store.open(ref) as opened:
        opened.record("hook.failed", index=1, action="spawn_agent", reason="tmux did not tell")
        put(opened, "status.changed", {"tmux_session": None, "workspace": None})
    live_home.orange.tasks.spawn(ref)
    assert is_at_work(live_home, ref), live_home.story()


def test_resumed_agent_whose_command_line_takes_no_prompt_gets_it_also_after_a_kill(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_home.harness()
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  resume: ["{binary}", "--resume", "{session_id}"]\n')
    live_home.orange = assemble(live_home.orange.home)
    ref = live_home.create("brew", harness="recorder")
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", session_id="c-1")
    live_home.orange.sessions.end_window(live_home.orange.sessions.windows(ref.id)[0])
    with monkeypatch.context() as patch:
        patch.setattr(_agent_start, "record_start", failing(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            live_home.orange.agents.respawn(ref)
    for _ in range(2):
        ExitRules(live_home.orange.tasks, live_home.orange.agents).check(ref)
    assert [event["text"].splitlines()[0] for event in live_home.events(ref, "message.queued")] == [
        "Resuming: Brew brew"
    ]


def test_task_whose_creator_was_killed_after_the_hooks_of_its_first_state_starts_by_itself(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.workflow("announced", ANNOUNCED)
    with monkeypatch.context() as patch:
        patch.setattr(starting, "_starting_move", failing(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            world.orange.tasks.create(NewTask(project="coffee", summary="Brew", workflow="announced"))
    (ref,) = world.orange.store.refs()
    assert (world.read(ref).status, world.effects.seen()) == ("todo", ["push_branch"])
    assert world.orange.store.journal(ref).start().is_wanted
    assert starting.start_by_itself(world.orange.engine, ref) is not None
    assert world.effects.seen() == ["push_branch", "acquire_workspace", "spawn_agent"]
    assert starting.start_by_itself(world.orange.engine, ref) is None
