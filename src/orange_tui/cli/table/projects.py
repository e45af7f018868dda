"""The `project` and `workspace` commands and `task restore`, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import IN_PROJECT, OF_PROJECT, YES
from orange_tui.options.project_options import PROJECT_OPTIONS, project_option

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.options.project_options import ProjectOption


def _as_option(found: ProjectOption) -> Option:
    """An entry of the table of what can be set of a project, as an option."""
    emptied = f"; '' for {found.empty}" if found.empty else ""
    return Option(
        f"--{found.name}",
        found.value,
        f"{found.meaning}{emptied}.",
        number=found.number,
        repeat=found.repeat,
        choices=found.choices,
        complete=found.complete,
    )


PROJECT_COMMANDS = (
    CommandSpec(("project",), "Register the git repositories that Orange works on."),
    CommandSpec(
        ("project", "add"),
        "Register a git repository.",
        (Argument("path", "The repository (default: the one you are in).", required=False, complete="file"),),
        (
            Option("--name", "N", "What to call it (default: the directory's name)."),
            *(_as_option(project_option(name)) for name in ("pool-size", "workflow", "default-branch")),
        ),
        "orange_tui.cli.commands.projects:add",
        "Nothing in the repository changes; workspaces are created when tasks need them.",
        (
            ("orange project add", "The repository you are in"),
            ("orange project add ~/src/coffee --pool-size 4", "Another one, with four tasks at a time"),
        ),
    ),
    CommandSpec(
        ("project", "list"),
        "List the registered projects.",
        run="orange_tui.cli.commands.projects:list_projects",
        examples=(("orange project list", "Names, paths, workflows and pool sizes"),),
        agents_may="use it",
    ),
    CommandSpec(
        ("project", "update"),
        "Change a project's settings.",
        (Argument("name", "The project.", complete="project"),),
        tuple(_as_option(each) for each in PROJECT_OPTIONS),
        "orange_tui.cli.commands.projects:update",
        """
Settings that you do not name stay as they are. What a repository says in its own .orange.yml (copy, setup, keep, run,
ports, instructions) counts where you have set nothing here, and once you trust it: `orange project trust`.

With --issues on, open GitHub issues become tasks, while `orange serve` or the app is open, or with
`orange issue sync`. Only your own issues do unless you name other authors: anyone whose issues become tasks can make
an agent work in this project.

With --auto-fix on, a failed check or a review comment on a task's pull request sends the task back to its agent, as
the `on` rules of its workflow say (default: three times for each), and what the agent commits is pushed when it is back
for review. Only comments of people who may write to the repository are sent by themselves. Without it, they wait
for you: `r` sends them.

With --sandbox all, agents of tasks run in bubblewrap: they write their worktree, their task, its branch and what is
their own, they read the rest, and keys, logins, other tasks and Orange's own files are not there. --sandbox-read and
--sandbox-write open what a project needs besides, such as a data directory; a secret is refused. What package managers
fetch goes into a cache of the project's own. `orange doctor` proves all that.
""",
        (
            ("orange project update coffee --pool-size 4", "Let four tasks work at once"),
            ("orange project update coffee --failover codex", "At its agent's limit, codex goes on with a task"),
            ("orange project update coffee --sandbox all", "No agent reaches your keys, other tasks or Orange's files"),
            ("orange project update coffee --issues on", "Your own issues on GitHub become tasks"),
            ("orange project update coffee --issue-author @me --issue-author ana", "Your issues and Ana's"),
            ("orange project update coffee --auto-fix on", "Failed checks go back to the agent by themselves"),
            ("orange project update coffee --issue-label ''", "Issues with any label, or none"),
        ),
    ),
    CommandSpec(
        ("project", "trust"),
        "Show what a repository brings along, and trust it.",
        (Argument("name", "The project.", complete="project"),),
        (YES,),
        "orange_tui.cli.commands.projects:trust",
        """
Some of what is in a repository would run as you: the commands in its .orange.yml, its git hooks, and filters and the
like in its git settings. Until you have seen it here, its tasks wait. What you trust is remembered as it is: if
it changes, you are asked again, for what has changed.

Exit codes: 0 all of it is trusted; 1 refused or not confirmed; 2 wrong usage.
""",
        (
            ("orange project trust coffee", "Show it, and ask"),
            ("orange project trust coffee --yes", "Show it, and trust it without a question"),
        ),
    ),
    CommandSpec(
        ("project", "remove"),
        "Remove a project from Orange; its repository stays as it is.",
        (Argument("name", "The project.", complete="project"),),
        (YES,),
        "orange_tui.cli.commands.projects:remove",
        "Exit codes: 0 removed; 1 refused or not confirmed; 2 wrong usage.",
        (("orange project remove coffee", "Remove it after asking"),),
    ),
)

WORKSPACE_COMMANDS = (
    CommandSpec(("workspace",), "Manage the worktrees that agents work in."),
    CommandSpec(
        ("workspace", "init"),
        "Create all workspaces of a project now.",
        options=(IN_PROJECT,),
        run="orange_tui.cli.commands.projects:init",
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
        run="orange_tui.cli.commands.projects:list_workspaces",
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
        run="orange_tui.cli.commands.projects:gc",
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
    "orange_tui.cli.commands.projects:restore",
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
