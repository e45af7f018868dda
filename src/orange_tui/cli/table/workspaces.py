"""The `workspace` commands and `task restore`, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import IN_PROJECT, OF_PROJECT

WORKSPACE_COMMANDS = (
    CommandSpec(("workspace",), "Manage the worktrees that agents work in."),
    CommandSpec(
        ("workspace", "init"),
        "Create all workspaces of a project now.",
        options=(IN_PROJECT,),
        run="orange_tui.cli.commands.workspaces:init",
        details="Otherwise each one is created when a task first needs it, which takes a while in a large repository.",
        examples=(("orange workspace init", "Create those of the project you are in"),),
    ),
    CommandSpec(
        ("workspace", "list"),
        "List workspaces: free, held by a task, or quarantined and why.",
        options=(
            Option("--all", None, "Workspaces of every project."),
            Option("--project", "P", "Workspaces of this project.", complete="project", instead_of="--all"),
        ),
        run="orange_tui.cli.commands.workspaces:list_workspaces",
        details="""
A workspace is quarantined if its work could not be saved, or if something still runs in it: it is left as it is and
not used again until that is solved.
""",
        examples=(
            ("orange workspace list", "Those of the project you are in"),
            ("orange workspace list --all --json", "All of them, for a program"),
        ),
        agents_may="use it",
    ),
    CommandSpec(
        ("workspace", "gc"),
        "Release the workspaces that no task owns.",
        run="orange_tui.cli.commands.workspaces:gc",
        details="""
These are the workspaces of tasks that no longer exist, and quarantined ones whose problem is solved. Work in them is
saved first, under refs/orange/<task>/<n>; `orange task restore` puts it on a branch.
""",
        examples=(("orange workspace gc", "After a task's directory was deleted by hand"),),
    ),
)

RESTORE = CommandSpec(
    ("task", "restore"),
    "Put saved work of a task on a branch.",
    (
        Argument(
            "id",
            "The task, even a deleted one: its id, or the beginning of it.",
            complete="task",
        ),
    ),
    (
        Option("--number", "N", "Which one, if there are several (default: the latest).", number=True),
        Option("--branch", "NAME", "The new branch (default: orange-restored/<task>-<n>).", complete="branch"),
        OF_PROJECT,
    ),
    "orange_tui.cli.commands.workspaces:restore",
    """
When a workspace is released, whatever is on no branch is saved as a commit: uncommitted files, untracked files,
commits on a detached HEAD. An existing branch is never overwritten. Work of a deleted task is kept for 30 more days.

Exit codes: 0 restored; 1 nothing was saved, or the branch exists; 2 wrong usage.
""",
    (
        ("orange task restore k3x9", "The latest, on orange-restored/k3x9-<n>"),
        ("orange task restore k3x9 --number 1 --branch rescued", "An earlier one, on a branch of your choice"),
    ),
    agents_may="use it on their own task",
)
