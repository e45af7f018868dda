"""Messages that have to wait, agents that died before they heard them, and conversations that are taken up again."""

from __future__ import annotations

import os
import re
import signal
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents import messages
from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime
from orange_tui.supervisor import supervisor
from orange_tui.supervisor.outbox import Outbox

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef
    from support.desk import Desk
    from support.driver import Cli
    from support.office import Office


# It asks until somebody writes to the pipe `go`, and takes messages from then on. Later ones do not ask at all.
ASKS = """\
echo "$@" >"$here/words"
if [ "$(wc -l <"$here/starts")" -eq 1 ]; then echo "Do you want to go on?"; read -r answer <"$here/go"; fi
printf '\\033[2J\\033[H'; echo ready
[ "$ORANGE_WINDOW" = worker ] || exec cat
exec cat >>"$here/heard"
"""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "_RETRY_SECONDS", 0.05)


def asking(office: Office) -> tuple[TaskRef, Path]:
    """A task whose agent asks for a permission, and the directory of that agent."""
    seen = office.harness(orders=ASKS)
    os.mkfifo(seen / "go")
    with (office.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  resume: ["{binary}", "--resume", "{session_id}"]\n  screen: {permission: ["Do you want"]}\n')
    office.orange = assemble(office.orange.home)
    ref = office.create("fix/asks", harness="recorder")
    office.wait(lambda: "Do you want" in screen(office, ref))
    return ref, seen


def screen(office: Office, ref: TaskRef) -> str:
    pane = office.orange.sessions.window(ref.id, "worker")
    return (pane and office.orange.tmux.screen(pane.pane_id)) or ""


def heard(seen: Path) -> str:
    return (seen / "heard").read_text() if (seen / "heard").exists() else ""


def still_waiting(office: Office, ref: TaskRef) -> list[str]:
    return [message.text for message in messages.undelivered(office.orange.store.journal(ref))]


def end_server(office: Office) -> None:
    os.kill(int(office.tmux.cmd("display-message", "-p", "#{pid}").stdout[0]), signal.SIGKILL)


def test_a_message_waits_while_the_agent_asks_and_arrives_once_when_it_has_stopped(office: Office) -> None:
    ref, seen = asking(office)
    assert not office.orange.agents.answer(ref, "Take the red one")
    looks = iter(range(5))
    office.supervised(lambda: next(looks, None) is None)  # a supervisor has tried, and left it
    assert (still_waiting(office, ref), office.events(ref, "agent.notified")) == (["Take the red one"], [])
    assert "red one" not in screen(office, ref)
    (seen / "go").write_text("yes\n")
    office.supervised(lambda: bool(office.events(ref, "agent.notified")))
    office.wait(lambda: heard(seen) == "Take the red one\n")
    assert still_waiting(office, ref) == []


def test_a_message_is_tried_again_however_busy_everything_else_is(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "_RETRY_SECONDS", 0.5)
    ref, seen = asking(office)
    other = office.create("fix/busy", harness="recorder")
    office.orange.agents.answer(ref, "Take the red one")
    (seen / "go").write_text("yes\n")
    office.wait(lambda: "ready" in screen(office, ref))

    def delivered_in_the_noise() -> bool:
        office.orange.tasks.update(other, summary=f"Change {os.urandom(4).hex()}")
        return bool(office.events(ref, "agent.notified"))

    office.supervised(delivered_in_the_noise)
    office.wait(lambda: heard(seen) == "Take the red one\n")


def test_a_message_to_the_worker_is_not_forgotten_because_a_reviewer_was_started(office: Office) -> None:
    ref, seen = asking(office)
    office.orange.agents.answer(ref, "Take the red one")
    task_file = office.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md"
    with task_file.open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: a\n\n## Handoff\n\nDONE: all\n")
    office.orange.tasks.update(ref, status="working")
    office.orange.tasks.update(ref, status="agent-review")
    assert office.windows(ref) == ["review-1", "worker"]
    (seen / "go").write_text("yes\n")
    office.supervised(lambda: bool(office.events(ref, "agent.notified")))
    office.wait(lambda: heard(seen) == "Take the red one\n")


def test_persons_message_to_a_dead_agent_is_delivered_once_to_the_restarted_one(office: Office) -> None:
    ref, seen = asking(office)
    office.orange.agents.answer(ref, "Take the red one")
    pane = office.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    office.tmux.cmd("kill-window", "-t", pane.window_id)
    office.supervised(lambda: office.task(ref).crash_count == 1)
    office.orange.agents.respawn(ref)
    office.wait(lambda: "ready" in screen(office, ref))
    office.supervised(lambda: not still_waiting(office, ref))
    assert office.orange.agents.answer(ref, "Take the blue one")
    office.wait(lambda: heard(seen) == "Take the red one\nTake the blue one\n")


def test_engines_message_to_a_dead_agent_is_not_repeated_to_the_restarted_one(office: Office) -> None:
    ref, _ = asking(office)
    with office.orange.engine.open(ref) as opened:
        messages.queue(opened, "hook 1", "worker", "Read TASK.md")
    assert still_waiting(office, ref) == ["Read TASK.md"]
    pane = office.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    office.tmux.cmd("kill-window", "-t", pane.window_id)
    office.supervised(lambda: office.task(ref).crash_count == 1)
    office.orange.agents.respawn(ref)
    assert still_waiting(office, ref) == []


def test_lost_agent_resumes_its_conversation_every_time(office: Office) -> None:
    ref, seen = asking(office)
    Runtime(office.orange.store.state_directory(ref)).update("worker", session_id="talk-7")
    for time in (1, 2):  # the second time before the agent has reported anything
        (seen / "words").unlink()
        end_server(office)
        office.supervised(lambda: len(office.events(ref, "session.lost")) == time)  # noqa: B023 - called at once
        assert office.orange.agents.respawn_lost() == [(ref, None)]
        office.wait(lambda: (seen / "words").exists() and (seen / "words").read_text() == "--resume talk-7\n")
        office.supervised(lambda: len(office.events(ref, "agent.notified")) == time)  # noqa: B023 - called at once
        office.wait(lambda: heard(seen).count("Resuming: Brew fix/asks") == time)  # noqa: B023 - called at once
    assert office.windows(ref) == ["worker"]


def end_agent(office: Office, ref: TaskRef, crashes: int = 0) -> None:
    """Close the worker's window; where that counts as a crash, the supervisor notices it."""
    pane = office.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    office.tmux.cmd("kill-window", "-t", pane.window_id)
    if crashes:
        office.supervised(lambda: len(office.events(ref, "agent.crashed")) == crashes)


def restarted_with(office: Office, cli: Cli, seen: Path, ref: TaskRef, *options: str) -> str:
    """The words that `orange task restart` starts the agent with."""
    (seen / "words").unlink(missing_ok=True)
    cli.ok("task", "respawn", ref.id, *options)
    office.wait(lambda: (seen / "words").exists() and (seen / "words").read_text().endswith("\n"))
    return (seen / "words").read_text().partition("\n")[0]


def test_respawn_resumes_the_conversation_of_a_dead_agent_where_it_can(office: Office, cli: Cli) -> None:
    ref, seen = asking(office)
    runtime = Runtime(office.orange.store.state_directory(ref))
    end_agent(office, ref)
    refused = cli.no("task", "respawn", ref.id, "--resume")
    assert refused == (
        f"{ref.id} knows no conversation of its agent; `orange task restart {ref.id} --fresh` starts a new one"
    )
    assert cli("task", "respawn", ref.id, "--resume", "--fresh").code == 2
    assert restarted_with(office, cli, seen, ref).startswith("Resuming: Brew")
    runtime.update("worker", session_id="talk-7")
    end_agent(office, ref)
    assert restarted_with(office, cli, seen, ref) == "--resume talk-7"
    end_agent(office, ref)
    assert restarted_with(office, cli, seen, ref) == "--resume talk-7"  # nobody has seen a crash
    end_agent(office, ref)
    assert restarted_with(office, cli, seen, ref, "--fresh").startswith("Resuming: Brew")


def test_conversation_whose_record_is_gone_is_not_resumed(office: Office, cli: Cli) -> None:
    office.harness()
    records = office.root / "records"
    with (office.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  reduced: ["{binary}", "{new_session_id}", "{prompt}"]\n')
        file.write('  resume: ["{binary}", "--resume", "{session_id}", "{prompt}"]\n')
        file.write(f"  sessions: {records}\n  session_format: claude\n")
    office.orange = assemble(office.orange.home)
    ref = office.create("brew", harness="recorder")
    end_agent(office, ref)
    Runtime(office.orange.store.state_directory(ref)).update("worker", session_id="talk-7")
    refused = cli.no("task", "respawn", ref.id, "--resume")
    assert refused == (
        f"{ref.id} cannot resume its conversation: recorder has no record of it;"
        f" `orange task restart {ref.id} --fresh` starts a new one"
    )
    folder = records / re.sub("[^A-Za-z0-9]", "-", office.orange.pool.worktree(str(office.task(ref).workspace)))
    folder.mkdir(parents=True)
    (folder / "talk-7.jsonl").write_text("{}\n")
    cli.ok("task", "respawn", ref.id, "--resume")
    (folder / "talk-7.jsonl").unlink()
    end_agent(office, ref)
    cli.ok("task", "respawn", ref.id)
    first, resumed, fresh = office.events(ref, "agent.spawned")
    assert ("session_id" in first, resumed["session_id"], resumed["resumed"]) == (False, "talk-7", True)
    assert (fresh["session_id"] != "talk-7", "resumed" in fresh) == (True, False)


def test_agent_that_crashed_on_its_resumed_conversation_starts_with_a_new_one(office: Office, cli: Cli) -> None:
    ref, seen = asking(office)
    runtime = Runtime(office.orange.store.state_directory(ref))
    runtime.update("worker", session_id="talk-7")
    end_agent(office, ref, crashes=1)
    assert restarted_with(office, cli, seen, ref) == "--resume talk-7"  # the one that crashed had not resumed it
    with office.orange.engine.open(ref) as opened:
        opened.change("status.changed", {"crash_count": 0})
    end_agent(office, ref, crashes=2)
    assert restarted_with(office, cli, seen, ref).startswith("Resuming: Brew")


def test_conversation_of_another_agent_is_not_resumed(office: Office, cli: Cli) -> None:
    ref, seen = asking(office)
    Runtime(office.orange.store.state_directory(ref)).update("worker", session_id="talk-7", agent="claude")
    end_agent(office, ref)
    assert restarted_with(office, cli, seen, ref).startswith("Resuming: Brew")


def test_lost_agent_without_a_known_conversation_starts_fresh(office: Office) -> None:
    ref, seen = asking(office)
    end_server(office)
    (seen / "words").unlink()
    assert office.orange.agents.respawn_lost() == [(ref, None)]
    office.wait(lambda: (seen / "words").exists() and (seen / "words").read_text().startswith("Resuming: Brew"))
    assert still_waiting(office, ref) == []


def under_review(office: Office, ref: TaskRef) -> None:
    with (office.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md").open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: a\n\n## Handoff\n\nDONE: all\n\n## Review\n\nVerdict: PASS\n")
    office.orange.tasks.update(ref, status="working")
    office.orange.tasks.update(ref, status="agent-review")


def test_persons_message_to_a_reviewer_that_has_ended_is_dropped_and_told(office: Office) -> None:
    ref, _ = asking(office)
    under_review(office, ref)
    with office.orange.engine.open(ref) as opened:
        messages.queue(opened, "answer 1", "review-1", "Look at the\nred one", by=messages.PERSON)
    office.orange.tasks.update(ref, status="reviewing")
    assert office.windows(ref) == ["worker"]
    office.supervised(lambda: not still_waiting(office, ref))
    (dropped,) = office.events(ref, "message.dropped")
    assert (dropped["message"], dropped["window"], dropped["reason"]) == ("answer 1", "review-1", "review-1 has ended")
    told = "Your message was not delivered, review-1 has ended: Look at the red one"
    office.supervised(lambda: office.task(ref).attention == told)


def test_messages_to_windows_that_have_ended_keep_no_supervisor_busy(desk: Desk) -> None:
    with desk.world.orange.engine.open(desk.ref) as opened:
        messages.queue(opened, "hook 1", "worker", "Read TASK.md")
        messages.queue(opened, "answer 1", "worker", "Take the red one", by=messages.PERSON)
    desk.die("worker")
    outbox = Outbox(desk.world.orange.tasks)
    assert outbox.deliver(desk.ref)  # nothing to try again
    assert [message.id for message in messages.undelivered(desk.world.orange.store.journal(desk.ref))] == ["answer 1"]
    assert desk.task.attention is None  # it waits for the next worker
    assert outbox.deliver(desk.ref)
    assert [kind for kind in desk.world.types(desk.ref) if kind == "message.dropped"] == ["message.dropped"]


def test_persons_message_to_a_crashed_reviewer_waits_for_the_restarted_one(desk: Desk) -> None:
    desk.review_begins()
    with desk.world.orange.engine.open(desk.ref) as opened:
        messages.queue(opened, "answer 1", "review-1", "Take the red one", by=messages.PERSON)
    desk.die("review-1")
    desk.look()
    assert Outbox(desk.world.orange.tasks).deliver(desk.ref)
    desk.start("review-1")
    assert [message.id for message in messages.undelivered(desk.world.orange.store.journal(desk.ref))] == ["answer 1"]


def test_agent_that_cannot_take_its_message_yet_holds_up_no_other_agents(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deliver(opened: OpenTask, message: messages.QueuedMessage, *_: object) -> bool:
        if message.text != "second":  # whoever is asked first is asking something
            return False
        opened.record("agent.notified", message=message.id, window=message.window)
        return True

    desk.review_begins()
    with desk.world.orange.engine.open(desk.ref) as opened:
        for window, text in (("worker", "first"), ("worker", "second"), ("review-1", "second")):
            messages.queue(opened, f"{window} {text}", window, text)
    monkeypatch.setattr(messages, "deliver", deliver)
    assert not Outbox(desk.world.orange.tasks).deliver(desk.ref)
    left = messages.undelivered(desk.world.orange.store.journal(desk.ref))
    assert [message.id for message in left] == ["worker first", "worker second"]
