"""Workflows that nobody has written: valid ones, made up by the seed."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

_AGENTS = ("worker", "worker", "reviewer", "none")
_GATES = (
    '{section: "## Plan", required: true}',
    '{section: "## Handoff", fields: [DONE, REMAINING]}',
    '{section: "## Review", verdict: PASS, verdict_line: first}',
    "{outcome: passed}",
)
_EXTRA_HOOKS = (
    "{action: increment, field: review_round}",
    "{action: set_field, field: labels, value: [seen]}",
    '{action: notify_worker, message: "go on"}',
    "kill_reviewer",
)


def random_workflow(name: str, random: Random) -> str:
    """A way through some states, with steps back, gates, hooks and rules; it ends well under any name."""
    steps = [f"s{number}" for number in range(random.randrange(2, 5))]
    agents = {step: random.choice(_AGENTS) for step in steps}
    end = random.choice(("done", "shipped"))
    lines = [f"name: {name}", "version: 1", "states:", "  waiting: {agent: none}"]
    lines += [f"  {step}: {{agent: {agents[step]}, respawn_prompt: go}}" for step in steps]
    lines += ["  stuck: {agent: worker, respawn_prompt: go}", f"  {end}: {{terminal: true}}"]
    lines += ["  cancelled: {terminal: true}", "initial:", "  waiting: {}"]
    for step in steps[1:]:
        if random.random() < 0.5:
            lines.append(f"  {step}: {{hooks: [acquire_workspace, {_start(agents[step])}]}}")
    lines.append("transitions:")
    lines += _move("waiting", steps[0], None, ["acquire_workspace", _start(agents[steps[0]])])
    for before, after in pairwise(steps):
        gate = random.choice((None, *_GATES))
        lines += _move(before, after, gate, _hooks_between(agents[after], random))
        if random.random() < 0.4:
            lines += _move(after, before, None, [_start(agents[before])])
    lines += _move(steps[-1], end, None, ["kill_session", "release_workspace", "spawn_next"])
    lines += _move(f"[{', '.join([*steps, 'stuck'])}]", "cancelled", None, ["kill_session", "release_workspace"])
    lines += _move("waiting", "cancelled", None, [])
    lines += _move(f"[{', '.join(steps)}]", "stuck", None, [_start("worker")], by="engine")
    lines += _move("stuck", steps[-1], None, [])
    lines += ["exit_monitoring:", "  rules:"]
    lines += [line for step in steps for line in _rules(step, agents[step], random)]
    return "\n".join([*lines, "prompts:", '  go: "Go on with {summary}."', ""])


def _start(agent: str) -> str:
    return "{action: spawn_reviewer, prompt: go}" if agent == "reviewer" else "{action: spawn_agent, prompt: go}"


def _hooks_between(agent: str, random: Random) -> list[str]:
    """What leads to the next state: somebody is started there, others may be ended first."""
    first = [random.choice(_EXTRA_HOOKS)] if random.random() < 0.4 else []
    ended = ["kill_session"] if random.random() < 0.3 else []
    return [*first, *ended, *([] if agent == "none" else [_start(agent)])]


def _move(source: str, target: str, gate: str | None, hooks: list[str], by: str | None = None) -> list[str]:
    lines = [f"  - from: {source}", f"    to: {target}"]
    lines += [f"    by: {by}"] if by else []
    lines += [f"    gate: {gate}"] if gate else []
    return [*lines, f"    hooks: [{', '.join(hooks)}]"] if hooks else lines


def _rules(step: str, agent: str, random: Random) -> list[str]:
    if agent == "none" or random.random() < 0.2:
        return [f"    - {{status: {step}, action: mark_dead}}"]
    again = ", respawn: auto" if random.random() < 0.3 else ""
    return [f"    - {{status: {step}, no_artifact: true, action: crash, stuck_after: 2{again}}}"]
