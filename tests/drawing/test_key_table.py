"""The table of keys, and what is loaded for it: no app is needed to check them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.tui.commands.keys import COMMANDS, keyless, keymap
from orange_tui.tui.drawing.labels import shown_key, typed_key
from orange_tui.tui.preload import SCREEN_MODULES


def test_each_command_has_a_name_and_a_key_of_its_own() -> None:
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)
    keys = [command.key for command in COMMANDS if command.key]
    assert len(set(keys)) == len(keys)


def test_every_command_says_what_it_is_for() -> None:
    assert all(command.help and command.title for command in COMMANDS)


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"merge": "j"}, "'j' is already used for moving around; choose another key for merge"),
        ({"merge": "x", "cancel": "x"}, "'x' is already used for merge; choose another key for cancel"),
        ({"murge": "x"}, "there is no command 'murge'"),
        ({"merge": "a b"}, "merge must be one key"),
        ({"merge": ""}, "merge must be one key"),
    ],
)
def test_keys_that_clash_or_make_no_sense_are_refused(chosen: dict[str, str], why: str) -> None:
    with pytest.raises(Refused, match=why):
        keymap(chosen)


def test_keys_can_change_places() -> None:
    assert keymap({"merge": "x", "cancel": "m", "help": "f1"}) == {"merge": "x", "cancel": "m", "help": "f1"}
    assert keymap({"help": "?"}) == {"help": "question_mark"}


def test_key_that_a_person_has_chosen_wins_over_a_commands_own() -> None:
    chosen = keymap({"merge": "M", "help": "f1"})
    assert chosen == {"merge": "M", "help": "f1", "move": ""}
    assert keyless(chosen) == ["move has no key: M is merge's, as config.yml says. ctrl+p still finds it."]
    assert keyless(keymap({"merge": "M", "move": "f6"})) == []


@pytest.mark.parametrize("name", SCREEN_MODULES)
def test_module_that_is_loaded_ahead_exists(name: str) -> None:
    assert find_spec(f"orange_tui.tui.{name}") is not None


def test_first_screen_loads_no_other_screen_and_no_form() -> None:
    script = "import sys, orange_tui.tui.app, orange_tui.tui.dashboard; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert {f"orange_tui.tui.{name}" for name in SCREEN_MODULES} & loaded == set()
    assert "textual.widgets._text_area" not in loaded


def test_a_key_that_is_shown_is_known_by_what_is_shown() -> None:
    keys = {command.key for command in COMMANDS if command.key} | {"escape", "space", "ctrl+s", "f9", "left", "up"}
    assert {key: typed_key(shown_key(key)) for key in keys} == {key: key for key in keys}
    assert typed_key("⏎ e") == "enter"  # of several, the first
