"""The hooks of a workflow file, with their parameters checked against the action's."""

from __future__ import annotations

import re

from orange_tui.domain.actions import ACTIONS, ASSEMBLED_VARIABLES, MESSAGE_VARIABLES, PROMPT_VARIABLES
from orange_tui.domain.prompts import find_variables
from orange_tui.domain.task import ENGINE_FIELDS, FIELDS
from orange_tui.domain.text.findings import listed, quoted, suggest
from orange_tui.domain.workflow import WORKED_OUT, Hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from orange_tui.domain.actions import Parameter
    from orange_tui.domain.text.yaml_nodes import Item
    from orange_tui.domain.workflow_file._draft import Draft

_KNOWN_VARIABLES = {"template": PROMPT_VARIABLES, "message": (*PROMPT_VARIABLES, *MESSAGE_VARIABLES)}
_FIELD = re.compile(r"[a-z_][a-z0-9_]*", re.ASCII)


def read_hooks(item: Item | None, draft: Draft) -> tuple[Hook, ...]:
    """Read the hooks, in their order; those with a problem are left out."""
    found = [_hook(entry, draft) for entry in item.items("hook")] if item else []
    return tuple(hook for hook in found if hook is not None)


def _hook(item: Item, draft: Draft) -> Hook | None:
    if item.kind == "scalar":
        return _read_hook(item, item.text(), {}, draft)
    given = item.entries()
    action = given.pop("action", None)
    if action is None:
        if item.kind == "mapping":
            item.add_problem("has no `action`", f"add it; {suggest('', ACTIONS)}")
        return None
    return _read_hook(action, action.text(), given, draft)


def _read_hook(item: Item, action: str | None, given: dict[str, Item], draft: Draft) -> Hook | None:
    if action is None:
        return None
    if action in ACTIONS:
        return Hook(action, _parameters(item, action, given, draft))
    if action in draft.extra_actions:
        return Hook(action, {key: value.value() for key, value in given.items()})
    known = [*ACTIONS, *draft.extra_actions]
    draft.findings.add_problem(item.line, f"there is no action {quoted(action)}", suggest(action, known))
    return None


def _parameters(item: Item, action: str, given: dict[str, Item], draft: Draft) -> Mapping[str, object]:
    parameters = ACTIONS[action].parameters
    draft.number_fields.update(ACTIONS[action].number_fields)
    for name, value in given.items():
        if name not in parameters:
            fix = suggest(name, parameters) if parameters else "it has no parameters; remove this line"
            draft.findings.add_problem(value.line, f"{action} has no parameter {quoted(name)}", fix)
    for name, parameter in parameters.items():
        if parameter.required and name not in given:
            draft.findings.add_problem(
                item.line, f"{action} needs `{name}`", f"add it; {action} has the parameters: {listed(parameters)}"
            )
    known = {name: value for name, value in given.items() if name in parameters}
    found = {name: _parameter(value, parameters[name], action, draft) for name, value in known.items()}
    if action == "set_field":
        _check_new_value(known, found, draft)
    return {name: value for name, value in found.items() if value is not None or parameters[name].kind == "any"}


def _parameter(item: Item, parameter: Parameter, action: str, draft: Draft) -> object:
    if parameter.choices:
        return item.word(parameter.choices)
    if parameter.kind == "prompt":
        return draft.prompt(item)
    if parameter.kind in _KNOWN_VARIABLES:
        return _read_template(item, _KNOWN_VARIABLES[parameter.kind])
    if parameter.kind == "field":
        return _field(item, action, draft)
    if parameter.kind == "seconds":
        return item.seconds()
    return item.value() if parameter.kind == "any" else item.text()


def read_prompt(item: Item) -> str | None:
    """Read a prompt, which may also ask for what is assembled for it."""
    return _read_template(item, (*PROMPT_VARIABLES, *ASSEMBLED_VARIABLES))


def _read_template(item: Item, known: Collection[str]) -> str | None:
    """Read text with variables, all of which must exist."""
    text = item.text()
    for name, below in find_variables(text or ""):
        if name not in known:
            item.findings.add_problem(
                item.line_inside(below),
                f"{item.name} has the unknown variable {{{name[:60]}}}",
                f"{suggest(name, known)}; write {{{{{name[:60]}}}}} to write the word in braces",
            )
    return text


def _field(item: Item, action: str, draft: Draft) -> str | None:
    name = item.text()
    if name is None:
        return None
    if not _FIELD.fullmatch(name):
        item.add_problem(f"is {quoted(name)}", "write a field's name in lower-case letters, digits and underscores")
    elif name in WORKED_OUT:
        item.add_problem(f"is {quoted(name)}, which Orange works out itself", "choose another name for your own field")
    elif action == "set_field":
        _check_settable(item, name)
    elif name in FIELDS and FIELDS[name].kind != "number":
        numbers = [field for field, known in FIELDS.items() if known.kind == "number"]
        item.add_problem(
            f"is {quoted(name)}, which is not a number",
            f"count {' or '.join(numbers)}, or a field of your own",
        )
    else:
        draft.number_fields.add(name)
    return name


def _check_settable(item: Item, name: str) -> None:
    if name in ENGINE_FIELDS:
        own = [field for field in FIELDS if field not in ENGINE_FIELDS]
        fix = f"set a field of your own, or one of: {listed(own)}"
        item.add_problem(f"is {quoted(name)}, which only the engine changes", fix)


def _check_new_value(given: Mapping[str, Item], found: Mapping[str, object], draft: Draft) -> None:
    """A value of the wrong kind would make every TASK.md it is written to unreadable."""
    name, value = found.get("field"), found.get("value")
    if name not in FIELDS and isinstance(value, int) and not isinstance(value, bool):
        draft.number_fields.add(str(name))
    if name not in FIELDS or name in ENGINE_FIELDS or "value" not in given:
        return
    kind, default = FIELDS[str(name)].kind, FIELDS[str(name)].default
    if kind == "texts" and not (isinstance(value, list) and all(isinstance(text, str) for text in value)):
        given["value"].add_problem(f"does not fit {name}", "write a list of texts, such as [one, two]")
    if kind == "text" and not isinstance(value, str) and not (value is None and default is None):
        given["value"].add_problem(f"does not fit {name}", "write text, in quotes if it looks like a number")
