"""Comments, sent back in one message, answered by the agent, and on to the next review."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from orange_tui.delivery.feedback import request_changes
from orange_tui.review.threads_file import ThreadsFile
from support.driver import Result, orange, put
from support.git import commit
from support.live_home import kill_agent

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome

DONE = "\n## Plan\n\nAPPROACH: simple\nTOUCHING: a.py\n\n## Handoff\n\nDONE: all\n"


class Worker:
    """Who types commands in the worker's window."""

    def __init__(self, live_home: LiveHome, ref: TaskRef) -> None:
        self._cwd = live_home.worktree(ref)
        self._variables = {**os.environ, "ORANGE_TASK": ref.id, "ORANGE_WINDOW": "worker"}

    def __call__(self, *words: str) -> Result:
        return orange("task", *words, cwd=self._cwd, env=self._variables)


def test_two_comments_are_sent_in_one_message_answered_and_reviewed_again(live_home: LiveHome) -> None:
    live_home.harness()
    ref = live_home.create("cortado", harness="recorder", review_harness="demo")
    live_home.supervised(lambda: live_home.rests(ref, "planning"))
    worker = Worker(live_home, ref)
    commit(live_home.worktree(ref), "a.py", "one = 1\ntwo = 2\n")
    with (live_home.worktree(ref) / "TASK.md").open("a") as file:
        file.write(DONE)
    with live_home.orange.store.open(ref) as opened:
        put(opened, "test", {"status": "reviewing"})

    for line, text in (("1", "Call it first"), ("2", "Needed at all?")):
        assert orange("task", "comment", ref.id, f"a.py:{line}", text).code == 0
    assert request_changes(live_home.orange.engine, ref, "Two small things.").hook_errors == ()
    (message,) = [event["text"] for event in live_home.events(ref, "message.queued")]
    for words in ("t1  a.py:1", "| one = 1", "Call it first", "t2  a.py:2", "Needed at all?", "orange task reply t1"):
        assert words in message

    assert "t1 a.py:1, t2 a.py:2" in worker("update", "--status", "agent-review").err
    head = commit(live_home.worktree(ref), "a.py", "first = 1\ntwo = 2\n")
    assert worker("reply", "t1", "Renamed", "--fixed", "--commit", head).code == 0
    assert "t2 a.py:2" in worker("update", "--status", "agent-review").err
    assert worker("reply", "t2", "By the tests", "--declined").code == 0
    assert worker("resolve", ref.id, "t1").code == 1
    handed_in = worker("update", "--status", "agent-review")
    assert handed_in.code == 0, handed_in
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))

    threads = ThreadsFile(live_home.orange.home, ref.project, ref.id).read()
    assert [(each.state, each.replies[0].author, each.replies[0].commit) for each in threads] == [
        ("fixed", "worker", head),
        ("declined", "worker", None),
    ]
    prompt = live_home.root / "home" / "state" / "coffee" / ref.id / "logs" / "review-1.prompt.md"
    assert "t1  a.py:1, from the person, fixed" in prompt.read_text()


def comment(live_home: LiveHome, ref: TaskRef, text: str) -> None:
    """A person's draft on the first line that the task has changed."""
    path = live_home.git("diff", "--name-only", f"main...{live_home.task(ref).branch}").splitlines()[0]
    said = orange("task", "comment", ref.id, f"{path}:1", text)
    assert said.code == 0, said


def send_back(live_home: LiveHome, ref: TaskRef, text: str) -> None:
    """`r`, and then everybody at work until a person has it again."""
    moves = len(live_home.events(ref, "status.changed"))
    assert orange("task", "request-changes", ref.id, text).code == 0
    live_home.supervised(
        lambda: live_home.rests(ref, "reviewing") and len(live_home.events(ref, "status.changed")) > moves + 1
    )


def thread_states(live_home: LiveHome, ref: TaskRef) -> list[str]:
    return [each.state for each in ThreadsFile(live_home.orange.home, ref.project, ref.id).read()]


def test_in_solo_the_agent_is_told_in_one_message_and_one_that_is_gone_is_started_anew(live_home: LiveHome) -> None:
    ref = live_home.create("flat-white", workflow="solo")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    comment(live_home, ref, "Say why")
    send_back(live_home, ref, "One small thing.")
    (message,) = [event["text"] for event in live_home.events(ref, "message.queued")]
    for words in ("Read ## Feedback", "t1  ", "Say why", "orange task reply t1", "orange task complete"):
        assert words in message
    assert thread_states(live_home, ref) == ["fixed"]
    assert [event["window"] for event in live_home.events(ref, "agent.spawned")] == ["worker"]

    kill_agent(live_home, ref)
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.died")))
    send_back(live_home, ref, "And a longer README.")  # no thread keeps it from handing in what it had
    assert [event["window"] for event in live_home.events(ref, "agent.spawned")] == ["worker", "worker"]
    assert "As asked: And a longer README." in live_home.git("log", "--format=%s", "flat-white")
    assert live_home.task(ref).attention is None


def test_in_classic_a_new_worker_is_started_with_the_threads(live_home: LiveHome) -> None:
    ref = live_home.create("lungo", workflow="classic")
    live_home.supervised(lambda: live_home.rests(ref, "reviewing"))
    comment(live_home, ref, "Say why")
    send_back(live_home, ref, "One small thing.")
    windows = [event["window"] for event in live_home.events(ref, "agent.spawned")]
    assert windows == ["worker", "review-1", "worker-2", "review-2"]
    logs = live_home.root / "home" / "state" / "coffee" / ref.id / "logs"
    prompt = (logs / "worker-2.prompt.md").read_text()
    for words in ("Fixing: ", "## Feedback", "t1  ", "Say why", "orange task reply t1"):
        assert words in prompt
    assert ", from the person, fixed" in (logs / "review-2.prompt.md").read_text()
    assert thread_states(live_home, ref) == ["fixed"]
    assert (live_home.windows(ref), live_home.task(ref).tmux_session) == ([], None)
