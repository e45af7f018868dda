"""A budget in the life of a task: at its end Orange asks the person, who decides; nothing hangs silently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.office import kill_agent, started
from support.usage import used, write_usage

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.office import Office

PLAN = "\n## Plan\n\nAPPROACH: simple\nTOUCHING: all\n"
HANDOFF = "\n## Handoff\n\nDONE: all of it\n"
FAIL = "\n## Review\n\nVerdict: FAIL\n\nToo sweet.\n"


def write(office: Office, ref: TaskRef, text: str) -> None:
    with (office.root / "home" / "tasks" / ref.project / ref.id / "TASK.md").open("a") as file:
        file.write(text)


def spend(office: Office, ref: TaskRef, dollars: float) -> None:
    write_usage(office.orange.home, ref.project, ref.id, used(dollars))


def working(office: Office, cli: Cli) -> TaskRef:
    """A worker that has planned, of a task that may cost five dollars."""
    office.harness(orders="echo ready")
    ref = started(office, "brew")
    cli.ok("task", "update", ref.id, "--budget", "5")
    write(office, ref, PLAN)
    office.orange.tasks.update(ref, status="working")
    write(office, ref, HANDOFF)
    return ref


def test_review_over_budget_waits_for_the_person_or_for_a_larger_budget(office: Office, cli: Cli) -> None:
    ref = working(office, cli)
    spend(office, ref, 5.20)
    said = cli.ok("task", "update", ref.id, "--status", "agent-review")
    assert "Its budget of $5.00 is used up ($5.20)" in said.err
    assert (office.status(ref), office.windows(ref)) == ("agent-review", ["worker"])
    assert f"`orange task update {ref.id} --budget` raises it" in (office.task(ref).attention or "")
    assert [event["waits"] for event in office.events(ref, "budget.reached")] == ["start"]

    cli.ok("task", "respawn", ref.id)  # it is the person's own decision
    assert office.windows(ref) == ["review-1", "worker"]
    kill_agent(office, ref, "review-1")
    office.supervised(lambda: bool(office.events(ref, "agent.not_restarted")))
    assert office.windows(ref) == ["worker"]
    assert "could not be restarted: Its budget" in (office.task(ref).attention or "")

    cli.ok("task", "update", ref.id, "--budget", "7.50")
    office.supervised(lambda: office.windows(ref) == ["review-1", "worker"])
    assert office.task(ref).attention is None


def test_message_by_orange_waits_for_a_larger_budget_and_the_persons_own_does_not(office: Office, cli: Cli) -> None:
    ref = working(office, cli)
    cli.ok("task", "update", ref.id, "--status", "agent-review")
    spend(office, ref, 5)
    write(office, ref, FAIL)
    cli.ok("task", "update", ref.id, "--status", "working")
    assert "a message for the agent waits" in (office.task(ref).attention or "")
    cli.ok("task", "answer", ref.id, "Less sugar, please.")
    office.supervised(lambda: len(office.events(ref, "agent.notified")) == 1)
    assert len(office.events(ref, "budget.reached")) == 1
    cli.ok("task", "update", ref.id, "--budget", "0")
    office.supervised(lambda: len(office.events(ref, "agent.notified")) == 2)
    assert office.task(ref).attention is None
