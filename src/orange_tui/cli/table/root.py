"""Every command of `orange`, as a table: what it takes, what it does, what runs it.

A new command is one entry here and the function it names; parser, help and completion follow by themselves.
"""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, Command, Option
from orange_tui.cli.table.agents import AGENT_COMMANDS
from orange_tui.cli.table.delivery import MERGE_COMMANDS
from orange_tui.cli.table.demo import DEMO
from orange_tui.cli.table.issues import ISSUE_COMMANDS, ISSUE_OPTIONS
from orange_tui.cli.table.jobs import JOB_COMMANDS
from orange_tui.cli.table.setup import EVENT, INSTALL
from orange_tui.cli.table.tasks import TASK_COMMANDS, YES
from orange_tui.cli.table.workspaces import RESTORE, WORKSPACE_COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_POOL_SIZE = Option("--pool-size", "N", "How many workspaces, and so how many tasks at work at once.", number=True)
_PARALLEL = Option("--parallel", "N", "How many tasks that start by themselves may run at once; 0: none.", number=True)
_WORKFLOW = Option("--workflow", "W", "The workflow of new tasks; those that exist keep theirs.", complete="workflow")
_DEFAULT_BRANCH = Option(
    "--default-branch", "B", "The branch that tasks start from and are merged into.", complete="branch"
)

_PROGRAM = Command(
    (),
    "Orange runs several coding agents at once, each in its own worktree, and loses none of their work.",
    options=(
        Option("--all", None, "Open the app on the tasks of every project."),
        Option("--project", "NAME", "Open the app on this project.", complete="project", instead_of="--all"),
        Option("--version", None, "Print the version.", short="-V"),
    ),
    run="orange_tui.cli.commands.app:open_app",
    opens="orange_tui.tui.opening:open_app",
    details="""
Without a command, orange opens the app: on the project of the current directory, else on all of them.

Exit codes: 0 done; 1 refused, by a rule, a gate or the present state, with nothing changed and the reason
on standard error; 2 the command was not understood.

Environment: ORANGE_HOME is where everything is kept (default ~/orange); ORANGE_TASK is the task an agent
works on, set in its window; ORANGE_TMUX_SOCKET names a private tmux server.
""",
    examples=(
        ("orange project add", "Register the git repository you are in, once"),
        ('orange task create fix/login "Fix the login redirect loop"', "Give an agent something to do"),
        ("orange", "Watch, answer, review and merge"),
    ),
)

_PROJECTS = (
    Command(("project",), "Register the git repositories that Orange works on."),
    Command(
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
    Command(
        ("project", "list"),
        "List the registered projects.",
        run="orange_tui.cli.commands.projects:list_projects",
        examples=(("orange project list", "Names, paths, workflows and pool sizes"),),
    ),
    Command(
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
    Command(
        ("project", "remove"),
        "Forget a project; its repository stays as it is.",
        (Argument("name", "The project.", complete="project"),),
        (YES,),
        "orange_tui.cli.commands.projects:remove",
        "Exit codes: 0 removed; 1 refused or not confirmed; 2 wrong usage.",
        (("orange project remove coffee", "Forget it after a question"),),
    ),
)

_WORKFLOWS = (
    Command(("workflow",), "Look at the workflows that tasks follow."),
    Command(
        ("workflow", "check"),
        "Find every mistake in a workflow file, with its line and the way out.",
        (
            Argument(
                "workflow",
                "A workflow by name, or a file (default: all workflows there are).",
                required=False,
                complete="workflow or file",
                shown="NAME|FILE",
            ),
        ),
        run="orange_tui.cli.commands.workflows:check",
        details="Exit codes: 0 no mistakes (there may be warnings); 1 mistakes; 2 wrong usage.",
        examples=(
            ("orange workflow check", "All of them, yours and those that come with Orange"),
            ("orange workflow check ./review.yml", "A file you are writing"),
        ),
    ),
    Command(
        ("workflow", "show"),
        "Show a workflow: its states, and what each move between them asks for.",
        (Argument("name", "The workflow.", complete="workflow"),),
        run="orange_tui.cli.commands.workflows:show",
        examples=(("orange workflow show default", "What a task goes through unless told otherwise"),),
    ),
)

_OTHERS = (
    Command(
        ("log",),
        "Show what Orange has been doing.",
        options=(
            Option(
                "--level",
                "L",
                "This level and the more serious ones.",
                choices=("debug", "info", "warning", "error"),
            ),
            Option("--grep", "TEXT", "Only entries that contain this text."),
            Option("--lines", "N", "Only the last N entries.", short="-n", number=True),
        ),
        run="orange_tui.cli.commands.log:show",
        examples=(
            ("orange log -n 20", "The last twenty entries"),
            ("orange log --level warning --grep k3x9", "What went wrong with one task"),
        ),
    ),
    Command(
        ("completion",),
        "Print the script that lets a shell complete orange's commands.",
        (Argument("shell", "The shell it is for.", choices=("bash", "zsh", "fish")),),
        run="orange_tui.cli.lookup:script",
        examples=(
            ("source <(orange completion bash)", "In ~/.bashrc; the same with zsh in ~/.zshrc"),
            ("orange completion fish > ~/.config/fish/completions/orange.fish", "Once, for fish"),
        ),
    ),
)

COMMANDS: Sequence[Command] = (
    _PROGRAM,
    *TASK_COMMANDS,
    *AGENT_COMMANDS,
    *MERGE_COMMANDS,
    RESTORE,
    EVENT,
    *_PROJECTS,
    *WORKSPACE_COMMANDS,
    *_WORKFLOWS,
    *JOB_COMMANDS,
    *ISSUE_COMMANDS,
    DEMO,
    INSTALL,
    *_OTHERS,
)
