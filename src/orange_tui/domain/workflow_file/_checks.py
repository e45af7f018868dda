"""Checks that need the whole workflow file: whether its sections fit together."""

from __future__ import annotations

from orange_tui.domain.conditions import exclude_each_other
from orange_tui.domain.gates.kinds import CommandGate
from orange_tui.domain.text.findings import quoted, suggest
from orange_tui.domain.workflow import STUCK, Hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from orange_tui.domain.workflow import EventRule, Workflow
    from orange_tui.domain.workflow_file._draft import Draft, DraftMove

_MAX_MOVES = 1000  # each is compared with each of its kind; no real workflow needs more
_IMPLIED_INITIAL = ("clarification", "agent-review", "reviewing")
_MERGING = ("person", "force")
_STARTING_ACTIONS = ("spawn_agent", "spawn_reviewer")


def check_consistency(draft: Draft) -> None:
    """Run every check across sections."""
    _check_terminal_states(draft)
    _check_initial_states(draft)
    _check_guards(draft)
    _check_ambiguity(draft)
    _check_stuck_transitions(draft)
    _check_automatic_moves(draft)
    _check_event_rules(draft)
    _check_merged_results(draft)


def _check_terminal_states(draft: Draft) -> None:
    if draft.states and not any(state.terminal for state in draft.states.values()):
        line = min(draft.state_lines.values())
        draft.findings.add_problem(
            line, "no state is terminal, so no task would ever end", "add `terminal: true` to one"
        )


def _check_initial_states(draft: Draft) -> None:
    explicit = draft.initial is not None
    lines = draft.initial_lines if explicit else draft.state_lines
    for name in list(draft.states)[:1] if draft.initial is None else draft.initial:
        if name in draft.states and draft.states[name].terminal:
            fix = "start in another state" if explicit else "put the state in which tasks start first"
            draft.findings.add_problem(lines[name], f"tasks would start in {quoted(name)}, which is terminal", fix)


def _check_guards(draft: Draft) -> None:
    for guard in draft.guards:
        field = guard.condition.field
        if field not in draft.number_fields:
            other = suggest(field, sorted(draft.number_fields))
            fix = f"let a hook increment it or set it to a whole number, or {other}"
            guard.item.add_problem(f"compares {quoted(field)}, which is not a number field of this workflow", fix)


def _check_ambiguity(draft: Draft) -> None:
    """Between two moves that could both be meant, the engine could not choose."""
    if len(draft.moves) > _MAX_MOVES:
        line = draft.moves[_MAX_MOVES].line
        draft.findings.add_problem(line, f"there are more than {_MAX_MOVES} transitions", "split the workflow up")
        return
    groups: dict[tuple[str, str, str | None], list[DraftMove]] = {}
    for move in draft.moves:
        if move.is_complete:
            step = move.transition
            group = groups.setdefault((step.source, step.target, step.by), [])
            _check_against(move, group, draft)
            group.append(move)


def _check_against(move: DraftMove, earlier: Iterable[DraftMove], draft: Draft) -> None:
    step = move.transition
    for other in earlier:
        if not exclude_each_other(step.when, other.transition.when):
            draft.findings.add_problem(
                move.line,
                f"{step.source} → {step.target} could be this transition or the one on line {other.line}",
                "give both a `when` on the same field so that never both are true, or remove one",
            )
            return


def _check_stuck_transitions(draft: Draft) -> None:
    for rule, line in draft.rules:
        if rule.stuck_after is None or STUCK not in draft.states:
            continue
        if not _can_move(draft, rule.status, STUCK):
            draft.findings.add_problem(
                line,
                f"`stuck_after` needs a transition from {quoted(rule.status)} to 'stuck'",
                f"add `{{from: {rule.status}, to: stuck, by: engine}}` to `transitions`",
            )


def _check_automatic_moves(draft: Draft) -> None:
    """What Orange does by itself also needs a transition."""
    for name, state in draft.states.items():
        for key, target in (("auto", state.auto), *(("rejoin", target) for target in state.rejoin)):
            if target is None or _can_move(draft, name, target):
                continue
            line = draft.state_lines[name]
            if target in draft.states:
                fix = f"add `{{from: {name}, to: {target}}}` to `transitions`"
                draft.findings.add_problem(line, f"`{key}: {target}` of {quoted(name)} has no transition", fix)
            else:
                what = f"`{key}` of {quoted(name)} names the state {quoted(target)}, which does not exist"
                draft.findings.add_problem(line, what, suggest(target, draft.states))


def _check_event_rules(draft: Draft) -> None:
    """A rule on a pull request's events moves a task in the engine's name; which one of two is meant must be clear."""
    seen: dict[tuple[str, str], list[EventRule]] = {}
    for rule, line in draft.event_rules:
        what = f"the rule for `{rule.event}` moves a task from {quoted(rule.source)} to {quoted(rule.target)}"
        steps = [m.transition for m in draft.moves if (m.transition.source, m.transition.target) == rule.move]
        if not any(step.by in {None, "engine"} for step in steps):
            reserved = " for the engine" if steps else ""
            fix = f"add `{{from: {rule.source}, to: {rule.target}, by: engine}}` to `transitions`"
            draft.findings.add_problem(line, f"{what}, and there is no such transition{reserved}", fix)
        earlier = seen.setdefault((rule.event, rule.source), [])
        if any(not exclude_each_other(rule.when, other.when) for other in earlier):
            fix = "give both a `when` on the same field so that never both are true, or remove one"
            draft.findings.add_problem(line, f"{what}, and another one applies there too", fix)
        earlier.append(rule)


def _check_merged_results(draft: Draft) -> None:
    """There is the result of a merge only where a person's merge ends the task."""
    for move in draft.moves:
        step = move.transition
        parts = step.gate.parts if step.gate is not None and move.is_complete else ()
        verify = next((part.verify for part in parts if isinstance(part, CommandGate) and part.verify), None)
        if verify is None:
            continue
        what = f"{step.source} → {step.target} asks for `verify: {verify}`"
        if not draft.states[step.target].terminal:
            fix = "move it to the transition with which a merge ends the task, or remove it"
            draft.findings.add_problem(move.line, f"{what}, but nothing is merged there", fix)
        elif step.by not in _MERGING:
            fix = "add `by: person` to the transition"
            draft.findings.add_problem(move.line, f"{what}, but it is not a person's merge alone that leads there", fix)


def _can_move(draft: Draft, source: str, target: str) -> bool:
    steps = (move.transition for move in draft.moves)
    return any(s.source == source and s.target == target and s.by != "force" for s in steps)


def implied_initial(draft: Draft) -> dict[str, tuple[Hook, ...]]:
    """Where tasks may start in a file without `initial`: the first state, and three known by name."""
    first = next(iter(draft.states))
    also = [name for name in _IMPLIED_INITIAL if name in draft.states and name != first]
    pending = [name for name in also if not draft.states[name].terminal]
    return {first: ()} | {name: _implied_hooks(name, first, draft) for name in pending}


def _implied_hooks(name: str, first: str, draft: Draft) -> tuple[Hook, ...]:
    into = [m.transition for m in draft.moves if m.transition.target == name and m.transition.by != "force"]
    for step in into:
        if step.source == first:
            return step.hooks
    if name == "reviewing":  # the work exists already: it waits for a person, not for an agent
        return ()
    spawns = [hook for step in into for hook in step.hooks if hook.action in _STARTING_ACTIONS]
    return (Hook("acquire_workspace", {}), *spawns[:1])


def add_warnings(workflow: Workflow, draft: Draft) -> None:
    """Warn about what a valid workflow may still have wrong."""
    forward: dict[str, set[str]] = {}
    backward: dict[str, set[str]] = {}
    for step in workflow.transitions:
        forward.setdefault(step.source, set()).add(step.target)
        backward.setdefault(step.target, set()).add(step.source)
    reached = _reachable(workflow.initial, forward)
    ending = _reachable((name for name, state in workflow.states.items() if state.terminal), backward)
    for name, line in draft.state_lines.items():
        if name not in reached:
            draft.findings.add_warning(line, f"no path leads to {quoted(name)}", "add a transition to it, or remove it")
        if name not in ending:
            what = f"no terminal state can be reached from {quoted(name)}"
            draft.findings.add_warning(line, what, "add a transition that leads on from it")
    _warn_about_ends_that_could_be_either(workflow, draft)
    _warn_about_rules_without_transition(draft)


def _warn_about_ends_that_could_be_either(workflow: Workflow, draft: Draft) -> None:
    """Neither a merge nor a cancel would end a task there, though a person may."""
    for name, state in workflow.states.items():
        by_person = any(name in workflow.targets(source, "person") for source in workflow.states)
        if state.terminal and state.end is None and by_person:
            what = f"nobody can tell whether {quoted(name)} is a good end or for cancelled tasks"
            draft.findings.add_warning(draft.state_lines[name], what, "add `end: done` or `end: cancelled` to it")


def _reachable(starts: Iterable[str], edges: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    pending = list(starts)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(edges.get(name, ()))
    return found


def _warn_about_rules_without_transition(draft: Draft) -> None:
    """A rule moves a task by a transition; without one it would fail each time it applies."""
    rules = [((rule.status,), rule.then, rule.then_when, line) for rule, line in draft.rules]
    signals = [(signal.status, signal.then, signal.then_when, line) for signal, line in draft.signals]
    for sources, then, cases, line in rules + signals:
        for target in dict.fromkeys([*([then] if then else []), *(case.then for case in cases)]):
            if not any(_can_move(draft, source, target) for source in sources):
                what = f"no transition leads to {quoted(target)} from where this applies, so it does nothing"
                draft.findings.add_warning(line, what, f"add one to `transitions` (to: {target})")
