"""The gate on threads: what it says, how it stands beside another gate, and what a workflow file may say of it."""

from __future__ import annotations

import pytest

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.gates.kinds import AllGates, CommandGate, gate_from_data
from orange_tui.domain.gates.outcome import OutcomeGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.domain.gates.threads import ThreadsGate
from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import Thread
from orange_tui.domain.workflow_file.loader import load_workflow
from support.evidence import Written

OPEN = Thread("t1", "a.py", 3, None, "x = 1", None, "person", "Why?", "open")
GATE = ThreadsGate("answered")
BOTH = AllGates((SectionGate("## Handoff"), GATE))
FILE = """\
name: x
states: {{a: {{}}, b: {{}}, z: {{terminal: true}}}}
transitions:
  - {{from: a, to: b, gate: {gate}}}
  - {{from: b, to: z}}
"""


def test_it_is_open_while_no_thread_is() -> None:
    for state in ("draft", "fixed", "declined", "resolved"):
        assert GATE.missing(Written(review=(replace(OPEN, state=state),))) is None
    assert GATE.missing(Written()) is None


def test_shut_it_names_the_open_threads_and_how_to_answer() -> None:
    said = GATE.missing(Written(review=(OPEN, replace(OPEN, id="t2", state="fixed"))))
    assert said is not None
    assert said.startswith("1 thread is open, and each needs an answer: t1 a.py:3. For example:")
    assert 'orange task reply t1 "what you did" --fixed' in said
    many = GATE.missing(Written(review=tuple(replace(OPEN, id=f"t{n}", line=n) for n in range(1, 9))))
    assert many is not None
    assert "8 threads are open" in many
    assert "t5 a.py:5 and 3 more" in many
    assert "t6" not in many


def test_threads_that_cannot_be_read_keep_it_shut() -> None:
    class Damaged(Written):
        def threads(self) -> tuple[Thread, ...]:
            raise Unreadable("threads.json is not JSON")

    assert GATE.missing(Damaged()) == "threads.json is not JSON"


def test_of_several_gates_each_says_what_it_lacks_and_a_command_runs_last() -> None:
    said = BOTH.missing(Written(review=(OPEN,)))
    assert said is not None
    assert said.index("no section ## Handoff") < said.index("1 thread is open")
    assert BOTH.missing(Written("## Handoff\nall\n", review=(OPEN,))) == GATE.missing(Written(review=(OPEN,)))
    assert BOTH.missing(Written("## Handoff\nall\n")) is None
    with_command = AllGates((CommandGate("make test"), GATE))
    assert "make test" not in str(with_command.missing(Written(review=(OPEN,))))
    assert "make test" in str(with_command.missing(Written()))
    assert with_command.missing(Written(succeeding=("make test",))) is None


def test_what_the_other_gate_looks_at_is_still_known() -> None:
    assert BOTH.artifact(Written("## Handoff\nall\n")) == "all"
    stuck = AllGates((OutcomeGate(("stuck",)), GATE))
    assert stuck.attention(Written(outcome_text='{"id": "a1", "outcome": "stuck", "reason": "no beans"}')) == (
        "The agent is stuck: no beans"
    )
    assert BOTH.description() == "## Handoff with something in it and every thread answered"


@pytest.mark.parametrize("gate", [GATE, BOTH, AllGates((OutcomeGate(("passed",)), GATE, CommandGate("make")))])
def test_it_is_the_same_after_a_trip_through_json(gate: ThreadsGate | AllGates) -> None:
    assert gate_from_data(gate.to_data()) == gate


def test_a_workflow_file_may_ask_for_it_alone_or_beside_another() -> None:
    alone = load_workflow(FILE.format(gate="{threads: answered}"), "x.yml")
    assert alone.workflow is not None
    assert alone.workflow.transitions[0].gate == GATE
    both = load_workflow(FILE.format(gate='{threads: answered, section: "## Handoff", required: true}'), "x.yml")
    assert both.workflow is not None
    assert both.workflow.transitions[0].gate == BOTH


@pytest.mark.parametrize(
    ("gate", "problem"),
    [("{threads: closed}", "answered"), ("{threads: }", "threads"), ("{threads: answered, fields: [A]}", "section")],
)
def test_anything_else_is_a_problem_with_the_way_out(gate: str, problem: str) -> None:
    loaded = load_workflow(FILE.format(gate=gate), "x.yml")
    assert loaded.workflow is None
    assert any(problem in str(each) for each in loaded.problems)
