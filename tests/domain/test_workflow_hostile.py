"""No text, hostile, huge or spoiled, does more to the loader than be answered with problems."""

from __future__ import annotations

import os
import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.workflow_file.loader import LoadedWorkflow, load_workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random


def example(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "workflows", name), encoding="utf-8") as file:
        return file.read()


FIRST_MINIMAL = example("first_minimal.yml")
SMALL = example("small.yml")


def loaded(text: str) -> LoadedWorkflow:
    return load_workflow(text, "w.yml")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "~",
        "just words",
        "- a\n- b\n",
        "{" * 30_000,
        "states: &a {b: *a}\n",
        "name: !!python/name:os.system x\n",
        "a" * 10_000_000,
        "\x00",
        "\ud800",
        SMALL + "---\n" + SMALL,
        "states: 1\ntransitions: 2\nprompts: 3\ninitial: 4\nsignals: 5\nexit_monitoring: 6\nname: [7]\n",
        "initial: {}\nstates: {}\nname: x\ntransitions: []\n",
    ],
)
def test_a_file_that_is_no_workflow_gets_problems_and_never_an_exception(text: str) -> None:
    result = loaded(text)
    assert result.workflow is None
    assert result.problems
    assert all(problem.line >= 1 and problem.what and problem.fix for problem in result.problems)


MANY = 9000 if os.environ.get("THOROUGH") else 2000  # what grows with the square of it is found with fewer, too
HUGE = {
    "states": lambda: SMALL.replace(
        "  todo: {}\n", "  todo: {}\n" + "".join(f"  s{n}: {{a{n}: 1}}\n" for n in range(MANY))
    ),
    "sources": lambda: SMALL.replace("from: doing", f"from: [{', '.join(['nowhere'] * 4 * MANY)}]"),
    "signals": lambda: SMALL + "signals:\n" + "  - {outcome: x, then: nowhere}\n" * MANY,
    "transitions": lambda: SMALL.replace(
        "to: done}",
        "to: done}\n" + "\n".join(f'  - {{from: todo, to: done, when: "crash_count == {n}"}}' for n in range(MANY)),
    ),
}


@pytest.mark.parametrize("kind", HUGE)
def test_file_with_thousands_of_them_is_checked_within_seconds(kind: str) -> None:
    text = HUGE[kind]()
    began = time.monotonic()
    assert loaded(text).problems
    assert time.monotonic() - began < 120


def test_what_a_file_says_reaches_no_terminal_as_an_escape_sequence() -> None:
    (problem,) = map(str, loaded(SMALL.replace("to: done}", 'to: "\\e[31m' + "x" * 500 + '"}')).problems)
    assert "\x1b" not in problem
    assert "\\x1b[31m" in problem
    assert len(problem) < 300


@settings(deadline=None, database=None)
@given(text=st.text())
def test_any_text_gives_problems_or_a_workflow(text: str) -> None:
    result = loaded(text)
    assert (result.workflow is None) == bool(result.problems)


WORDS = [
    "todo",
    "doing",
    "done",
    "work",
    "spawn_agent",
    "## Plan",
    "crash",
    "review_round < 2",
    "{x}",
    "",
    "a b",
]
KEYS = [
    "from",
    "to",
    "when",
    "by",
    "gate",
    "hooks",
    "action",
    "status",
    "then",
    "then_when",
    "section",
    "states",
]
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(), st.sampled_from(WORDS), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.one_of(st.sampled_from(KEYS), st.integers(0, 3)), inner, max_size=3),
    ),
    max_leaves=5,
)


def spoil(value: object, junk: object, chance: random.Random) -> object:
    """A copy of plain data in which some value, somewhere, is something else."""
    if chance.random() < 0.04:
        return junk
    if isinstance(value, dict):
        renamed = chance.random() < 0.03
        return {
            ("x" if renamed and n == 0 else key): spoil(inner, junk, chance)
            for n, (key, inner) in enumerate(value.items())
        }
    if isinstance(value, list):
        return [spoil(inner, junk, chance) for inner in value]
    return value


@settings(deadline=None, database=None)
@given(
    text=st.sampled_from([FIRST_MINIMAL, SMALL]),
    junk=JUNK,
    chance=st.randoms(use_true_random=False),
)
def test_a_spoiled_file_gives_problems_or_a_workflow(text: str, junk: object, chance: random.Random) -> None:
    spoiled = spoil(yaml.safe_load(text), junk, chance)
    result = loaded(yaml.safe_dump(spoiled, sort_keys=False, allow_unicode=True))
    assert (result.workflow is None) == bool(result.problems)
    assert list(result.problems) == sorted(result.problems, key=lambda problem: problem.line)
