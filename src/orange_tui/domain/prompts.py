"""Prompt templates: a handful of `{variables}` are filled in, all other text is left alone.

They are full of code and JSON, so only a bare word in braces is a variable. Where such a word is meant
literally it is doubled: `{{branch}}` is written out as `{branch}`. All other braces are just braces.
"""

from __future__ import annotations

import re

from orange_tui.domain.actions import PROMPT_VARIABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.domain.task import Task

_WORD = r"[A-Za-z_][A-Za-z0-9_]*"
_VARIABLE = re.compile(rf"\{{(?P<literal>\{{{_WORD}\}})\}}|\{{(?P<name>{_WORD})\}}", re.ASCII)


def render_prompt(template: str, values: Mapping[str, object]) -> str:
    """Fill in the variables, in one pass: a summary that says `{branch}` stays what its author wrote."""

    def filled(found: re.Match[str]) -> str:
        if found["literal"]:
            return found["literal"]
        value = values.get(found["name"], found[0])
        return "" if value is None else str(value)

    return _VARIABLE.sub(filled, template)


def task_values(task: Task) -> dict[str, object]:
    """The values of a task that a prompt or message may ask for."""
    return {name: getattr(task, name) for name in PROMPT_VARIABLES}


def find_variables(template: str) -> Iterator[tuple[str, int]]:
    """Every variable in a template, with the number of lines above it."""
    for found in _VARIABLE.finditer(template):
        if found["name"]:
            yield found["name"], template.count("\n", 0, found.start())
