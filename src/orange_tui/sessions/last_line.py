"""The last line that an agent has printed, picked from its screen: neither its input line nor its status bar.

Agents draw a box or a prompt at the bottom, and under it what can be pressed. So what counts ends above the last prompt
near the end and the rule around it, and a line by which the agent's state is known says nothing more.
"""

from __future__ import annotations

import re

from orange_tui.domain.task import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.domain.harnesses.harness import Harness

_LOOKED_AT, _INPUT_LINES = 40, 12  # lines from the bottom; in the last of them the input line may be
_LINES_BELOW_PROMPT = 4  # of an input line without a box, itself included; with more, it is a message of before
_MAX_COLUMNS = 400
_RULE = re.compile(r"^\s*[╭┌╰└├]?[─━═_]{8,}")
_PROMPT = re.compile(r"^\s*[│┃]?\s*[❯›>](?:\s|$)")
_DECORATION = " \t│┃║|⎿└├▸▶●○◆•·*✻✳✢✶✽-"
_WORD = re.compile(r"\w\w")


def last_line(harness: Harness, screen: str) -> str:
    """What the agent has printed last, in one line; empty where there is nothing but its own furniture."""
    lines = [line[:_MAX_COLUMNS] for line in screen.splitlines() if line.strip()][-_LOOKED_AT:]
    states = (*harness.screen.busy, *harness.screen.idle, *harness.screen.starting)
    for line in reversed(lines[: _end_of_output(lines)]):
        if _WORD.search(line) and not _is_known(states, line):
            return one_line(line.strip(_DECORATION))
    return ""


def _end_of_output(lines: list[str]) -> int:
    """Where the input line begins, if there is one near the end: a message that was sent looks just like one."""
    near = range(max(0, len(lines) - _INPUT_LINES), len(lines))
    rules = [place for place in near if _RULE.match(lines[place])]
    prompts = [place for place in near if _PROMPT.match(lines[place])]
    if not prompts:
        return rules[0] if rules else len(lines)
    prompt = prompts[-1]
    above = max((rule for rule in rules if rule < prompt), default=prompt)
    if any(rule > prompt for rule in rules) or above == prompt - 1:
        return above
    return prompt if len(lines) - prompt <= _LINES_BELOW_PROMPT else len(lines)


def _is_known(patterns: Iterable[str], line: str) -> bool:
    return any(re.search(pattern, line) for pattern in patterns)
