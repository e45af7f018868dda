"""Whoever adds an agent in harnesses.yml hears of every mistake at once, and loses none of ours by one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orange_tui.domain.harnesses.fields import FIELDS
from orange_tui.domain.harnesses.harness import Dialog, Harness, ScreenPatterns
from orange_tui.domain.harnesses.harness_file import LoadedHarnesses, load_harnesses
from orange_tui.domain.harnesses.shipped import CLAUDE, SHIPPED

SMALL = """\
aider:
  binary: aider
  full: [aider, --yes, --message, "{prompt}"]
"""


def loaded(text: str) -> LoadedHarnesses:
    return load_harnesses(text, "harnesses.yml", SHIPPED)


def good(text: str) -> dict[str, Harness]:
    result = loaded(text)
    assert [str(problem) for problem in result.problems] == []
    return dict(result.harnesses)


def told(text: str) -> list[str]:
    return [str(problem) for problem in loaded(text).problems]


def test_a_new_agent_needs_no_more_than_a_program_and_a_command_line() -> None:
    aider = good(SMALL)["aider"]
    assert aider.full == ("aider", "--yes", "--message", "{prompt}")
    assert (aider.name, aider.title, aider.reduced) == ("aider", "aider", ())
    assert aider.install == "Install `aider` so that it is on your PATH."


def test_entry_of_a_shipped_agent_changes_only_the_given_fields() -> None:
    changed = good("claude:\n  binary: ~/bin/claude\n  max_prompt: 95\n")["claude"]
    assert (changed.binary, changed.max_prompt) == ("~/bin/claude", 95)
    assert changed.full == CLAUDE.full
    assert changed.dialogs == CLAUDE.dialogs


def test_keys_of_earlier_versions_are_ignored() -> None:
    changed = good('claude:\n  resume_full: [x, "{prompt}"]\n  root_resume_full: []\n  starts_in: 9.5\n')["claude"]
    assert changed == CLAUDE


def test_everything_a_harness_has_can_be_written() -> None:
    text = """\
mine:
  binary: mine
  title: My agent
  install: Ask me.
  full: [mine, "{options}", "--dir={task_dir}", "{prompt}"]
  reduced: [mine, "{options}", --ask, "{prompt}"]
  resume: [mine, "{options}", --resume, "{session_id}", "{prompt}"]
  one_shot: [mine, -p, "{prompt}"]
  one_shot_work: [mine, -p, --edit, "{options}", "{prompt}"]
  system_prompt: [--system, "{system_prompt}"]
  root_full: [mine, "{options}", --root, "{prompt}"]
  model: [--model, "{model}"]
  effort: ["--effort={effort}"]
  efforts: [low, high]
  environment: {MINE_HOME: "{task_dir}/mine", EMPTY: ""}
  files:
    .mine/settings.json: {hooks: {stop: "{orange} task event --agent mine --event idle"}}
    .mine/raw.json: '{"a": 1}'
    notes.txt: Hello
  excludes: [/.mine/]
  skills: ~/.mine/skills
  sessions: ~/.mine/sessions
  session_format: pi
  screen: {busy: [working], permission: "allow\\\\?"}
  window_title: {idle: ['^ok$']}
  dialogs:
    - {seen: "Trust\\\\?", advice: Attach and answer.}
  asks: ["May I (.*)"]
  hides_dialog: true
  events: {Done: idle}
  hidden_threads: [Find a title]
  max_prompt: 1000
  sandbox: {copied: [~/.mine], write: [~/.mine/sessions/], variables: [MINE_*]}
"""
    assert set(FIELDS) <= {line.strip().partition(":")[0] for line in text.splitlines()}
    mine = good(text)["mine"]
    assert mine.environment == {"MINE_HOME": "{task_dir}/mine", "EMPTY": ""}
    assert json.loads(mine.files[".mine/settings.json"])["hooks"]["stop"].startswith("{orange} task event")
    assert mine.screen == ScreenPatterns(busy=("working",), permission=(r"allow\?",))
    assert mine.dialogs == (Dialog(r"Trust\?", "Attach and answer."),)
    assert mine.asks == ("May I (.*)",)
    assert mine.hides_dialog
    assert mine.sandbox.write == ("~/.mine/sessions/",)
    assert mine.events == {"Done": "idle"}


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "~", "{}"])
def test_an_empty_file_changes_nothing(text: str) -> None:
    assert good(text) == {}


def test_all_problems_are_reported_together_and_the_valid_entries_are_used() -> None:
    text = """\
aider:
  binary: aider
  full: [aider, "{prompt}"]
broken:
  full: [x, "{promt}"]
  colour: red
claude:
  max_prompt: soon
"""
    result = loaded(text)
    assert list(result.harnesses) == ["aider"]
    assert [problem.line for problem in result.problems] == [4, 5, 5, 6, 8]
    assert told(text)[0] == ("harnesses.yml:4: the agent 'broken' has no `binary`; add it; required are: binary, full")


# Each case: a line for SMALL's agent, and words of the problem and of the way out.
@pytest.mark.parametrize(
    ("line", "what", "fix"),
    [
        ("colour: red", "unknown key 'colour'", "use one of: binary"),
        ("modle: [x]", "unknown key 'modle'", "did you mean 'model'?"),
        ("reduced: aider --yes", "is not a list of words", "no shell splits it"),
        ("reduced: [[a]]", "a word of `reduced` is a sequence", "write text"),
        ("reduced: [a, '']", "a word of `reduced` is empty", "remove it"),
        ("reduced: ['{prompt}', '{prompt}']", "has {prompt} twice", "keep one"),
        ("reduced: ['--message={prompt}']", "{prompt} inside a longer word", "a word of its own"),
        ("reduced: ['{wortree}']", "placeholder {wortree}, which means nothing", "did you mean 'worktree'?"),
        ("reduced: ['{model}']", "placeholder {model}, which means nothing here", "use one of"),
        ("resume: ['x{options}']", "{options} inside a longer word", "a word of its own"),
        ("model: [--model]", "{model} is missing", '[--model, "{model}"]'),
        ("effort: ['{effort}{model}']", "placeholder {model}", "effort"),
        ("model: [--model, '{model}']", "no word {options} in `full`", "write `model: []`"),
        ("efforts: high", "`efforts` is 'high'", "write a list"),
        ("environment: {A-B: x}", "is not a variable's name", "letters, digits and _"),
        ("environment: {A: '{prompt}'}", "placeholder {prompt}", "use one of"),
        ("environment: [A]", "is a sequence", "write a mapping"),
        ("files: {/etc/x: y}", "is not a path inside the worktree", "relative to the worktree"),
        ("files: {../x: y}", "is not a path inside the worktree", "without .."),
        ("files: {.git/hooks/x: y}", "is not a path inside the worktree", "relative"),
        ("files: {a.json: '[1]'}", "is not a JSON object", "mapping in YAML"),
        ('excludes: ["a\\nb"]', "has a line break", "one pattern an entry"),
        ("skills: skills", "`skills` is 'skills'", "begins with ~ or /"),
        ("screen: {busy: '('}", "is not a regular expression", "backslash"),
        ("screen: {sleeping: x}", "unknown key 'sleeping'", "busy, idle, permission, limit, error"),
        ("asks: 'Run .*'", "has no group", "put parentheses"),
        ("dialogs: [{seen: x}]", "has no `advice`", "add it"),
        ("dialogs: [{seen: '[', advice: x}]", "is not a regular expression", "backslash"),
        ("events: {Done: sleeping}", "is 'sleeping'", "use one of: busy"),
        ("max_prompt: many", "`max_prompt` is 'many'", "whole number"),
        ("binary: other", "'binary' is already on line 2", "keep one"),
    ],
)
def test_each_mistake_is_reported_with_its_line_and_the_way_out(line: str, what: str, fix: str) -> None:
    (problem,) = told(f"{SMALL}  {line}\n")
    at, _, sentence = problem.partition(": ")
    assert at in {"harnesses.yml:4", "harnesses.yml:3", "harnesses.yml:1"}
    assert what in sentence
    assert fix in sentence.rpartition("; ")[2] or fix in sentence
    assert loaded(f"{SMALL}  {line}\n").harnesses == {}


@pytest.mark.parametrize("name", ["Aider", "a b", "-x", "../x", '""', "ä", "x" * 50, "demo"])
def test_a_name_must_work_on_a_command_line_and_the_demo_is_ours(name: str) -> None:
    assert len(told(f"{name}: {{binary: x, full: [x, '{{prompt}}']}}\n")) == 1


def test_command_line_without_a_prompt_is_refused() -> None:
    assert "has no word {prompt}" in told("x: {binary: x, full: [x]}\n")[0]


def test_flags_that_would_be_dropped_are_reported() -> None:
    (problem,) = told("claude: {full: [claude, '{prompt}']}\n")
    assert "has no word {options} in `full`" in problem
    assert good("claude: {full: [claude, '{prompt}'], model: [], effort: []}\n")["claude"].model == ()


@pytest.mark.parametrize(
    "text",
    [
        "just words",
        "- a\n- b\n",
        pytest.param("{" * 30_000, id="very deep"),
        "a: &a {b: *a}\n",
        "a: !!python/name:os.system x\n",
        "\x00",
        "\ud800",
        "a: 1\nb: [2]\nc: ~\n",
        "? [a]\n: b\n",
        "x: {full: {a: b}, files: {a: [1]}, screen: [1], dialogs: {a: b}, events: [1], environment: 1}\n",
        'x: {screen: {busy: "(?P<a>x)(?P<a>y)"}}\n',
        'x: {screen: {busy: "a{99999999999999999999}"}}\n',
    ],
)
def test_hostile_text_gives_problems_and_never_an_exception(text: str) -> None:
    result = loaded(text)
    assert result.harnesses == {}
    assert result.problems
    assert all(problem.line >= 1 and problem.what and problem.fix for problem in result.problems)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(["{prompt}", "{options}", "("]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(["claude", "mine", "demo"]), st.dictionaries(st.sampled_from(list(FIELDS)), VALUES))
)
def test_any_values_in_any_field_are_read_or_reported(data: dict[str, dict[str, object]]) -> None:
    result = loaded(json.dumps(data))
    assert set(result.harnesses) <= set(data)
    assert all(isinstance(harness, Harness) for harness in result.harnesses.values())


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_reported(text: str) -> None:
    loaded(text)
