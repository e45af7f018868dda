"""Agents at their limit: no crash, no second wall; one tries when it should be over, then the others one by one."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.usage.limit import Limit
from orange_tui.home import clock
from orange_tui.sessions.liveness import DEAD, Sessions
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor import limits as limits_module
from orange_tui.supervisor.exits.rules import ExitRules
from orange_tui.supervisor.limits import LimitedAgents
from orange_tui.usage.limits import Sighting, record_limit
from support.limited import HOURS, SAYS, Clock, LimitWatcher, at_limit, limited_harness
from support.live_board import LiveBoard
from support.live_home import started, wait_for
from support.usage import used, write_usage

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.domain.workflow import Actor
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World
    from support.live_home import LiveHome


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def told(live_home: LiveHome, ref: TaskRef) -> list[str]:
    return [event["text"] for event in live_home.events(ref, "message.queued")]


def types(live_home: LiveHome, ref: TaskRef) -> list[str]:
    return [event["type"] for event in live_home.orange.store.journal(ref).events()]


def screen(live_home: LiveHome, ref: TaskRef) -> str:
    pane = live_home.orange.sessions.window(ref.id, "worker")
    return (live_home.orange.tmux.screen(pane.pane_id) if pane is not None else None) or ""


def row(live_home: LiveHome, ref: TaskRef) -> TaskRow:
    return next(row for row in list(LiveBoard(live_home.orange).scan())[-1].rows if row.ref == ref)


def blocked(live_home: LiveHome, harness: str = "limited") -> bool:
    return live_home.orange.engine.parts.limits.blocked(harness) is not None


def two_at_limit(live_home: LiveHome) -> tuple[LimitWatcher, TaskRef, TaskRef]:
    """Two tasks of one account that were seen at its limit, the first one first."""
    limited_harness(live_home)
    first, second = at_limit(live_home, "one"), at_limit(live_home, "two")
    watcher = LimitWatcher(live_home)
    watcher.see(first)
    watcher.see(second)
    return watcher, first, second


def test_one_goes_on_when_it_should_be_over_and_the_next_when_that_one_works(live_home: LiveHome, later: Clock) -> None:
    watcher, first, second = two_at_limit(live_home)
    assert [len(live_home.events(ref, "limit.reached")) for ref in (first, second)] == [1, 1]
    reached = live_home.events(first, "limit.reached")[0]
    assert (reached["window"], reached["harness"], reached["account"]) == ("worker", "limited", "default")
    rest = watcher.look(first, second)
    assert rest is not None
    assert 3 * HOURS - 60 < rest < 3 * HOURS + 60
    assert (told(live_home, first), told(live_home, second)) == ([], [])
    later.ahead = 3 * HOURS + 60
    watcher.look()
    assert (told(live_home, first), told(live_home, second)) == ([limits_module.GO_ON], [])
    wait_for(lambda: "limit should be over" in screen(live_home, first))
    assert blocked(live_home)
    watcher.look()
    assert told(live_home, second) == []  # nobody knows yet whether the first one works
    later.ahead += 11
    watcher.look()
    watcher.look()
    assert told(live_home, second) == [limits_module.GO_ON]
    later.ahead += 11
    watcher.look()
    assert not blocked(live_home)
    assert [live_home.task(ref).crash_count for ref in (first, second)] == [0, 0]
    assert len(told(live_home, first)) == 1


def test_limit_that_was_reached_while_nobody_looked_is_seen_at_the_start(live_home: LiveHome) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", seen="limit", seen_at=clock.now())
    asyncio.run(LimitWatcher(live_home).run_until(lambda: blocked(live_home)))
    assert len(live_home.events(ref, "limit.reached")) == 1


def test_limit_that_goes_on_is_waited_for_again_with_growing_pauses(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home, says="You've hit your usage limit")
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    assert 290 < (watcher.look() or 0) < 310
    later.ahead = 301
    watcher.look()
    assert len(told(live_home, ref)) == 1
    wait_for(lambda: "limit should be over" in screen(live_home, ref))
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.orange.tmux.paste(pane, "You've hit your usage limit")
    live_home.orange.tmux.press(pane, "Enter")
    wait_for(lambda: screen(live_home, ref).count("hit your usage limit") > 1)
    later.ahead += 1
    watcher.see(ref)
    assert len(live_home.events(ref, "limit.reached")) == 2
    assert 590 < (watcher.look() or 0) < 610


def test_agent_that_goes_on_by_itself_is_told_nothing(live_home: LiveHome) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.orange.tmux.paste(pane, "work on this")
    wait_for(lambda: "work on this" in screen(live_home, ref))
    watcher.see(ref, state="busy")
    assert [event["window"] for event in live_home.events(ref, "limit.ended")] == ["worker"]
    assert told(live_home, ref) == []


def test_messages_are_held_at_a_limit_and_are_what_it_goes_on_with(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    assert not live_home.orange.agents.answer(ref, "and work on this")
    assert "work on this" not in screen(live_home, ref)
    later.ahead = 3 * HOURS + 60
    watcher.look()
    wait_for(lambda: "and work on this" in screen(live_home, ref))
    assert told(live_home, ref) == ["and work on this"]


def test_agent_that_ends_at_its_limit_has_not_crashed_and_starts_again(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home, then="exit 1")
    ref = live_home.create("one", harness="limited")
    live_home.wait(lambda: live_home.windows(ref) == [])
    live_home.supervised(lambda: bool(live_home.events(ref, "limit.reached")))
    assert (live_home.task(ref).crash_count, live_home.task(ref).attention) == (0, None)
    assert live_home.task(ref).workspace is not None
    shown = row(live_home, ref)
    assert shown.needs is None
    assert (shown.waits or "").startswith("limited's limit, until ")
    LimitWatcher(live_home).look()
    assert len(live_home.events(ref, "agent.spawned")) == 1
    later.ahead = 3 * HOURS + 60
    LimitWatcher(live_home).look()
    assert len(live_home.events(ref, "agent.spawned")) == 2
    assert "agent.crashed" not in types(live_home, ref)


def test_no_attempt_is_counted_for_a_task_that_works_alone(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home, then="exit 1")
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  one_shot_work: ["{binary}", "{prompt}"]\n')
    ref = live_home.create("one", harness="limited", workflow="autopilot")
    live_home.supervised(lambda: bool(live_home.events(ref, "limit.reached")))
    task = live_home.task(ref)
    assert (task.status, task.number("attempts"), task.extra.get("last_error")) == ("in_progress", 1, None)
    later.ahead = 3 * HOURS + 60
    LimitWatcher(live_home).look()
    assert len(live_home.events(ref, "agent.spawned")) == 2
    assert live_home.task(ref).number("attempts") == 1


def test_reviewer_waits_for_its_own_limit_and_is_started_then(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home)
    live_home.harness("worker")
    ref = live_home.create("one", harness="worker", review_harness="limited")
    live_home.orange.engine.parts.limits.see_limit("limited", "default", "try again in 3 hours", clock.now(), "screen")
    with live_home.orange.engine.open(ref) as opened:
        live_home.orange.engine.transition(opened, "working", "agent", is_escalation=True)
        live_home.orange.engine.transition(opened, "agent-review", "agent", is_escalation=True)
    assert (live_home.windows(ref), live_home.status(ref)) == (["worker"], "agent-review")
    live_home.supervised(lambda: True)
    assert (live_home.status(ref), live_home.task(ref).review_round, live_home.task(ref).attention) == (
        "agent-review",
        1,
        None,
    )
    later.ahead = 3 * HOURS + 60
    LimitWatcher(live_home).look()
    assert live_home.windows(ref) == ["review-1", "worker"]
    assert live_home.task(ref).review_round == 1


def test_whoever_cannot_go_on_says_so_and_holds_up_nobody(
    live_home: LiveHome, later: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, first, second = two_at_limit(live_home)
    pane = live_home.orange.sessions.window(first.id, "worker")
    assert pane is not None
    live_home.orange.sessions.end_window(pane)
    later.ahead = 3 * HOURS + 60

    def fail(*_: Any, **__: Any) -> None:
        raise OrangeError("the disk is full")

    monkeypatch.setattr("orange_tui.engine.agents.Agents.go_on", fail)
    watcher.look()
    assert "the disk is full" in (live_home.task(first).attention or "")
    assert told(live_home, second) == [limits_module.GO_ON]
    ExitRules(live_home.orange.tasks, live_home.orange.agents).check(first)
    assert live_home.task(first).crash_count == 0
    assert "the disk is full" in (live_home.task(first).attention or "")


def test_failover_hands_over_once_to_the_first_agent_that_is_free(live_home: LiveHome, cli: Cli) -> None:
    limited_harness(live_home, "other", says="You've hit your weekly limit · try again in 2 days")
    limited_harness(live_home)
    (live_home.root / "home" / "config.yml").write_text("failover: [nobody, limited, other]\n")
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    handed = live_home.events(ref, "agent.handed_over")
    assert [(event["from"], event["to"]) for event in handed] == [("limited", "other")]
    assert handed[0]["reason"].startswith("limited's limit, until ")
    wait_for(lambda: "weekly limit" in screen(live_home, ref))
    watcher.see(ref)
    assert len(live_home.events(ref, "agent.handed_over")) == 1  # never in a circle
    assert [event["harness"] for event in live_home.events(ref, "limit.reached")] == ["limited", "other"]
    assert cli.ok("task", "show", ref.id, "--json").json()["harness"] == "other"


def test_what_has_stood_on_a_screen_for_hours_is_about_the_time_when_it_was_printed(live_home: LiveHome) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    directory = Path(live_home.orange.store.state_directory(ref))
    history = directory / "history.jsonl"
    started = live_home.events(ref, "agent.spawned")[0]["timestamp"]
    long_ago = time.time() - 7 * HOURS
    history.write_text(history.read_text().replace(started, clock.at(int((long_ago - 60) * 1e9))))
    os.utime(directory / "logs" / "worker.log", (long_ago, long_ago))
    LimitWatcher(live_home).see(ref)
    assert len(live_home.events(ref, "limit.reached")) == 1
    assert told(live_home, ref) == [limits_module.GO_ON]  # its three hours were over when it was seen


def test_agent_that_has_handed_in_does_not_go_on_by_itself(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one", workflow="minimal")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    with live_home.orange.engine.open(ref) as opened:
        live_home.orange.engine.transition(opened, "reviewing", "agent", is_escalation=True)
    later.ahead = 3 * HOURS + 60
    assert row(live_home, ref).needs == "It waits for your review"
    watcher.look()
    assert (told(live_home, ref), len(live_home.events(ref, "agent.spawned"))) == ([], 1)


def test_words_for_a_worker_that_has_handed_in_reach_it_when_its_limit_is_over(
    live_home: LiveHome, later: Clock
) -> None:
    limited_harness(live_home)
    live_home.harness("reviewer")
    ref = at_limit(live_home, "one", review_harness="reviewer")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    with live_home.orange.engine.open(ref) as opened:
        for status in ("working", "agent-review", "reviewing"):
            actor: Actor = "engine" if status == "reviewing" else "agent"
            live_home.orange.engine.transition(opened, status, actor, is_escalation=True)
    later.ahead = 3 * HOURS + 60
    watcher.look()
    assert told(live_home, ref) == []
    live_home.orange.agents.answer(ref, "and work on this", to_worker=True)
    watcher.look()
    wait_for(lambda: "and work on this" in screen(live_home, ref))
    assert told(live_home, ref) == ["and work on this"]


def type_into(live_home: LiveHome, ref: TaskRef, text: str) -> None:
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.orange.tmux.paste(pane, text)
    wait_for(lambda: text in screen(live_home, ref))


def test_list_says_who_is_at_a_limit_and_a_persons_own_start_is_warned(live_home: LiveHome, cli: Cli) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    LimitWatcher(live_home).see(ref)
    waiting = live_home.create("two", harness="limited", by="agent")
    shown = cli.ok("task", "list", "--project", "coffee").out
    assert shown.count("! limited's limit, until ") == 1
    assert shown.count("! It waits for limited's limit, until ") == 1
    assert f"{waiting.id} was started all the same: limited's limit, until " in cli.ok("task", "spawn", waiting.id).err


def test_limit_of_a_task_that_a_command_holds_is_seen_soon(live_home: LiveHome) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    with live_home.orange.engine.open(ref):
        watcher.see(ref)
    assert live_home.events(ref, "limit.reached") == []
    watcher.look()
    assert len(live_home.events(ref, "limit.reached")) == 1


def test_limit_that_is_reported_before_its_words_are_drawn_is_known_with_its_end(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits_module, "GRACE_SECONDS", HOURS)
    limited_harness(live_home, says="", then=f'read key; echo "{SAYS}"; exec cat')
    ref = live_home.create("one", harness="limited")
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", state="limit", event_at=clock.now())
    watcher = LimitWatcher(live_home)
    watcher.look(ref)
    assert live_home.events(ref, "limit.reached") == []
    live_home.orange.tmux.press(live_home.orange.sessions.window(ref.id, "worker"), "Enter")  # type: ignore[arg-type]
    wait_for(lambda: "hit your" in screen(live_home, ref))
    watcher.look()
    [event] = live_home.events(ref, "limit.reached")
    assert event["until"] is not None


def test_agent_in_json_is_at_its_limit_as_long_as_it_waits_for_it(live_home: LiveHome, cli: Cli) -> None:
    limited_harness(live_home, then="read key; printf '\\033[2J\\033[H'; exec cat")
    ref = at_limit(live_home, "one")
    LimitWatcher(live_home).see(ref)
    # As opencode does in the last minute: it shows that it tries again, and no limit any more.
    live_home.orange.tmux.press(live_home.orange.sessions.window(ref.id, "worker"), "Enter")  # type: ignore[arg-type]
    wait_for(lambda: "limit" not in screen(live_home, ref))
    assert cli.ok("task", "show", ref.id, "--json").json()["agent"] == "limit"
    type_into(live_home, ref, "work on this")
    wait_for(lambda: cli.ok("task", "show", ref.id, "--json").json()["agent"] == "busy")


def test_agent_that_went_on_and_asks_for_something_is_not_ended(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home)
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('    permission: ["May I "]\n  asks: ["May I (.+)\\\\?"]\n')
    (live_home.root / "home" / "config.yml").write_text("failover: [other]\n")
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    live_home.orange.tmux.press(live_home.orange.sessions.window(ref.id, "worker"), "Enter")  # type: ignore[arg-type]
    type_into(live_home, ref, "work on this. May I delete it?")
    live_home.harness("other")
    watcher.look()
    assert live_home.events(ref, "agent.handed_over") == []
    later.ahead = 3 * HOURS + 60
    watcher.look()
    assert len(live_home.events(ref, "agent.spawned")) == 1
    assert "May I delete it?" in screen(live_home, ref)
    assert (len(live_home.events(ref, "limit.ended")), told(live_home, ref)) == (1, [])


def test_agent_that_takes_no_message_now_is_told_soon(
    live_home: LiveHome, later: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    later.ahead = 3 * HOURS + 60
    with monkeypatch.context() as patched:
        patched.setattr("orange_tui.agents.messages.deliver", lambda *_, **__: False)
        assert watcher.look() == 2
    watcher.look()
    wait_for(lambda: "limit should be over" in screen(live_home, ref))


def test_task_that_cannot_be_opened_holds_up_no_other(
    live_home: LiveHome, later: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, first, second = two_at_limit(live_home)
    open_task = type(live_home.orange.engine).open

    def open_or_fail(engine: Any, ref: TaskRef, **how: Any) -> Any:
        if ref == first:
            raise OrangeError("scribbled upon")
        return open_task(engine, ref, **how)

    monkeypatch.setattr(type(live_home.orange.engine), "open", open_or_fail)
    live_home.orange.engine.parts.limits.begin_trial("limited", "default", first.id)
    later.ahead = 3 * HOURS + 60
    watcher.look()
    watcher.look()
    assert told(live_home, second) == [limits_module.GO_ON]
    log = (live_home.root / "home" / "orange.log").read_text()
    assert log.count("scribbled upon") == 2  # once as the one that tries, once as the one that waits


def test_try_of_a_task_that_was_not_started_tells_nothing(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home)
    ref = live_home.create("one", harness="limited", spawn=False)
    limits = live_home.orange.engine.parts.limits
    limits.see_limit("limited", "default", "try again in 3 hours", clock.now(), "screen")
    later.ahead = 3 * HOURS + 60
    limits.begin_trial("limited", "default", ref.id)
    later.ahead += 11
    LimitWatcher(live_home).look()
    limit = limits.find("limited")
    assert limit is not None
    assert limits.is_due(limit)
    assert limit.trial is None


def test_clock_that_was_set_back_does_not_leave_a_try_without_an_end(live_home: LiveHome, later: Clock) -> None:
    limited_harness(live_home)
    ref = at_limit(live_home, "one")
    watcher = LimitWatcher(live_home)
    watcher.see(ref)
    later.ahead = 30 * HOURS
    watcher.look()
    wait_for(lambda: "limit should be over" in screen(live_home, ref))
    later.ahead = 0
    watcher.look()
    assert not blocked(live_home)


def test_agent_whose_budget_is_used_up_at_its_limits_end_goes_on_once_there_is_more(
    live_home: LiveHome, later: Clock, cli: Cli
) -> None:
    watcher, first, second = two_at_limit(live_home)
    write_usage(live_home.orange.home, first.project, first.id, used(5.0))
    cli.ok("task", "update", first.id, "--budget", "5")
    later.ahead = 3 * HOURS + 60
    for _ in range(3):
        assert watcher.look(first) is not None  # config.yml may allow more at any time
    assert (told(live_home, first), told(live_home, second)) == ([], [limits_module.GO_ON])
    assert (live_home.task(first).attention or "").startswith("Its budget of $5.00 is used up")
    assert len(live_home.events(first, "limit.ended")) == 0
    later.ahead += 11
    watcher.look()
    assert not blocked(live_home)
    assert [event["waits"] for event in live_home.events(first, "budget.reached")] == ["nothing", "message"]
    cli.ok("task", "update", first.id, "--budget", "6")
    watcher.look(first)
    assert told(live_home, first) == [limits_module.GO_ON]
    assert (live_home.task(first).attention, live_home.task(first).crash_count) == (None, 0)


def test_person_is_asked_when_an_agent_at_work_has_used_up_its_budget(live_home: LiveHome, cli: Cli) -> None:
    ref = started(live_home, "fix/login")
    cli.ok("task", "update", ref.id, "--budget", "5")
    watcher = LimitWatcher(live_home)
    write_usage(live_home.orange.home, ref.project, ref.id, used(4.99))
    watcher.look(ref)
    assert (live_home.task(ref).attention, live_home.events(ref, "budget.reached")) == (None, [])
    for spent in (5.0, 5.5):
        write_usage(live_home.orange.home, ref.project, ref.id, used(spent))
        watcher.look(ref)
    assert [event["waits"] for event in live_home.events(ref, "budget.reached")] == ["nothing"]
    assert "$5.00 is used up ($5.00)" in (live_home.task(ref).attention or "")
    assert live_home.windows(ref) == ["worker"]  # it is not stopped
    with live_home.orange.engine.open(ref) as opened:
        opened.set_attention(f"A question; {opened.task.attention}")
    cli.ok("task", "update", ref.id, "--budget", "5.50")
    assert live_home.task(ref).attention == "A question"
    watcher.look(ref)
    assert len(live_home.events(ref, "budget.reached")) == 2  # another budget is another question


def test_project_says_who_goes_on_at_a_limit(live_home: LiveHome, cli: Cli) -> None:
    live_home.harness("other")
    limited_harness(live_home)
    (live_home.root / "home" / "config.yml").write_text("failover: [nobody]\n")
    assert "There is no agent" in cli.no("project", "update", "coffee", "--failover", "whoever")
    shown = cli.ok("project", "update", "coffee", "--failover", "other", "--failover", "claude", "--json").json()
    assert shown["failover"] == ["other", "claude"]
    ref = at_limit(live_home, "one")
    LimitWatcher(live_home).see(ref)
    assert [event["to"] for event in live_home.events(ref, "agent.handed_over")] == ["other"]
    assert cli.ok("project", "update", "coffee", "--failover", "", "--json").json()["failover"] == []
    assert live_home.orange.projects.failover("coffee") == []


def test_forty_tasks_of_one_account_go_on_one_by_one_each_once_and_none_has_crashed(
    world: World, later: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    orange, starts = world.orange, list[str]()
    refs = [world.task(status="doing", harness="limited", tmux_session=f"coffee/{n}") for n in range(40)]
    limits = orange.engine.parts.limits
    for ref in refs:
        with orange.engine.open(ref) as opened:
            opened.record("agent.spawned", window="worker", harness="limited", status="doing")
            words = "You've hit your limit · try again in 3 hours"
            record_limit(limits, opened, Sighting("worker", "limited", words, clock.now(), "last words"))

    def start(_: object, opened: OpenTask, **__: object) -> None:
        starts.append(opened.task.id)
        opened.record("agent.spawned", window="worker", harness="limited", status="doing")

    monkeypatch.setattr("orange_tui.engine.agents.Agents.go_on", start)
    monkeypatch.setattr(Sessions, "windows", lambda *_, **__: [])
    monkeypatch.setattr(Sessions, "judge", lambda *_, **__: DEAD)
    feed, rules = orange.new_feed(), ExitRules(orange.tasks, orange.agents)
    agents = LimitedAgents(orange.tasks, orange.agents, feed)

    def look() -> int:
        feed.index.refresh_all()
        before = len(starts)
        agents.look(())
        return len(starts) - before

    for ref in refs:
        rules.check(ref)
    assert look() == 0
    later.ahead = 3 * HOURS + 60
    assert (look(), look(), look()) == (1, 0, 0)  # one tries, and nobody else until it works
    for _ in refs[1:]:
        later.ahead += 11
        assert look() == 1
    later.ahead += 11
    assert look() == 0
    assert sorted(starts) == sorted(ref.id for ref in refs)
    assert limits.find("limited") == Limit("limited")
    assert [world.read(ref).crash_count for ref in refs] == [0] * len(refs)
    assert [world.read(ref).attention for ref in refs] == [None] * len(refs)
