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

    from support.office import Office

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
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = office.harness(orders=ORDERS)
    ref = office.create("fix/tea", harness="recorder")
    app = OrangeApp(office.orange, "coffee")
    with guarded(monkeypatch) as guard:
        async with opened(office, app=app) as scene:
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
    answers = [(event["by"], event["decision"]) for event in office.events(ref, "approval.answered")]
    assert answers == [("person", "allowed for this task"), ("rule", "allowed")]


def test_a_window_that_is_closed_takes_its_question_with_it(office: Office) -> None:
    office.harness(orders=ORDERS)
    ref = office.create("fix/tea", harness="recorder")
    wait_until(lambda: len(office.orange.approvals.questions(ref)) == 1)
    office.orange.tasks.cancel(ref)
    wait_until(lambda: office.orange.approvals.questions(ref) == [])
