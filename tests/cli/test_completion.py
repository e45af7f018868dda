"""What Tab offers for an unfinished line, whatever the shell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.cli.all_commands import COMMANDS
from orange_tui.cli.parsing.completion import FILES, candidates, script
from orange_tui.pages.library import topics

THINGS = {
    "task": ["k3x9\tFix the login loop", "k4aa", "m2b7\tbad \x1b[2J title", "bad\nid"],
    "project": ["coffee", "tea", "my project"],
    "workflow": ["default", "solo"],
    "branch": ["main", "fix/login"],
    "status": ["working", "agent-review"],
    "harness": ["claude", "codex"],
}


def offered(*words: str) -> list[str]:
    """The words only, without what they mean."""
    return [line.partition("\t")[0] for line in candidates(words, COMMANDS, lambda kind: THINGS[kind])]


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", [*(command.path[0] for command in COMMANDS if len(command.path) == 1), "help"]),
        ("t", ["task"]),
        ("zzz", []),
        ("zzz ", []),
        ("zzz -", []),
        ("-", ["--all", "--project", "--version", "--help"]),
        ("--project ", ["coffee", "tea", "my project"]),
        ("--project tea ", ["--version", "--help"]),
        ("--all --p", []),
        (
            "task ",
            [
                command.path[1]
                for command in COMMANDS
                if command.path[:1] == ("task",) and command.path[1:] and not command.hidden
            ],
        ),
        ("task s", ["show", "stuck", "start", "send-review"]),
        ("task zzz ", []),
        ("help ", [*(command.path[0] for command in COMMANDS if len(command.path) == 1), *topics()]),
        ("help task up", ["update"]),
        ("help task update ", []),
        ("help log -", []),
        ("task show ", ["k3x9", "k4aa", "m2b7"]),
        ("task show k3", ["k3x9"]),
        ("task show k3x9 ", ["--project", "--json", "--help"]),
        ("task show -- k", ["k3x9", "k4aa"]),
        ("task show -- k3x9 ", []),
        ("task stuck --", ["--reason", "--project", "--json", "--help"]),
        ("task update --status working --s", ["--summary"]),
        ("task update --status=working --s", ["--summary"]),
        ("task update --status w", ["working"]),
        ("task update --status=w", ["--status=working"]),
        ("task update --nonsense=w", []),
        ("task update --branch ", ["main", "fix/login"]),
        ("task update --branch --st", ["--status"]),
        ("task update --summary x ", ["k3x9", "k4aa", "m2b7"]),
        ("task create --blocked-by k3x9 --bl", ["--blocked-by"]),
        ("task create ", ["main", "fix/login"]),
        ("task create fix ", []),
        ("task create --harness c", ["claude", "codex"]),
        ("task list --all --pro", []),
        ("task list --project tea --a", []),
        ("project add ", [FILES]),
        ("project update t", ["tea"]),
        ("workflow check ", ["default", "solo", FILES]),
        ("workflow show so", ["solo"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("log --level w", ["warning"]),
        ("log -n ", []),
        ("log -n 5 --l", ["--level"]),
    ],
)
def test_tab_offers_what_fits(typed: str, expected: list[str]) -> None:
    assert offered(*typed.split(" ")) == expected


def test_commands_and_options_are_offered_with_their_meaning() -> None:
    lines = candidates(["task", "show", "k3"], COMMANDS, lambda kind: THINGS[kind])
    assert lines == ["k3x9\tFix the login loop"]
    lines = candidates(["task", "show", "m"], COMMANDS, lambda kind: THINGS[kind])
    assert lines == ["m2b7\tbad \\x1b[2J title"]
    assert "log\tShow what Orange has been doing." in candidates([], COMMANDS, lambda kind: THINGS[kind])


def test_names_are_looked_up_only_when_needed() -> None:
    def nothing(kind: str) -> list[str]:
        raise AssertionError(kind)

    assert candidates(["task", "upd"], COMMANDS, nothing)
    assert candidates(["task", "update", "--"], COMMANDS, nothing)


@given(st.lists(st.text(st.characters(), max_size=6) | st.sampled_from(["task", "update", "--status", "--"])))
def test_any_unfinished_line_is_answered(words: list[str]) -> None:
    for line in candidates(words, COMMANDS, lambda kind: THINGS[kind]):
        assert "\n" not in line
        assert line == FILES or line.startswith(words[-1] if words else "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shells_script_asks_orange(shell: str) -> None:
    text = script(shell)
    assert "orange __complete " in text
    assert FILES in text
    assert text.isascii()
