"""A workflow as a picture for a plain terminal: `orange workflow show NAME`.

Whoever designs a lifecycle asks two things of it: which way does a task go, and what does each step ask for
and set off. So the picture begins with the ways on a few lines, and then has one block for each state.
It is text without colour: it can be piped, kept beside the file, and compared with the one before.
"""

from __future__ import annotations

import textwrap

from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from orange_tui.domain.workflow import ExitRule, Gate, Hook, Signal, State, Transition, Workflow

    Row = tuple[str, str, str]  # a status, what follows, and on what

_NARROWEST = 60  # below this the columns would leave no room for words
_WIDEST_NAME = 24  # a longer name stands on a line of its own
_WIDEST_EFFECT = 26
_LABEL = 7
_LONGEST_MESSAGE = 36
_GLUE = "\u00a0"  # a blank at which no line is broken
_ARROW = f" →{_GLUE}"
_USUAL = {("harness", "task"), ("permissions", "full")}  # not worth saying
_WHO = {"worker": "worker's window", "reviewer": "reviewer's window", "none": "no agent"}
_RESERVED = {"engine": "the engine itself", "force": "a forced merge", "person": "a person"}


def picture(workflow: Workflow, width: int = 100) -> str:
    """The whole state machine, no line of it wider than `width` (which counts as 60 if it is less)."""
    width = max(width, _NARROWEST)
    parts = [
        _overview(workflow, width),
        _states(workflow, width),
        _deaths(workflow, width),
        _signals(workflow, width),
        _prompts(workflow, width),
    ]
    lines = (line.replace(_GLUE, " ").rstrip() for part in parts for line in part)
    return "".join(f"{printable(line)}\n" for line in lines)


# ── the ways, at one glance ──


def _overview(workflow: Workflow, width: int) -> Iterator[str]:
    """The forward path on a line, and beneath it everything that leaves it."""
    path = forward_path(workflow)
    yield _title(f"{workflow.name}, version {workflow.version}", width)
    ways = {
        "forward": [_ARROW.join(path)],
        "back": [f" ·{_GLUE}".join(_ways_back(workflow, path))],
        "beside": [_side_state(workflow, name) for name in workflow.states if name not in path],
        "forced": [_ways_into(workflow, path[-1], by="force")],
        "created": [_birthplaces(workflow)],
    }
    for label, texts in ways.items():
        for number, text in enumerate(filter(None, texts)):
            yield from _row(f"  {'' if number else label}", text, 12, width)


def forward_path(workflow: Workflow) -> list[str]:
    """From the first state along the first move listed that is not reserved, until it ends or would go round.

    Where agents report and the engine decides, the way on is the engine's own.
    """
    path = [workflow.first_state]
    by_report = any(move.gate and move.gate.report for move in workflow.transitions)
    while True:
        moves = [move for move in workflow.transitions if move.source == path[-1]]
        onward = [move.target for move in moves if not move.by or (by_report and move.by == "engine")]
        if not onward or onward[0] in path:
            return path
        path.append(onward[0])


def _ways_back(workflow: Workflow, path: Sequence[str]) -> list[str]:
    """Moves on the forward path that go against it."""
    place = {name: number for number, name in enumerate(path)}
    moves = [(move.source, move.target) for move in workflow.transitions]
    return _unique(
        _together(f"{source} → {target}")
        for source, target in moves
        if place.get(target, len(path)) < place.get(source, -1)
    )


def _side_state(workflow: Workflow, name: str) -> str:
    """A state off the path: where it is reached from, and where it leads except to an end."""
    leads_to = [target for target in workflow.targets(name, "person") if not workflow.is_terminal(target)]
    onward = f"{_ARROW}{', '.join(leads_to)}" if leads_to else ""
    return (_ways_into(workflow, name) or name) + onward


def _ways_into(workflow: Workflow, target: str, by: str | None = None) -> str:
    """`planning, working → stuck`; without `by`, whoever makes the move. Nothing if there is no way in."""
    moves = [move for move in workflow.transitions if move.target == target and by in (None, move.by)]
    sources = _unique(move.source for move in moves)
    others = {name for name, state in workflow.states.items() if not state.terminal and name != target}
    if not sources:
        return ""
    whence = "every state" if set(sources) >= others else ", ".join(sources)
    return f"{whence}{_ARROW}{target}"


def _birthplaces(workflow: Workflow) -> str:
    usual, *others = workflow.initial
    return f"in {usual}" + (f"; on request in {_either(others)}" if others else "")


# ── one block for each state ──


def _states(workflow: Workflow, width: int) -> Iterator[str]:
    yield ""
    yield _title("States and moves", width)
    column = min(_WIDEST_NAME, max(map(len, workflow.states))) + 8
    for state in workflow.states.values():
        yield from _state(workflow, state, column, width)


def _state(workflow: Workflow, state: State, column: int, width: int) -> Iterator[str]:
    """Its name and what holds there, then an arrow for each move out of it."""
    moves = [move for move in workflow.transitions if move.source == state.name]
    stem = "  │" if moves else ""
    sign = "■" if state.terminal else "●" if state.name in workflow.initial else "○"
    yield from _row(f"{sign} {state.name}", _standing(workflow, state), column, width, stem)
    at_birth = workflow.initial.get(state.name)
    if at_birth:
        yield from _facts(stem, [("starts", _in_order(at_birth))], column, width, stem)
    for move in moves[:-1]:
        yield from _facts(f"  ├─▶ {move.target}", _asked_and_done(move), column, width, stem)
    for move in moves[-1:]:
        yield from _facts(f"  └─▶ {move.target}", _asked_and_done(move), column, width, "")
        yield ""


def _standing(workflow: Workflow, state: State) -> str:
    """What is true of a task in this state."""
    if state.terminal:
        return "the end"
    start = "tasks start here" if state.name == workflow.first_state else "tasks may start here"
    facts = [
        start if state.name in workflow.initial else "",
        _WHO.get(state.agent or "", "any live window"),
        f"respawned with {state.respawn_prompt}" if state.respawn_prompt else "",
        f"by itself to {state.auto}" if state.auto else "",
        f"after its subtasks to {state.rejoin}" if state.rejoin else "",
    ]
    return f" ·{_GLUE}".join(_together(fact) for fact in facts if fact)


def _asked_and_done(move: Transition) -> list[tuple[str, str]]:
    """What stands before a move and what follows it, in the order in which the engine asks."""
    facts = [
        ("only", _RESERVED.get(move.by or "", move.by or "")),
        ("if", str(move.when) if move.when else ""),
        ("needs", _gate(move.gate) if move.gate else ""),
        ("runs", _in_order(move.hooks)),
    ]
    return [(label, text) for label, text in facts if text]


def _gate(gate: Gate) -> str:
    """What must be there, in a few words."""
    wanted = [
        _section(gate) if gate.section else "",
        f".orange-outcome saying {_either(gate.outcome)}" if gate.outcome else "",
        f"a report of {_either(gate.report)}" if gate.report else "",
        f"`{gate.command}` to succeed" if gate.command else "",
    ]
    return " and ".join(text for text in wanted if text)


def _section(gate: Gate) -> str:
    if gate.verdict:
        place = "on its first line" if gate.verdict_line == "first" else "on any line"
        return f"{gate.section} with {gate.verdict} {place}"
    return f"{gate.section} with {_either(gate.fields) if gate.fields else 'something in it'}"


def _in_order(hooks: Iterable[Hook]) -> str:
    return f" ▸{_GLUE}".join(_hook(hook) for hook in hooks)


def _hook(hook: Hook) -> str:
    """An action, and those of its parameters that are not the usual ones."""
    words = [_parameter(key, value) for key, value in hook.params.items() if (key, str(value)) not in _USUAL]
    return f"{hook.action}({', '.join(words)})" if words else hook.action


def _parameter(key: str, value: object) -> str:
    """What an action is about needs no label; what it says is quoted."""
    if key in {"prompt", "field"}:
        return str(value)
    if key in {"message", "command"}:
        return f'"{_clipped(str(value), _LONGEST_MESSAGE)}"'
    return _together(f"{key} {value}")


# ── what happens without anybody asking ──


def _deaths(workflow: Workflow, width: int) -> Iterator[str]:
    if workflow.rules:
        title = f"When an agent is gone (first match, poll {workflow.poll_interval} s)"
        yield from ("", _title(title, width))
        yield from _effects(list(_rule_rows(workflow)), width)


def _rule_rows(workflow: Workflow) -> Iterator[Row]:
    above = None
    for rule in workflow.rules:
        if rule.has_artifact:
            yield from _arms(rule.status, rule, _gate(rule.has_artifact))
        elif rule.action:
            yield rule.status, _consequence(workflow, rule), _otherwise(rule, is_first=rule.status != above)
        else:
            yield from _arms(rule.status, rule, _otherwise(rule, is_first=False))
        above = rule.status


def _otherwise(rule: ExitRule, *, is_first: bool) -> str:
    if rule.stale_after is not None:
        return f"nobody there, nothing new for {rule.stale_after} s"
    if rule.when is not None:
        return f"nothing left behind, {_together(str(rule.when))}"
    return "" if is_first else "otherwise"


def _arms(status: str, rule: ExitRule | Signal, reason: str) -> Iterator[Row]:
    """Where a rule leads; a row for each arm where that depends."""
    if rule.then:
        yield status, f"→ {rule.then}", reason
    for arm in rule.then_when:
        yield status, f"→ {arm.then}", f"{reason}, {_together(str(arm.when))}"


def _consequence(workflow: Workflow, rule: ExitRule) -> str:
    """What follows without an artifact; the last crash leads to `stuck` where the workflow has it."""
    if rule.action == "mark_dead":
        return "waits, shown as dead"
    effect = "restart" if rule.respawn_auto else "crash"
    end = "→ stuck" if "stuck" in workflow.states else "attention"
    return f"{effect}, {end} after {rule.stuck_after}" if rule.stuck_after else effect


def _signals(workflow: Workflow, width: int) -> Iterator[str]:
    if workflow.signals:
        yield from ("", _title("When a file says so, whether the agent lives or not", width))
        rows = [row for each in workflow.signals for row in _arms(", ".join(each.status), each, _gate(each.gate))]
        yield from _effects(rows, width)


def _effects(rows: Sequence[Row], width: int) -> Iterator[str]:
    """Three columns; a status is said once for all the rows it has, and stands alone if it is too long."""
    first = min(_WIDEST_NAME, max(len(status) for status, _, _ in rows)) + 4
    second = min(_WIDEST_EFFECT, max(len(effect) for _, effect, _ in rows)) + 2
    above = None
    for status, effect, reason in rows:
        said = "" if status == above else f"  {status}"
        if len(said) >= first:
            yield from _row("", status, 2, width)
            said = ""
        yield from _row(said.ljust(first) + effect, reason, first + second, width)
        above = status


# ── what the agents are told ──


def _prompts(workflow: Workflow, width: int) -> Iterator[str]:
    if workflow.prompts:
        yield from ("", _title("Prompts", width))
    column = min(_WIDEST_NAME, max(map(len, workflow.prompts), default=0)) + 4
    used = set(_prompts_in_use(workflow))
    for name, text in workflow.prompts.items():
        lines = text.strip().splitlines() or ["(empty)"]
        note = f"  ({len(lines)} lines{'' if name in used else ', used nowhere'})"
        shown = _clipped(printable(lines[0]), width - column - len(note))
        yield from _row(f"  {name}", shown + note, column, width)


def _prompts_in_use(workflow: Workflow) -> Iterator[str]:
    for hooks in (*workflow.initial.values(), *(move.hooks for move in workflow.transitions)):
        yield from (str(hook.params[key]) for hook in hooks for key in ("prompt", "system") if key in hook.params)
    yield from (state.respawn_prompt for state in workflow.states.values() if state.respawn_prompt)


# ── setting lines ──


def _title(text: str, width: int) -> str:
    """A heading with a rule behind it, as wide as the picture may be."""
    return f"── {_clipped(printable(text), width - 8)} ".ljust(width, "─")


def _facts(lead: str, facts: Sequence[tuple[str, str]], column: int, width: int, stem: str) -> Iterator[str]:
    """A name on the left, its labelled facts on the right, and the stem of the tree going on beside them."""
    if not facts or len(lead) >= column:
        yield _clipped(lead, width)
        lead = stem
    for label, text in facts:
        yield from _row(lead.ljust(column) + label.ljust(_LABEL), text, column + _LABEL, width, stem)
        lead = stem


def _row(lead: str, text: str, column: int, width: int, stem: str = "") -> Iterator[str]:
    """Text wrapped in its column, the lead before its first line; a lead that is too long stands alone."""
    if not text or len(lead.rstrip()) >= column:
        yield _clipped(lead, width)
        lead = stem
    yield from textwrap.wrap(
        text,
        width,
        initial_indent=lead.ljust(column),
        subsequent_indent=stem.ljust(column),
        break_on_hyphens=False,
    )


def _clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _together(text: str) -> str:
    """Words that belong on one line."""
    return text.replace(" ", _GLUE)


def _either(words: Sequence[str]) -> str:
    """`A, B or C`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
