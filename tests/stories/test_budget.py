"""A budget in the life of a task: at its end Orange asks the person, who decides; nothing hangs silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.live_home import kill_agent, started
from support.usage import used, write_usage

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.live_home import LiveHome

PLAN = "\n## Plan\n\nAPPROACH: simple\nTOUCHING: all\n"
HANDOFF = "\n## Handoff\n\nDONE: all of it\n"
FAIL = "\n## Review\n\nVerdict: FAIL\n\nToo sweet.\n"


def write(live_home: LiveHome, ref: TaskRef, text: str) -> None:
    with (live_home.root / "home" / "tasks" / ref.project / ref.id / "TASK.md").open("a") as file:
        file.write(text)


def spend(live_home: LiveHome, ref: TaskRef, dollars: float) -> None:
    write_usage(live_home.orange.home, ref.project, ref.id, used(dollars))


def working(live_home: LiveHome, cli: Cli) -> TaskRef:
    """A worker that has planned, of a task that may cost five dollars."""
    live_home.harness(orders="echo ready")
    ref = started(live_home, "brew")
    cli.ok("task", "update", ref.id, "--budget", "5")
    write(live_home, ref, PLAN)
    live_home.orange.tasks.update(ref, status="working")
    write(live_home, ref, HANDOFF)
    return ref


def test_review_over_budget_waits_for_the_person_or_for_a_larger_budget(live_home: LiveHome, cli: Cli) -> None:
    ref = working(live_home, cli)
    spend(live_home, ref, 5.20)
    said = cli.ok("task", "update", ref.id, "--status", "agent-review")
    assert "Its budget of $5.00 is used up ($5.20)" in said.err
    assert (live_home.status(ref), live_home.windows(ref)) == ("agent-review", ["worker"])
    assert f"`orange task update {ref.id} --budget` raises it" in (live_home.task(ref).attention or "")
    assert [event["waits"] for event in live_home.events(ref, "budget.reached")] == ["start"]

    cli.ok("task", "respawn", ref.id)  # it is the person's own decision
    assert live_home.windows(ref) == ["review-1", "worker"]
    kill_agent(live_home, ref, "review-1")
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.not_restarted")))
    assert live_home.windows(ref) == ["worker"]
    assert "could not be restarted: Its budget" in (live_home.task(ref).attention or "")

    cli.ok("task", "update", ref.id, "--budget", "7.50")
    live_home.supervised(lambda: live_home.windows(ref) == ["review-1", "worker"])
    assert live_home.task(ref).attention is None


def test_message_by_orange_waits_for_a_larger_budget_and_the_persons_own_does_not(
    live_home: LiveHome, cli: Cli
) -> None:
    ref = working(live_home, cli)
    cli.ok("task", "update", ref.id, "--status", "agent-review")
    spend(live_home, ref, 5)
    write(live_home, ref, FAIL)
    cli.ok("task", "update", ref.id, "--status", "working")
    assert "a message for the agent waits" in (live_home.task(ref).attention or "")
    cli.ok("task", "answer", ref.id, "Less sugar, please.")
    live_home.supervised(lambda: len(live_home.events(ref, "agent.notified")) == 1)
    assert len(live_home.events(ref, "budget.reached")) == 1
    cli.ok("task", "update", ref.id, "--budget", "0")
    live_home.supervised(lambda: len(live_home.events(ref, "agent.notified")) == 2)
    assert live_home.task(ref).attention is None
