"""A gate that runs a command: in the task's worktree, and not again until HEAD moves."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from support.git import git

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import Cli, World


def test_command_gate_runs_in_the_worktree_and_its_result_is_cached_until_head_moves(
    world: World, cli: Cli, repository: Path
) -> None:
    world.workflow(
        "checked",
        "name: checked\nstates: {a: {}, b: {}, z: {terminal: true}}\ntransitions:\n"
        '  - {from: a, to: b, gate: {command: "echo run >> ../runs; test -f GOOD || { echo no GOOD; exit 3; }"}}\n'
        "  - {from: b, to: z}\n",
    )
    cli.ok("project", "add", str(repository), "--name", "beans", "--workflow", "checked")
    worktree, runs = world.root / "workspaces/beans--1", world.root / "workspaces/runs"
    git(repository, "worktree", "add", "--quiet", "-b", "good", str(worktree))
    ref = world.task(project="beans", workflow="checked", status="a", workspace="beans--1")
    for _ in range(3):
        why = cli.no("task", "update", ref.id, "--status", "b")
        assert "ended with 3" in why
        assert "no GOOD" in why
    assert runs.read_text() == "run\n"
    assert world.read(ref).status == "a"
    last = world.history(ref)[-1]
    with (world.history_file(ref)).open("a") as history:  # an agent opens its gate
        history.write(json.dumps({**last, "exit_code": 0}) + "\n")
    assert "ended with 3" in cli.no("task", "update", ref.id, "--status", "b")
    (worktree / "GOOD").touch()
    git(worktree, "add", "GOOD")
    git(worktree, "commit", "--quiet", "--message=good")
    cli.ok("task", "update", ref.id, "--status", "b")
    assert runs.read_text() == "run\nrun\n"
    none = world.task(workflow="checked", status="a")
    assert "it has none" in cli.no("task", "update", none.id, "--status", "b")
