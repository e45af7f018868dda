"""Whoever writes a broken workflow is told everything that is wrong with it at once, and the way out."""

from __future__ import annotations

import os

import pytest

from orange_tui.domain.workflow_file.loader import LoadedWorkflow, load_workflow


def example(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "workflows", name), encoding="utf-8") as file:
        return file.read()


FIRST_FULL = example("first_full.yml")
SMALL = example("small.yml")
EXTRA_LINE = SMALL.count("\n") + 1  # where a section added to SMALL begins


def loaded(text: str) -> LoadedWorkflow:
    return load_workflow(text, "w.yml")


def told(text: str) -> list[str]:
    return [str(problem) for problem in loaded(text).problems]


def only_problem(text: str) -> str:
    problems = told(text)
    assert len(problems) == 1, problems
    return problems[0]


def test_all_problems_are_reported_together_in_the_order_of_the_file() -> None:
    text = """\
name: broken
colour: orange
states:
  todo: {agent: robot}
  done: {terminal: maybe}
transitions:
  - {from: todo, to: dome}
  - {from: todo, to: done, when: "soon"}
exit_monitoring:
  poll_interval: often
prompts:
  work: |
    First line.
    Do {sumary}.
"""
    result = loaded(text)
    assert result.workflow is None
    assert [problem.line for problem in result.problems] == [2, 4, 4, 5, 7, 8, 10, 14]
    assert "w.yml:7: `to` names the state 'dome', which does not exist; did you mean 'done'?" in told(text)[4]


# Each case: the text that SMALL's is replaced by, the line, and words of the problem and of the way out.
@pytest.mark.parametrize(
    ("old", "new", "line", "what", "fix"),
    [
        ("name: small\n", "# no name\n", 2, "has no `name`", "name, states, transitions"),
        ("name: small", "name:", 1, "`name` is empty", "write text"),
        ("name: small", "name: small\nversion: one", 2, "`version` is 'one'", "whole number above 0"),
        ("name: small", "name: small\nnmae: x", 2, "unknown key 'nmae'", "did you mean 'name'?"),
        ("name: small", "name: small\nname: x", 2, "'name' is already on line 1", "keep one"),
        ("todo: {}", "todo: {final: true}", 3, "unknown key 'final'", "terminal, end, agent, respawn_prompt"),
        ("todo: {}", "todo: {terminal: 1}", 3, "`terminal` is '1'", "true or false"),
        ("todo: {}", "todo: [1]", 3, "the state 'todo' is a sequence", "mapping"),
        ("todo: {}", "todo: {}\n  'to do': {}", 4, "'to do' cannot be the name of a state", "without spaces"),
        ("todo: {}", "todo: {}\n  'a,b': {}", 4, "'a,b' cannot be the name of a state", "commas"),
        ("agent: worker", "agent: wroker", 4, "`agent` is 'wroker'", "did you mean 'worker'?"),
        ("respawn_prompt: work", "respawn_prompt: wrk", 4, "the prompt 'wrk', which", "did you mean 'work'"),
        (", respawn_prompt: work", ", respawn_prompt: ", 4, "`respawn_prompt` is empty", "write text"),
        ("{terminal: true}", "{}", 3, "no state is terminal", "add `terminal: true`"),
        ("initial: {todo: {}}", "initial: {}", 6, "`initial` names no state", "name at least one"),
        ("initial: {todo: {}}", "initial: {tod: {}}", 6, "the state 'tod', which", "did you mean 'todo'?"),
        ("initial: {todo: {}}", "initial: {done: {}}", 6, "'done', which is terminal", "another state"),
        ("initial: {todo: {}}", "initial: todo", 6, "`initial` is 'todo'", "mapping"),
        ("initial: {todo: {}}", "initial: {todo: {hook: []}}", 6, "unknown key 'hook'", "'hooks'"),
        ("from: doing", "from: done", 9, "'done', which is terminal", "remove this transition"),
        ("from: doing", "from: []", 9, "`from` is an empty list", "at least one"),
        ("from: doing", "from: going", 9, "the state 'going', which", "did you mean 'doing'?"),
        ("from: doing, ", "", 9, "transition has no `from`", "from, to"),
        ("to: done}", "to: {}}", 9, "`to` is a mapping", "write text"),
        (
            "to: done}",
            "to: done, gate: {command: x, verify: merged}}",
            9,
            "it is not a person's merge alone that leads there",
            "add `by: person`",
        ),
        (
            "to: done}",
            "to: done}\n  - {from: doing, to: todo, by: person, gate: {command: x, verify: merged}}",
            10,
            "but nothing is merged there",
            "with which a merge ends the task",
        ),
        ("to: done}", "to: done, by: person, gate: {command: x, verify: me}}", 9, "`verify` is 'me'", "merged"),
        ("to: done}", 'to: done, gate: {section: "## X", verify: merged}}', 9, "needs a `command`", "remove it"),
        ("to: done}", "to: done, by: agent}", 9, "`by` is 'agent'", "engine, force"),
        (
            "to: done}",
            "to: done, when: x}",
            9,
            "`when` 'x' is not a comparison",
            "such as `review_round < 2`",
        ),
        (
            "to: done}",
            'to: done, when: "tries < 2"}',
            9,
            "compares 'tries'",
            "attempts_left, auto_fix, context, cost, crash_count, error_repeats, own_commits, review_round, tokens",
        ),
        (
            "to: done}",
            "to: done, hooks: [{action: set_field, field: attempts_left, value: 3}]}",
            9,
            "which Orange works out itself",
            "another name",
        ),
        (
            "to: done}",
            "to: done, hooks: [{action: increment, field: own_commits}]}",
            9,
            "which Orange works out itself",
            "another name",
        ),
        ("to: done}", 'to: done, when: "summary < 2"}', 9, "compares 'summary'", "increment it"),
        ("to: done}", "to: done, gates: {}}", 9, "unknown key 'gates'", "did you mean 'gate'?"),
        ("to: done}", "to: done}\n  - {from: doing, to: done}", 10, "or the one on line 9", "`when`"),
        ("to: done}", "to: done, gate: }", 9, "`gate` asks for nothing", "section"),
        ("to: done}", "to: done, gate: {}}", 9, "`gate` asks for nothing", "outcome"),
        ("to: done}", "to: done, gate: yes}", 9, "`gate` is 'yes'", "mapping"),
        ("to: done}", "to: done, gate: {section: Plan}}", 9, "`section` is 'Plan'", '"## Handoff"'),
        ("to: done}", "to: done, gate: {section: ## Plan\n  }}", 9, "takes `#` for a comment", "quote it"),
        ("to: done}", 'to: done, gate: {section: "## A", fields: [Done]}}', 9, "has 'Done'", "capitals"),
        ("to: done}", 'to: done, gate: {section: "## A", fields: []}}', 9, "`fields` is empty", "[DONE"),
        (
            "to: done}",
            'to: done, gate: {section: "## A", verdict: OK}}',
            9,
            "`verdict` is 'OK'",
            "PASS, FAIL",
        ),
        ("to: done}", 'to: done, gate: {section: "## A", verdict_line: any}}', 9, "needs a `verdict`", "add"),
        ("to: done}", "to: done, gate: {threads: read}}", 9, "`threads` is 'read'", "answered"),
        (
            "to: done}",
            "to: done, gate: {outcome: x, verdict: PASS}}",
            9,
            "`verdict` needs a `section`",
            "remove",
        ),
        ("to: done}", "to: done, gate: {command: {}}}", 9, "`command` is a mapping", "write text"),
        ("to: done}", "to: done, hooks: kill_session}", 9, "`hooks` is 'kill_session'", "write a list"),
        ("to: done}", "to: done, hooks: [kil_session]}", 9, "no action 'kil_session'", "'kill_session'?"),
        ("to: done}", "to: done, hooks: [{prompt: work}]}", 9, "hook has no `action`", "acquire_workspace"),
        ("to: done}", "to: done, hooks: [[]]}", 9, "hook is a sequence", "mapping"),
        ("to: done}", "to: done, hooks: [spawn_agent]}", 9, "spawn_agent needs `prompt`", "harness"),
        ("to: done}", "to: done, hooks: [{action: spawn_next, n: 1}]}", 9, "no parameter 'n'", "no parameters"),
        ("prompt: work}]", "prompt: work, model: x}]", 8, "no parameter 'model'", "permissions"),
        ("prompt: work}]", "prompt: w}]", 8, "the prompt 'w', which does not exist", "add it to `prompts`"),
        ("prompt: work}]", "prompt: work, harness: claude}]", 8, "`harness` is 'claude'", "task, review"),
        ("prompt: work}]", "prompt: work, permissions: all}]", 8, "`permissions` is 'all'", "full, reduced"),
        ("prompt: work}]", "prompt: work, increment: summary}]", 8, "is not a number", "review_round"),
        ("prompt: work}]", "prompt: work, increment: a-b}]", 8, "`increment` is 'a-b'", "underscores"),
        ("{summary}", "{who}", 11, "unknown variable {who}", "write {{who}} to"),
        ('"Do {summary}."', "", 11, "the prompt 'work' is empty", "write text"),
    ],
)
def test_mistake_is_reported_with_its_line_and_the_way_out(old: str, new: str, line: int, what: str, fix: str) -> None:
    assert old in SMALL
    result = loaded(SMALL.replace(old, new, 1))
    assert result.workflow is None
    (problem,) = result.problems
    assert problem.line == line
    assert what in problem.what
    assert fix in problem.fix


@pytest.mark.parametrize(
    ("hook", "what", "fix"),
    [
        ("{action: increment, field: labels}", "'labels', which is not a number", "review_round"),
        ("{action: increment}", "increment needs `field`", "add it"),
        ("{action: set_field, field: status, value: x}", "only the engine changes", "summary"),
        ("{action: set_field, field: review_round, value: 0}", "only the engine changes", "your own"),
        ("{action: set_field, field: attention}", "set_field needs `value`", "add it"),
        ("{action: set_field, field: labels, value: x}", "`value` does not fit labels", "a list of texts"),
        ("{action: set_field, field: attention, value: 3}", "does not fit attention", "in quotes"),
        ("{action: set_field, field: summary, value: }", "does not fit summary", "write text"),
        ("{action: set_field, field: mine, value: {a: 1, a: 2}}", "the key 'a' is already", "keep one"),
        ("{action: run_command, command: ls, timeout: 0}", "`timeout` is '0'", "seconds above 0"),
        ("{action: run_command, command: ls, timeout: soon}", "`timeout` is 'soon'", "seconds"),
        ("{action: run_command}", "run_command needs `command`", "timeout"),
        ('{action: notify, message: "{x}"}', "unknown variable {x}", "summary"),
        ("{action: notify, message: hi, via: pigeon}", "`via` is 'pigeon'", "desktop, bell, webhook"),
    ],
)
def test_a_hook_is_checked_against_what_its_action_takes(hook: str, what: str, fix: str) -> None:
    (problem,) = loaded(SMALL.replace("to: done}", f"to: done, hooks: [{hook}]}}")).problems
    assert problem.line == 9
    assert what in problem.what
    assert fix in problem.fix


@pytest.mark.parametrize(
    ("rule", "what", "fix"),
    [
        ("{action: mark_dead}", "rule has no `status`", "is required"),
        ("{status: doing}", "rule has no effect", "`then_when` or `action`"),
        ("{status: dong, action: crash}", "the state 'dong', which", "did you mean 'doing'?"),
        ("{status: [doing], action: crash}", "`status` is a sequence", "write text"),
        ("{status: doing, action: explode}", "`action` is 'explode'", "crash, mark_dead"),
        ("{status: doing, then: done, action: crash}", "both `then` and `action`", "keep one"),
        ("{status: doing, then: gone}", "the state 'gone', which does not exist", "'done'"),
        ("{status: doing, action: crash, respawn: yes}", "`respawn` is 'yes'", "auto"),
        ("{status: doing, action: mark_dead, stuck_after: 2}", "has no `action: crash`", "remove this"),
        ("{status: doing, action: crash, stuck_after: -1}", "`stuck_after` is '-1'", "above 0"),
        ("{status: doing, action: crash, no_artifact: 3}", "`no_artifact` is '3'", "true or false"),
        (
            '{status: doing, action: crash, no_artifact: true, has_artifact: {section: "## A"}}',
            "both `has_artifact` and `no_artifact`",
            "keep one",
        ),
        ("{status: doing, then_when: []}", "`then_when` is empty", "add cases"),
        ("{status: doing, then_when: [{when: crash_count < 1}]}", "has no `then`", "when, then"),
        (
            "{status: doing, then_when: [{when: crash_count < 1, then: done}]}",
            "no case covers crash_count > 0",
            "exactly one always holds",
        ),
        (
            "{status: doing, then_when: [{when: tries < 2, then: done}, {when: tries > 0, then: done}]}",
            "two cases cover tries == 1",
            "exactly one always holds",
        ),
    ],
)
def test_a_rule_is_checked_by_itself(rule: str, what: str, fix: str) -> None:
    problems = loaded(f"{SMALL}exit_monitoring:\n  rules:\n    - {rule}\n").problems
    assert problems[0].line == EXTRA_LINE + 2
    assert what in problems[0].what
    assert fix in problems[0].fix


@pytest.mark.parametrize(
    ("signal", "what"),
    [
        ("{then: done}", "signal asks for nothing"),
        ("{outcome: passed}", "signal has no effect"),
        ("{outcome: passed, then: done, then_when: []}", "both `then` and `then_when`"),
        ('{outcome: x, has_artifact: {section: "## A"}, then: done}', "both `outcome` and `has_artifact`"),
        ("{outcome: [], then: done}", "`outcome` is an empty list"),
        ("{outcome: x, status: [doing, nowhere], then: done}", "the state 'nowhere'"),
        ("{outcom: x, outcome: x, then: done}", "unknown key 'outcom'"),
        ("done", "signal is 'done'"),
    ],
)
def test_a_signal_is_checked_by_itself(signal: str, what: str) -> None:
    problems = loaded(f"{SMALL}signals:\n  - {signal}\n").problems
    assert problems[0].line == EXTRA_LINE + 1
    assert what in problems[0].what


def test_stuck_after_needs_a_transition_to_stuck() -> None:
    way = "  - from: working\n    to: stuck\n    hooks: []\n"
    assert way in FIRST_FULL
    problem = only_problem(FIRST_FULL.replace(way, ""))
    assert "`stuck_after` needs a transition from 'working' to 'stuck'" in problem
    assert "by: engine" in problem
    assert told(FIRST_FULL.replace(way, way + "    by: engine\n")) == []
    forced = FIRST_FULL.replace(way, way + "    by: force\n")
    assert "`stuck_after` needs" in only_problem(forced)


@pytest.mark.parametrize(
    ("first", "second", "ambiguous"),
    [
        ('when: "crash_count < 2"', 'when: "crash_count >= 2"', False),
        ('when: "crash_count < 2"', 'when: "crash_count > 0"', True),
        ('when: "crash_count < 2"', 'when: "review_round >= 2"', True),
        ('when: "crash_count < 2"', "gate: {outcome: x}", True),
        ("by: engine", "by: force", False),
        ("by: engine", "gate: {outcome: x}", False),
    ],
)
def test_two_moves_between_the_same_states_must_exclude_each_other(first: str, second: str, *, ambiguous: bool) -> None:
    both = f"to: done, {first}}}\n  - {{from: doing, to: done, {second}}}"
    assert bool(told(SMALL.replace("to: done}", both))) is ambiguous


def test_broken_when_is_reported_once_and_not_as_ambiguous() -> None:
    both = 'to: done, when: "x"}\n  - {from: doing, to: done, when: "crash_count > 1"}'
    assert "is not a comparison" in only_problem(SMALL.replace("to: done}", both))


def test_file_without_states_reports_no_unknown_states() -> None:
    _, _, after = SMALL.partition("initial:")
    assert "`states` is 'none'" in only_problem(f"name: small\nstates: none\ninitial:{after}")
