"""A notice says which task, its status and the kind of need, and nothing that anybody wrote into a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.board import needs
from orange_tui.board.needs import Need
from orange_tui.board.rows import Snapshot, TaskRow
from orange_tui.domain.records import replace
from orange_tui.domain.task import make_task
from orange_tui.domain.usage.totals import Totals
from orange_tui.domain.workflow import STOPPED
from orange_tui.domain.workflow_file.loader import load_workflow
from orange_tui.home import paths
from orange_tui.notices.words import MOST_LINES, daily_notice, need_notice
from orange_tui.sessions.agent_state import AgentStatus
from orange_tui.store.store import TaskRef

if TYPE_CHECKING:
    from orange_tui.domain.workflow import Workflow

SECRET = "xyzzy-plugh"
WORDS = st.text(max_size=300)


def row(branch: str = "fix/login", need: Need | None = None, status: str = "working") -> TaskRow:
    task = make_task({"id": "t1", "project": "coffee", "branch": branch, "status": status, "workflow": "default"})
    order = (1, "", "coffee", "t1")
    return TaskRow(TaskRef("coffee", "t1"), task, None, "active", None, need, None, False, None, None, order)


def default_workflow() -> Workflow:
    found = load_workflow((Path(paths.shipped("workflows")) / "default.yml").read_text(), "default.yml").workflow
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("status", "facts", "attention", "said"),
    [
        ("working", needs.Facts("active", AgentStatus("permission", SECRET)), None, "asks for permission"),
        ("working", needs.Facts("active", AgentStatus("permission", "x", SECRET)), None, "asks for permission"),
        ("working", needs.Facts("active", AgentStatus("error", SECRET)), None, "reports an error"),
        ("working", needs.Facts("active", None), SECRET, "needs a decision of yours"),
        ("working", needs.Facts("active", None), STOPPED, "stopped without handing in"),
        ("working", needs.Facts("lost", None), None, "tmux server is gone"),
        ("working", needs.Facts("dead", None), None, "the agent has ended"),
        ("working", needs.Facts("active", None), f"The agent crashed ({SECRET})", "the agent crashed"),
        ("reviewing", needs.Facts("active", None, (SECRET,)), None, "waits for your review"),
        ("reviewing", needs.Facts("active", None, pull_request=SECRET), None, "pull request needs a look"),
        ("clarification", needs.Facts("active", None), None, "waits for your answer"),
        ("nowhere", needs.Facts("active", None), None, "workflow cannot be used"),
    ],
)
def test_need_is_told_in_our_own_words(status: str, facts: needs.Facts, attention: str | None, said: str) -> None:
    task = make_task({"status": status, "attention": attention, "summary": SECRET})
    notice = need_notice([row(need=needs.reason(task, default_workflow(), facts), status=status)])
    assert notice.title == "coffee/fix/login needs you"
    assert said in notice.body
    assert SECRET not in notice.title + notice.body
    assert notice.body.startswith(f"{status}: ")


@given(branch=WORDS, status=WORDS, sentence=WORDS, count=st.integers(1, 40))
def test_whatever_tasks_are_called_a_notice_is_short_and_calls_nobody(
    branch: str, status: str, sentence: str, count: int
) -> None:
    rows = [row(branch, Need(sentence, "attention"), status)] * count
    notice = need_notice(rows)
    for text in (notice.title, *notice.body.split("\n")):
        assert text.isprintable() or not any(ord(character) < 32 or ord(character) == 127 for character in text)
        assert not set(text) & set("@<>*`[]|\\\u202e")
        assert len(text) < 300
    assert len(notice.body.split("\n")) <= MOST_LINES + 1


def test_many_at_once_are_told_in_one_message_with_a_line_each() -> None:
    rows = [row(f"fix/{number}", Need("…", "review"), "reviewing") for number in range(12)]
    notice = need_notice(rows)
    lines = notice.body.split("\n")
    assert notice.title == "12 tasks need you"
    assert lines[0] == "coffee/fix/0: reviewing: it waits for your review (t1)"
    assert lines[-1] == "and 2 more"
    assert len(lines) == MOST_LINES + 1


def test_task_that_cannot_be_read_is_told_by_its_id() -> None:
    broken = replace(row(), task=None, error=SECRET, needs=Need(SECRET, "broken"))
    notice = need_notice([broken])
    assert notice.title == "coffee/t1 needs you"
    assert notice.body == "unreadable: its TASK.md cannot be read (t1)"


def test_summary_of_a_day_says_what_was_done_what_needs_you_and_what_it_cost() -> None:
    def at(status: str, updated: str, **more: Any) -> TaskRow:
        made = row(status=status)
        assert made.task is not None
        return replace(made, task=replace(made.task, updated_at=updated), **more)

    rows = (
        at("done", "2026-11-17T06:00:00Z", finished=True, session="none"),
        at("done", "2026-11-01T06:00:00Z", finished=True, session="none"),
        at("cancelled", "2026-11-17T06:00:00Z", finished=True, session="none"),
        at("working", "2026-11-17T06:00:00Z"),
        at("reviewing", "2026-11-17T06:00:00Z", needs=Need("…", "review")),
    )
    workflows = {"default": default_workflow()}
    snapshot = Snapshot(rows, {}, 1, {}, (), None, True, False, workflows, 0, {}, {})
    costs = [("yesterday", Totals(cost=4.2)), ("today", Totals(cost=0.5, unpriced=("llama",)))]
    notice = daily_notice(snapshot, "2026-11-16T08:00:00Z", costs)
    assert notice.title == "Orange: 1 need you"
    assert notice.body == "1 done since yesterday, 1 need you, 1 at work. Cost: $4.20 yesterday, over $0.50 today."
