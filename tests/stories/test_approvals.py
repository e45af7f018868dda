"""An agent asks in its window, the person answers in the app, and the agent goes on: all of it for real."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from orange_tui.tui.app import OrangeApp
from orange_tui.tui.approvals.dialog import ApprovalDialog
from support.asking import wait_until
from support.live import opened
from support.loop_guard import guarded
from support.stage import story

if TYPE_CHECKING:
    import pytest

    from support.live_home import LiveHome

REPORT = {
    "hook_event_name": "PermissionRequest",
    "session_id": "s1",
    "cwd": "/",
    "tool_name": "Bash",
    "tool_input": {"command": "rm -rf build"},
}
# It asks twice for the same, and writes down what it was told.
ORDERS = f"""
for number in 1 2; do
    orange task ask --agent claude - <<'END' >"$here/new"
{json.dumps(REPORT)}
END
    mv "$here/new" "$here/answer-$number"
done
"""


@story
async def test_what_is_allowed_for_a_task_in_the_app_is_not_asked_again(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = live_home.harness(orders=ORDERS)
    ref = live_home.create("fix/tea", harness="recorder")
    app = OrangeApp(live_home.orange, "coffee")
    with guarded(monkeypatch) as guard:
        async with opened(live_home, app=app) as scene:
            await scene.sees("asks for permission: Bash: rm -rf build", "A allow?")
            await scene.press("A")
            await scene.until(lambda: isinstance(scene.app.screen, ApprovalDialog))
            await scene.until(lambda: bool(scene.app.screen.query(".buttons.-ready")))
            await scene.press("Y")
            await scene.until(lambda: "asks for permission" not in scene.text)
            await scene.until((folder / "answer-2").exists)
    assert sorted(set(guard.found)) == []
    allowed = {"hookEventName": "PermissionRequest", "decision": {"behavior": "allow"}}
    for number in (1, 2):
        assert json.loads((folder / f"answer-{number}").read_text()) == {"hookSpecificOutput": allowed}
    answers = [(event["by"], event["decision"]) for event in live_home.events(ref, "approval.answered")]
    assert answers == [("person", "allowed for this task"), ("rule", "allowed")]


def test_a_window_that_is_closed_takes_its_question_with_it(live_home: LiveHome) -> None:
    live_home.harness(orders=ORDERS)
    ref = live_home.create("fix/tea", harness="recorder")
    wait_until(lambda: len(live_home.orange.approvals.questions(ref)) == 1)
    live_home.orange.tasks.cancel(ref)
    wait_until(lambda: live_home.orange.approvals.questions(ref) == [])
