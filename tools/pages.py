"""Writes the generated parts of the pages in `docs/`, from the tables in the code. Run by `make pages`.

A part stands between `<!-- generated: NAME -->` and `<!-- end -->`; `PARTS` has the function for each name. A test
holds that the pages are as this writes them, so that none says anything that the code does not.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.parsing.help import usage_block
from orange_tui.domain.actions import ACTIONS, ASSEMBLED_VARIABLES, PROMPT_VARIABLES
from orange_tui.domain.gates.kinds import GATE_KINDS
from orange_tui.domain.harnesses import fields
from orange_tui.domain.harnesses.harness import PLACEHOLDERS
from orange_tui.domain.workflow import PULL_REQUEST_EVENTS, WORKED_OUT
from orange_tui.domain.workflow_file import keys as workflow_keys
from orange_tui.home.settings.table import SETTINGS
from orange_tui.prompt_context.rows import ROWS
from orange_tui.sessions.attaching import BACK_KEY
from orange_tui.trust.orange_file import KEYS as ORANGE_FILE_KEYS
from orange_tui.tui.commands.keys import COMMANDS as KEYS
from orange_tui.tui.commands.table import help_page
from orange_tui.tui.drawing.labels import LEGEND, shown_key
from orange_tui.tui.listing.columns import COLUMNS as COLUMNS_OF_LIST
from orange_tui.tui.review.keys import MOVING, REVIEW_KEYS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from orange_tui.cli.parsing.grammar import CommandSpec
    from orange_tui.domain.actions import HookAction, Parameter
    from orange_tui.home.settings.table import Setting

DOCS = Path(__file__).parent.parent / "docs"
_PART = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_KINDS = {str: "text", int: "number", float: "dollars", bool: "true or false", dict: "mapping", list: "list"}
# What a project can say that no option of `orange project update` sets.
_WITHOUT_OPTION = {
    "name": "What the project is called. `orange project add --name` sets it.",
    "path": "Where its repository is.",
    "review_harness": "The agent that reviews, where a task names none (default: the one that works).",
    "setup_timeout": "After how many seconds `setup` is ended (600).",
}
_USAGE_WIDTH = 90
_SEVERAL = {"issue_author": "issue_authors", "issue_label": "issue_labels"}  # options that fill a list


def table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; a bar inside a cell is written so that it does not end it."""
    lines = [list(headings), *([_cell(text) for text in row] for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    """No bar ends a cell, and no word in angle brackets is taken for HTML, unless it stands in code."""
    parts = re.split(r"(`[^`]*`)", text.replace("|", "\\|"))
    return "".join(part if part.startswith("`") else part.replace("<", "\\<") for part in parts)


def code(text: str) -> str:
    """A word as it is typed."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def meanings(title: str, entries: Mapping[str, str]) -> str:
    """A table of words and what they mean."""
    return table((title, "what it means"), ((code(word), meaning) for word, meaning in entries.items()))


def settings() -> str:
    """Every setting of config.yml."""
    return table(
        ("setting", "kind", "default", "what it means"),
        ((code(name), _KINDS[each.kind], _default(each), each.meaning) for name, each in SETTINGS.items()),
    )


def _default(setting: Setting) -> str:
    value = setting.default
    if value in ("", [], {}):
        return "none"
    return code(
        str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
    )


def project_keys() -> str:
    """Every key of a project: with an option, without one, and those that `.orange.yml` has too."""
    update = next(command for command in COMMANDS if command.path == ("project", "update"))
    options = {option.key.replace("-", "_"): option for option in update.options}
    rows = [(code(name), "", meaning) for name, meaning in _WITHOUT_OPTION.items()]
    rows += [(code(_SEVERAL.get(name, name)), code(option.name), option.help) for name, option in options.items()]
    rows += [(code(name), "", key.meaning) for name, key in ORANGE_FILE_KEYS.items() if name not in options]
    return table(("key", "option of `orange project update`", "what it means"), rows)


def hooks() -> str:
    """Every hook with its parameters."""
    rows = ((code(name), action.meaning, _parameters(action)) for name, action in ACTIONS.items())
    return table(("hook", "what it does", "parameters"), rows)


def _parameters(action: HookAction) -> str:
    return ", ".join(_parameter(name, each) for name, each in action.parameters.items())


def _parameter(name: str, parameter: Parameter) -> str:
    needed = " (needed)" if parameter.required else ""
    choices = f": {' or '.join(parameter.choices)}" if parameter.choices else ""
    return f"{code(name)}{choices}{needed}"


def gates() -> str:
    """Every kind of gate, with its options."""
    rows = []
    for kind in GATE_KINDS.values():
        rows.append((code(kind.key), kind.meaning))
        rows += [(f"{code(kind.key)} + {code(option)}", meaning) for option, meaning in kind.options.items()]
    return table(("gate", "is open when"), rows)


def app_keys() -> str:
    """The keys of the list, with the names by which `keys:` in config.yml knows them."""
    about_task = [command for command in KEYS if command.why_not is not None]
    others = [command for command in KEYS if command.why_not is None]
    parts = []
    for title, commands in (("For the task under the cursor", about_task), ("Anywhere", others)):
        rows = [(code(each.shown_key({})) if each.key else "", each.help, code(each.name)) for each in commands]
        parts.append(f"### {title}\n\n{table(('key', 'what it does', 'name'), rows)}")
    moving = table(("key", "what it does"), help_page.moving(BACK_KEY))
    return "\n".join([*parts, f"### Moving\n\n{moving}"])


def review_keys() -> str:
    """The keys of a review."""
    rows = [(code(shown_key(each.key)), each.help) for each in REVIEW_KEYS]
    return table(("key", "what it does"), [*rows, *MOVING])


def commands() -> str:
    """Every command, by group: its usage, what it is for, and where there is more."""
    parts = []
    for group in [command for command in COMMANDS if len(command.path) <= 1]:
        members = [each for each in COMMANDS if each.path[:1] == group.path and each.run and not each.hidden]
        if group.path and members:
            parts.append(f"## {code(group.name)}\n\n{group.summary}\n\n" * (not group.run) + _commands(members))
    return "\n".join(parts)


def _commands(members: list[CommandSpec]) -> str:
    return "\n".join(
        f"{'###' if len(each.path) > 1 else '##'} {code(each.name)}\n\n{each.summary}\n\n"
        f"```\n{usage_block(each, _USAGE_WIDTH)}\n```\n\n{_options(each)}"
        for each in members
    )


def _options(command: CommandSpec) -> str:
    """Arguments and options with their help; what every command has is told once, above."""
    rows = [(code(each.metavar), each.help) for each in command.arguments]
    rows += [(code(f"{', '.join(each.names)} {each.value or ''}".rstrip()), each.help) for each in command.options]
    return table(("", ""), rows) if rows else ""


def workflow_file() -> str:
    """The keys of a workflow file, part by part."""
    parts = {
        "The file": workflow_keys.FILE,
        "A state": workflow_keys.STATE,
        "A transition": workflow_keys.TRANSITION,
        "`exit_monitoring`": workflow_keys.MONITORING,
        "A rule in it": workflow_keys.RULE,
        "A signal": {
            **workflow_keys.SIGNAL,
            **{key: each.meaning for key, each in GATE_KINDS.items() if each.is_signal},
        },
        "`on`: events of a pull request": PULL_REQUEST_EVENTS,
        "A rule in it, for each event": workflow_keys.EVENT_RULE,
    }
    return "\n".join(f"### {title}\n\n{meanings('key', entries)}" for title, entries in parts.items())


PARTS: Mapping[str, Callable[[], str]] = {
    "app-keys": app_keys,
    "review-keys": review_keys,
    "symbols": lambda: table(("sign", "what it means"), LEGEND),
    "settings": settings,
    "columns": lambda: meanings("column", {column.name: column.meaning for column in COLUMNS_OF_LIST}),
    "project-keys": project_keys,
    "orange-file": lambda: meanings("key", {name: key.meaning for name, key in ORANGE_FILE_KEYS.items()}),
    "harness-fields": lambda: meanings("field", {name: field.meaning for name, field in fields.FIELDS.items()}),
    "harness-sandbox": lambda: meanings(
        "key of `sandbox`", {name: key.meaning for name, key in fields.SANDBOX.items()}
    ),
    "placeholders": lambda: meanings("placeholder", {f"{{{name}}}": meaning for name, meaning in PLACEHOLDERS.items()}),
    "workflow-file": workflow_file,
    "gates": gates,
    "hooks": hooks,
    "variables": lambda: meanings(
        "variable", {f"{{{name}}}": meaning for name, meaning in {**PROMPT_VARIABLES, **ASSEMBLED_VARIABLES}.items()}
    ),
    "numbers": lambda: meanings("number", WORKED_OUT),
    "context-rows": lambda: "".join(f"{number}. {row.title}\n" for number, row in enumerate(ROWS, 1)),
    "commands": commands,
}


def rewritten(text: str) -> str:
    """A page with its generated parts as they are now."""
    return _PART.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n{found[3]}", text)


def main() -> int:
    """Write every page that is not current."""
    for path in sorted(DOCS.glob("*.md")):
        text = path.read_text()
        if rewritten(text) != text:
            path.write_text(rewritten(text))
            print(f"{path.name} is written anew")
    return 0


if __name__ == "__main__":
    sys.exit(main())
