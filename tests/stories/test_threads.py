"""Two comments, sent back in one message, answered by the agent, and on to the next review."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from orange_tui.delivery.feedback import request_changes
from orange_tui.review.threads_file import ThreadsFile
from support.driver import Result, orange, put
from support.git import commit

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.office import Office

DONE = "\n## Plan\n\nAPPROACH: simple\nTOUCHING: a.py\n\n## Handoff\n\nDONE: all\n"


class Worker:
    """Who types commands in the worker's window."""

    def __init__(self, office: Office, ref: TaskRef) -> None:
        self._cwd = office.worktree(ref)
        self._variables = {**os.environ, "ORANGE_TASK": ref.id, "ORANGE_WINDOW": "worker"}

    def __call__(self, *words: str) -> Result:
        return orange("task", *words, cwd=self._cwd, env=self._variables)


def test_two_comments_are_sent_in_one_message_answered_and_reviewed_again(office: Office) -> None:
    office.harness()
    ref = office.create("cortado", harness="recorder", review_harness="demo")
    office.supervised(lambda: office.rests(ref, "planning"))
    worker = Worker(office, ref)
    commit(office.worktree(ref), "a.py", "one = 1\ntwo = 2\n")
    with (office.worktree(ref) / "TASK.md").open("a") as file:
        file.write(DONE)
    with office.orange.store.open(ref) as opened:
        put(opened, "test", {"status": "reviewing"})

    for line, text in (("1", "Call it first"), ("2", "Needed at all?")):
        assert orange("task", "comment", ref.id, f"a.py:{line}", text).code == 0
    assert request_changes(office.orange.engine, ref, "Two small things.").hook_errors == ()
    (message,) = [event["text"] for event in office.events(ref, "message.queued")]
    for words in ("t1  a.py:1", "| one = 1", "Call it first", "t2  a.py:2", "Needed at all?", "orange task reply t1"):
        assert words in message

    assert "t1 a.py:1, t2 a.py:2" in worker("update", "--status", "agent-review").err
    head = commit(office.worktree(ref), "a.py", "first = 1\ntwo = 2\n")
    assert worker("reply", "t1", "Renamed", "--fixed", "--commit", head).code == 0
    assert "t2 a.py:2" in worker("update", "--status", "agent-review").err
    assert worker("reply", "t2", "By the tests", "--declined").code == 0
    assert worker("resolve", ref.id, "t1").code == 1
    handed_in = worker("update", "--status", "agent-review")
    assert handed_in.code == 0, handed_in
    office.supervised(lambda: office.rests(ref, "reviewing"))

    threads = ThreadsFile(office.orange.home, ref.project, ref.id).read()
    assert [(each.state, each.replies[0].author, each.replies[0].commit) for each in threads] == [
        ("fixed", "worker", head),
        ("declined", "worker", None),
    ]
    prompt = office.root / "home" / "tasks" / "coffee" / ref.id / "logs" / "review-1.prompt.md"
    assert "t1  a.py:1, from the person, fixed" in prompt.read_text()
