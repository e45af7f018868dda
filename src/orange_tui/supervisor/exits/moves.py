"""Moves that follow from an exit rule or a signal: where one leads, and the engine's move there."""

from __future__ import annotations

from orange_tui.domain.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import ExitRule, Signal
    from orange_tui.engine.engine import Engine
    from orange_tui.store.open_task import OpenTask


def targets(rule: ExitRule | Signal) -> set[str | None]:
    """Every state that a rule can lead to."""
    return {rule.then, *(arm.then for arm in rule.then_when)}


def choose_target(engine: Engine, rule: ExitRule | Signal, task: Task) -> str | None:
    """The state that a rule leads this task to."""
    return rule.then or next((arm.then for arm in rule.then_when if engine.holds(arm.when, task, is_choice=True)), None)


def advance(
    engine: Engine, opened: OpenTask, target: str | None, reason: str, changes: Mapping[str, object] | None = None
) -> bool:
    """Move a task on by the engine itself; says whether it went. Why not is logged, and journaled once."""
    if target is None:
        return False
    source = opened.task.status
    try:
        engine.transition(opened, target, "engine", changes=changes)
    except Refused as refusal:
        engine.log.write("warning", f"not advanced: {refusal}", task=opened.task.id)
        opened.record_once("auto.refused", **{"from": source, "to": target, "reason": str(refusal)})
        return False
    opened.record("auto.advanced", **{"from": source, "to": target, "reason": reason})
    return True
