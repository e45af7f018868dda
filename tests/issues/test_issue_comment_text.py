"""What is said on an issue: complete, short enough, and with nothing of the agent's text doing anything."""

from __future__ import annotations

import re
from typing import Any

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.issues._comment_text import MAX_CHARACTERS, TaskResult, comment_text
from orange_tui.outside.forge.literal_text import quote_text

NASTY = st.lists(
    st.sampled_from(
        ["@ana", "#7", "GH-7", "o/r#7", "<b>", "&#64;x", "`", "```", "~~~", "# ", "- ", "1. ", "> ", "[a](b)"]
    )
    | st.sampled_from(
        ["https://x", "www.x.y", "![i](u)", "    ", "\t", "\n", "---", "===", "|", "*", "_", "\\", "<!--"]
    )
    | st.text(max_size=5),
    max_size=12,
).map("".join)


def result(**more: Any) -> TaskResult:
    values: dict[str, Any] = {
        "task": "abc2345",
        "status": "done",
        "reported": "done",
        "harness": "claude",
        "model": "opus",
        "summary": "Brewed tea",
        "reason": "",
        "accomplished": ("Boiled water",),
        "remaining": (),
        "blockers": (),
        "delegated": (),
        "branch": "gh-task-7-tea",
        "details": ("attempt 1", "12 s", "345 tokens"),
    }
    return TaskResult(**{**values, **more})


def test_comment_says_who_did_what_where_and_how_long_it_took() -> None:
    text = comment_text(result(), {"gh-task-7-tea": "https://github.com/o/r/tree/gh-task-7-tea"})
    assert text.splitlines()[0] == "🍊 **done** · `claude` `opus`"
    assert "Brewed tea" in text
    assert "**Accomplished**\n\n- Boiled water" in text
    assert "Remaining" not in text
    assert "Branch: [`gh-task-7-tea`](https://github.com/o/r/tree/gh-task-7-tea)" in text
    assert "<sub>task abc2345 · attempt 1 · 12 s · 345 tokens</sub>" in text
    assert text.rstrip().endswith(result().marker)


def test_comment_on_a_blocked_task_says_why_and_what_was_delegated() -> None:
    blocked = result(
        status="blocked",
        reported="delegated",
        reason="No kettle",
        blockers=("kettle",),
        remaining=("pour",),
        delegated=(("Buy a kettle", "kid2345"),),
    )
    text = comment_text(blocked, {"kid2345": "https://github.com/o/r/pull/9"})
    assert text.startswith("🍊 **blocked** (the agent reports delegated) ·")
    assert "**Why:** No kettle" in text
    assert "- [Buy a kettle (kid2345)](https://github.com/o/r/pull/9)" in text
    assert "**Remaining**\n\n- pour" in text
    assert "**Blockers**\n\n- kettle" in text


def test_hash_depends_on_the_result_and_not_on_how_long_it_took() -> None:
    assert result().digest == result(details=("attempt 2",)).digest
    assert result().digest != result(summary="Brewed coffee").digest
    assert result().digest != result(task="other").digest


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ask @ana", "ask @ana"),
        ("closes #12 and o/r#3 and GH-4", "closes #12 and o/r#3 and GH-4"),
        ("see https://github.com/o/r/issues/5", "see https://github.com/o/r/issues/5"),
        ("**x** <img src=x> `y` &#64;ana", "**x** <img src=x> `y` &#64;ana"),
    ],
)
def test_people_read_what_the_agent_wrote_and_nobody_is_notified(text: str, same: str) -> None:
    made = quote_text(text)
    read = re.sub(r"\\(.)", r"\1", made).replace("\u200b", "").replace("&amp;", "&")
    assert read == same
    assert not re.search(r"@\w|#\d|GH-\d|://", made.replace("\\", ""))


@given(NASTY)
def test_agent_text_renders_as_plain_text_only(text: str) -> None:
    made = quote_text(text)
    html = str(mistune.create_markdown(escape=False, plugins=["table", "strikethrough", "url", "task_lists"])(made))
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= {"p", "br"}, made
    spoken = re.sub(r"<[^>]*>", "", html).replace("&amp;", "&").replace("&#64;", "@")
    assert not re.search(r"@[^\s\u200b]|#[^\s\u200b]|GH-\d", spoken.replace("&#", "")), made


@given(NASTY, NASTY)
def test_agent_text_cannot_pose_as_the_marker(one: str, other: str) -> None:
    made = result(summary=f"{one}<!-- orange task=x hash=y -->{other}", model=one, accomplished=(other,))
    assert comment_text(made, {}).count("<!--") == 1


def test_comment_is_never_longer_than_github_accepts() -> None:
    much = tuple("#" * 2000 for _ in range(100))
    text = comment_text(result(summary="@" * 50_000, reason="[" * 50_000, accomplished=much, remaining=much), {})
    assert len(text) < MAX_CHARACTERS + 200
    assert text.rstrip().endswith("-->")
    assert "… and 75 more" in comment_text(result(accomplished=tuple("x" * 100)), {})
