"""A task's history told to a person: one entry for one thing, in words, and nothing in it obeyed."""

from __future__ import annotations

import ast
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import orange_tui
from orange_tui.domain.actions import ACTIONS
from orange_tui.tui.drawing.event_sentences import EVENT_LINES, HOOK_SENTENCES, describe_event
from orange_tui.tui.drawing.history import entries, format_time, render_history
from support.looking import DARK, assert_harmless, nasty_text, steadily, style_at, texts

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
Event = dict[str, Any]
SPEC = {
    *("task.created", "task.updated", "task.merged", "task.cancelled", "task.tampered"),
    *("agent.spawned", "agent.respawned", "agent.notified", "agent.crashed", "session.lost"),
    *("transition.started", "hook.done", "hook.failed", "status.changed", "auto.advanced"),
    *("pr.created", "pr.merged", "pr.closed"),
}


def event(kind: str, at: str = "11:58:00", **details: object) -> Event:
    return {"type": kind, "timestamp": f"2026-05-04T{at}.000000Z", **details}


def move(source: str, target: str, by: str = "agent") -> Event:
    return {"from": source, "to": target, "by": by}


def told(*events: Event, width: int = 80) -> list[str]:
    return texts(render_history(events, width, DARK, now=NOW, newest_first=False))


HANDED_OVER = [
    event(
        "transition.started",
        **move("working", "agent-review"),
        hooks=[
            {"action": "kill_session"},
            {"action": "spawn_reviewer", "prompt": "reviewer"},
            {"action": "push_branch"},
        ],
    ),
    event("hook.done", index=0, action="kill_session"),
    event("agent.spawned", window="review-1", harness="claude", pid=1, server=2, status="agent-review"),
    event("hook.done", index=1, action="spawn_reviewer", engine={"review_round": 1}),
    event("hook.failed", index=2, action="push_branch", reason="no remote"),
    event("status.changed", **move("working", "agent-review")),
]


def test_a_limit_and_what_came_of_it_are_told_in_sentences() -> None:
    end = datetime(2026, 5, 4, 15, 30, tzinfo=UTC).astimezone()
    reached = event("limit.reached", window="worker", harness="claude", account="default", until="2026-05-04T15:30:00Z")
    lines = told(
        reached,
        {**reached, "until": "whenever"},
        event("agent.handed_over", **{"from": "claude", "to": "codex", "reason": "its limit"}),
        event("limit.ended", window="worker"),
        event("budget.reached"),
    )
    sentences = [line.split(maxsplit=2)[2] for line in lines]
    assert sentences == [
        f"claude reached its limit in worker, until {end:%Y-%m-%d %H:%M}",
        "claude reached its limit in worker",
        "Handed over from claude to codex: its limit",
        "The limit is over; worker goes on",
        "Its budget is used up: Orange starts nothing more for it by itself",
    ]


def test_a_move_is_one_entry_with_what_it_set_off_under_it() -> None:
    strips = render_history(HANDED_OVER, 80, DARK, now=NOW)
    assert texts(strips) == [
        "2m  → working → AI review, by the agent",
        "      ✓ ended the session",
        "      ▸ claude started in window review-1",
        "      ✗ push_branch failed: no remote",
    ]
    assert style_at(strips, "✗ ") == DARK.bad


def test_interrupted_move_says_so_and_keeps_later_events_apart() -> None:
    lines = told(
        *HANDED_OVER[:2], event("agent.crashed", "11:59:30", status="agent-review", reason="exit 1", crash_count=1)
    )
    assert lines == [
        " 2m  → working → AI review, by the agent",
        "       ✓ ended the session",
        "       … not finished yet",
        "now  ✗ The agent crashed in AI review (exit 1), crash 1",
    ]


def test_the_reason_of_an_automatic_move_stands_with_it() -> None:
    done = event("auto.advanced", **{"from": "working", "to": "agent-review"}, reason="the agent had ended")
    assert told(*HANDED_OVER, done)[-1] == "      → because the agent had ended"
    other = event("auto.advanced", **{"from": "a", "to": "b"}, reason="it was time")
    assert told(*HANDED_OVER, other)[-1] == "2m  → because it was time"


def test_the_newest_comes_first_unless_asked_otherwise() -> None:
    events = [event("task.created", "09:00:00", engine={"status": "pending"}), event("session.lost", "10:00:00")]
    assert texts(render_history(events, 80, DARK, now=NOW)) == [
        "2h  ! Its tmux server is gone",
        "3h  + Created, pending",
    ]
    assert told(*events)[0].endswith("Created, pending")


@pytest.mark.parametrize(
    ("happened", "sentence"),
    [
        (event("task.adopted"), "Adopted as it was"),
        (event("task.waiting", reason="no workspace is free"), "Waits: no workspace is free"),
        (event("task.updated", changes={"attention": [None, "look"]}), "Needs a person: look"),
        (event("task.updated", changes={"attention": ["look", None]}), "No longer needs a person"),
        (event("task.updated", fields={"summary": "Brew"}, changes={"summary": ["", "Brew"]}), "summary is now Brew"),
        (event("task.updated"), "Updated"),
        (event("task.merged", commit="0123456789abcdef"), "Merged as 0123456789"),
        (event("task.merged"), "Merged"),
        (event("task.cancelled", **{"from": "working"}), "Cancelled (was working)"),
        (
            event("task.tampered", refused=[7], reasons=["it is too long"]),
            "A line that Orange did not write into the history was not believed: it is too long",
        ),
        (
            event("task.tampered", fields={"status": "done"}, restored={}),
            "status changed by hand in TASK.md; restored",
        ),
        (event("message.queued", window="worker", text="Yes,\nplease"), "Message for worker: Yes, ⏎ please"),
        (event("agent.notified", window="worker"), "Message delivered to worker"),
        (event("gate.command", command="make test", exit_code=0), "Check passed: make test"),
        (event("gate.command", command="make test", exit_code=2), "Check failed (exit 2): make test"),
        (
            event("work.saved", workspace="coffee--1", ref="refs/x"),
            "Uncommitted work in coffee--1 saved as refs/x; S restores it to a branch",
        ),
        (event("work.restored", branch="rescued"), "Saved work restored to branch rescued"),
        (event("pr.created", url="https://x/1"), "Pull request created: https://x/1"),
        (event("pr.closed"), "Pull request closed"),
        (event("status.changed", **move("a", "b", "force")), "a → b, by a person, unreviewed"),
        (event("person.notified", via="bell", message="{0} [bold]"), "Notified you (bell): {0} [bold]"),
        (event("thread.added", thread="t1", path="a.py", line=3, by="person"), "You commented on a.py:3 (t1)"),
        (
            event("thread.added", thread="t2", path="", line=None, by="github"),
            "Somebody on GitHub commented on the task (t2)",
        ),
        (event("thread.replied", thread="t1", by="agent", state="fixed"), "The agent answered t1: fixed"),
        (event("thread.replied", thread="t1", by="person", state=None), "You answered t1"),
        (event("thread.resolved", thread="t1"), "You resolved t1"),
        (event("thread.resolved", thread="t1", by="github"), "Somebody on GitHub resolved t1"),
        (event("thread.reopened", thread="t1", by="checks"), "A check reopened t1"),
        (event("changes.requested", threads=["t1"], by="engine"), "Orange asked for changes (t1)"),
        (
            event("rule.used", event="checks_failed", count=2, limit=3),
            "Sent back by itself, 2 of 3: checks failed",
        ),
        (event("changes.requested", threads=["t1", "t2"]), "You asked for changes (t1, t2)"),
        (event("changes.requested"), "You asked for changes"),
        (event("user.thing", cups=3, engine={}), "user.thing · cups 3"),
    ],
)
def test_every_event_is_a_sentence(happened: Event, sentence: str) -> None:
    assert describe_event(happened).sentence == sentence


def test_every_event_and_every_hook_has_a_sentence() -> None:
    assert SPEC | _recorded_in_the_code() <= set(EVENT_LINES)
    assert set(HOOK_SENTENCES) == {*ACTIONS, "restore_workspace"}  # which no workflow can name


def _recorded_in_the_code() -> set[str]:
    """The event names that the code passes to `record`, `change` and `append`."""
    names = set()
    texts = [path.read_text() for path in Path(orange_tui.__file__).parent.rglob("*.py")]
    for text in [text for text in texts if re.search(r"\.\s*(record|change|_note_once)\b", text)]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                first = node.args[0]
                if node.func.attr in {"record", "change", "_note_once"} and isinstance(first, ast.Constant):
                    names.add(str(first.value))
    return {name for name in names if "." in name}


def test_hook_sentence_names_its_parameters() -> None:
    hooks = [{"action": "run_command", "command": "make {x}"}, {"action": "somebodys", "x": 1}]
    lines = told(
        event("transition.started", **move("a", "b", "engine"), hooks=hooks),
        event("hook.done", index=0, action="run_command"),
        event("hook.done", index=1, action="somebodys"),
        event("hook.done", index=7, action="set_field"),
        event("status.changed", **move("a", "b", "engine")),
    )
    assert lines == ["2m  → a → b, by Orange", "      ✓ ran make {x}", "      ✓ somebodys", "      ✓ set ? to ?"]


@pytest.mark.parametrize(
    ("stamp", "relative", "absolute"),
    [
        ("2026-05-04T11:59:30Z", "now", "2026-05-04 11:59"),
        ("2026-05-04T12:05:00Z", "now", "2026-05-04 12:05"),
        ("2026-05-04T11:15:00Z", "45m", "2026-05-04 11:15"),
        ("2026-05-04T09:00:00+02:00", "5h", "2026-05-04 07:00"),
        ("2026-05-01T11:00:00", "3d", "2026-05-01 11:00"),
        ("2026-01-01T00:00:00Z", "2026-01-01", "2026-01-01 00:00"),
        ("yesterday", "?", "?"),
        ("", "?", "?"),
    ],
)
def test_time_is_relative_or_a_date(stamp: str, relative: str, absolute: str) -> None:
    assert format_time(stamp, NOW, UTC) == relative
    assert format_time(stamp, None, UTC) == absolute


def test_long_sentences_wrap_under_themselves_and_a_narrow_screen_has_no_times() -> None:
    assert told(event("task.waiting", reason="no workspace is free at the moment"), width=24) == [
        "2m  … Waits: no",
        "      workspace is free",
        "      at the moment",
    ]
    assert texts(render_history([event("session.lost")], 20, DARK, zone=UTC)) == ["! Its tmux server is", "  gone"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | nasty_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)
some_event = st.dictionaries(
    st.sampled_from(
        ["timestamp", "from", "to", "by", "hooks", "index", "action", "fields", "changes", "reason", "text"]
    )
    | st.text(max_size=5),
    anything,
    max_size=5,
).flatmap(lambda details: st.sampled_from([*EVENT_LINES, "x\x1b[31m"]).map(lambda kind: {**details, "type": kind}))


@steadily
@given(st.lists(some_event, max_size=8), st.integers(0, 100))
def test_any_events_give_harmless_lines(events: list[Event], width: int) -> None:
    assert_harmless(render_history(events, width, DARK, now=NOW, zone=UTC), max(width, 8))
    assert len(entries(events)) <= len(events)
