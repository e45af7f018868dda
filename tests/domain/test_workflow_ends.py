"""Which end of a workflow is the good one, and which is for tasks that were given up: by its moves, not its words."""

from __future__ import annotations

import pytest

from orange_tui.domain.workflow_file.loader import load_workflow

ENDS = """\
name: bakery
states:
  ordered: {}
  baking: {}
  tasting: {}
%s
transitions:
  - {from: ordered, to: baking}
  - {from: baking, to: tasting}
%s
"""
SOLD, THROWN = "  sold: {terminal: true}", "  thrown: {terminal: true}"
SELL, THROW = "  - {from: tasting, to: sold}", "  - {from: [ordered, baking, tasting], to: thrown}"


def judged(states: str, moves: str) -> tuple[dict[str, str | None], str | None, str | None]:
    """How each terminal state is judged, and where a merge and a cancel of a task in the last state lead."""
    loaded = load_workflow(ENDS % (states, moves), "bakery.yml")
    assert loaded.workflow is not None, loaded.problems
    workflow = loaded.workflow
    ends = {name: state.end for name, state in workflow.states.items() if state.terminal}
    return ends, next(iter(workflow.good_ends("tasting", "person")), None), workflow.cancelled_end("tasting")


@pytest.mark.parametrize(
    ("states", "moves", "ends", "merged", "cancelled"),
    [
        # by its moves alone, in any order
        ((SOLD, THROWN), (SELL, THROW), {"sold": "done", "thrown": "cancelled"}, "sold", "thrown"),
        ((THROWN, SOLD), (THROW, SELL), {"sold": "done", "thrown": "cancelled"}, "sold", "thrown"),
        # a forced merge from the first state is still a merge
        (
            (SOLD, THROWN),
            (SELL, "  - {from: ordered, to: sold, by: force}", THROW),
            {"sold": "done", "thrown": "cancelled"},
            "sold",
            "thrown",
        ),
        # the name, where it is there
        (
            (SOLD, "  cancelled: {terminal: true}"),
            ("  - {from: ordered, to: sold}", SELL, "  - {from: tasting, to: cancelled}"),
            {"sold": "done", "cancelled": "cancelled"},
            "sold",
            "cancelled",
        ),
        # an end to which only the engine goes is no merge
        (
            (SOLD, THROWN, "  burnt: {terminal: true}"),
            (SELL, THROW, "  - {from: baking, to: burnt, by: engine}"),
            {"sold": "done", "thrown": "cancelled", "burnt": None},
            "sold",
            "thrown",
        ),
        # only one end: it is a good one
        ((SOLD,), (SELL, "  - {from: ordered, to: sold}"), {"sold": "done"}, "sold", None),
        # a state that is called done or cancelled is that, alone or beside others, from wherever it is reached
        (
            ("  done: {terminal: true}", THROWN),
            ("  - {from: [ordered, tasting], to: done}", THROW),
            {"done": "done", "thrown": "cancelled"},
            "done",
            "thrown",
        ),
        (
            ("  cancelled: {terminal: true}",),
            ("  - {from: tasting, to: cancelled}",),
            {"cancelled": "cancelled"},
            None,
            "cancelled",
        ),
        (
            (SOLD, "  thrown: {terminal: true, end: cancelled}", "  cancelled: {terminal: true}"),
            (SELL, "  - {from: [ordered, tasting], to: cancelled}"),
            {"sold": "done", "thrown": "cancelled", "cancelled": "cancelled"},
            "sold",
            "cancelled",
        ),
        # two good ends: each is one, and a merge takes the first
        (
            (SOLD, "  eaten: {terminal: true}", "  cancelled: {terminal: true}"),
            (SELL, "  - {from: tasting, to: eaten}", "  - {from: tasting, to: cancelled}"),
            {"sold": "done", "eaten": "done", "cancelled": "cancelled"},
            "sold",
            "cancelled",
        ),
        (
            ("  done: {terminal: true}", "  eaten: {terminal: true}", "  cancelled: {terminal: true}"),
            ("  - {from: baking, to: done}", "  - {from: tasting, to: eaten}", "  - {from: tasting, to: cancelled}"),
            {"done": "done", "eaten": "done", "cancelled": "cancelled"},
            "eaten",
            "cancelled",
        ),
        # given up from some states only, or from the same as the good end: never the first choice
        (
            (THROWN, SOLD),
            ("  - {from: baking, to: thrown}", SELL, "  - {from: tasting, to: thrown}"),
            {"sold": "done", "thrown": "cancelled"},
            "sold",
            "thrown",
        ),
        (
            (SOLD, THROWN),
            ("  - {from: [ordered, tasting], to: sold}", THROW),
            {"sold": "done", "thrown": "cancelled"},
            "sold",
            "thrown",
        ),
        # the file says it
        (
            ("  sold: {terminal: true, end: cancelled}", "  thrown: {terminal: true, end: done}"),
            (SELL, THROW),
            {"sold": "cancelled", "thrown": "done"},
            "thrown",
            "sold",
        ),
    ],
)
def test_ends_are_told_apart_by_the_moves_that_lead_there(
    states: tuple[str, ...],
    moves: tuple[str, ...],
    ends: dict[str, str | None],
    merged: str | None,
    cancelled: str | None,
) -> None:
    assert judged("\n".join(states), "\n".join(moves)) == (ends, merged, cancelled)


def test_end_is_for_terminal_states_and_one_of_two_words() -> None:
    loaded = load_workflow(ENDS % ("  sold: {end: eaten}\n  thrown: {end: done}", SELL), "bakery.yml")
    problems = "\n".join(map(str, loaded.problems))
    assert "done, cancelled" in problems
    assert "is for a terminal state only" in problems


def test_an_end_that_could_be_either_is_warned_about() -> None:
    states = "  done: {terminal: true}\n  shelved: {terminal: true}"
    moves = "  - {from: tasting, to: done}\n  - {from: baking, to: shelved}"
    loaded = load_workflow(ENDS % (states, moves), "bakery.yml")
    (warning,) = map(str, loaded.warnings)
    assert "bakery.yml:7" in warning
    assert "'shelved' is a good end or for cancelled tasks" in warning
    assert "`end: done` or `end: cancelled`" in warning
