"""The `task` commands that agents use too, for the table in `all_commands`; and arguments that others share."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.options.task_options import TASK_OPTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.options.task_options import TaskOption

YES = Option("--yes", None, "Do not ask; needed where there is no terminal, for example in a script.")

TASK = Argument("id", "The task: its id, the beginning of it, or its branch.", complete="task")
THIS_TASK = Argument(
    "id",
    "The task: its id, the beginning of it, or its branch. Optional inside a workspace.",
    required=False,
    complete="task",
)
OF_PROJECT = Option("--project", "P", "Look only among the tasks of this project.", complete="project")
IN_PROJECT = Option("--project", "P", "The project (default: the one of the current directory).", complete="project")


def _as_option(found: TaskOption) -> Option:
    """An entry of the table of what can be changed of a task, as an option."""
    return Option(
        f"--{found.name}",
        found.value,
        f"{found.meaning}.",
        repeat=found.repeat,
        complete=found.complete,
        persons=found.persons,
    )


TASK_COMMANDS = (
    CommandSpec(("task",), "Create, watch and move tasks."),
    CommandSpec(
        ("task", "create"),
        "Create a task and start its agent.",
        (
            Argument(
                "branch",
                "The git branch to work on, new or existing (default: named after the summary).",
                required=False,
                complete="branch",
            ),
            Argument("summary", "What you want done, in one line.", required=False),
        ),
        (
            Option("--context", "TEXT|-", "What the agent should know, in Markdown; - reads standard input."),
            Option("--harness", "H", "The agent that does the work.", complete="harness"),
            Option("--review-harness", "H", "The agent that reviews it.", complete="harness"),
            Option("--status", "S", "The state to start in, if the workflow allows it.", complete="status"),
            Option("--workflow", "W", "The workflow (default: the project's).", complete="workflow"),
            Option("--effort", "L", "How hard the agent should think, in its own words (such as high)."),
            Option("--review-effort", "L", "The same for the reviewer."),
            Option("--model", "M", "The model, as the agent's own --model takes it."),
            Option(
                "--budget",
                "USD",
                "How many dollars its agents may use before you are asked; 0 for no limit (default: the project's).",
                persons=True,
            ),
            Option(
                "--blocked-by",
                "ID",
                "Wait until that task is done.",
                repeat=True,
                complete="task",
            ),
            Option("--parent", "ID", "The task that this one is a subtask of.", complete="task"),
            Option("--label", "L", "A label for the task.", repeat=True),
            Option(
                "--no-worktree",
                None,
                "Only have it answered: the agent reads the repository and cannot write (workflows that route).",
            ),
            Option("--no-spawn", None, "Only create the task; do not start its agent."),
            IN_PROJECT,
        ),
        "orange_tui.cli.commands.tasks:create",
        """
The agent gets its own workspace (a git worktree) and tmux session. If no workspace is free, the task is created
anyway and waits; that is not an error.

One text with spaces is the summary, and the branch is named after it. Without a summary, the task starts in
clarification if its workflow has that state: the agent asks first. A branch that already has a task is refused.

Exit codes: 0 created; 1 refused; 2 wrong usage. With --json the task is printed, its id included.
""",
        (
            (
                'orange task create "Fix the login redirect loop"',
                "Start now, on the branch fix-the-login-redirect-loop",
            ),
            ('orange task create fix/login "Fix the login redirect loop"', "The same on a branch of your choice"),
            (
                'orange task create add-export "CSV export" --context - < notes.md',
                "Give the agent your notes",
            ),
            (
                'orange task create docs "Describe the export" --blocked-by k3x9 --no-spawn',
                "Create a task to start once another one (k3x9) is done",
            ),
            (
                'orange task create --json -- fix/cold "-5 degrees shows as 5"',
                "After --, every word is text, even if it begins with a dash",
            ),
        ),
        agents_may="create subtasks",
    ),
    CommandSpec(
        ("task", "list"),
        "List tasks, active ones first.",
        options=(
            Option("--status", "S", "Only tasks in this state.", complete="status"),
            Option("--all", None, "Tasks of every project."),
            Option("--ready", None, "Only tasks that could start now: not started, and not blocked."),
            Option(
                "--project",
                "P",
                "The project (default: the one of the current directory).",
                complete="project",
                instead_of="--all",
            ),
        ),
        run="orange_tui.cli.commands.tasks:list_tasks",
        details="""
A task whose TASK.md cannot be read is listed with the reason; it does not affect the others.
""",
        examples=(
            ("orange task list", "What happens in this project"),
            ("orange task list --all --status reviewing", "What waits for review, in every project"),
            ("orange task list --json", "The same for a program: every field, and the session's state"),
        ),
        agents_may="use it",
    ),
    CommandSpec(
        ("task", "show"),
        "Show one task: its fields and its TASK.md.",
        (TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.tasks:show",
        "With --json, session, body and history are added to the fields.",
        (
            ("orange task show k3x9", "Show the task whose id begins with k3x9"),
            ("orange task show k3x9 --json", "Everything about it"),
        ),
        agents_may="use it",
    ),
    CommandSpec(
        ("task", "context"),
        "Print what an agent is told about a task, besides its prompt.",
        (THIS_TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.tasks:context",
        """
It contains the task, its parent and subtasks, earlier attempts, the last error, comments on its issue, the
project's instructions (`instructions` in .orange.yml, else CLAUDE.md, else AGENTS.md), selected skills, the files of
the repository, and what a failed attempt left uncommitted. Empty parts are left out; a part that was cut says so.
""",
        (
            ("orange task context k3x9", "What its agent is told"),
            ("orange task context k3x9 --json", "The same as a list of title, text and how much was cut"),
        ),
        agents_may="use it",
    ),
    CommandSpec(
        ("task", "update"),
        "Move a task to another state, or change its summary, its branch or how it is done.",
        (THIS_TASK,),
        (
            Option("--status", "S", "The state to move to.", complete="status"),
            Option("--summary", "TEXT", "A new summary, in one line."),
            Option(
                "--branch",
                "NAME",
                "Without a name: use the git branch that is checked out. With a name: check that branch out "
                "if it exists, else rename the current one.",
                optional_value=True,
                complete="branch",
            ),
            *map(_as_option, TASK_OPTIONS),
            OF_PROJECT,
        ),
        "orange_tui.cli.commands.tasks:update",
        """
This is the command that agents use: write what the workflow asks for into TASK.md (a plan, a handoff, a review),
then move the task. The workflow decides whether that is allowed. If it is refused, the message names what is missing
and shows an example; write that, and try again.

A task cannot be moved to done or cancelled this way: merging and cancelling are for a person. So is how it is done
(--harness and the options after it): those change what is started next, not an agent that is at work. An empty value,
such as --model '', takes back what was set.

When its agents have used up the budget of a task, Orange itself starts no further attempt or review and sends no
message to its agents, and asks you. What you start or send yourself goes its way. With a larger budget it goes on.

Exit codes: 0 the task has moved (if one of its hooks failed, standard error says so); 1 refused, nothing was changed;
2 wrong usage.
""",
        (
            (
                "orange task update --status agent-review",
                "In a workspace: the work is done, ask for a review",
            ),
            ('orange task update k3x9 --summary "Fix the login loop"', "Give it a better summary"),
            ("orange task update k3x9 --branch", "The agent has switched branches: update the task"),
            ("orange task update k3x9 --harness codex --budget 7.50", "Let another agent go on, and let it use more"),
        ),
        agents_may="use it on their own task",
    ),
    CommandSpec(
        ("task", "complete"),
        "Report that the agent has finished: the task moves on to the next state of its workflow.",
        (THIS_TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.tasks:complete",
        """
This is for agents' stop hooks, which know that the agent has finished but not where its task goes next. The same
checks apply as for task update.

Exit codes: 0 the task has moved on; 1 refused, with what is missing; 2 wrong usage.
""",
        (("orange task complete", "In a workspace, from the agent's stop hook"),),
        agents_may="use it on their own task",
    ),
    CommandSpec(
        ("task", "stuck"),
        "Report that the agent cannot go on and a person should look.",
        (THIS_TASK,),
        (Option("--reason", "TEXT", "Why, in one sentence; it is shown with the task."), OF_PROJECT),
        "orange_tui.cli.commands.tasks:stuck",
        """
This is for agents and their stop hooks.

Exit codes: 0 the task is marked; 1 refused; 2 wrong usage.
""",
        (
            (
                'orange task stuck --reason "The tests need a database I cannot reach"',
                "In a workspace: give up, and say why",
            ),
        ),
        agents_may="use it on their own task",
    ),
    CommandSpec(
        ("task", "cancel"),
        "Cancel a task: end its session and release its workspace, with all work saved.",
        (TASK,),
        (YES, OF_PROJECT),
        "orange_tui.cli.commands.tasks:cancel",
        """
Commits stay on the branch. Uncommitted work is saved as a separate commit. For a minute `orange task undo` brings all
of it back; after that `orange task restore` puts the saved work on a branch. No other task is started.

Exit codes: 0 cancelled; 1 refused or not confirmed; 2 wrong usage.
""",
        (("orange task cancel k3x9", "Cancel it after asking"),),
    ),
    CommandSpec(
        ("task", "undo"),
        "Bring back a task that was cancelled less than a minute ago.",
        (TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.tasks:undo",
        """
The task is where it was, with its workspace and its uncommitted files (those that git ignores are set up anew), and its
agent goes on, with its conversation where it can. If another task has taken the workspace, it gets another one.

Exit codes: 0 it is back; 1 refused, with what to do instead; 2 wrong usage.
""",
        (("orange task undo k3x9", "Right after `orange task cancel k3x9`"),),
    ),
    CommandSpec(
        ("task", "delete"),
        "Delete a finished task: its TASK.md, its history and its logs.",
        (TASK,),
        (YES, OF_PROJECT),
        "orange_tui.cli.commands.tasks:delete",
        """
Only tasks that are done or cancelled can be deleted. The git branch and its commits stay. Saved work is kept for 30
more days: `orange task restore` puts it on a branch.

Exit codes: 0 deleted; 1 refused or not confirmed; 2 wrong usage.
""",
        (("orange task delete k3x9", "Delete it after asking"),),
    ),
)
