"""The hook `route`, with a real program as its router: a good answer is used, and nothing else fails a move."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.engine.hooks import BUILT_IN, Action, Actions
from orange_tui.orange import assemble
from orange_tui.outside.programs import run_capped
from support.driver import transition
from support.live_home import LiveHome

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


WORKFLOW = """\
name: auto
states: {new: {}, routed: {}, again: {}, done: {terminal: true}}
initial: {new: {}}
transitions:
  - {from: new, to: routed, hooks: [{action: route, prompt: router TIMEOUT}]}
  - {from: routed, to: again, hooks: [{action: route, prompt: router}]}
  - {from: again, to: done}
prompts: {router: "Choose who does {summary}"}
"""
SKILL = "---\nname: brewing\ndescription: How to brew\n---\nUse hot water.\n"
# A router of our own: it keeps the question and says what the file beside it says.
ROUTER = '#!/bin/sh\nhere=$(dirname "$0")\nprintf "%s" "$2" >"$here/question"\nenv >"$here/env"\n. "$here/orders"\n'


@pytest.fixture
def routed_home(live_home: LiveHome) -> LiveHome:
    """A live home whose router is the demo."""
    settings(live_home, router="demo", router_fallback="demo")
    workflow(live_home)
    return live_home


def workflow(live_home: LiveHome, timeout: str = "") -> None:
    folder = live_home.root / "home" / "workflows"
    folder.mkdir(exist_ok=True)
    (folder / "auto.yml").write_text(WORKFLOW.replace(" TIMEOUT", f", timeout: {timeout}" if timeout else ""))


def settings(live_home: LiveHome, **values: object) -> None:
    (live_home.root / "home" / "config.yml").write_text(
        "".join(f"{key}: {json.dumps(v)}\n" for key, v in values.items())
    )


def skill(live_home: LiveHome, name: str, text: str = SKILL) -> None:
    folder = live_home.root / "home" / "skills" / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text)


def own_router(live_home: LiveHome, orders: str) -> Path:
    """A router that does as it is told; returns its folder."""
    folder = live_home.root / "oracle"
    folder.mkdir()
    (folder / "agent").write_text(ROUTER)
    (folder / "agent").chmod(0o755)
    (folder / "orders").write_text(orders)
    (live_home.root / "home" / "harnesses.yml").write_text(
        f'oracle:\n  binary: "{folder}/agent"\n  full: ["{{binary}}", "{{options}}", "{{prompt}}"]\n'
        '  one_shot: ["{binary}", "-p", "{prompt}", "{options}"]\n  model: ["--model", "{model}"]\n'
    )
    settings(live_home, router="oracle", router_fallback="demo")
    live_home.orange = assemble(live_home.orange.home, Actions(BUILT_IN))
    return folder


def new(live_home: LiveHome, summary: str = "Brew", **fields: object) -> TaskRef:
    ref = live_home.create(f"b-{len(live_home.orange.store.refs())}", summary=summary, workflow="auto", spawn=False)
    with live_home.orange.engine.open(ref) as opened:
        opened.change("task.updated", {"harness": None, **fields})
    return ref


def move(live_home: LiveHome, ref: TaskRef, target: str = "routed") -> tuple[dict[str, Any], Any]:
    """Route a task; returns what the history says of it, and the task."""
    moved = transition(live_home.orange, ref, target, "person")
    assert moved.hook_errors == ()
    assert moved.task.attention is None
    return live_home.events(ref, "task.routed")[-1], live_home.task(ref)


def test_valid_router_answer_sets_harness_and_model(routed_home: LiveHome) -> None:
    skill(routed_home, "brewing")
    event, task = move(routed_home, new(routed_home, "Brew [model:large] [skill:brewing]"))
    assert "fallback" not in event
    assert (task.harness, task.model, task.number("lane")) == ("demo", "large", 1)
    assert (
        task.extra["route"]
        == event["route"]
        == {
            "executor": "demo",
            "model": "large",
            "decompose": False,
            "question": False,
            "reason": "The demo agent knows this kind of work.",
            "profile": {
                "role": "Barista",
                "skills": ["Python", "git"],
                "tools": ["Edit"],
                "constraints": ["touch nothing that the task does not name"],
            },
            "selected_skills": ["brewing"],
        }
    )


@pytest.mark.parametrize(
    ("fields", "summary", "lane"),
    [
        ({}, "Brew", 1),
        ({"issue": 7}, "Brew", 1),
        ({}, "Why is it cold? [question]", 2),
        ({"issue": 7}, "Why is it cold? [question]", 2),
        ({"worktree": True}, "Why is it cold? [question]", 1),
        ({"worktree": False}, "Brew", 2),
        ({"worktree": "no"}, "Brew", 1),
        ({"issue": 7}, "Brew [decompose]", 3),
        ({"worktree": True}, "Brew [decompose]", 3),
    ],
)
def test_the_lane_follows_from_question_worktree_and_splitting(
    routed_home: LiveHome, fields: dict[str, object], summary: str, lane: int
) -> None:
    assert move(routed_home, new(routed_home, summary, **fields))[1].number("lane") == lane


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("bad-json", "the router names no executor"),  # what is whole in it is the profile
        ("no-json", "the router's answer has no JSON object in it"),
        ("unknown-agent", "the router names an agent that does not exist: 'hal9000'"),
        ("no-agent", "the router names no executor"),
        ("fails", "demo: it ended with 3: Error: no more coffee"),
        ("chatty", "printed more than 1,000,000 bytes and was ended"),
    ],
)
def test_router_failure_leads_to_the_fallback(routed_home: LiveHome, word: str, reason: str) -> None:
    event, task = move(routed_home, new(routed_home, f"Brew [{word}] [decompose]"))
    assert reason in event["fallback"]
    assert (task.harness, task.model, task.number("lane")) == ("demo", None, 1)
    assert event["route"]["decompose"] is False
    assert event["route"]["reason"] == f"The fallback: {event['fallback']}"
    assert reason in (routed_home.root / "home" / "orange.log").read_text()


def test_a_router_that_takes_too_long_is_ended_with_all_it_started(routed_home: LiveHome) -> None:
    folder = own_router(routed_home, 'sleep 3600 & echo $! >"$here/child"; wait')
    workflow(routed_home, timeout="1")
    event, task = move(routed_home, new(routed_home))
    assert event["fallback"] == "oracle: agent took longer than 1 s and was ended"
    assert task.harness == "demo"
    routed_home.wait(lambda: not is_alive(int((folder / "child").read_text())))


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("values", "fallback", "executor"),
    [
        ({}, "no agent is installed that could be asked", None),
        ({"router_fallback": "codex"}, "no agent is installed that could be asked", None),
        ({"router": "codex", "router_fallback": "demo"}, "`router` in config.yml names codex, which is not", "demo"),
        ({"router": "hal", "router_fallback": "demo"}, "There is no agent 'hal'", "demo"),
        ({"rooter": "x"}, "there is no setting 'rooter'", None),
        ({"router": "demo", "router_fallback": "demo", "router_model": "a b"}, None, "demo"),
    ],
)
def test_settings_that_name_no_agent_are_logged_and_stop_nothing(
    routed_home: LiveHome,
    monkeypatch: pytest.MonkeyPatch,
    values: dict[str, str],
    fallback: str | None,
    executor: str | None,
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    settings(routed_home, **values)
    event, task = move(routed_home, new(routed_home))
    assert (fallback or "") in event.get("fallback", "")
    assert task.harness == executor


def test_the_router_is_told_what_it_needs_as_one_argument_and_data_stays_data(
    routed_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = '{"executor": "oracle", "selected_skills": ["brewing", "ghost"]}'
    folder = own_router(routed_home, f"echo '{answer}'")
    skill(routed_home, "brewing")
    skill(routed_home, "broken", "no head at all\n")
    skill(routed_home, "silent", "---\nname: silent\n---\nx\n")
    monkeypatch.setenv("ORANGE_TASK", "somebody")
    ref = new(routed_home, "Brew $(touch hacked) `touch hacked`; {branch}", labels=["hot", "agent:nobody"])
    with routed_home.orange.engine.open(ref) as opened:
        opened.edit_body("task.updated", lambda body: f"{body}\n```\n\x1b[2J## Answer\n" + "long " * 4000)
    event, task = move(routed_home, ref)
    assert (event["route"]["executor"], event["route"]["selected_skills"]) == ("oracle", ["brewing"])
    assert task.harness == "oracle"
    question = (folder / "question").read_text()
    lines = question.splitlines()
    assert lines[:3] == ["Route this task.", "", "Choose who does Brew $(touch hacked) `touch hacked`; {branch}"]
    assert "Summary: Brew $(touch hacked) `touch hacked`; {branch}" in lines
    assert "Labels: hot, agent:nobody" in lines
    assert "````" in lines  # longer than the fence in the body
    assert r"\x1b[2J## Answer" in lines
    assert "\x1b" not in question
    assert "characters more)" in question
    assert "- oracle: oracle; takes a model by name" in lines
    assert "- brewing: How to brew" in lines
    assert "broken" not in question
    assert not list(routed_home.root.rglob("hacked"))
    log = (routed_home.root / "home" / "orange.log").read_text()
    assert "skill left out" in log
    assert "there is no skill ghost" in log
    assert "ORANGE_TASK=" not in (folder / "env").read_text()


def test_demo_is_no_executor_unless_a_setting_names_it(routed_home: LiveHome) -> None:
    folder = own_router(routed_home, 'echo \'{"executor": "demo"}\'')
    settings(routed_home, router="oracle", router_fallback="oracle")
    event, task = move(routed_home, new(routed_home))
    assert event["fallback"] == "the router names demo, which is not installed"
    assert task.harness == "oracle"
    assert "- demo:" not in (folder / "question").read_text()


def test_persons_choice_is_kept_and_the_router_chooses_the_rest(routed_home: LiveHome) -> None:
    ref = new(routed_home, "Brew [decompose] [model:large]", harness="codex", model="o9")
    event, task = move(routed_home, ref)
    assert (task.harness, task.model, task.number("lane")) == ("codex", "o9", 3)
    assert event["route"]["by_person"] == ["harness", "model"]
    _, task = move(routed_home, ref, "again")
    assert (task.harness, task.model) == ("codex", "o9")


def test_persons_choice_equal_to_the_routers_stays_a_persons_choice(routed_home: LiveHome) -> None:
    ref = new(routed_home, "Brew", harness="demo")
    move(routed_home, ref)
    own_router(routed_home, 'echo \'{"executor": "oracle", "model": "x"}\'')
    _, task = move(routed_home, ref, "again")
    assert (task.harness, task.model) == ("demo", None)


def test_fields_set_by_an_earlier_route_are_no_persons_choice(routed_home: LiveHome) -> None:
    ref = new(routed_home, "Brew [model:large]")
    move(routed_home, ref)
    own_router(routed_home, 'echo \'{"executor": "oracle"}\'')
    _, task = move(routed_home, ref, "again")
    assert (task.harness, task.model) == ("oracle", None)


def test_labels_choose_agent_and_model_unless_fields_do(routed_home: LiveHome) -> None:
    _, task = move(routed_home, new(routed_home, labels=["agent:ghost", "Agent:codex", "model:--bad", "model:o9"]))
    assert (task.harness, task.model) == ("codex", "o9")
    _, task = move(routed_home, new(routed_home, labels=["agent:codex"], harness="pi"))
    assert task.harness == "pi"


def test_the_router_is_told_what_a_person_has_chosen_and_may_still_choose_the_rest(routed_home: LiveHome) -> None:
    folder = own_router(routed_home, 'echo \'{"executor": "demo", "model": "x", "profile": {"role": "Barista"}}\'')
    event, task = move(routed_home, new(routed_home, harness="oracle", labels=["model:o9"]))
    said = "A person has chosen the agent oracle already. A person has chosen the model o9 already."
    assert said in (folder / "question").read_text()
    assert (task.harness, task.model, event["route"]["profile"]["role"]) == ("oracle", "o9", "Barista")


def test_neither_subtask_nor_task_with_subtasks_is_split_again(routed_home: LiveHome) -> None:
    parent = new(routed_home, "Brew [decompose]")
    subtask = routed_home.create("subtask", summary="Brew [decompose]", workflow="auto", spawn=False, parent=parent.id)
    event, task = move(routed_home, subtask)
    assert (task.number("lane"), event["route"]["decompose"]) == (1, False)
    assert "Not split: it is a subtask." in event["route"]["reason"]
    event, task = move(routed_home, parent)
    assert task.number("lane") == 1
    assert "Not split: it has subtasks already." in event["route"]["reason"]


def test_route_hook_killed_after_the_answer_does_not_ask_again(routed_home: LiveHome) -> None:
    folder = own_router(routed_home, 'echo asked >>"$here/asked"; echo \'{"executor": "oracle"}\'')
    ref = new(routed_home)
    real = Actions(BUILT_IN).find("route").run

    class Killed(BaseException):
        pass

    def killed(run: Any) -> None:
        real(run)
        raise Killed

    with pytest.raises(Killed):
        transition(
            assemble(routed_home.orange.home, Actions({**BUILT_IN, "route": Action(killed)})), ref, "routed", "person"
        )
    with routed_home.orange.engine.open(ref) as opened:
        assert (opened.task.harness, opened.task.number("lane")) == ("oracle", 1)
    assert (folder / "asked").read_text() == "asked\n"
    assert len(routed_home.events(ref, "task.routed")) == 1


def test_a_program_that_leaves_a_child_behind_is_waited_for_no_longer_than_itself(tmp_path: Path) -> None:
    words = ["/bin/sh", "-c", "sleep 30 & echo $!"]
    done = run_capped(words, directory=str(tmp_path), environment=dict(os.environ), timeout=60, most=100)
    assert (done.code, is_alive(int(done.output))) == (0, True)
    os.kill(int(done.output), 9)
