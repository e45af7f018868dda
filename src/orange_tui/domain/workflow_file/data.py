"""A checked workflow as JSON values, and back, for the cache.

Every `orange task update` begins by loading a workflow, and parsing YAML would take most of its time. This module is
on that path and therefore imports next to nothing. When the JSON changes, raise `CACHE_FORMAT` in `home.workflows`.
"""

from __future__ import annotations

from orange_tui.domain.conditions import Condition
from orange_tui.domain.gates.kinds import gate_from_data
from orange_tui.domain.workflow import ConditionalTarget, EventRule, ExitRule, Hook, Signal, State, Transition, Workflow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Data = dict[str, Any]


def to_data(workflow: Workflow) -> Data:
    """What `from_data` reads, made of dictionaries, lists, texts, numbers, booleans and None."""
    return vars(workflow) | {
        "states": [dict(vars(state)) for state in workflow.states.values()],
        "initial": {name: _hooks_data(hooks) for name, hooks in workflow.initial.items()},
        "transitions": [_transition_data(transition) for transition in workflow.transitions],
        "rules": [_rule_data(rule) for rule in workflow.rules],
        "signals": [_signal_data(signal) for signal in workflow.signals],
        "prompts": dict(workflow.prompts),
        "on": [vars(rule) | {"when": _when_data(rule.when)} for rule in workflow.on],
    }


def _hooks_data(hooks: Iterable[Hook]) -> list[Data]:
    return [{"action": hook.action, "params": dict(hook.params)} for hook in hooks]


def _when_data(when: Condition | None) -> list[Any] | None:
    return None if when is None else [when.field, when.operator, when.value]


def _cases_data(cases: Iterable[ConditionalTarget]) -> list[Any]:
    return [[_when_data(case.when), case.then] for case in cases]


def _transition_data(transition: Transition) -> Data:
    return vars(transition) | {
        "when": _when_data(transition.when),
        "gate": transition.gate and transition.gate.to_data(),
        "hooks": _hooks_data(transition.hooks),
    }


def _rule_data(rule: ExitRule) -> Data:
    return vars(rule) | {
        "when": _when_data(rule.when),
        "has_artifact": rule.has_artifact and rule.has_artifact.to_data(),
        "then_when": _cases_data(rule.then_when),
    }


def _signal_data(signal: Signal) -> Data:
    return vars(signal) | {
        "status": list(signal.status),
        "gate": signal.gate.to_data(),
        "then_when": _cases_data(signal.then_when),
    }


def from_data(data: Data) -> Workflow:
    """The workflow that `to_data` was given. Data of another shape raises `KeyError` or `TypeError`."""
    return Workflow(
        **data
        | {
            "states": {state["name"]: _state(state) for state in data["states"]},
            "initial": {name: _hooks(hooks) for name, hooks in data["initial"].items()},
            "transitions": tuple(_transition(transition) for transition in data["transitions"]),
            "rules": tuple(_rule(rule) for rule in data["rules"]),
            "signals": tuple(_signal(signal) for signal in data["signals"]),
            "on": tuple(EventRule(**rule | {"when": _when(rule["when"])}) for rule in data["on"]),
        }
    )


def _state(data: Data) -> State:
    return State(**data | {"rejoin": tuple(data["rejoin"])})


def _hooks(data: Iterable[Data]) -> tuple[Hook, ...]:
    return tuple(Hook(hook["action"], hook["params"]) for hook in data)


def _when(data: list[Any] | None) -> Condition | None:
    return Condition(*data) if data else None


def _cases(data: Iterable[list[Any]]) -> tuple[ConditionalTarget, ...]:
    return tuple(ConditionalTarget(Condition(*when), then) for when, then in data)


def _transition(data: Data) -> Transition:
    return Transition(
        **data
        | {
            "when": _when(data["when"]),
            "gate": data["gate"] and gate_from_data(data["gate"]),
            "hooks": _hooks(data["hooks"]),
        }
    )


def _rule(data: Data) -> ExitRule:
    return ExitRule(
        **data
        | {
            "when": _when(data["when"]),
            "has_artifact": data["has_artifact"] and gate_from_data(data["has_artifact"]),
            "then_when": _cases(data["then_when"]),
        }
    )


def _signal(data: Data) -> Signal:
    return Signal(
        **data
        | {
            "status": tuple(data["status"]),
            "gate": gate_from_data(data["gate"]),
            "then_when": _cases(data["then_when"]),
        }
    )
