"""The `workspace` commands and `task restore`, as entries for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import IN_PROJECT, OF_PROJECT

WORKSPACE_COMMANDS = (
    CommandSpec(("workspace",), "Look after the worktrees that agents work in."),
    CommandSpec(
        ("workspace", "init"),
        "Make all workspaces of a project now.",
        options=(IN_PROJECT,),
        run="orange_tui.cli.commands.workspaces:init",
        details="Otherwise each is made when a task first needs it, which takes longer in a large repository.",
        examples=(("orange workspace init", "Make those of the project you are in"),),
    ),
    CommandSpec(
        ("workspace", "list"),
        "List workspaces: free, held by a task, or quarantined and why.",
        options=(
            Option("--all", None, "Those of every project."),
            Option("--project", "P", "Those of this project.", complete="project", instead_of="--all"),
        ),
        run="orange_tui.cli.commands.workspaces:list_workspaces",
        details="""
A workspace is quarantined when its work could not be saved, or something still runs in it: it is left as it
is, and not used again, until the reason is gone.
""",
        examples=(
            ("orange workspace list", "Those of the project you are in"),
            ("orange workspace list --all --json", "All there are, for a program"),
        ),
    ),
    CommandSpec(
        ("workspace", "gc"),
        "Give back the workspaces that no task has a claim to.",
        run="orange_tui.cli.commands.workspaces:gc",
        details="""
Workspaces of tasks that no longer exist, and quarantined ones whose reason is gone. Work in them is saved first,
under refs/orange/<task>/<n>; `orange task restore` puts it on a branch.
""",
        examples=(("orange workspace gc", "After a task's directory was deleted by hand"),),
    ),
)

RESTORE = CommandSpec(
    ("task", "restore"),
    "Put work that was saved from a task's workspace on a branch.",
    (
        Argument(
            "id",
            "The task, also a deleted one: its id, or the beginning of it.",
            complete="task",
        ),
    ),
    (
        Option("--number", "N", "Which piece, where there are several (default: the latest).", number=True),
        Option("--branch", "NAME", "The new branch (default: orange-restored/<task>-<n>).", complete="branch"),
        OF_PROJECT,
    ),
    "orange_tui.cli.commands.workspaces:restore",
    """
When a workspace is given back, what is on no branch is saved as a commit: uncommitted files, files that were
never added, commits on a detached HEAD. An existing branch is never overwritten. Work of a deleted task is
kept for 30 days more.

Exit codes: 0 restored; 1 nothing was saved, or the branch exists; 2 wrong usage.
""",
    (
        ("orange task restore k3x9", "The latest, on orange-restored/k3x9-<n>"),
        ("orange task restore k3x9 --number 1 --branch rescued", "An earlier piece, on a branch of your choice"),
    ),
)
