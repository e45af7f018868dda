"""The `project` commands, as entries for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.issues import ISSUE_OPTIONS
from orange_tui.cli.table.tasks import YES

_POOL_SIZE = Option("--pool-size", "N", "How many workspaces, and so how many tasks at work at once.", number=True)
_PARALLEL = Option("--parallel", "N", "How many tasks that start by themselves may run at once; 0: none.", number=True)
_WORKFLOW = Option("--workflow", "W", "The workflow of new tasks; those that exist keep theirs.", complete="workflow")
_DEFAULT_BRANCH = Option(
    "--default-branch", "B", "The branch that tasks start from and are merged into.", complete="branch"
)

PROJECT_COMMANDS = (
    CommandSpec(("project",), "Register the git repositories that Orange works on."),
    CommandSpec(
        ("project", "add"),
        "Register a git repository.",
        (Argument("path", "The repository (default: the one you are in).", required=False, complete="file"),),
        (
            Option("--name", "N", "What to call it (default: the directory's name)."),
            _POOL_SIZE,
            _WORKFLOW,
            _DEFAULT_BRANCH,
        ),
        "orange_tui.cli.commands.projects:add",
        "Nothing in the repository changes; workspaces are made when tasks need them.",
        (
            ("orange project add", "The repository you are in"),
            ("orange project add ~/src/coffee --pool-size 4", "Another one, for four tasks at a time"),
        ),
    ),
    CommandSpec(
        ("project", "list"),
        "List the registered projects.",
        run="orange_tui.cli.commands.projects:list_projects",
        examples=(("orange project list", "Names, paths, workflows and pool sizes"),),
    ),
    CommandSpec(
        ("project", "update"),
        "Change a project's settings.",
        (Argument("name", "The project.", complete="project"),),
        (_POOL_SIZE, _PARALLEL, _WORKFLOW, _DEFAULT_BRANCH, *ISSUE_OPTIONS),
        "orange_tui.cli.commands.projects:update",
        """
What is not named stays as it is.

With --issues on, open GitHub issues become tasks, while `orange serve` or the app is open or at `orange issue sync`.
Only your own issues do, unless you name authors: whoever may open an issue that counts can have an agent work here.
""",
        (
            ("orange project update coffee --pool-size 4", "Let four tasks work at once"),
            ("orange project update coffee --issues on", "Your own issues on GitHub become tasks"),
            ("orange project update coffee --issue-author @me --issue-author ana", "Yours and Ana's"),
            ("orange project update coffee --issue-label ''", "Whatever labels they have"),
        ),
    ),
    CommandSpec(
        ("project", "remove"),
        "Forget a project; its repository stays as it is.",
        (Argument("name", "The project.", complete="project"),),
        (YES,),
        "orange_tui.cli.commands.projects:remove",
        "Exit codes: 0 removed; 1 refused or not confirmed; 2 wrong usage.",
        (("orange project remove coffee", "Forget it after a question"),),
    ),
)
