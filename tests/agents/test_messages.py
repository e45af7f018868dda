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
from orange_tui.supervisor import examiner
from orange_tui.supervisor.outbox import Outbox

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef
    from support.driver import Cli
    from support.live_home import LiveHome
    from support.watched_task import WatchedTask


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
    monkeypatch.setattr(examiner, "_RETRY_SECONDS", 0.05)


def asking(live_home: LiveHome) -> tuple[TaskRef, Path]:
    """A task whose agent asks for a permission, and the directory of that agent."""
    seen = live_home.harness(orders=ASKS)
    os.mkfifo(seen / "go")
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  resume: ["{binary}", "--resume", "{session_id}"]\n  screen: {permission: ["Do you want"]}\n')
    live_home.orange = assemble(live_home.orange.home)
    ref = live_home.create("fix/asks", harness="recorder")
    live_home.wait(lambda: "Do you want" in screen(live_home, ref))
    return ref, seen


def screen(live_home: LiveHome, ref: TaskRef) -> str:
    pane = live_home.orange.sessions.window(ref.id, "worker")
    return (pane and live_home.orange.tmux.screen(pane.pane_id)) or ""


def heard(seen: Path) -> str:
    return (seen / "heard").read_text() if (seen / "heard").exists() else ""


def still_waiting(live_home: LiveHome, ref: TaskRef) -> list[str]:
    return [message.text for message in messages.undelivered(live_home.orange.store.journal(ref))]


def end_server(live_home: LiveHome) -> None:
    os.kill(int(live_home.tmux.cmd("display-message", "-p", "#{pid}").stdout[0]), signal.SIGKILL)


def test_a_message_waits_while_the_agent_asks_and_arrives_once_when_it_has_stopped(live_home: LiveHome) -> None:
    ref, seen = asking(live_home)
    assert not live_home.orange.agents.answer(ref, "Take the red one")
    looks = iter(range(5))
    live_home.supervised(lambda: next(looks, None) is None)  # a supervisor has tried, and left it
    assert (still_waiting(live_home, ref), live_home.events(ref, "agent.notified")) == (["Take the red one"], [])
    assert "red one" not in screen(live_home, ref)
    (seen / "go").write_text("yes\n")
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.notified")))
    live_home.wait(lambda: heard(seen) == "Take the red one\n")
    assert still_waiting(live_home, ref) == []


def test_a_message_is_tried_again_however_busy_everything_else_is(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examiner, "_RETRY_SECONDS", 0.5)
    ref, seen = asking(live_home)
    other = live_home.create("fix/busy", harness="recorder")
    live_home.orange.agents.answer(ref, "Take the red one")
    (seen / "go").write_text("yes\n")
    live_home.wait(lambda: "ready" in screen(live_home, ref))

    def delivered_in_the_noise() -> bool:
        live_home.orange.tasks.update(other, summary=f"Change {os.urandom(4).hex()}")
        return bool(live_home.events(ref, "agent.notified"))

    live_home.supervised(delivered_in_the_noise)
    live_home.wait(lambda: heard(seen) == "Take the red one\n")


def test_a_message_to_the_worker_is_not_forgotten_because_a_reviewer_was_started(live_home: LiveHome) -> None:
    ref, seen = asking(live_home)
    live_home.orange.agents.answer(ref, "Take the red one")
    task_file = live_home.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md"
    with task_file.open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: a\n\n## Handoff\n\nDONE: all\n")
    live_home.orange.tasks.update(ref, status="working")
    live_home.orange.tasks.update(ref, status="agent-review")
    assert live_home.windows(ref) == ["review-1", "worker"]
    (seen / "go").write_text("yes\n")
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.notified")))
    live_home.wait(lambda: heard(seen) == "Take the red one\n")


def test_persons_message_to_a_dead_agent_is_delivered_once_to_the_restarted_one(live_home: LiveHome) -> None:
    ref, seen = asking(live_home)
    live_home.orange.agents.answer(ref, "Take the red one")
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.tmux.cmd("kill-window", "-t", pane.window_id)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)
    live_home.orange.agents.respawn(ref)
    live_home.wait(lambda: "ready" in screen(live_home, ref))
    live_home.supervised(lambda: not still_waiting(live_home, ref))
    assert live_home.orange.agents.answer(ref, "Take the blue one")
    live_home.wait(lambda: heard(seen) == "Take the red one\nTake the blue one\n")


def test_engines_message_to_a_dead_agent_is_not_repeated_to_the_restarted_one(live_home: LiveHome) -> None:
    ref, _ = asking(live_home)
    with live_home.orange.engine.open(ref) as opened:
        messages.queue(opened, "hook 1", "worker", "Read TASK.md")
    assert still_waiting(live_home, ref) == ["Read TASK.md"]
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.tmux.cmd("kill-window", "-t", pane.window_id)
    live_home.supervised(lambda: live_home.task(ref).crash_count == 1)
    live_home.orange.agents.respawn(ref)
    assert still_waiting(live_home, ref) == []


def test_lost_agent_resumes_its_conversation_every_time(live_home: LiveHome) -> None:
    ref, seen = asking(live_home)
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", session_id="talk-7")
    for time in (1, 2):  # the second time before the agent has reported anything
        (seen / "words").unlink()
        end_server(live_home)
        live_home.supervised(lambda: len(live_home.events(ref, "session.lost")) == time)  # noqa: B023 - called at once
        assert live_home.orange.agents.respawn_lost() == [(ref, None)]
        live_home.wait(lambda: (seen / "words").exists() and (seen / "words").read_text() == "--resume talk-7\n")
        live_home.supervised(lambda: len(live_home.events(ref, "agent.notified")) == time)  # noqa: B023 - called at once
        live_home.wait(lambda: heard(seen).count("Resuming: Brew fix/asks") == time)  # noqa: B023 - called at once
    assert live_home.windows(ref) == ["worker"]


def end_agent(live_home: LiveHome, ref: TaskRef, crashes: int = 0) -> None:
    """Close the worker's window; where that counts as a crash, the supervisor notices it."""
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.tmux.cmd("kill-window", "-t", pane.window_id)
    if crashes:
        live_home.supervised(lambda: len(live_home.events(ref, "agent.crashed")) == crashes)


def restarted_with(live_home: LiveHome, cli: Cli, seen: Path, ref: TaskRef, *options: str) -> str:
    """The words that `orange task restart` starts the agent with."""
    (seen / "words").unlink(missing_ok=True)
    cli.ok("task", "respawn", ref.id, *options)
    live_home.wait(lambda: (seen / "words").exists() and (seen / "words").read_text().endswith("\n"))
    return (seen / "words").read_text().partition("\n")[0]


def test_respawn_resumes_the_conversation_of_a_dead_agent_where_it_can(live_home: LiveHome, cli: Cli) -> None:
    ref, seen = asking(live_home)
    runtime = Runtime(live_home.orange.store.state_directory(ref))
    end_agent(live_home, ref)
    refused = cli.no("task", "respawn", ref.id, "--resume")
    assert refused == (
        f"{ref.id} knows no conversation of its agent; `orange task restart {ref.id} --fresh` starts a new one"
    )
    assert cli("task", "respawn", ref.id, "--resume", "--fresh").code == 2
    assert restarted_with(live_home, cli, seen, ref).startswith("Resuming: Brew")
    runtime.update("worker", session_id="talk-7")
    end_agent(live_home, ref)
    assert restarted_with(live_home, cli, seen, ref) == "--resume talk-7"
    end_agent(live_home, ref)
    assert restarted_with(live_home, cli, seen, ref) == "--resume talk-7"  # nobody has seen a crash
    end_agent(live_home, ref)
    assert restarted_with(live_home, cli, seen, ref, "--fresh").startswith("Resuming: Brew")


def test_conversation_whose_record_is_gone_is_not_resumed(live_home: LiveHome, cli: Cli) -> None:
    live_home.harness()
    records = live_home.root / "records"
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  reduced: ["{binary}", "{new_session_id}", "{prompt}"]\n')
        file.write('  resume: ["{binary}", "--resume", "{session_id}", "{prompt}"]\n')
        file.write(f"  sessions: {records}\n  session_format: claude\n")
    live_home.orange = assemble(live_home.orange.home)
    ref = live_home.create("brew", harness="recorder")
    end_agent(live_home, ref)
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", session_id="talk-7")
    refused = cli.no("task", "respawn", ref.id, "--resume")
    assert refused == (
        f"{ref.id} cannot resume its conversation: recorder has no record of it;"
        f" `orange task restart {ref.id} --fresh` starts a new one"
    )
    folder = records / re.sub("[^A-Za-z0-9]", "-", live_home.orange.pool.worktree(str(live_home.task(ref).workspace)))
    folder.mkdir(parents=True)
    (folder / "talk-7.jsonl").write_text("{}\n")
    cli.ok("task", "respawn", ref.id, "--resume")
    (folder / "talk-7.jsonl").unlink()
    end_agent(live_home, ref)
    cli.ok("task", "respawn", ref.id)
    first, resumed, fresh = live_home.events(ref, "agent.spawned")
    assert ("session_id" in first, resumed["session_id"], resumed["resumed"]) == (False, "talk-7", True)
    assert (fresh["session_id"] != "talk-7", "resumed" in fresh) == (True, False)


def test_agent_that_crashed_on_its_resumed_conversation_starts_with_a_new_one(live_home: LiveHome, cli: Cli) -> None:
    ref, seen = asking(live_home)
    runtime = Runtime(live_home.orange.store.state_directory(ref))
    runtime.update("worker", session_id="talk-7")
    end_agent(live_home, ref, crashes=1)
    assert restarted_with(live_home, cli, seen, ref) == "--resume talk-7"  # the one that crashed had not resumed it
    with live_home.orange.engine.open(ref) as opened:
        opened.change("status.changed", {"crash_count": 0})
    end_agent(live_home, ref, crashes=2)
    assert restarted_with(live_home, cli, seen, ref).startswith("Resuming: Brew")


def test_conversation_of_another_agent_is_not_resumed(live_home: LiveHome, cli: Cli) -> None:
    ref, seen = asking(live_home)
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", session_id="talk-7", agent="claude")
    end_agent(live_home, ref)
    assert restarted_with(live_home, cli, seen, ref).startswith("Resuming: Brew")


def test_lost_agent_without_a_known_conversation_starts_fresh(live_home: LiveHome) -> None:
    ref, seen = asking(live_home)
    end_server(live_home)
    (seen / "words").unlink()
    assert live_home.orange.agents.respawn_lost() == [(ref, None)]
    live_home.wait(lambda: (seen / "words").exists() and (seen / "words").read_text().startswith("Resuming: Brew"))
    assert still_waiting(live_home, ref) == []


def under_review(live_home: LiveHome, ref: TaskRef) -> None:
    with (live_home.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md").open("a") as file:
        file.write("\n## Plan\n\nAPPROACH: a\n\n## Handoff\n\nDONE: all\n\n## Review\n\nVerdict: PASS\n")
    live_home.orange.tasks.update(ref, status="working")
    live_home.orange.tasks.update(ref, status="agent-review")


def test_persons_message_to_a_reviewer_that_has_ended_is_dropped_and_told(live_home: LiveHome) -> None:
    ref, _ = asking(live_home)
    under_review(live_home, ref)
    with live_home.orange.engine.open(ref) as opened:
        messages.queue(opened, "answer 1", "review-1", "Look at the\nred one", by=messages.PERSON)
    live_home.orange.tasks.update(ref, status="reviewing")
    assert live_home.windows(ref) == ["worker"]
    live_home.supervised(lambda: not still_waiting(live_home, ref))
    (dropped,) = live_home.events(ref, "message.dropped")
    assert (dropped["message"], dropped["window"], dropped["reason"]) == ("answer 1", "review-1", "review-1 has ended")
    told = "Your message was not delivered, review-1 has ended: Look at the red one"
    live_home.supervised(lambda: live_home.task(ref).attention == told)


def test_messages_to_windows_that_have_ended_keep_no_supervisor_busy(watched: WatchedTask) -> None:
    with watched.world.orange.engine.open(watched.ref) as opened:
        messages.queue(opened, "hook 1", "worker", "Read TASK.md")
        messages.queue(opened, "answer 1", "worker", "Take the red one", by=messages.PERSON)
    watched.die("worker")
    outbox = Outbox(watched.world.orange.tasks)
    assert outbox.deliver(watched.ref)  # nothing to try again
    assert [message.id for message in messages.undelivered(watched.world.orange.store.journal(watched.ref))] == [
        "answer 1"
    ]
    assert watched.task.attention is None  # it waits for the next worker
    assert outbox.deliver(watched.ref)
    assert [kind for kind in watched.world.types(watched.ref) if kind == "message.dropped"] == ["message.dropped"]


def test_persons_message_to_a_crashed_reviewer_waits_for_the_restarted_one(watched: WatchedTask) -> None:
    watched.review_begins()
    with watched.world.orange.engine.open(watched.ref) as opened:
        messages.queue(opened, "answer 1", "review-1", "Take the red one", by=messages.PERSON)
    watched.die("review-1")
    watched.look()
    assert Outbox(watched.world.orange.tasks).deliver(watched.ref)
    watched.start("review-1")
    assert [message.id for message in messages.undelivered(watched.world.orange.store.journal(watched.ref))] == [
        "answer 1"
    ]


def test_agent_that_cannot_take_its_message_yet_holds_up_no_other_agents(
    watched: WatchedTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deliver(opened: OpenTask, message: messages.QueuedMessage, *_: object) -> bool:
        if message.text != "second":  # whoever is asked first is asking something
            return False
        opened.record("agent.notified", message=message.id, window=message.window)
        return True

    watched.review_begins()
    with watched.world.orange.engine.open(watched.ref) as opened:
        for window, text in (("worker", "first"), ("worker", "second"), ("review-1", "second")):
            messages.queue(opened, f"{window} {text}", window, text)
    monkeypatch.setattr(messages, "deliver", deliver)
    assert not Outbox(watched.world.orange.tasks).deliver(watched.ref)
    left = messages.undelivered(watched.world.orange.store.journal(watched.ref))
    assert [message.id for message in left] == ["worker first", "worker second"]
