"""A workflow goes into JSON and comes back the same."""

from __future__ import annotations

import glob
import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.conditions import Condition
from orange_tui.domain.gates.kinds import GATE_KINDS, AllGates, CommandGate
from orange_tui.domain.gates.outcome import OutcomeGate, ReportGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.domain.gates.threads import ThreadsGate
from orange_tui.domain.workflow import (
    ConditionalTarget,
    EventRule,
    ExitRule,
    Hook,
    Signal,
    State,
    Transition,
    Workflow,
)
from orange_tui.domain.workflow_file.data import from_data, to_data
from orange_tui.domain.workflow_file.loader import load_workflow

SHIPPED = sorted(glob.glob(os.path.join(os.path.dirname(__file__), "..", "..", "workflows", "*.yml")))


def there_and_back(workflow: Workflow) -> Workflow:
    return from_data(json.loads(json.dumps(to_data(workflow), allow_nan=False)))


@pytest.mark.parametrize("path", SHIPPED, ids=os.path.basename)
def test_a_shipped_workflow_comes_back_the_same(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        loaded = load_workflow(file.read(), path)
    assert loaded.problems == ()
    assert loaded.workflow is not None
    assert there_and_back(loaded.workflow) == loaded.workflow
    assert list(there_and_back(loaded.workflow).states) == list(loaded.workflow.states)


def test_to_data_does_not_share_what_it_returns() -> None:
    state = State("a", terminal=True)
    workflow = Workflow("w", 1, {"a": state}, {"a": ()}, (), 30, (), (), {"p": "text"})
    data = to_data(workflow)
    data["states"][0]["name"] = "b"
    data["prompts"]["p"] = "other"
    assert workflow.states == {"a": state}
    assert state.name == "a"
    assert workflow.prompts == {"p": "text"}


@pytest.mark.parametrize("damage", ["states", "initial", "transitions", "rules", "signals", "on", "name"])
def test_data_of_another_shape_is_not_taken_for_a_workflow(damage: str) -> None:
    data = to_data(Workflow("w", 1, {}, {}, (), 30, (), (), {}))
    del data[damage]
    with pytest.raises((KeyError, TypeError)):
        from_data(data)


def test_every_kind_of_gate_is_in_the_workflows_that_are_tried_here() -> None:
    assert set(gates) == set(GATE_KINDS)


words = st.text(max_size=8)
maybe = st.one_of(st.none(), words)
names = st.sampled_from(["a", "b", "on", "äöü"])
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), words),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)),
    max_leaves=4,
)
when = st.builds(Condition, words, st.sampled_from(["<", ">="]), st.integers())
several = st.lists(words, max_size=2).map(tuple)
gates = {
    "section": st.builds(SectionGate, words, several, maybe, words),
    "outcome": st.builds(OutcomeGate, several),
    "report": st.builds(ReportGate, several),
    "command": st.builds(CommandGate, words, maybe),
    "threads": st.builds(ThreadsGate, words),
}
one_gate = st.one_of(*gates.values())
gate = one_gate | st.builds(AllGates, st.lists(one_gate, min_size=2, max_size=3).map(tuple))
hooks = st.lists(st.builds(Hook, words, st.dictionaries(words, plain, max_size=2)), max_size=2).map(tuple)
arms = st.lists(st.builds(ConditionalTarget, when, names), max_size=2).map(tuple)
some = st.one_of(st.none(), gate)
transitions = st.builds(Transition, names, names, st.one_of(st.none(), when), maybe, some, hooks)
rules = st.builds(
    ExitRule,
    names,
    st.one_of(st.none(), when),
    st.one_of(st.none(), st.integers()),
    some,
    st.booleans(),
    maybe,
    arms,
    maybe,
    st.one_of(st.none(), st.integers()),
    st.booleans(),
)
signals = st.builds(Signal, st.lists(names, max_size=2).map(tuple), gate, maybe, arms)
events = st.builds(EventRule, words, names, names, st.integers(), st.one_of(st.none(), when))
states = st.lists(
    st.builds(State, names, st.booleans(), maybe, maybe, maybe, maybe), max_size=3, unique_by=lambda state: state.name
).map(lambda found: {state.name: state for state in found})
workflows = st.builds(
    Workflow,
    name=words,
    version=st.integers(),
    states=states,
    initial=st.dictionaries(names, hooks, max_size=2),
    transitions=st.lists(transitions, max_size=2).map(tuple),
    poll_interval=st.integers(),
    rules=st.lists(rules, max_size=2).map(tuple),
    signals=st.lists(signals, max_size=2).map(tuple),
    prompts=st.dictionaries(words, words, max_size=2),
    on=st.lists(events, max_size=2).map(tuple),
)


@settings(deadline=None, database=None)
@given(workflow=workflows)
def test_any_workflow_comes_back_the_same(workflow: Workflow) -> None:
    assert there_and_back(workflow) == workflow
