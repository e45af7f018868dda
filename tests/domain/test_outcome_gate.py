"""An outcome is taken from JSON an agent wrote, whatever it wrote there."""

from __future__ import annotations

import json

import pytest

from orange_tui.domain.gates.outcome import OutcomeGate
from support.evidence import Written

MERGED = OutcomeGate(("merged", "done"))


@pytest.mark.parametrize("outcome", ["merged", "done"])
def test_an_outcome_is_json_with_this_tasks_id_and_a_word_the_gate_is_for(outcome: str) -> None:
    text = json.dumps({"id": "a1", "outcome": outcome, "more": [1]})
    assert MERGED.missing(Written(outcome_text=text)) is None
    assert MERGED.missing(Written(outcome_text=f"\n {text}\n\n")) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(None, "is empty, but this move needs merged or done", id="no file"),
        pytest.param("", "is empty", id="an empty file"),
        pytest.param(" \n", "is empty", id="blanks"),
        pytest.param("merged", "is not a JSON object", id="the bare word"),
        pytest.param('"merged"', "is not a JSON object", id="a text"),
        pytest.param("[1]", "is not a JSON object", id="a list"),
        pytest.param("NaN", "is not a JSON object", id="not a number"),
        pytest.param("null", "is not a JSON object", id="nothing"),
        pytest.param('{"id": "a1", ', "is not a JSON object", id="half an object"),
        pytest.param("9" * 5_000, "is not a JSON object", id="a number Python does not read"),
        pytest.param("[" * 60_000, "is not a JSON object", id="deep nesting"),
        pytest.param('{"a":' * 10_000, "is not a JSON object", id="deep objects"),
        pytest.param("x" * 70_000, "longer than 65,536 characters", id="much more than an outcome"),
        pytest.param('{"outcome": "merged"}', "is about task None, not a1", id="no id"),
        pytest.param('{"id": "b2", "outcome": "merged"}', "is about task 'b2', not a1", id="another task"),
        pytest.param('{"id": NaN, "outcome": "merged"}', "is about task nan", id="a number that is none for an id"),
        pytest.param('{"id": ["a1"], "outcome": "merged"}', "is about task ['a1']", id="a list for an id"),
        pytest.param('{"id": "a1"}', "says None, but this move needs merged or done", id="no outcome"),
        pytest.param('{"id": "a1", "outcome": "failed"}', "says 'failed'", id="another outcome"),
        pytest.param('{"id": "a1", "outcome": ["merged"]}', "says ['merged']", id="a list for an outcome"),
        pytest.param('{"id": "a1", "outcome": "Merged"}', "says 'Merged'", id="another case"),
        pytest.param('{"id": "a1", "outcome": "\\u001b[2J\\u202e"}', r"says '\x1b[2J\u202e'", id="an escape sequence"),
    ],
)
def test_any_other_outcome_is_refused_with_what_it_says_and_an_example(text: str | None, words: str) -> None:
    said = MERGED.missing(Written(outcome_text=text))
    assert said is not None
    assert said.startswith(".orange-outcome ")
    assert words in said
    assert MERGED.missing(Written(outcome_text=said.partition("For example:\n")[2])) is None


def test_a_long_outcome_is_quoted_only_in_part() -> None:
    said = MERGED.missing(Written(outcome_text=json.dumps({"id": "a1", "outcome": "x" * 60_000})))
    assert said is not None
    assert "says 'xxxx" in said
    assert len(said) < 250
