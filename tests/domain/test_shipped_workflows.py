"""The shipped workflows, held against what the specification says of them, table by table.

The tables are written out by hand, so that a move, gate, hook, rule or prompt that is added, lost or changed
in a file fails here, and whoever changed it says so here as well.
"""

from __future__ import annotations

import functools
import pathlib
import re
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.gates.kinds import AllGates
from orange_tui.domain.gates.outcome import OutcomeGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.domain.gates.threads import ThreadsGate
from orange_tui.domain.workflow import send_back_target, starts_agent
from orange_tui.domain.workflow_file.loader import load_workflow
from support.evidence import Written

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from orange_tui.domain.gates.gate import Gate
    from orange_tui.domain.workflow import Actor, ExitRule, Hook, Signal, Transition, Workflow

FILES = pathlib.Path(__file__).parents[2] / "workflows"
NAMES = ("default", "classic", "minimal", "solo")

# ── the tables ──

TIDIED = "release_workspace, delete_remote_branch, spawn_next"
MERGED = f"kill_session, {TIDIED}"
DROPPED = "kill_session, release_workspace"
SPLIT = f"delegate(required), {DROPPED}, spawn_next"
WORKER = "acquire_workspace, spawn_agent(worker task full)"
QUESTIONS = "acquire_workspace, spawn_agent(clarification task full)"
FIXER = "spawn_agent(worker_fix task full)"
TOLD = "notify_worker(## Review)"
STUCK_FIX = "spawn_agent(stuck_fix task full)"
REVIEWER = "spawn_agent(reviewer review reduced +review_round)"
PLAN = "## Plan: APPROACH TOUCHING"
HANDOFF = "## Handoff: DONE REMAINING DECISIONS UNCERTAIN"

# state | agent | respawn prompt | what runs when a task is created there (`no`: none can be)
STATES = {
    "default": f"""
        pending       | none     | -              | -
        planning      | worker   | worker_respawn | no
        clarification | worker   | worker_respawn | {QUESTIONS}
        working       | worker   | worker_respawn | no
        agent-review  | reviewer | reviewer       | acquire_workspace, spawn_reviewer(reviewer)
        reviewing     | worker   | worker_respawn | -
        stuck         | worker   | stuck_fix      | no
        delegated     | none     | -              | no
        done          | none     | -              | terminal
        cancelled     | none     | -              | terminal
    """,
    "classic": f"""
        pending       | none     | -              | -
        clarification | -        | clarification  | {QUESTIONS}
        working       | -        | worker_respawn | no
        agent-review  | -        | reviewer       | acquire_workspace, {REVIEWER}
        reviewing     | -        | -              | -
        stuck         | -        | stuck_fix      | no
        done          | none     | -              | terminal
        cancelled     | none     | -              | terminal
    """,
    "minimal": """
        pending       | none     | -              | -
        working       | worker   | worker         | no
        reviewing     | -        | -              | -
        done          | none     | -              | terminal
        cancelled     | none     | -              | terminal
    """,
    "solo": """
        pending       | none     | -              | -
        working       | worker   | worker_respawn | no
        reviewing     | worker   | worker_respawn | -
        stuck         | worker   | worker_respawn | no
        done          | none     | -              | terminal
        cancelled     | none     | -              | terminal
    """,
}

# from \ to: x anybody, e only the engine, f only a forced merge, p only a person, b engine or forced merge, . nobody
MATRIX = {
    "default": """
                      pending planning clarification working agent-review reviewing stuck delegated done cancelled
        pending       .       x        .             .       .            .         .     .         .    x
        planning      .       .        x             x       .            .         e     .         f    x
        clarification .       x        .             x       .            .         .     .         f    x
        working       .       .        x             .       x            .         x     x         f    x
        agent-review  .       .        .             x       .            x         x     .         f    x
        reviewing     .       .        .             x       .            .         .     .         x    x
        stuck         .       .        .             .       .            x         .     .         f    x
        delegated     p       .        .             .       e            .         .     .         b    x
        done          .       .        .             .       .            .         .     .         .    .
        cancelled     .       .        .             .       .            .         .     .         .    .
    """,
    "classic": """
                      pending clarification working agent-review reviewing stuck done cancelled
        pending       .       x             x       .            .         .     .    x
        clarification .       .             x       .            .         .     f    x
        working       .       x             .       x            .         x     f    x
        agent-review  .       .             x       .            x         x     f    x
        reviewing     .       .             p       .            .         .     x    x
        stuck         .       .             x       x            .         .     f    x
        done          .       .             .       .            .         .     .    .
        cancelled     .       .             .       .            .         .     .    .
    """,
    "minimal": """
                      pending working reviewing done cancelled
        pending       .       x       .         .    x
        working       .       .       x         f    x
        reviewing     .       p       .         x    x
        done          .       .       .         .    .
        cancelled     .       .       .         .    .
    """,
    "solo": """
                      pending working reviewing stuck done cancelled
        pending       .       x       .         .     .    x
        working       .       .       x         x     f    x
        reviewing     .       p       .         .     x    x
        stuck         .       .       x         .     f    x
        done          .       .       .         .     .    .
        cancelled     .       .       .         .     .    .
    """,
}

# from | to | by whom or when | gate | hooks in order; a state's moves as in the file, the forward one first
MOVES = {
    "default": f"""
        pending       | planning      | -                 | -                    | {WORKER}
        pending       | cancelled     | -                 | -                    | -
        planning      | working       | -                 | {PLAN}               | -
        planning      | clarification | -                 | -                    | -
        planning      | stuck         | engine            | -                    | {STUCK_FIX}
        planning      | cancelled     | -                 | -                    | {DROPPED}
        planning      | done          | force             | -                    | {MERGED}
        clarification | planning      | -                 | -                    | -
        clarification | working       | -                 | {PLAN}               | -
        clarification | cancelled     | -                 | -                    | {DROPPED}
        clarification | done          | force             | -                    | {MERGED}
        working       | agent-review  | -                 | {HANDOFF} + threads  | spawn_reviewer(reviewer)
        working       | clarification | -                 | -                    | -
        working       | stuck         | -                 | -                    | {STUCK_FIX}
        working       | delegated     | -                 | -                    | {SPLIT}
        working       | cancelled     | -                 | -                    | {DROPPED}
        working       | done          | force             | -                    | {MERGED}
        agent-review  | reviewing     | -                 | ## Review PASS first | kill_reviewer
        agent-review  | working       | review_round < 2  | ## Review FAIL first | kill_reviewer, {TOLD}
        agent-review  | stuck         | review_round >= 2 | ## Review FAIL first | kill_reviewer, {STUCK_FIX}
        agent-review  | cancelled     | -                 | -                    | kill_reviewer, {DROPPED}
        agent-review  | done          | force             | -                    | {MERGED}
        reviewing     | done          | -                 | -                    | {MERGED}
        reviewing     | working       | -                 | -                    | notify_worker(## Feedback)
        reviewing     | working       | engine            | -                    | notify_worker(## Feedback)
        reviewing     | cancelled     | -                 | -                    | {DROPPED}
        stuck         | reviewing     | -                 | -                    | -
        stuck         | cancelled     | -                 | -                    | {DROPPED}
        stuck         | done          | force             | -                    | {MERGED}
        delegated     | done          | engine own_commits == 0 | -              | spawn_next
        delegated     | agent-review  | engine own_commits > 0 | - | acquire_workspace, spawn_reviewer(reviewer)
        delegated     | pending       | person            | -                    | -
        delegated     | cancelled     | -                 | -                    | {DROPPED}
        delegated     | done          | force             | -                    | {MERGED}
    """,
    "classic": f"""
        pending       | working       | -                 | -                    | {WORKER}
        pending       | clarification | -                 | -                    | {QUESTIONS}
        pending       | cancelled     | -                 | -                    | -
        clarification | working       | -                 | -                    | -
        clarification | cancelled     | -                 | -                    | {DROPPED}
        clarification | done          | force             | -                    | {MERGED}
        working       | agent-review  | -                 | ## Handoff + threads | kill_session, {REVIEWER}
        working       | clarification | -                 | -                    | -
        working       | stuck         | -                 | -                    | -
        working       | cancelled     | -                 | -                    | {DROPPED}
        working       | done          | force             | -                    | {MERGED}
        agent-review  | reviewing     | -                 | ## Review PASS any   | kill_session
        agent-review  | working       | review_round < 2  | ## Review FAIL any   | kill_session, {FIXER}
        agent-review  | stuck         | review_round >= 2 | ## Review FAIL any   | kill_session
        agent-review  | cancelled     | -                 | -                    | {DROPPED}
        agent-review  | done          | force             | -                    | {MERGED}
        reviewing     | done          | -                 | -                    | {MERGED}
        reviewing     | working       | person            | -                    | kill_session, {FIXER}
        reviewing     | cancelled     | -                 | -                    | {DROPPED}
        stuck         | working       | -                 | -                    | {STUCK_FIX}
        stuck         | agent-review  | -                 | -                    | kill_session, {REVIEWER}
        stuck         | cancelled     | -                 | -                    | {DROPPED}
        stuck         | done          | force             | -                    | {MERGED}
    """,
    "minimal": f"""
        pending       | working       | -                 | -                    | {WORKER}
        pending       | cancelled     | -                 | -                    | -
        working       | reviewing     | -                 | ## Handoff           | kill_session
        working       | cancelled     | -                 | -                    | {DROPPED}
        working       | done          | force             | -                    | {MERGED}
        reviewing     | done          | -                 | -                    | {TIDIED}
        reviewing     | working       | person            | -                    | spawn_agent(worker task full)
        reviewing     | cancelled     | -                 | -                    | {DROPPED}
    """,
    "solo": f"""
        pending       | working       | -                 | -                    | {WORKER}
        pending       | cancelled     | -                 | -                    | -
        working       | reviewing     | -                 | outcome passed reviewing + threads | -
        working       | stuck         | -                 | outcome stuck        | -
        working       | cancelled     | -                 | -                    | {DROPPED}
        working       | done          | force             | -                    | {MERGED}
        reviewing     | done          | -                 | -                    | {MERGED}
        reviewing     | working       | person            | -      | clear_outcome, notify_worker(## Feedback)
        reviewing     | cancelled     | -                 | -                    | {DROPPED}
        stuck         | reviewing     | -                 | outcome passed reviewing + threads | -
        stuck         | cancelled     | -                 | -                    | {DROPPED}
        stuck         | done          | force             | -                    | {MERGED}
    """,
}

BY_ROUND = "working if review_round < 2, stuck if review_round >= 2"

# status | what was left behind | what follows
RULES = {
    "default": f"""
        planning      | {PLAN}                   | working
        planning      | nothing                  | crash, stuck after 2
        working       | {HANDOFF}                | agent-review
        working       | nothing                  | crash, stuck after 2
        agent-review  | ## Review PASS first     | reviewing
        agent-review  | ## Review FAIL first     | {BY_ROUND}
        agent-review  | nothing                  | crash, stuck after 2, respawn
        clarification | -                        | mark_dead
        reviewing     | -                        | mark_dead
        stuck         | -                        | mark_dead
    """,
    "classic": f"""
        working       | ## Handoff               | agent-review
        working       | nothing                  | crash, stuck after 2
        agent-review  | ## Review PASS any       | reviewing
        agent-review  | ## Review FAIL any       | {BY_ROUND}
        agent-review  | nothing                  | crash, stuck after 2, respawn
        clarification | -                        | mark_dead
        reviewing     | -                        | mark_dead
        stuck         | -                        | mark_dead
    """,
    "minimal": """
        working       | ## Handoff               | reviewing
        working       | nothing                  | crash, stuck after 2
        reviewing     | -                        | mark_dead
    """,
    "solo": """
        working       | outcome passed reviewing | reviewing
        working       | outcome stuck            | stuck
        working       | nothing                  | crash, stuck after 2
        reviewing     | -                        | mark_dead
        stuck         | -                        | mark_dead
    """,
}

SIGNALS = {
    "default": "",
    "classic": "",
    "minimal": "",
    "solo": """
        working, stuck | outcome passed reviewing | reviewing
        working        | outcome stuck            | stuck
    """,
}

TO_REVIEW = "orange task update --status agent-review"
ALWAYS = "{summary} | {project} | {branch} | TASK.md | $ORANGE_TASK_FILE | refused | right and run | Never push"

# What a prompt must say besides, whatever its other words
FACTS = {
    ("default", "worker"): """
        summary is in the frontmatter | orange-tasks/<id>
        git branch -m <new-name> && orange task update --branch
        ## Questions | orange task update --status clarification | wait: a person will join you
        ## Plan | APPROACH | TOUCHING | RISKS is optional | orange task update --status working
        AGENTS.md | Do what ## Plan says, test it, commit it
        --parent $ORANGE_TASK | orange task update --status delegated | when all parts are merged, this task is done
        ## Handoff | at least one of these lines | DONE: | REMAINING: | DECISIONS: | UNCERTAIN:
        orange task update --status agent-review | THEN WAIT
        A reviewer reads your work in a window of its own
        A message tells you | read ## Review | ## Feedback
        back at working: fix every point, update ## Handoff
        orange task threads --open | orange task reply t3 | --fixed | --declined
        finding the status at reviewing, means that the review passed | Never set --status reviewing yourself
    """,
    ("default", "worker_respawn"): """
        Status {status} | round {review_round} | ## Plan, ## Handoff, ## Review
        If the status is planning | Write ## Plan unless it is there | orange task update --status working
        If the status is working | ## Review or ## Feedback that was not dealt with
        orange task threads --open | orange task reply t3 | --fixed | --declined | {open_threads}
        where the last session stopped
        Bring ## Handoff up to date | orange task update --status agent-review | Wait: | then read ## Review
        If the status is clarification | If the status is agent-review | If the status is reviewing
        Never set --status reviewing yourself
    """,
    ("default", "reviewer"): """
        {review_round} of 2 | ## Plan for how | ## Handoff for how far | git diff origin/HEAD...HEAD
        UNCERTAIN | ## Review | first line is the verdict | Verdict: PASS | Verdict: FAIL | can act on it
        PASS: orange task update --status reviewing | FAIL in round 1: orange task update --status working
        FAIL in round 2 or later: orange task update --status stuck | refused while ## Review is missing
        post nothing to GitHub | goes into TASK.md | orange task comment {id} src/auth.py:42 | {threads}
    """,
    ("default", "clarification"): """
        two or three specific questions | ## Questions | orange task update --status clarification
        Wait. A person will join | orange task update --summary " | ## Plan | APPROACH | TOUCHING
        orange task update --status working | orange task update --status planning
        ## Handoff | orange task update --status agent-review
    """,
    ("default", "stuck_fix"): """
        {review_round} | review failed twice | kept crashing | ## Review, ## Plan and ## Handoff
        a person works on it together with you | what went wrong, and propose a way
        Wait for the person's answer | {open_threads}
        ask of your own accord: "This is fixed. | Only after a yes: orange task update --status reviewing
    """,
    ("classic", "worker"): """
        summary is in the frontmatter | orange-tasks/<id>
        git branch -m <new-name> && orange task update --branch
        empty or vague | ## Questions | orange task update --status clarification | wait
        larger than it looked
        If there is no ## Context | ## Notes before you write code | AGENTS.md | Implement, test, commit
        ## Handoff | DONE: | REMAINING: | DECISIONS: | UNCERTAIN: | orange task update --status agent-review
        starts the review | refused without it | Never set --status reviewing yourself | orange skill
    """,
    ("classic", "worker_respawn"): """
        Status {status} | round {review_round} | Read ## Handoff in TASK.md first
        where the last session stopped
        ## Review or ## Feedback that was not dealt with | DONE: | REMAINING: | DECISIONS: | UNCERTAIN:
        orange task threads --open | orange task reply t3 | --fixed | --declined | {open_threads}
        orange task update --status agent-review | refused without it | Never set --status reviewing yourself
        orange skill
    """,
    ("classic", "worker_fix"): """
        round {review_round} | Read ## Review | If there is a ## Feedback, a person wrote it | Fix every point
        orange task reply t3 | --fixed | --declined | {open_threads}
        Bring ## Handoff up to date with what you changed
        orange task update --status agent-review | refused without it | Never set --status reviewing yourself
        orange skill
    """,
    ("classic", "reviewer"): """
        {review_round} of 2 | ## Context and ## Notes | ## Handoff for how far | git diff origin/HEAD...HEAD
        toolkit or skill for reviewing pull requests | UNCERTAIN | ## Review | PASS or FAIL | can act on it
        Only then set the status | PASS: orange task update --status reviewing
        FAIL in round 1: orange task update --status working
        FAIL in round 2 or later: orange task update --status stuck | refused without it
        post no comments or reviews to GitHub | goes into TASK.md | orange skill
        orange task comment {id} src/auth.py:42 | {threads}
    """,
    ("classic", "clarification"): """
        two or three specific questions | ## Questions | Wait. A person will join
        orange task update --summary " | ## Notes | orange task update --status working
        ## Handoff | orange task update --status agent-review
    """,
    ("classic", "stuck_fix"): """
        round {review_round} | review failed twice | kept crashing | Read all of TASK.md
        ## Review and ## Handoff
        Fix what brought the task here | Bring ## Handoff up to date with what you changed
        orange task update --status agent-review
    """,
    ("minimal", "worker"): """
        Read TASK.md | Implement, test, commit | ## Handoff | orange task update --status reviewing
        ## Feedback that was not dealt with | orange task reply t3 | --fixed | --declined | {open_threads}
    """,
    ("solo", "worker"): """
        Read TASK.md | CLAUDE.md | Implement, test, commit | with the /code-review skill
        The first review fails: fix | The second review fails: go to step 5 with stuck
        Two reviews are all you have
        Before you stop, always write how it went | .orange-outcome | orange task complete | orange task stuck
    """,
    ("solo", "worker_respawn"): """
        {status} | Look at .orange-outcome before anything else | If its outcome is passed
        "outcome": "reviewing"
        and stop | If it is stuck, empty or missing, go on with the work | with the /code-review skill
        two reviews are all you have | Before you stop, always write how it went
        orange task complete | orange task stuck | ## Feedback that was not dealt with
        orange task threads --open | orange task reply t3 | --fixed | --declined | {open_threads}
    """,
}

# Gates that the example of an artifact in a prompt must open
HANDOFFS = [f"## Handoff: {field}" for field in ("DONE", "REMAINING", "DECISIONS", "UNCERTAIN")]
EXAMPLES = {
    ("default", "worker"): ("## Plan: APPROACH", "## Plan: TOUCHING", *HANDOFFS),
    ("default", "clarification"): ("## Plan: APPROACH", "## Plan: TOUCHING", "## Questions"),
    ("default", "reviewer"): ("## Review FAIL first",),
    ("classic", "worker"): ("## Handoff",),
    ("classic", "worker_respawn"): ("## Handoff",),
    ("classic", "worker_fix"): ("## Handoff",),
    ("classic", "reviewer"): ("## Review FAIL any",),
    ("classic", "clarification"): ("## Questions",),
    ("classic", "stuck_fix"): ("## Handoff",),
    ("minimal", "worker"): ("## Handoff",),
}

every_workflow = pytest.mark.parametrize("name", NAMES)


# ── the files ──


@every_workflow
def test_shipped_workflow_loads_without_problems(name: str) -> None:
    file = FILES / f"{name}.yml"
    loaded = load_workflow(file.read_text(encoding="utf-8"), file.name)
    assert (loaded.problems, loaded.warnings) == ((), ())
    assert shipped(name).name == name
    assert shipped(name).poll_interval == 30


@every_workflow
def test_shipped_workflow_has_exactly_these_states(name: str) -> None:
    workflow = shipped(name)
    found = [
        (state.name, state.agent or "-", state.respawn_prompt or "-", birth(workflow, state.name))
        for state in workflow.states.values()
    ]
    assert found == table(STATES[name])
    assert workflow.first_state == "pending"


@every_workflow
def test_shipped_workflow_has_exactly_these_moves(name: str) -> None:
    workflow = shipped(name)
    found = [line(move) for source in workflow.states for move in workflow.transitions if move.source == source]
    assert found == table(MOVES[name])


@every_workflow
@pytest.mark.parametrize("actor", ["agent", "person", "engine", "force"])
def test_each_actor_can_make_exactly_these_moves(name: str, actor: Actor) -> None:
    workflow = shipped(name)
    letters = {"engine": "xeb", "force": "xfb", "person": "xp"}.get(actor, "x")
    for source, target, letter in matrix(MATRIX[name]):
        allowed = bool(workflow.candidates(source, target, actor))
        assert allowed == (letter in letters), f"{actor}: {source} → {target}"


@every_workflow
def test_the_matrix_leaves_no_pair_out(name: str) -> None:
    pairs = [(source, target) for source, target, _ in matrix(MATRIX[name])]
    states = list(shipped(name).states)
    assert pairs == [(source, target) for source in states for target in states]


@every_workflow
def test_exit_rules_are_exactly_these(name: str) -> None:
    found = [(rule.status, left_behind(rule), effect(rule)) for rule in shipped(name).rules]
    assert found == table(RULES[name])


@every_workflow
def test_signals_are_exactly_these(name: str) -> None:
    found = [(", ".join(each.status), gate_text(each.gate), onward(each)) for each in shipped(name).signals]
    assert found == table(SIGNALS[name])


@every_workflow
def test_every_rule_and_signal_has_its_move(name: str) -> None:
    workflow = shipped(name)
    rules = [(rule.status, target) for rule in workflow.rules for target in targets(rule)]
    signals = [(status, target) for each in workflow.signals for status in each.status for target in targets(each)]
    for source, target in rules + signals:
        assert workflow.candidates(source, target, "engine"), f"{source} → {target}"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("default", "agent-review"),
        ("classic", "agent-review"),
        ("minimal", "reviewing"),
        ("solo", "reviewing"),
    ],
)
def test_task_complete_takes_the_first_gated_move(name: str, expected: str) -> None:
    """`orange task complete` takes the first gated move out of `working`."""
    gated = [move.target for move in shipped(name).moves("working", "agent") if move.gate]
    assert gated[0] == expected


# ── the rules behind the tables ──


@every_workflow
def test_a_person_sends_work_back_from_reviewing_and_nowhere_else_and_merges_there(name: str) -> None:
    workflow = shipped(name)
    backs = {state: send_back_target(workflow, state) for state in workflow.states}
    assert {state: target for state, target in backs.items() if target} == {"reviewing": "working"}
    assert workflow.moves("reviewing", "person")[0].target == "done"
    assert workflow.good_ends("reviewing", "person") == ("done",)


@every_workflow
def test_a_session_is_ended_before_its_workspace_is_given_back(name: str) -> None:
    """A workspace in which an agent still runs would be put into quarantine."""
    for move in shipped(name).transitions:
        actions = [hook.action for hook in move.hooks]
        no_agent_left = (name, move.source, move.target) == ("minimal", "reviewing", "done")
        if "release_workspace" in actions and not no_agent_left:
            assert actions.index("kill_session") < actions.index("release_workspace"), line(move)


@every_workflow
def test_next_task_is_started_by_one_that_is_finished_or_has_delegated(name: str) -> None:
    """Never by one that was cancelled."""
    for move in shipped(name).transitions:
        starts_next = any(hook.action == "spawn_next" for hook in move.hooks)
        assert starts_next == (move.target in {"done", "delegated"}), line(move)


@every_workflow
def test_workspace_is_acquired_before_an_agent_is_started(name: str) -> None:
    workflow = shipped(name)
    starts = [move.hooks for move in workflow.transitions if move.source == workflow.first_state]
    for hooks in (*workflow.initial.values(), *starts):
        if starts_agent(hooks):
            assert hooks[0].action == "acquire_workspace"


# ── the prompts ──


def test_the_table_of_facts_has_every_prompt() -> None:
    assert list(FACTS) == [(name, prompt) for name in NAMES for prompt in shipped(name).prompts]


@pytest.mark.parametrize(("name", "prompt"), FACTS)
def test_prompt_states_every_required_fact(name: str, prompt: str) -> None:
    text = " ".join(shipped(name).prompts[prompt].split())
    facts = [fact for row in table(f"{ALWAYS}\n{FACTS[name, prompt]}") for fact in row]
    assert [fact for fact in facts if fact not in text] == []


@every_workflow
def test_whatever_may_be_pasted_into_an_agent_begins_with_a_word(name: str) -> None:
    """A leading `!`, `/` or `#` would be taken as a command by the agents that know such."""
    workflow = shipped(name)
    messages = [str(hook.params["message"]) for hook in all_hooks(workflow) if "message" in hook.params]
    for text in (*workflow.prompts.values(), *messages):
        assert text[0].isalpha(), text.splitlines()[0]


@every_workflow
def test_a_message_to_the_worker_is_one_line_with_what_to_do_and_the_open_threads(name: str) -> None:
    hand_in = "orange task complete" if name == "solo" else TO_REVIEW
    for message in [str(hook.params["message"]) for hook in all_hooks(shipped(name)) if "message" in hook.params]:
        assert "\n" not in message.removesuffix("\n{open_threads}")
        assert message.endswith("\n{open_threads}")
        assert "$ORANGE_TASK_FILE" in message
        assert hand_in in message


@every_workflow
def test_every_prompt_is_used(name: str) -> None:
    workflow = shipped(name)
    named = {str(hook.params.get("prompt")) for hook in all_hooks(workflow)}
    named |= {str(state.respawn_prompt) for state in workflow.states.values()}
    assert set(workflow.prompts) <= named


@pytest.mark.parametrize(
    ("name", "prompt", "gate"),
    [(name, prompt, gate) for (name, prompt), gates in EXAMPLES.items() for gate in gates],
)
def test_example_in_a_prompt_opens_its_gate(name: str, prompt: str, gate: str) -> None:
    wanted = gate_from(gate)
    body = example(shipped(name).prompts[prompt], wanted.section)
    assert wanted.missing(Written(body)) is None


@pytest.mark.parametrize("prompt", ["worker", "worker_respawn"])
def test_outcomes_in_a_prompt_open_their_gates(prompt: str) -> None:
    commands = re.findall(r"printf '(.*)\\n' \"\$ORANGE_TASK\" > \.orange-outcome", shipped("solo").prompts[prompt])
    gates = [OutcomeGate(("passed", "reviewing")), OutcomeGate(("stuck",))]
    written = [Written(outcome_text=text.replace("%s", "a1")) for text in commands]
    opened = [sum(gate.missing(each) is None for each in written) for gate in gates]
    assert opened == [len(commands) - 1, 1]


# ── reading the tables, and writing a workflow the way they do ──


@functools.cache
def shipped(name: str) -> Workflow:
    file = FILES / f"{name}.yml"
    workflow = load_workflow(file.read_text(encoding="utf-8"), file.name).workflow
    assert workflow is not None
    return workflow


def table(text: str) -> list[tuple[str, ...]]:
    rows = [row for row in text.splitlines() if row.strip()]
    return [tuple(cell.strip() for cell in row.split("|")) for row in rows]


def matrix(text: str) -> Iterator[tuple[str, str, str]]:
    columns, *rows = (row.split() for row in text.strip().splitlines())
    for source, *letters in rows:
        yield from ((source, target, letter) for target, letter in zip(columns, letters, strict=True))


def birth(workflow: Workflow, state: str) -> str:
    if workflow.is_terminal(state):
        return "terminal"
    return hooks_text(workflow.initial[state]) if state in workflow.initial else "no"


def line(move: Transition) -> tuple[str, ...]:
    limit = " ".join(str(each) for each in (move.by, move.when) if each) or "-"
    gate = gate_text(move.gate) if move.gate else "-"
    return move.source, move.target, limit, gate, hooks_text(move.hooks)


def gate_text(gate: Gate) -> str:
    if isinstance(gate, AllGates):
        return " + ".join(map(gate_text, gate.parts))
    if isinstance(gate, ThreadsGate):
        return "threads"
    if isinstance(gate, OutcomeGate):
        return " ".join(("outcome", *gate.outcomes))
    assert isinstance(gate, SectionGate)
    if gate.verdict:
        return f"{gate.section} {gate.verdict} {gate.verdict_line}"
    return " ".join((f"{gate.section}:", *gate.fields)) if gate.fields else gate.section


def gate_from(text: str) -> SectionGate:
    """The other way round, for a gate on a section."""
    section, *rest = text.removeprefix("## ").replace(":", "").split()
    if text.endswith((" first", " any")):
        return SectionGate(f"## {section}", verdict=rest[0], verdict_line=rest[1])
    return SectionGate(f"## {section}", fields=tuple(rest))


def hooks_text(hooks: Iterable[Hook]) -> str:
    return ", ".join(hook_text(hook) for hook in hooks) or "-"


def hook_text(hook: Hook) -> str:
    params = dict(hook.params)
    words = [str(params.pop(key)) for key in ("prompt", "harness", "permissions") if key in params]
    words += [f"+{params.pop('increment')}"] if "increment" in params else []
    words += [str(params.pop("subtasks"))] if "subtasks" in params else []
    words += re.findall(r"Read (## \w+)", str(params.pop("message", "")))
    assert params == {}
    return f"{hook.action}({' '.join(words)})" if words else hook.action


def all_hooks(workflow: Workflow) -> list[Hook]:
    of_moves = [hook for move in workflow.transitions for hook in move.hooks]
    return of_moves + [hook for hooks in workflow.initial.values() for hook in hooks]


def left_behind(rule: ExitRule) -> str:
    assert not (rule.has_artifact and rule.no_artifact)
    return gate_text(rule.has_artifact) if rule.has_artifact else "nothing" if rule.no_artifact else "-"


def effect(rule: ExitRule) -> str:
    words = [rule.action or onward(rule)]
    words += [f"stuck after {rule.stuck_after}"] if rule.stuck_after else []
    words += ["respawn"] if rule.respawn_auto else []
    return ", ".join(words)


def onward(rule: ExitRule | Signal) -> str:
    return rule.then or ", ".join(f"{arm.then} if {arm.when}" for arm in rule.then_when)


def targets(rule: ExitRule | Signal) -> list[str]:
    return [rule.then] if rule.then else [arm.then for arm in rule.then_when]


def example(prompt: str, heading: str) -> str:
    """The indented example under a step of a prompt, as an agent would write it: flush left."""
    _, _, rest = prompt.partition(f"   {heading}\n")
    lines = []
    for text in rest.splitlines():
        if not text.startswith("   "):
            break
        lines.append(text.strip())
    return "\n".join((heading, *lines))
