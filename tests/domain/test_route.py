"""A router's answer is a stranger's text: what is sound is used, what is not is a sentence, and nothing raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.records import replace
from orange_tui.domain.route import Profile, Route, RouterAnswer, apply_choices, profile_text, read_answer, route_of
from orange_tui.domain.task import Task, make_task, printable
from orange_tui.domain.text.task_file import new, parse

KNOWN, INSTALLED, SKILLS = ("claude", "codex", "pi"), ("claude", "codex"), ("brewing", "tasting")
GOOD: dict[str, Any] = {
    "executor": "claude",
    "model": "sonnet",
    "decompose": False,
    "reason": "It is about Python.",
    "profile": {"role": "Barista", "skills": ["Python"], "tools": ["Edit"], "constraints": ["spill nothing"]},
    "selected_skills": ["brewing"],
}
ROUTE = Route(
    "claude",
    "sonnet",
    reason="It is about Python.",
    profile=Profile("Barista", ("Python",), ("Edit",), ("spill nothing",)),
    selected_skills=("brewing",),
)


def read(text: str) -> RouterAnswer:
    return read_answer(text, KNOWN, INSTALLED, SKILLS)


def with_route(route: object) -> Task:
    return make_task({"id": "a", "route": route})


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(GOOD),
        json.dumps(GOOD, indent=2),
        f"Here you are:\n```json\n{json.dumps(GOOD, indent=2)}\n```\nGood luck {{with it}}!",
        f'{{"thinking": true}} and so {json.dumps(GOOD)}\n{{"tokens": 12}}',
        json.dumps({**GOOD, "executor": "codex"}) + json.dumps(GOOD),
        json.dumps({"type": "result", "is_error": False, "result": f"```\n{json.dumps(GOOD)}\n```", "usage": {"n": 1}}),
        json.dumps([{"type": "system"}, {"type": "result", "result": json.dumps(GOOD)}]),
        "{" * 500 + json.dumps(GOOD),
    ],
    ids=lambda text: text[:20],
)
def test_the_answer_is_found_wherever_an_agent_puts_it(text: str) -> None:
    assert read(text) == RouterAnswer(ROUTE)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "the router's answer has no JSON object in it"),
        ("I would take claude.", "the router's answer has no JSON object in it"),
        ('{"executor": "claude", ', "the router's answer has no JSON object in it"),
        ("{}", "the router names no executor"),
        ('{"result": "claude"}', "the router names no executor"),
        ('{"executor": ["claude"]}', "the router names no executor"),
        ('{"executor": "gpt\\u001b[2J"}', r"the router names an agent that does not exist: 'gpt\x1b[2J'"),
        ('{"executor": "pi"}', "the router names pi, which is not installed"),
        ('{"a":' * 50_000, "the router's answer has no JSON object in it"),
    ],
    ids=lambda text: text[:20],
)
def test_an_answer_that_names_no_agent_is_refused_in_a_sentence(text: str, fault: str) -> None:
    assert read(text) == RouterAnswer(None, (fault,))


@pytest.mark.parametrize(
    ("change", "kept", "fault"),
    [
        ({"model": "--dangerous"}, {"model": None}, "'--dangerous' is not a model's name"),
        ({"model": "a b; rm -rf /"}, {"model": None}, "is not a model's name"),
        ({"model": 4}, {"model": None}, "model must be text"),
        ({"decompose": "yes"}, {"decompose": False}, "decompose must be true or false"),
        ({"selected_skills": ["../etc", "tasting"]}, {"selected_skills": ("tasting",)}, "there is no skill ../etc"),
    ],
)
def test_one_faulty_part_is_left_out_and_named(change: dict[str, Any], kept: dict[str, Any], fault: str) -> None:
    answer = read(json.dumps(GOOD | change))
    assert answer.route == replace(ROUTE, **kept)
    assert [fault in said for said in answer.faults] == [True]


def test_texts_are_one_short_line_each_and_lists_are_short() -> None:
    long = GOOD | {
        "reason": "a\nb\x1b[31m" + "x" * 9000,
        "profile": {"role": 7, "skills": ["s", "s", None, *map(str, range(90))], "tools": "Bash", "constraints": []},
        "model": "default",
    }
    route = read(json.dumps(long)).route
    assert route is not None
    assert route.reason.startswith(r"a b\x1b[31mxxx")
    assert (len(route.reason), route.reason[-1]) == (500, "…")
    assert route.profile == Profile("", ("s", *map(str, range(17))))
    assert route.model is None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8) | st.sampled_from([*KNOWN, *SKILLS]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*GOOD, "result"]), inner, max_size=4),
    max_leaves=12,
)
ANSWERS = st.one_of(
    st.text(),
    st.text('{}[]":,\\ea1 \n`', max_size=60),
    JSON.map(json.dumps),
    JSON.map(lambda value: json.dumps({"result": json.dumps(value)})),
    st.fixed_dictionaries(dict.fromkeys(GOOD, JSON)).map(lambda value: json.dumps(value | {"executor": "claude"})),
)


@settings(deadline=None, database=None)
@given(text=ANSWERS)
def test_any_output_gives_a_valid_route_or_a_sentence(text: str) -> None:
    answer = read(text)
    assert all(fault and printable(fault) == fault for fault in answer.faults)
    assert (answer.route is None) <= bool(answer.faults)
    if answer.route is not None:
        assert answer.route.executor in INSTALLED
        assert set(answer.route.selected_skills) <= set(SKILLS)
        file = parse(new({"id": "a"}, "").with_fields({"route": answer.route.as_json()}).text)
        assert route_of(file.task) == answer.route


@settings(deadline=None, database=None)
@given(route=JSON)
def test_any_value_in_the_route_field_is_read_or_counts_as_none(route: object) -> None:
    task = with_route(route)
    assert route_of(task) is None or isinstance(route, dict)
    assert all(printable(line) == line for line in profile_text(task).split("\n"))


def test_the_profile_is_a_few_lines_and_nothing_without_a_route() -> None:
    assert profile_text(with_route(ROUTE.as_json())) == (
        "Your role: Barista\nWhat you are good at: Python\nTools to prefer: Edit\nKeep to this: spill nothing"
    )
    assert profile_text(make_task({"id": "a"})) == ""
    assert profile_text(with_route({"executor": "claude"})) == ""


def test_a_persons_choice_wins_and_a_model_for_another_agent_is_dropped() -> None:
    assert apply_choices(ROUTE, None, None) == ROUTE
    assert apply_choices(ROUTE, "claude", None) == ROUTE
    assert apply_choices(ROUTE, "codex", None) == replace(ROUTE, executor="codex", model=None)
    assert apply_choices(ROUTE, "codex", "o9") == replace(ROUTE, executor="codex", model="o9")
    assert apply_choices(ROUTE, None, "opus") == replace(ROUTE, model="opus")


def test_the_lane_is_a_number_a_workflow_can_ask_for() -> None:
    question = replace(ROUTE, question=True)
    assert [ROUTE.lane(worktree=asked) for asked in (None, True, False)] == [1, 1, 2]
    assert [question.lane(worktree=asked) for asked in (None, True, False)] == [2, 1, 2]
    assert replace(ROUTE, decompose=True).lane(worktree=True) == 3
