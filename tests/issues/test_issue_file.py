"""`.issues.json`: whatever stands in it, it is understood or refused with its name, and nothing of it is lost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orange_tui.domain.errors import OrangeError
from orange_tui.home.paths import Home
from orange_tui.issues.issue_file import IssueFile, tracked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_SHARED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS = ["issues", "I_7", "task", "made", "url", "number", "problem", "unsaid", "abc"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=5),
    max_leaves=12,
)


@pytest.fixture
def file(tmp_path: Path) -> IssueFile:
    (tmp_path / "tasks" / "coffee").mkdir(parents=True)
    return IssueFile(Home(str(tmp_path)), "coffee")


def write(file: IssueFile, text: str) -> None:
    with open(file.path, "w", encoding="utf-8", errors="surrogatepass") as stream:
        stream.write(text)


def understood(act: Callable[[], object]) -> bool:
    """Whether it is; a refusal has to name the file."""
    said = ""
    try:
        act()
    except OrangeError as problem:
        said = str(problem)
    assert not said or ".issues.json" in said
    return not said


def test_what_is_noted_is_there_and_what_others_wrote_stays(file: IssueFile) -> None:
    write(file, json.dumps({"mine": 1, "issues": {"I_1": {"task": "old", "later": True}}}))
    file.note("I_7", task="abc", made=False, number=7, url="https://github.com/o/r/issues/7")
    file.note("I_7", made=True)
    file.note_problem("away")
    file.note_unsaid("abc", "No such issue")
    assert file.entries()["I_1"] == {"task": "old", "later": True}
    assert file.entries()["I_7"]["made"] is True
    assert [(number, task) for _, number, task in tracked(file.entries())] == [(7, "abc")]
    place = file.place("abc")
    assert place is not None
    assert (str(place[0]), place[1]) == ("github.com/o/r", 7)
    assert file.place("other") is None
    told = [file.problem]
    file.note_problem(None)
    told.append(file.problem)
    file.note_unsaid("abc", None)
    assert [*told, file.problem] == ["away", "No such issue", None]
    with open(file.path, encoding="utf-8") as stream:
        assert json.load(stream)["mine"] == 1


@_SHARED
@given(VALUES)
def test_any_json_is_understood_or_refused_by_its_name(file: IssueFile, value: Any) -> None:
    write(file, json.dumps(value))
    told = file.problem
    assert told is None or isinstance(told, str)
    if understood(lambda: file.note("I_9", task="abc", number=9)):
        assert file.entries()["I_9"]["task"] == "abc"
        list(tracked(file.entries()))
        file.place("abc")
        file.note_unsaid("abc", "x")


@_SHARED
@given(st.text())
def test_any_text_is_refused_or_understood(file: IssueFile, text: str) -> None:
    write(file, text)
    understood(file.entries)


@_SHARED
@given(st.text(), st.text())
def test_any_title_comes_back_as_it_was(file: IssueFile, key: str, title: str) -> None:
    file.note(key, task="abc", title=title)
    assert file.entries()[key]["title"] == title
