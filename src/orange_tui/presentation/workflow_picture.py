"""A workflow as a picture for a plain terminal: `orange workflow show NAME`, and the app's workflow page.

Whoever designs a lifecycle asks two things of it: which way does a task go, and what does each step ask for
and set off. So the picture begins with the ways on a few lines, and then has one block for each state.
It is text without colour: it can be piped, kept beside the file, and compared with the one before.
"""

from __future__ import annotations

from orange_tui.domain.task import printable
from orange_tui.presentation._lines import NO_BREAK, WIDEST_NAME, clipped, heading, labelled_rows, unbroken, wrapped_row
from orange_tui.presentation._workflow_rules import event_rules, exit_rules, signals
from orange_tui.presentation.workflow_path import overview

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from orange_tui.domain.workflow import Hook, State, Transition, Workflow

_NARROWEST = 60  # below this the columns would leave no room for words
_LONGEST_MESSAGE = 36
_DEFAULTS = {("harness", "task"), ("permissions", "full")}  # not worth a word
_WINDOWS = {"worker": "worker's window", "reviewer": "reviewer's window", "none": "no agent"}
_RESERVED = {"engine": "the engine itself", "force": "a forced merge", "person": "a person"}


def picture(workflow: Workflow, width: int = 100) -> str:
    """The whole state machine, no line of it wider than `width` (which counts as 60 if it is less)."""
    width = max(width, _NARROWEST)
    parts = [
        overview(workflow, width),
        _states(workflow, width),
        exit_rules(workflow, width),
        signals(workflow, width),
        event_rules(workflow, width),
        _prompts(workflow, width),
    ]
    lines = (line.replace(NO_BREAK, " ").rstrip() for part in parts for line in part)
    return "".join(f"{printable(line)}\n" for line in lines)


def _states(workflow: Workflow, width: int) -> Iterator[str]:
    yield ""
    yield heading("States and moves", width)
    column = min(WIDEST_NAME, max(map(len, workflow.states))) + 8
    for state in workflow.states.values():
        yield from _state(workflow, state, column, width)


def _state(workflow: Workflow, state: State, column: int, width: int) -> Iterator[str]:
    """Its name and what holds there, then an arrow for each move out of it."""
    moves = [move for move in workflow.transitions if move.source == state.name]
    stem = "  │" if moves else ""
    sign = "■" if state.terminal else "●" if state.name in workflow.initial else "○"
    yield from wrapped_row(f"{sign} {state.name}", _state_facts(workflow, state), column, width, stem)
    at_birth = workflow.initial.get(state.name)
    if at_birth:
        yield from labelled_rows(stem, [("starts", _hooks(at_birth))], column, width, stem)
    for move in moves[:-1]:
        yield from labelled_rows(f"  ├─▶ {move.target}", _move_facts(move), column, width, stem)
    for move in moves[-1:]:
        yield from labelled_rows(f"  └─▶ {move.target}", _move_facts(move), column, width, "")
        yield ""


def _state_facts(workflow: Workflow, state: State) -> str:
    """What is true of a task in this state."""
    if state.terminal:
        return "the end"
    start = "tasks start here" if state.name == workflow.first_state else "tasks may start here"
    facts = [
        start if state.name in workflow.initial else "",
        _WINDOWS.get(state.agent or "", "any live window"),
        f"restarts with {state.respawn_prompt}" if state.respawn_prompt else "",
        f"by itself to {state.auto}" if state.auto else "",
        *(f"{'else' if number else 'after its subtasks'} to {target}" for number, target in enumerate(state.rejoin)),
    ]
    return f" ·{NO_BREAK}".join(unbroken(fact) for fact in facts if fact)


def _move_facts(move: Transition) -> list[tuple[str, str]]:
    """What stands before a move and what follows it, in the order in which the engine asks."""
    facts = [
        ("only", _RESERVED.get(move.by or "", move.by or "")),
        ("if", str(move.when) if move.when else ""),
        ("needs", move.gate.description() if move.gate else ""),
        ("runs", _hooks(move.hooks)),
    ]
    return [(label, text) for label, text in facts if text]


def _hooks(hooks: Iterable[Hook]) -> str:
    return f" ▸{NO_BREAK}".join(_hook(hook) for hook in hooks)


def _hook(hook: Hook) -> str:
    """An action, and those of its parameters that are not the usual ones."""
    words = [_parameter(key, value) for key, value in hook.params.items() if (key, str(value)) not in _DEFAULTS]
    return f"{hook.action}({', '.join(words)})" if words else hook.action


def _parameter(key: str, value: object) -> str:
    """What an action is about needs no label; what it says is quoted."""
    if key in {"prompt", "field"}:
        return str(value)
    if key in {"message", "command"}:
        return f'"{clipped(str(value), _LONGEST_MESSAGE)}"'
    return unbroken(f"{key} {value}")


def _prompts(workflow: Workflow, width: int) -> Iterator[str]:
    if workflow.prompts:
        yield from ("", heading("Prompts", width))
    column = min(WIDEST_NAME, max(map(len, workflow.prompts), default=0)) + 4
    used = set(_prompts_in_use(workflow))
    for name, text in workflow.prompts.items():
        lines = text.strip().splitlines() or ["(empty)"]
        note = f"  ({len(lines)} lines{'' if name in used else ', used nowhere'})"
        shown = clipped(printable(lines[0]), width - column - len(note))
        yield from wrapped_row(f"  {name}", shown + note, column, width)


def _prompts_in_use(workflow: Workflow) -> Iterator[str]:
    for hooks in (*workflow.initial.values(), *(move.hooks for move in workflow.transitions)):
        yield from (str(hook.params[key]) for hook in hooks for key in ("prompt", "system") if key in hook.params)
    yield from (state.respawn_prompt for state in workflow.states.values() if state.respawn_prompt)
