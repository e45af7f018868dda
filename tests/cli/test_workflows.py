"""`orange workflow`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.records import replace
from support.driver import STEPS

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli, World


def test_workflow_check_checks_one_or_all(world: World, cli: Cli, tmp_path: Path) -> None:
    result = cli.ok("workflow", "check")
    assert {"autopilot: good", "classic: good", "default: good"} <= set(result.out.splitlines())
    (tmp_path / "mine.yml").write_text("name: mine\nstates: {a: {}}\ntransitions:\n  - {from: a, to: b}\n")
    broken = cli("workflow", "check", str(tmp_path / "mine.yml"))
    assert broken.code == 1
    assert "mine.yml:4" in broken.out
    assert "There is no workflow" in cli.no("workflow", "check", "nope")
    shown = cli.ok("workflow", "show", "steps").out
    assert all(state in shown for state in ("todo", "doing", "checked", "stuck"))
    assert "There is no workflow" in cli.no("workflow", "show", "nope")


def test_workflows_are_listed_with_where_they_come_from_and_a_line_each(world: World, cli: Cli) -> None:
    world.workflow("mine", f"# Ours, with tea.\n{STEPS}")
    world.workflow("broken", "states: {a: {}}\n")
    world.workflow("minimal", STEPS)  # in the place of the shipped one
    lines = cli.ok("workflow", "list").out.splitlines()
    found = {line.split()[0]: line.split(maxsplit=2)[1:] for line in lines}
    assert list(found) == sorted(found)
    assert found["default"] == [
        "Orange",
        "The default lifecycle: one worker from start to finish, reviewers who come and go.",
    ]
    assert found["mine"] == ["you", "Ours, with tea."]
    assert found["minimal"] == ["you", "todo → doing → checked"]
    assert found["broken"] == ["you", "has mistakes: `orange workflow check broken` says which"]
    rows = {row["name"]: row for row in cli.ok("workflow", "list", "--json").json()}
    assert (rows["mine"]["from"], rows["mine"]["path"]) == ("you", str(world.root / "workflows" / "mine.yml"))


def test_shipped_workflow_is_printed_as_it_is_and_copied_to_be_changed(world: World, cli: Cli) -> None:
    text = cli.ok("workflow", "show", "classic", "--yaml").out
    assert "# The classic lifecycle" in text
    assert "\nname: classic\n" in text
    done = cli.ok("workflow", "copy", "classic", "mine")
    path = world.root / "workflows" / "mine.yml"
    assert str(path) in done.out
    assert path.read_text() == text.replace("\nname: classic\n", "\nname: mine\n")
    assert cli.ok("workflow", "check", "mine").out == "mine: good\n"
    assert world.orange.workflows.load("mine").name == "mine"
    cli.ok("workflow", "copy", "default", "default")  # in the place of the shipped one
    assert cli.ok("workflow", "check", "default").out == "default: good\n"


def test_copy_of_a_workflow_overwrites_nothing_and_makes_nothing_broken(world: World, cli: Cli) -> None:
    own = world.root / "workflows" / "mine.yaml"
    own.write_text("name: mine\n")
    assert f"with that name: {own}" in cli.no("workflow", "copy", "classic", "mine")
    assert "`orange workflow check mine`" in cli.no("workflow", "copy", "mine", "other")
    for name in ("../mine", ".mine", "mine.yml", ""):
        assert "cannot be the name of a workflow" in cli.no("workflow", "copy", "classic", name)
    assert "There is no workflow" in cli.no("workflow", "copy", "nope", "other")
    assert sorted(path.name for path in own.parent.iterdir()) == [".lock", "mine.yaml", "steps.yml"]


@pytest.mark.parametrize(
    "name",
    [
        "name: steps  # ours",
        "name: >\n  steps",
        '"name": "steps"',
        "? name\n: steps",
        "\ufeffname: steps",
        "name: 'a\n  b'",
    ],
)
def test_a_workflow_is_copied_however_its_name_is_written(world: World, cli: Cli, name: str) -> None:
    world.workflow("odd", STEPS.replace("name: steps", name))
    cli.ok("workflow", "copy", "odd", "brew 😀")
    copied = world.orange.workflows.load("brew 😀")
    assert copied == replace(world.orange.workflows.load("odd"), name="brew 😀")
    assert world.orange.workflows.text("brew 😀").count("\n") <= STEPS.count("\n") + name.count("\n")
    assert ("# ours" in world.orange.workflows.text("brew 😀")) == ("# ours" in name)
