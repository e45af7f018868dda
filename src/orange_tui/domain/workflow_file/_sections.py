"""The sections of a workflow file: states, where tasks start, transitions, prompts and monitoring."""

from __future__ import annotations

from orange_tui.domain.text.findings import quoted, suggest
from orange_tui.domain.workflow import CANCELLED, DONE, State, Transition
from orange_tui.domain.workflow_file import keys
from orange_tui.domain.workflow_file._draft import DraftMove
from orange_tui.domain.workflow_file._hooks import read_hooks, read_prompt
from orange_tui.domain.workflow_file._rules import read_gate, read_rule, read_signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.text.yaml_nodes import Item
    from orange_tui.domain.workflow_file._draft import Draft


def read_states(item: Item, draft: Draft) -> None:
    """Read every state, in the file's order, which is the order people see them in."""
    entries = item.entries()
    if not entries and item.could_be_mapping:
        item.add_problem("is empty", "add the states a task passes through, at least one of them `terminal: true`")
    for name, state in entries.items():
        _check_state_name(name, state)
        draft.states[name] = _state(name, state, draft)
        draft.state_lines[name] = state.line


def _check_state_name(name: str, item: Item) -> None:
    if not name or not name.isprintable() or "," in name or any(letter.isspace() for letter in name):
        item.findings.add_problem(
            item.line,
            f"{quoted(name)} cannot be the name of a state",
            "write it without spaces, commas or control characters, such as agent-review",
        )


def _state(name: str, item: Item, draft: Draft) -> State:
    item.name = f"the state {quoted(name)}"
    entries = item.entries(keys.STATE)
    terminal = bool(entries["terminal"].flag()) if "terminal" in entries else False
    end = entries["end"].word((DONE, CANCELLED)) if "end" in entries else None
    if end is not None and not terminal:
        entries["end"].add_problem("is for a terminal state only", "add `terminal: true`, or remove it")
    return State(
        name=name,
        terminal=terminal,
        end=end,
        agent=entries["agent"].word(("worker", "reviewer", "none")) if "agent" in entries else None,
        respawn_prompt=draft.prompt(entries["respawn_prompt"]) if "respawn_prompt" in entries else None,
        auto=entries["auto"].text() if "auto" in entries else None,
        rejoin=_texts(entries.get("rejoin")),
    )


def _texts(item: Item | None) -> tuple[str, ...]:
    """One text, or a list of them."""
    found = [each.text() for each in item.one_or_more(item.name)] if item is not None else []
    return tuple(text for text in found if text is not None)


def read_prompts(item: Item, draft: Draft) -> None:
    """Read every prompt, and check its variables."""
    draft.prompts_known = item.could_be_mapping
    for name, prompt in item.entries().items():
        prompt.name = f"the prompt {quoted(name)}"
        draft.prompts[name] = read_prompt(prompt) or ""


def read_initial(item: Item, draft: Draft) -> None:
    """Read the states a task may be created in, and the hooks that run then."""
    draft.initial = {}
    entries = item.entries()
    if not entries and item.could_be_mapping:
        item.add_problem("names no state", "name at least one, such as `pending: {}`, or remove `initial`")
    for name, start in entries.items():
        start.name = f"the start in {quoted(name)}"
        hooks = start.entries(("hooks",)).get("hooks")
        _check_initial_state(name, start, draft)
        draft.initial[name] = read_hooks(hooks, draft)
        draft.initial_lines[name] = start.line


def _check_initial_state(name: str, item: Item, draft: Draft) -> None:
    if draft.states and name not in draft.states:
        what = f"`initial` names the state {quoted(name)}, which does not exist"
        draft.findings.add_problem(item.line, what, suggest(name, draft.states))


def read_name(item: Item, draft: Draft) -> None:
    """Read the workflow's name."""
    draft.name = item.text() or ""


def read_version(item: Item, draft: Draft) -> None:
    """Read the version, a number for its author; Orange does not use it."""
    draft.version = item.whole() or 1


def read_transitions(item: Item, draft: Draft) -> None:
    """Read every permitted move, in the file's order: the first one is the way forward."""
    for transition in item.items("transition"):
        _read_transition(transition, draft)


def _read_transition(item: Item, draft: Draft) -> None:
    """Read one entry of `transitions`: a move from each of its sources."""
    entries = item.entries(keys.TRANSITION, required=("from", "to"))
    sources = draft.states_named(entries.get("from"))
    _check_sources_not_terminal(entries.get("from"), sources, draft)
    target = draft.state(entries.get("to"))
    when = draft.condition(entries.get("when"))
    by = entries["by"].word(("engine", "force", "person")) if "by" in entries else None
    gate = read_gate(entries.get("gate"), is_of_move=True)
    hooks = read_hooks(entries.get("hooks"), draft)
    is_complete = (when is not None) == ("when" in entries) and (by is not None) == ("by" in entries)
    if target is not None:
        made = [Transition(source, target, when, by, gate, hooks) for source in sources]
        draft.moves += [DraftMove(transition, item.line, is_complete) for transition in made]


def _check_sources_not_terminal(item: Item | None, sources: list[str], draft: Draft) -> None:
    for name in sources:
        if item is not None and draft.states[name].terminal:
            item.add_problem(
                f"names {quoted(name)}, which is terminal: no task can leave it",
                "remove this transition, or `terminal: true` from the state",
            )


def read_monitoring(item: Item, draft: Draft) -> None:
    """Read what follows an agent's death, and the poll interval that is the backstop."""
    entries = item.entries(keys.MONITORING)
    if "poll_interval" in entries:
        draft.poll_interval = entries["poll_interval"].whole() or draft.poll_interval
    for rule in entries["rules"].items("rule") if "rules" in entries else []:
        read_rule(rule, draft)


def read_signals(item: Item, draft: Draft) -> None:
    """Read the rules on files."""
    for signal in item.items("signal"):
        read_signal(signal, draft)
