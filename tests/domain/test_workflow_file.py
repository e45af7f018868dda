"""A sound workflow file loads, and says what it was written to say."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.conditions import Condition
from orange_tui.domain.gates.kinds import CommandGate
from orange_tui.domain.gates.outcome import OutcomeGate, ReportGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.domain.workflow import ConditionalTarget, Hook, Transition
from orange_tui.domain.workflow_file.loader import LoadedWorkflow, load_workflow

if TYPE_CHECKING:
    from orange_tui.domain.gates.gate import Gate


def example(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "workflows", name), encoding="utf-8") as file:
        return file.read()


FIRST_FULL = example("first_full.yml")
FIRST_MINIMAL = example("first_minimal.yml")
SMALL = example("small.yml")
EXTRA_LINE = SMALL.count("\n") + 1  # where a section added to SMALL begins


def loaded(text: str, *, extra_actions: tuple[str, ...] = ()) -> LoadedWorkflow:
    return load_workflow(text, "w.yml", extra_actions=extra_actions)


@pytest.mark.parametrize("text", [FIRST_FULL, FIRST_MINIMAL, SMALL], ids=["full", "minimal", "small"])
def test_valid_file_loads_without_problems_or_warnings(text: str) -> None:
    result = loaded(text)
    assert result.problems == ()
    assert result.warnings == ()
    assert result.workflow is not None


def test_a_file_without_initial_lets_tasks_start_where_the_first_design_did() -> None:
    workflow = loaded(FIRST_FULL).workflow
    assert workflow is not None
    acquire = Hook("acquire_workspace", {})
    spawn = {"harness": "task", "permissions": "full", "prompt": "clarification"}
    review = {
        "harness": "review",
        "permissions": "reduced",
        "prompt": "reviewer",
        "increment": "review_round",
    }
    assert list(workflow.initial) == ["pending", "clarification", "agent-review", "reviewing"]
    assert workflow.initial == {
        "pending": (),
        "clarification": (acquire, Hook("spawn_agent", spawn)),
        "agent-review": (acquire, Hook("spawn_agent", review)),
        "reviewing": (),
    }
    assert workflow.first_state == "pending"


def test_a_transition_from_a_list_of_states_is_one_from_each() -> None:
    workflow = loaded(SMALL.replace("from: doing, to: done", "from: [todo, doing], to: done, by: force")).workflow
    assert workflow is not None
    assert workflow.transitions[1:] == (
        Transition("todo", "done", by="force"),
        Transition("doing", "done", by="force"),
    )


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ('{section: "## Plan"}', SectionGate("## Plan")),
        ('{section: "## Plan", required: true}', SectionGate("## Plan")),
        ('{section: "## H", fields: [DONE, NO]}', SectionGate("## H", fields=("DONE", "NO"))),
        ('{section: "## R", verdict: FAIL}', SectionGate("## R", verdict="FAIL")),
        (
            '{section: "## R", verdict: PASS, verdict_line: first}',
            SectionGate("## R", verdict="PASS", verdict_line="first"),
        ),
        ("{outcome: passed}", OutcomeGate(("passed",))),
        ("{outcome: [passed, yes]}", OutcomeGate(("passed", "yes"))),
        ("{report: done}", ReportGate(("done",))),
        ("{command: true}", CommandGate("true")),
    ],
)
def test_every_kind_of_gate_is_read(text: str, gate: Gate) -> None:
    workflow = loaded(SMALL.replace("to: done}", f"to: done, gate: {text}}}")).workflow
    assert workflow is not None
    assert workflow.transitions[1].gate == gate


def test_a_command_may_be_meant_for_the_result_of_a_persons_merge() -> None:
    gate = "by: person, gate: {command: make test, verify: merged}"
    workflow = loaded(SMALL.replace("to: done}", f"to: done, {gate}}}")).workflow
    assert workflow is not None
    found = workflow.transitions[1].gate
    assert found == CommandGate("make test", "merged")
    assert found.description() == "`make test` to succeed on the merged result"


def test_a_signal_without_status_holds_in_every_state_that_is_not_terminal() -> None:
    text = SMALL + (
        "signals:\n"
        "  - {outcome: passed, then: done}\n"
        '  - {status: doing, has_artifact: {section: "## Handoff"}, then_when: '
        "[{when: crash_count < 1, then: done}, {when: crash_count >= 1, then: done}]}\n"
    )
    workflow = loaded(text).workflow
    assert workflow is not None
    first, second = workflow.signals
    assert (first.status, first.gate, first.then) == (("todo", "doing"), OutcomeGate(("passed",)), "done")
    assert second.status == ("doing",)
    assert second.then_when == (
        ConditionalTarget(Condition("crash_count", "<", 1), "done"),
        ConditionalTarget(Condition("crash_count", ">=", 1), "done"),
    )


def test_states_named_like_yaml_words_keep_their_names() -> None:
    workflow = loaded(SMALL.replace("doing", "on").replace("todo", "1")).workflow
    assert workflow is not None
    assert list(workflow.states) == ["1", "on", "done"]
    assert workflow.transitions[1].source == "on"


def test_an_action_of_a_plugin_takes_any_parameters() -> None:
    text = SMALL.replace("to: done}", "to: done, hooks: [{action: brew, cups: 2, beans: [a, b]}, brew]}")
    workflow = loaded(text, extra_actions=("brew",)).workflow
    assert workflow is not None
    assert workflow.transitions[1].hooks == (
        Hook("brew", {"cups": 2, "beans": ["a", "b"]}),
        Hook("brew", {}),
    )


def test_a_field_that_a_hook_counts_may_be_compared() -> None:
    for hook in ("{action: increment, field: tries}", "{action: set_field, field: tries, value: 0}"):
        text = SMALL.replace("from: doing, to: done}", f'from: doing, to: done, when: "tries < 3", hooks: [{hook}]}}')
        assert loaded(text).problems == ()


def test_states_that_lead_nowhere_or_are_never_reached_are_warned_about() -> None:
    text = SMALL.replace("  todo: {}\n", "  todo: {}\n  island: {}\n  pit: {}\n").replace(
        "to: done}", "to: done}\n  - {from: doing, to: pit}"
    )
    result = loaded(text)
    assert result.workflow is not None
    assert [(warning.line, warning.what) for warning in result.warnings] == [
        (4, "no path leads to 'island'"),
        (4, "no terminal state can be reached from 'island'"),
        (5, "no terminal state can be reached from 'pit'"),
    ]


def test_a_rule_without_its_transition_and_a_gate_that_requires_nothing_are_warned_about() -> None:
    rules = "exit_monitoring:\n  rules:\n    - {status: todo, then: done}\n"
    result = loaded(SMALL.replace("to: done}", 'to: done, gate: {section: "## A", required: false}}') + rules)
    assert result.workflow is not None
    gate, rule = result.warnings
    assert (gate.line, rule.line) == (9, EXTRA_LINE + 2)
    assert "always asks for content" in gate.what
    assert "no transition leads to 'done'" in rule.what
