"""The gates of a workflow file, and the rules and signals that look at the same artifacts."""

from __future__ import annotations

import re

from orange_tui.domain.conditions import uncovered
from orange_tui.domain.report import JUDGED
from orange_tui.domain.text.findings import quoted
from orange_tui.domain.text.yaml_nodes import only_one
from orange_tui.domain.workflow import Branch, ExitRule, Gate, Signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.text.yaml_nodes import Item
    from orange_tui.domain.workflow_file.draft import Draft

_KINDS = ("section", "outcome", "report", "command")
_NEED_SECTION = ("required", "fields", "verdict", "verdict_line")
_SECTION = re.compile(r"##[ \t]+[^\s#][^\n]*")
_FIELD = re.compile(r"[A-Z][A-Z0-9_-]*", re.ASCII)

_RULE_KEYS = (
    "status",
    "when",
    "has_artifact",
    "no_artifact",
    "stale_after",
    "then",
    "then_when",
    "action",
    "stuck_after",
    "respawn",
)
_SIGNAL_KEYS = ("status", "outcome", "has_artifact", "then", "then_when")


def read_gate(item: Item | None) -> Gate | None:
    """A gate: exactly one of a section, an outcome, a report or a command, with what belongs to it."""
    if item is None:
        return None
    entries = item.entries((*_KINDS, *_NEED_SECTION))
    kind = only_one(item, entries, _KINDS)
    if kind is None and item.could_be_mapping:
        item.complain("asks for nothing", "write a `section`, an `outcome`, a `report` or a `command` into it")
    if kind == "outcome":
        gate = Gate(outcome=_outcomes(entries["outcome"]))
    elif kind == "report":
        gate = Gate(report=_reports(entries["report"]))
    elif kind == "command":
        gate = Gate(command=entries["command"].text())
    else:
        return _section_gate(entries)
    for key in _NEED_SECTION:
        if key in entries:
            entries[key].complain(
                "needs a section to look into", f"remove it, or ask for a `section` instead of `{kind}`"
            )
    return gate


def _section_gate(entries: dict[str, Item]) -> Gate:
    if "verdict_line" in entries and "verdict" not in entries:
        entries["verdict_line"].complain("needs a `verdict`", "add `verdict: PASS` or `verdict: FAIL`, or remove it")
    verdict = entries["verdict"].word(("PASS", "FAIL")) if "verdict" in entries else None
    verdict_line = entries["verdict_line"].word(("first", "any")) if "verdict_line" in entries else None
    return Gate(
        section=_section(entries.get("section")),
        required=_required(entries),
        fields=_fields(entries.get("fields")),
        verdict=verdict,
        verdict_line=verdict_line or "any",
    )


def _section(item: Item | None) -> str | None:
    if item is None:
        return None
    if item.is_null:
        item.complain("is empty, because YAML takes `#` for a comment", 'quote it: section: "## Handoff"')
        return None
    text = item.text()
    if text is not None and not _SECTION.fullmatch(text):
        item.complain(f"is {quoted(text)}", 'write the heading with two #, in quotes: "## Handoff"')
    return text


def _required(entries: dict[str, Item]) -> bool:
    """A gate that names only a section asks for its content, also where it says otherwise."""
    only_section = "fields" not in entries and "verdict" not in entries
    required = entries["required"].flag() if "required" in entries else only_section
    if required is False and only_section:
        entries["required"].findings.warning(
            entries["required"].line,
            "a gate on a section asks for content, `required: false` or not",
            "remove the gate if nothing is required",
        )
    return bool(required) or only_section


def _fields(item: Item | None) -> tuple[str, ...]:
    if item is None:
        return ()
    words = [entry.text() for entry in item.items("a field")]
    if item.is_null or (item.is_list and not words):
        item.complain("is empty", "name at least one field, such as [DONE, REMAINING]")
    for word in words:
        if word is not None and not _FIELD.fullmatch(word):
            item.complain(f"has {quoted(word)}", "write each field as one word in capitals, such as DONE")
    return tuple(word for word in words if word is not None)


def _outcomes(item: Item) -> tuple[str, ...]:
    words = [entry.text() for entry in item.one_or_more("an outcome")]
    return tuple(word for word in words if word is not None)


def _reports(item: Item) -> tuple[str, ...]:
    words = [entry.word(JUDGED) for entry in item.one_or_more("a report")]
    return tuple(word for word in words if word is not None)


def read_rule(item: Item, draft: Draft) -> None:
    """One rule on the death of an agent."""
    entries = item.entries(_RULE_KEYS, required=("status",))
    status = draft.state(entries.get("status"))
    only_one(item, entries, ("has_artifact", "no_artifact", "stale_after"))
    _check_effect(item, entries, ("then", "then_when", "action"))
    action = entries["action"].word(("crash", "mark_dead")) if "action" in entries else None
    _check_crash_only(entries, action)
    rule = ExitRule(
        status=status or "",
        when=draft.condition(entries.get("when")),
        stale_after=entries["stale_after"].whole() if "stale_after" in entries else None,
        has_artifact=read_gate(entries.get("has_artifact")),
        no_artifact=bool(entries["no_artifact"].flag()) if "no_artifact" in entries else False,
        then=draft.state(entries.get("then")),
        then_when=_branches(entries.get("then_when"), draft),
        action=action,
        stuck_after=entries["stuck_after"].whole() if "stuck_after" in entries else None,
        respawn_auto="respawn" in entries and entries["respawn"].word(("auto",)) is not None,
    )
    if status is not None:
        draft.rules.append((rule, item.line))


def _check_crash_only(entries: dict[str, Item], action: str | None) -> None:
    for key in ("stuck_after", "respawn"):
        if key in entries and action != "crash":
            entries[key].complain("counts crashes, and this rule has no `action: crash`", "add that, or remove it")


def _check_effect(item: Item, entries: dict[str, Item], effects: tuple[str, ...]) -> None:
    if only_one(item, entries, effects) is None and item.could_be_mapping:
        item.complain("has no effect", f"add {' or '.join(f'`{key}`' for key in effects)}")


def read_signal(item: Item, draft: Draft) -> None:
    """One rule on files; without `status` it holds wherever a task is still going on."""
    entries = item.entries(_SIGNAL_KEYS)
    _check_effect(item, entries, ("then", "then_when"))
    if only_one(item, entries, ("outcome", "has_artifact")) is None and item.could_be_mapping:
        item.complain("waits for nothing", "add an `outcome` or a `has_artifact`")
    going_on = tuple(name for name, state in draft.states.items() if not state.terminal)
    gate = read_gate(entries.get("has_artifact"))
    if "outcome" in entries:
        gate = Gate(outcome=_outcomes(entries["outcome"]))
    signal = Signal(
        status=tuple(draft.states_named(entries["status"])) if "status" in entries else going_on,
        gate=gate or Gate(),
        then=draft.state(entries.get("then")),
        then_when=_branches(entries.get("then_when"), draft),
    )
    draft.signals.append((signal, item.line))


def _branches(item: Item | None, draft: Draft) -> tuple[Branch, ...]:
    """The arms of a `then_when`, which must leave no number out and none to chance."""
    if item is None:
        return ()
    arms = [_branch(entry, draft) for entry in item.items("arm of `then_when`")]
    if not arms and (item.is_null or item.is_list):
        item.complain("is empty", "add arms with `when` and `then`")
    sound = tuple(arm for arm in arms if arm is not None)
    gap = uncovered([arm.when for arm in sound]) if sound and len(sound) == len(arms) else None
    if gap:
        item.complain(
            f"does not take every number once: {gap}",
            "change the conditions so that exactly one always holds",
        )
    return sound


def _branch(item: Item, draft: Draft) -> Branch | None:
    entries = item.entries(("when", "then"), required=("when", "then"))
    when = draft.condition(entries.get("when"))
    then = draft.state(entries.get("then"))
    # An arm whose target is wrong still covers its numbers: no second complaint about the same line.
    return None if when is None else Branch(when, then or "")
