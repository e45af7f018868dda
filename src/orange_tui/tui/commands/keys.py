"""The table of keys: each with its name, what it does, where it is there, and why not when it is not.

A new key is one entry in `table/`, and its function in the module of its topic: `_tasks`, `_delivery`, `_views`.
Footer, help, command palette and the `keys:` of config.yml follow. A key about a task follows the task's workflow: it
is there where the move exists, whatever the states are called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.binding import Binding

from orange_tui.domain.errors import Refused
from orange_tui.tui.commands.context import KeyCommand
from orange_tui.tui.commands.many import marked_keys
from orange_tui.tui.commands.table.list_keys import LIST_KEYS
from orange_tui.tui.commands.table.page_keys import PAGE_KEYS
from orange_tui.tui.commands.table.task_keys import TASK_KEYS
from orange_tui.tui.drawing.labels import shown_key
from orange_tui.tui.theme import palette_for
from orange_tui.tui.widgets.bars import FooterKey

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.tui.commands.context import CommandContext


def _show_help(context: CommandContext) -> None:
    """Show every key; here, because it is about the table itself."""
    from orange_tui.tui.commands.table.help_page import help_lines
    from orange_tui.tui.screens.page import Page

    context.show(Page("Help", lambda width: help_lines(COMMANDS, context, width, palette_for(context.app))))


def _show_settings(context: CommandContext) -> None:
    """Open the form for config.yml; here, because it checks the keys in it. What can't be read is mended first."""
    from orange_tui.tui.forms.settings_form import SettingsForm

    found, problem = context.shared.choices.settings, context.shared.choices.problem
    if found is None:
        context.notify_error(f"{problem}\nMend it in an editor first.", title="config.yml")
    else:
        context.show(SettingsForm(context.shared, found, keymap))


COMMANDS: tuple[KeyCommand, ...] = (
    *TASK_KEYS,
    *LIST_KEYS,
    KeyCommand("help", "question_mark", "help", "Every key, and whether it works now", _show_help),
    KeyCommand("settings", "O", "settings", "Settings: config.yml in a form", _show_settings, in_footer=False),
    *PAGE_KEYS,
)

MOVING_KEYS = (
    *("j", "k", "g", "G", "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "escape"),
    *("shift+tab", "shift+up", "shift+down", "ctrl+e", "ctrl+y", "ctrl+u", "ctrl+d", "ctrl+p", "ctrl+c", "ctrl+q"),
    *"0123456789",
)


def command_named(name: str) -> KeyCommand:
    """The command with this name."""
    return next(command for command in COMMANDS if command.name == name)


def footer_keys(context: CommandContext) -> list[FooterKey]:
    """The keys that can be used now, for a footer."""
    row, overrides = context.selected, context.shared.key_overrides
    keys = marked_keys(context, COMMANDS)
    if keys:
        return keys
    is_empty = context.snapshot is not None and not context.snapshot.rows
    for command in COMMANDS:
        key = command.shown_key(overrides) if not (is_empty and command.needs_tasks) else ""
        if key and command.why_unavailable(context) is None:
            own = command.task_title(context.workflow_of(row), row) if command.task_title and row is not None else ""
            title, about_task = own or command.title, command.why_not is not None
            keys.append(FooterKey(key, title, about_task, command.footer_place(row)))
    return keys


def keymap(chosen: Mapping[str, str]) -> dict[str, str]:
    """The keys by command that are not the table's own, as Textual names them: what a person has chosen wins.

    A command whose own key they gave to another has none then: an empty text. A new version may bring a command with a
    key that somebody has long been using for another. Refused: names that are no command, what is no key, and a key
    that they have chosen for two things.
    """
    with_keys = [command for command in COMMANDS if command.key]
    names = {command.name for command in with_keys}
    for name in chosen:
        if name not in names:
            raise Refused(f"keys: there is no command '{name}'; the commands are {', '.join(sorted(names))}")
    keys = {name: _textual_key(name, key) for name, key in chosen.items()}
    taken: dict[str, str] = dict.fromkeys(MOVING_KEYS, "moving around")
    for name, key in keys.items():
        if key in taken:
            raise Refused(f"keys: '{shown_key(key)}' is already used for {taken[key]}; choose another key for {name}")
        taken[key] = name
    lost = {command.name: "" for command in with_keys if command.name not in keys and command.key in taken}
    return keys | lost


def keyless(keys: Mapping[str, str]) -> list[str]:
    """A sentence for each command that has no key because the person has given its own to another."""
    owners = {key: name for name, key in keys.items()}
    lost = [command for command in COMMANDS if command.key and not keys.get(command.name, command.key)]
    return [
        f"{each.name} has no key: {shown_key(each.key)} is {owners[each.key]}'s, as config.yml says."
        " ctrl+p still finds it."
        for each in lost
    ]


def _textual_key(name: str, key: str) -> str:
    """A key as Textual calls it: `?` is question_mark there."""
    if not key or not key.isprintable() or any(letter in key for letter in ", "):
        raise Refused(f"keys: {name} must be one key, such as M, f5 or ctrl+t")
    return next(iter(Binding.make_bindings([Binding(key, "")]))).key
