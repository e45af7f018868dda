"""The same keys in a workflow with other names for everything: they follow its moves, not its words."""

from __future__ import annotations

import pytest

from support.keys import one_task, tries_every_key
from support.stage import Stage, story

KITCHEN = """\
name: kitchen
states:
  ordered: {agent: none}
  cooking: {agent: worker, respawn_prompt: cook}
  tasting: {agent: reviewer}
  plated: {agent: none}
  burnt: {agent: none}
  eaten: {terminal: true}
  thrown-away: {terminal: true}
transitions:
  - from: ordered
    to: cooking
    hooks: [acquire_workspace, {action: spawn_agent, prompt: cook}]
  - {from: cooking, to: tasting, hooks: [{action: spawn_reviewer, prompt: cook}]}
  - {from: cooking, to: burnt}
  - {from: tasting, to: plated}
  - {from: plated, to: eaten}
  - {from: plated, to: cooking, hooks: [{action: notify_worker, message: "Once more."}]}
  - {from: [ordered, burnt], to: thrown-away}
prompts: {cook: "Cook {summary}."}
"""


@pytest.mark.parametrize(
    ("status", "agent", "usable"),
    [
        ("ordered", None, "spawn x"),
        ("cooking", "busy", "attach a p"),
        ("cooking", "dead", "respawn p"),
        ("tasting", "dead", "p"),
        ("plated", None, "r m"),
        ("burnt", None, "x"),
        ("eaten", None, "d"),
        ("thrown-away", None, "d"),
    ],
)
@story
async def test_each_key_works_or_says_why_in_a_custom_workflow(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, status: str, agent: str | None, usable: str
) -> None:
    (stage.root / "home" / "workflows").mkdir()
    (stage.root / "home" / "workflows" / "kitchen.yml").write_text(KITCHEN)
    does = one_task(stage, monkeypatch, status, agent, workflow="kitchen")
    async with stage.open() as scene:
        await tries_every_key(scene, does, usable)


OPEN = """\
name: open
states: {open: {}, shut: {}, done: {terminal: true}}
initial: {open: {hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}}
transitions: [{from: open, to: shut}, {from: shut, to: done}]
prompts: {go: Go}
"""


@pytest.mark.parametrize(("workflow", "status", "usable"), [("autopilot", "new", "spawn x"), ("open", "open", "spawn")])
@story
async def test_enter_starts_a_task_that_no_move_of_a_person_starts(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, workflow: str, status: str, usable: str
) -> None:
    (stage.root / "home" / "workflows").mkdir()
    (stage.root / "home" / "workflows" / "open.yml").write_text(OPEN)
    does = one_task(stage, monkeypatch, status, None, workflow=workflow)
    async with stage.open() as scene:
        await tries_every_key(scene, does, usable)


@story
async def test_a_workflow_that_cannot_be_read_leaves_every_key_with_a_reason(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stage.root / "home" / "workflows").mkdir()
    (stage.root / "home" / "workflows" / "kitchen.yml").write_text(KITCHEN.replace("to: plated", "to: palted"))
    does = one_task(stage, monkeypatch, "cooking", None, workflow="kitchen")
    async with stage.open() as scene:
        await scene.sees("Its workflow cannot be used")
        await tries_every_key(scene, does, "")
