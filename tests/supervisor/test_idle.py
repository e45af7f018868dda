"""An agent that has ended its turn without handing in: who is reminded, when, how often, and when a person is asked.

What agents report is written here, and tmux's part is played; everything else is real.
"""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.agents import messages
from orange_tui.domain.workflow import STOPPED
from orange_tui.home import clock
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.sessions.liveness import Sessions
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor import idle
from orange_tui.supervisor._hand_in import is_agents_turn
from orange_tui.supervisor.idle import IdleAgents
from support.usage import used
from support.watched_task import PAIR, PLAN, WatchedTask

if TYPE_CHECKING:
    from support.driver import World

SECOND = 1_000_000_000


class Waiting:
    """A task whose agents say what they do, and supervisors that look at it one by one."""

    def __init__(self, watched: WatchedTask, monkeypatch: pytest.MonkeyPatch) -> None:
        self.watched = watched
        self.last_key_at = 0.0
        self._offset = 0
        later = SimpleNamespace(
            time=lambda: time.time() + self._offset,
            time_ns=lambda: time.time_ns() + self._offset * SECOND,
            strftime=time.strftime,
            gmtime=time.gmtime,
        )
        monkeypatch.setattr(clock, "time", later)
        monkeypatch.setattr(Sessions, "last_key_at", lambda _sessions, _pane: self.last_key_at)

    def agent(self, state: str, window: str = "worker", *, seconds: float = 61.0) -> None:
        """What an agent has been doing for so long."""
        stamp = clock.at(time.time_ns() + int((self._offset - seconds) * SECOND))
        Runtime(str(self.watched.world.state(self.watched.ref))).update(
            window, agent="demo", state=state, event_at=stamp
        )

    def past(self, seconds: int) -> None:
        """Let so much time pass."""
        self._offset += seconds

    def look(self) -> float:
        """Another supervisor looks; returns when it would again."""
        orange = assemble(Home(self.watched.world.home.root), self.watched.world.orange.engine.actions)
        index = orange.new_index()
        index.refresh_all()
        return IdleAgents(orange.tasks, index).look([self.watched.ref])

    def deliver(self) -> None:
        """The agent gets its messages, and thinks nothing of it."""
        with self.watched.world.orange.engine.open(self.watched.ref) as opened:
            for message in messages.undelivered(opened.journal):
                opened.record("agent.notified", message=message.id, window=message.window)

    def events(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.watched.world.history(self.watched.ref) if event["type"] == kind]

    @property
    def reminders(self) -> list[str]:
        assert len(self.events("agent.nudged")) == len(self.events("message.queued"))
        return [event["text"] for event in self.events("message.queued")]

    @property
    def attention(self) -> str | None:
        return self.watched.task.attention


@pytest.fixture
def waiting(watched: WatchedTask, monkeypatch: pytest.MonkeyPatch) -> Waiting:
    """A worker that was started an hour ago, to plan."""
    waiting = Waiting(watched, monkeypatch)
    waiting.past(3600)
    return waiting


def test_agent_that_stopped_a_minute_ago_is_reminded_once_and_then_the_person_is_asked(waiting: Waiting) -> None:
    waiting.agent("idle")
    waiting.look()
    waiting.look()
    assert len(waiting.reminders) == 1
    assert waiting.events("agent.nudged")[0]["window"] == "worker"
    waiting.deliver()
    waiting.look()  # it has had no minute for it yet
    assert not waiting.attention
    waiting.past(61)
    waiting.look()
    waiting.look()
    assert len(waiting.reminders) == 1
    assert waiting.attention == STOPPED
    assert "stopped without handing in" in STOPPED
    assert [event["changes"]["attention"] for event in waiting.events("task.updated")] == [[None, STOPPED]]


@pytest.mark.parametrize("stamp", ["9999-01-01T00:00:00.000000Z", "soon", ""])
def test_agent_cannot_put_its_reminder_off_by_what_it_writes_down(waiting: Waiting, stamp: str) -> None:
    waiting.agent("idle")
    Runtime(str(waiting.watched.world.state(waiting.watched.ref))).update("worker", event_at=stamp)
    waiting.look()
    assert len(waiting.reminders) == 1


@pytest.mark.parametrize("state", ["busy", "permission", "limit", "error", "starting", "unknown"])
def test_agent_that_does_something_else_is_not_reminded(waiting: Waiting, state: str) -> None:
    waiting.agent(state)
    waiting.look()
    assert waiting.reminders == []


def test_agent_is_looked_at_again_when_its_minute_is_over(waiting: Waiting) -> None:
    waiting.agent("idle", seconds=50)
    assert 8 < waiting.look() <= 10
    waiting.agent("idle", seconds=5)
    assert waiting.look() == idle.PAUSE_SECONDS / 2
    assert waiting.reminders == []


def test_agent_that_has_just_been_started_or_moved_on_has_a_minute_too(watched: WatchedTask, waiting: Waiting) -> None:
    waiting.agent("idle")
    watched.write(PLAN)
    watched.move("working")
    waiting.look()
    watched.start("worker")
    waiting.look()
    assert waiting.reminders == []


def test_person_is_no_longer_asked_once_the_agent_works_again(waiting: Waiting) -> None:
    with_attention(waiting, STOPPED)
    waiting.agent("idle")
    waiting.look()
    assert waiting.attention == STOPPED
    waiting.agent("busy", seconds=1)
    waiting.look()
    assert waiting.attention is None


def test_person_who_has_answered_is_no_longer_asked(waiting: Waiting) -> None:
    with_attention(waiting, STOPPED)
    waiting.watched.world.orange.agents.answer(waiting.watched.ref, "Go on")
    assert waiting.attention is None
    with_attention(waiting, "The push has failed")
    waiting.watched.world.orange.agents.answer(waiting.watched.ref, "Go on")
    assert waiting.attention == "The push has failed"


def test_what_somebody_else_asks_the_person_for_stays(waiting: Waiting) -> None:
    with_attention(waiting, "The push has failed")
    waiting.agent("busy")
    waiting.look()
    waiting.agent("idle")
    for _ in range(3):
        waiting.look()
        waiting.deliver()
        waiting.past(61)
    assert len(waiting.reminders) == 1
    assert waiting.attention == "The push has failed"


def with_attention(waiting: Waiting, attention: str) -> None:
    with waiting.watched.world.orange.engine.open(waiting.watched.ref) as opened:
        opened.set_attention(attention)


def test_move_ends_what_the_person_was_asked_for(watched: WatchedTask, waiting: Waiting) -> None:
    with_attention(waiting, STOPPED)
    watched.write(PLAN)
    watched.move("working")
    assert waiting.attention is None


@pytest.mark.parametrize(("nudge", "reminders"), [(0, 0), (2, 2)])
def test_nudge_says_how_often_an_agent_is_reminded(waiting: Waiting, nudge: int, reminders: int) -> None:
    (waiting.watched.world.root / "config.yml").write_text(f"nudge: {nudge}\n")
    waiting.agent("idle")
    for _ in range(reminders):
        waiting.look()
        assert waiting.attention is None
        waiting.deliver()
        waiting.past(61)
    waiting.look()
    assert len(waiting.reminders) == reminders
    assert waiting.attention == STOPPED


def test_words_of_a_person_begin_a_new_turn(waiting: Waiting) -> None:
    waiting.agent("idle")
    waiting.look()
    waiting.deliver()
    with waiting.watched.world.orange.engine.open(waiting.watched.ref) as opened:
        messages.queue(opened, "answer", "worker", "Go on", by=messages.PERSON)
    waiting.past(61)
    waiting.look()
    assert len(waiting.events("agent.nudged")) == 1  # the answer waits for it
    waiting.deliver()
    waiting.past(61)
    waiting.look()
    assert len(waiting.events("agent.nudged")) == 2
    assert waiting.attention is None


def test_agent_is_left_to_the_person_who_types_in_its_session(waiting: Waiting) -> None:
    waiting.agent("idle")
    waiting.last_key_at = time.time() - 240
    assert waiting.look() == idle.PAUSE_SECONDS / 2
    assert waiting.reminders == []
    waiting.last_key_at = time.time() - 301
    waiting.look()
    assert len(waiting.reminders) == 1


def test_agent_whose_account_has_reached_its_limit_is_not_reminded(waiting: Waiting) -> None:
    waiting.agent("idle")
    limits = waiting.watched.world.orange.engine.parts.limits
    limits.see_limit("demo", limits.account_of("demo"), "resets in 2 hours", clock.now(), "screen")
    waiting.look()
    assert waiting.reminders == []


def test_agent_that_waits_for_the_end_of_its_limit_is_not_reminded_when_that_comes(waiting: Waiting) -> None:
    waiting.agent("idle")
    with waiting.watched.world.orange.engine.open(waiting.watched.ref) as opened:
        opened.record("limit.reached", window="worker", harness="demo", account="default", until=None)
    waiting.look()
    assert waiting.reminders == []


def test_agent_that_has_used_up_its_budget_is_not_reminded(waiting: Waiting) -> None:
    waiting.agent("idle")
    world, ref = waiting.watched.world, waiting.watched.ref
    (world.root / "config.yml").write_text("budget: 1\n")
    world.use(ref, used(1.5))
    waiting.look()
    assert (waiting.reminders, waiting.attention) == ([], None)


def test_reminder_that_was_recorded_and_not_sent_is_sent_by_the_next_supervisor(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def be_killed(*_: object) -> None:
        raise KeyboardInterrupt

    waiting.agent("idle")
    with monkeypatch.context() as patched:
        patched.setattr(messages, "queue", be_killed)
        with pytest.raises(KeyboardInterrupt):
            waiting.look()
    assert len(waiting.events("agent.nudged")) == 1
    waiting.look()
    waiting.look()
    assert len(waiting.reminders) == 1


def test_agent_whose_task_moves_at_the_same_moment_is_not_reminded(watched: WatchedTask, waiting: Waiting) -> None:
    waiting.agent("idle")
    orange = assemble(Home(watched.world.home.root), watched.world.orange.engine.actions)
    index = orange.new_index()
    index.refresh_all()
    watched.write(PLAN)
    watched.move("working")
    IdleAgents(orange.tasks, index).look([watched.ref])
    assert waiting.reminders == []


def test_task_that_a_command_holds_is_looked_at_again_soon(waiting: Waiting) -> None:
    waiting.agent("idle")
    with waiting.watched.world.orange.engine.open(waiting.watched.ref):
        assert 0 < waiting.look() <= 2
    assert waiting.reminders == []


def test_only_the_one_whose_turn_it_is_is_reminded(watched: WatchedTask, waiting: Waiting) -> None:
    watched.review_begins()
    waiting.past(3600)
    waiting.agent("idle")
    waiting.agent("busy", "review-1")
    waiting.look()
    assert waiting.reminders == []
    waiting.agent("idle", "review-1")
    waiting.look()
    assert [event["window"] for event in waiting.events("agent.nudged")] == ["review-1"]


def test_agent_that_waits_for_the_person_is_not_reminded(watched: WatchedTask, waiting: Waiting) -> None:
    watched.review_begins().move("waiting")
    waiting.past(3600)
    waiting.agent("idle")
    waiting.look()
    assert waiting.reminders == []


def test_dead_agent_is_not_reminded(watched: WatchedTask, waiting: Waiting) -> None:
    waiting.agent("idle")
    watched.die("worker")
    waiting.look()
    assert waiting.reminders == []


@pytest.mark.parametrize("stamp", [5, None, "soon", "9999-01-01T00:00:00Z", "x" * 100_000, ["now"]])
def test_time_that_an_agent_made_up_stops_nothing(waiting: Waiting, stamp: Any) -> None:
    runtime = Runtime(str(waiting.watched.world.state(waiting.watched.ref)))
    runtime.update("worker", agent="demo", state="idle", event_at=stamp)
    assert 0 < waiting.look() <= idle.PAUSE_SECONDS


def test_trouble_with_one_task_is_logged_once_and_stops_no_other(waiting: Waiting) -> None:
    (waiting.watched.world.root / "config.yml").write_text("nudge: often\n")
    waiting.agent("idle")
    orange = assemble(Home(waiting.watched.world.home.root), waiting.watched.world.orange.engine.actions)
    index = orange.new_index()
    index.refresh_all()
    agents = IdleAgents(orange.tasks, index)
    agents.look([waiting.watched.ref])
    agents.look([waiting.watched.ref])
    assert (waiting.watched.world.root / "orange.log").read_text().count("'nudge' must be a number") == 1


def test_reminder_says_what_is_missing_with_an_example_and_what_to_run(waiting: Waiting) -> None:
    waiting.agent("idle")
    waiting.look()
    assert waiting.reminders[0].splitlines() == [
        "Reminder from Orange: you have stopped, but the task is still in planning: nothing was handed in.",
        "TASK.md has no section ## Plan. For example:",
        "  ## Plan",
        "  What you have to say.",
        "Then run: orange task update --status working",
    ]


def test_reminder_says_so_where_only_the_command_is_missing(watched: WatchedTask, waiting: Waiting) -> None:
    watched.write(PLAN)
    waiting.agent("idle")
    waiting.look()
    assert waiting.reminders[0].splitlines()[1:] == [
        "What it needs is written; only the command is missing.",
        "Then run: orange task update --status working",
    ]


def test_what_an_earlier_round_has_handed_in_is_to_be_brought_up_to_date(
    watched: WatchedTask, waiting: Waiting
) -> None:
    watched.review_begins().move("working")
    waiting.past(3600)
    waiting.agent("idle")
    waiting.look()
    assert "needs ## Handoff with something in it, written or brought up to date now" in waiting.reminders[0]


def test_reminder_names_every_way_on_and_the_one_to_a_person(watched: WatchedTask, waiting: Waiting) -> None:
    watched.world.workflow("pair", PAIR.replace("- {from: review, to: working}", REVIEWED))
    watched.review_begins()
    waiting.past(3600)
    waiting.agent("idle", "review-1")
    waiting.look()
    assert waiting.reminders[0].splitlines()[1:] == [
        "For working: TASK.md has no section ## Review. For example:",
        "  ## Review",
        "  Verdict: FAIL",
        "For planning: It needs `make test` to succeed, written or brought up to date now",
        "If you cannot go on without a person, run: orange task update --status waiting",
        "Otherwise run: orange task update --status working (or planning)",
    ]


REVIEWED = """- {from: review, to: working, gate: {section: "## Review", verdict: FAIL}}
  - {from: review, to: planning, gate: {command: make test}}"""
TURNS = {
    "default": {"planning", "working", "agent-review"},
    "classic": {"working", "agent-review"},
    "minimal": {"working"},
    "solo": {"working"},
    "autopilot": set(),
    "steps": {"doing"},
}


@pytest.mark.parametrize("name", TURNS)
def test_agents_turn_is_where_a_task_goes_on_only_when_it_hands_in(world: World, name: str) -> None:
    workflow = world.orange.workflows.load(name)
    assert {status for status in workflow.states if is_agents_turn(workflow, status)} == TURNS[name]


def test_agent_that_works_once_has_no_turn_to_end(world: World) -> None:
    text = PAIR.replace("{action: spawn_agent, prompt: go}]}\n  - {from: planning", ONCE)
    world.workflow("once", text.replace("name: pair", "name: once"))
    workflow = world.orange.workflows.load("once")
    assert not is_agents_turn(workflow, "planning")
    assert is_agents_turn(workflow, "working")


ONCE = "{action: spawn_agent, prompt: go, mode: one_shot_work}]}\n  - {from: planning"
