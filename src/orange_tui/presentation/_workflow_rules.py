"""What a workflow's rules do when an agent is gone or a file says something."""

from __future__ import annotations

from orange_tui.presentation._lines import WIDEST_NAME, heading, unbroken, wrapped_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orange_tui.domain.workflow import EventRule, ExitRule, Signal, Workflow

    EffectRow = tuple[str, str, str]  # a status, what follows, and on what

_WIDEST_EFFECT = 26


def exit_rules(workflow: Workflow, width: int) -> Iterator[str]:
    if workflow.rules:
        title = f"When an agent has ended (first match, poll {workflow.poll_interval} s)"
        yield from ("", heading(title, width))
        yield from _three_columns(list(_exit_rule_rows(workflow)), width)


def _exit_rule_rows(workflow: Workflow) -> Iterator[EffectRow]:
    above = None
    for rule in workflow.rules:
        if rule.has_artifact:
            yield from _branches(rule.status, rule, rule.has_artifact.description())
        elif rule.action:
            yield rule.status, _consequence(workflow, rule), _otherwise(rule, is_first=rule.status != above)
        else:
            yield from _branches(rule.status, rule, _otherwise(rule, is_first=False))
        above = rule.status


def _otherwise(rule: ExitRule, *, is_first: bool) -> str:
    if rule.stale_after is not None:
        seconds = f"{rule.stale_after} s" if isinstance(rule.stale_after, int) else rule.stale_after
        return f"no agent, and nothing new for {seconds}"
    if rule.no_agent:
        return "no agent could be started"
    if rule.when is not None:
        return f"nothing written, {unbroken(str(rule.when))}"
    return "" if is_first else "otherwise"


def _branches(status: str, rule: ExitRule | Signal, reason: str) -> Iterator[EffectRow]:
    """Where a rule leads; one row for each condition it has."""
    if rule.then:
        yield status, f"→ {rule.then}", reason
    for arm in rule.then_when:
        yield status, f"→ {arm.then}", f"{reason}, {unbroken(str(arm.when))}"


def _consequence(workflow: Workflow, rule: ExitRule) -> str:
    """What follows without an artifact; the last crash leads to `stuck` if the workflow has that state."""
    if rule.action == "mark_dead":
        return "waits, shown as dead"
    effect = "restart" if rule.respawn_auto else "crash"
    end = "→ stuck" if "stuck" in workflow.states else "attention"
    return f"{effect}, {end} after {rule.stuck_after}" if rule.stuck_after else effect


def signals(workflow: Workflow, width: int) -> Iterator[str]:
    if workflow.signals:
        yield from ("", heading("When a file says so, whether or not an agent runs", width))
        rows = [
            row for each in workflow.signals for row in _branches(", ".join(each.status), each, each.gate.description())
        ]
        yield from _three_columns(rows, width)


def event_rules(workflow: Workflow, width: int) -> Iterator[str]:
    if workflow.on:
        yield from ("", heading("When something happens to its pull request", width))
        rows = [(rule.source, f"→ {rule.target}", _event_words(rule)) for rule in workflow.on]
        yield from _three_columns(rows, width)


def _event_words(rule: EventRule) -> str:
    condition = f", {unbroken(str(rule.when))}" if rule.when is not None else ""
    times = "once" if rule.limit == 1 else f"{rule.limit} times"
    return f"{rule.event.replace('_', ' ')}{condition}, at most {times}"


def _three_columns(rows: Sequence[EffectRow], width: int) -> Iterator[str]:
    """Three columns; a status is shown once for all its rows, on a line of its own if it is long."""
    first = min(WIDEST_NAME, max(len(status) for status, _, _ in rows)) + 4
    second = min(_WIDEST_EFFECT, max(len(effect) for _, effect, _ in rows)) + 2
    above = None
    for status, effect, reason in rows:
        label = "" if status == above else f"  {status}"
        if len(label) >= first:
            yield from wrapped_row("", status, 2, width)
            label = ""
        yield from wrapped_row(label.ljust(first) + effect, reason, first + second, width)
        above = status
