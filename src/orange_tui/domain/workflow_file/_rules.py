"""The gates, exit rules and signals of a workflow file."""

from __future__ import annotations

from orange_tui.domain.conditions import coverage_problem
from orange_tui.domain.gates.gate import Gate
from orange_tui.domain.gates.kinds import GATE_KINDS, AllGates
from orange_tui.domain.text.findings import listed
from orange_tui.domain.text.yaml_nodes import only_one
from orange_tui.domain.workflow import (
    PULL_REQUEST_EVENTS,
    STUCK_TIMEOUT,
    ConditionalTarget,
    EventRule,
    ExitRule,
    Signal,
)
from orange_tui.domain.workflow_file import keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.text.yaml_nodes import Item
    from orange_tui.domain.workflow_file._draft import Draft

_SIGNAL_KINDS = tuple(kind.key for kind in GATE_KINDS.values() if kind.is_signal)
_USUAL_LIMIT = 3


def read_gate(item: Item | None, *, is_of_move: bool = False) -> Gate | None:
    """Read a gate: one of the kinds or several, with the options of each; several must all be open.

    Only the gate of a transition can ask for something of the merge that is made with it.
    """
    if item is None:
        return None
    options = [option for kind in GATE_KINDS.values() for option in kind.options]
    entries = item.entries((*GATE_KINDS, *options))
    keys = [key for key in GATE_KINDS if key in entries]
    if not keys and item.could_be_mapping:
        item.add_problem("asks for nothing", f"write one of these into it: {listed(GATE_KINDS)}")
    kinds = [GATE_KINDS[key] for key in keys or ("section",)]  # without any, the options can still be checked
    for option in options:
        if option in entries and not any(option in kind.options for kind in kinds):
            owner = next(other.key for other in GATE_KINDS.values() if option in other.options)
            instead = f" instead of `{keys[0]}`" if keys else ""
            entries[option].add_problem(f"needs a `{owner}`", f"remove it, or ask for a `{owner}`{instead}")
    if "verify" in entries and not is_of_move:
        entries["verify"].add_problem("is for the gate of a transition", "remove it")
    gates = tuple(kind.read(entries) for kind in kinds)
    return gates[0] if len(gates) == 1 else AllGates(gates)


def read_rule(item: Item, draft: Draft) -> None:
    """Read one rule on the death of an agent."""
    entries = item.entries(keys.RULE, required=("status",))
    status = draft.state(entries.get("status"))
    only_one(item, entries, ("has_artifact", "no_artifact", "no_agent", "stale_after"))
    _check_effect(item, entries, ("then", "then_when", "action"))
    action = entries["action"].word(("crash", "mark_dead")) if "action" in entries else None
    _check_crash_only(entries, action)
    rule = ExitRule(
        status=status or "",
        when=draft.condition(entries.get("when")),
        stale_after=_stale_after(entries.get("stale_after")),
        no_agent=bool(entries["no_agent"].flag()) if "no_agent" in entries else False,
        has_artifact=read_gate(entries.get("has_artifact")),
        no_artifact=bool(entries["no_artifact"].flag()) if "no_artifact" in entries else False,
        then=draft.state(entries.get("then")),
        then_when=_conditional_targets(entries.get("then_when"), draft),
        action=action,
        stuck_after=entries["stuck_after"].whole() if "stuck_after" in entries else None,
        respawn_auto="respawn" in entries and entries["respawn"].word(("auto",)) is not None,
    )
    if status is not None:
        draft.rules.append((rule, item.line))


def _stale_after(item: Item | None) -> int | str | None:
    """Seconds, or the word that leaves them to the settings."""
    if item is None or item.value() == STUCK_TIMEOUT:
        return None if item is None else STUCK_TIMEOUT
    return item.whole()


def _check_crash_only(entries: dict[str, Item], action: str | None) -> None:
    for key in ("stuck_after", "respawn"):
        if key in entries and action != "crash":
            entries[key].add_problem("counts crashes, but this rule has no `action: crash`", "add that, or remove this")


def _check_effect(item: Item, entries: dict[str, Item], effects: tuple[str, ...]) -> None:
    if only_one(item, entries, effects) is None and item.could_be_mapping:
        item.add_problem("has no effect", f"add {' or '.join(f'`{key}`' for key in effects)}")


def read_signal(item: Item, draft: Draft) -> None:
    """Read one rule on files; without `status` it applies in every state that is not terminal."""
    entries = item.entries((*keys.SIGNAL, *_SIGNAL_KINDS))
    _check_effect(item, entries, ("then", "then_when"))
    key = only_one(item, entries, (*_SIGNAL_KINDS, "has_artifact"))
    if key is None and item.could_be_mapping:
        item.add_problem("asks for nothing", f"add one of: {listed((*_SIGNAL_KINDS, 'has_artifact'))}")
    kind = GATE_KINDS.get(key or "")
    gate = kind.read(entries) if kind else read_gate(entries.get("has_artifact"))
    open_states = tuple(name for name, state in draft.states.items() if not state.terminal)
    signal = Signal(
        status=tuple(draft.states_named(entries["status"])) if "status" in entries else open_states,
        gate=gate or Gate(),
        then=draft.state(entries.get("then")),
        then_when=_conditional_targets(entries.get("then_when"), draft),
    )
    draft.signals.append((signal, item.line))


def read_event_rules(item: Item, draft: Draft) -> None:
    """Read what follows when something happens to a pull request: for each event a rule, or a list of them."""
    entries = item.entries(PULL_REQUEST_EVENTS)
    if not entries and item.is_null:
        item.add_problem("names no event", f"add one of: {listed(PULL_REQUEST_EVENTS)}; or remove it")
    for event, rules in entries.items():
        for rule in rules.one_or_more(f"the rule for `{event}`"):
            _read_event_rule(event, rule, draft)


def _read_event_rule(event: str, item: Item, draft: Draft) -> None:
    item.name = f"the rule for `{event}`"
    entries = item.entries(keys.EVENT_RULE, required=("from", "to"))
    sources, target = draft.states_named(entries.get("from")), draft.state(entries.get("to"))
    limit = entries["limit"].whole() if "limit" in entries else _USUAL_LIMIT
    when = draft.condition(entries.get("when"))
    if target is not None:
        made = [EventRule(event, source, target, limit or _USUAL_LIMIT, when) for source in sources]
        draft.event_rules += [(rule, item.line) for rule in made]


def _conditional_targets(item: Item | None, draft: Draft) -> tuple[ConditionalTarget, ...]:
    """The cases of a `then_when`, which must cover every number exactly once."""
    if item is None:
        return ()
    cases = [_conditional_target(entry, draft) for entry in item.items("case of `then_when`")]
    if not cases and (item.is_null or item.is_list):
        item.add_problem("is empty", "add cases with `when` and `then`")
    valid = tuple(case for case in cases if case is not None)
    gap = coverage_problem([case.when for case in valid]) if valid and len(valid) == len(cases) else None
    if gap:
        item.add_problem(
            f"does not cover every number once: {gap}",
            "change the conditions so that exactly one always holds",
        )
    return valid


def _conditional_target(item: Item, draft: Draft) -> ConditionalTarget | None:
    entries = item.entries(("when", "then"), required=("when", "then"))
    when = draft.condition(entries.get("when"))
    then = draft.state(entries.get("then"))
    # A case whose target is wrong still covers its numbers: no second problem on the same line.
    return None if when is None else ConditionalTarget(when, then or "")
