"""Loading a workflow file: a `Workflow`, or the list of everything that is wrong with it.

A person who writes a workflow should be able to fix all mistakes at once, so reading never stops at the first problem,
and never raises. A workflow that comes out is valid: the engine checks nothing in it again.
"""

from __future__ import annotations

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.text import yaml_text
from orange_tui.domain.text.findings import Findings
from orange_tui.domain.text.yaml_nodes import Item
from orange_tui.domain.workflow import Workflow, judge_ends
from orange_tui.domain.workflow_file import keys
from orange_tui.domain.workflow_file._checks import add_warnings, check_consistency, implied_initial
from orange_tui.domain.workflow_file._draft import Draft
from orange_tui.domain.workflow_file._rules import read_event_rules
from orange_tui.domain.workflow_file._sections import (
    read_initial,
    read_monitoring,
    read_name,
    read_prompts,
    read_signals,
    read_states,
    read_transitions,
    read_version,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.domain.text.findings import Problem

_READERS = {
    "prompts": read_prompts,
    "states": read_states,
    "name": read_name,
    "version": read_version,
    "initial": read_initial,
    "transitions": read_transitions,
    "exit_monitoring": read_monitoring,
    "signals": read_signals,
    "on": read_event_rules,
}
_REQUIRED_KEYS = ("name", "states", "transitions")


@record
class LoadedWorkflow:
    """A workflow, or the problems that kept it from being loaded. There may be warnings with either."""

    workflow: Workflow | None
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...] = ()


def load_workflow(text: str, file: str, *, extra_actions: Collection[str] = ()) -> LoadedWorkflow:
    """Read and check a whole file. `extra_actions` is asked only about actions that Orange does not have."""
    findings = Findings(file)
    draft = Draft(findings, extra_actions)
    try:
        node = yaml_text.compose(text)
    except Unreadable as error:
        findings.add_unreadable(error, 1)
        return LoadedWorkflow(None, findings.problems)
    if node is None or yaml_text.is_null(node):
        findings.add_problem(1, "the file is empty", f"a workflow needs at least: {', '.join(_REQUIRED_KEYS)}")
        return LoadedWorkflow(None, findings.problems)
    _read(Item(node, "the file", findings), draft)
    check_consistency(draft)
    workflow = None if findings.problems else _build(draft)
    return LoadedWorkflow(workflow, findings.problems, findings.warnings)


def _read(item: Item, draft: Draft) -> None:
    """Prompts and states are read first, wherever they are in the file, because everything else refers to them."""
    entries = item.entries(keys.FILE, required=_REQUIRED_KEYS)
    for key, read in _READERS.items():
        if key in entries:
            read(entries[key], draft)


def _build(draft: Draft) -> Workflow:
    workflow = judge_ends(
        Workflow(
            name=draft.name,
            version=draft.version,
            states=draft.states,
            initial=implied_initial(draft) if draft.initial is None else draft.initial,
            transitions=tuple(move.transition for move in draft.moves),
            poll_interval=draft.poll_interval,
            rules=tuple(rule for rule, _ in draft.rules),
            signals=tuple(signal for signal, _ in draft.signals),
            prompts=draft.prompts,
            on=tuple(rule for rule, _ in draft.event_rules),
        )
    )
    add_warnings(workflow, draft)
    return workflow
