"""The `task` commands, as entries for the table in `root`: the ones that agents use."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option

YES = Option("--yes", None, "Do not ask; needed where nobody can answer, as in a script.")

TASK = Argument("id", "The task: its id, or the beginning of it.", complete="task")
_THIS_TASK = Argument(
    "id",
    "The task: its id, or the beginning of it. Inside a workspace it may be left out.",
    required=False,
    complete="task",
)
OF_PROJECT = Option("--project", "P", "Look among the tasks of this project only.", complete="project")
IN_PROJECT = Option("--project", "P", "The project (default: the one of the current directory).", complete="project")

TASK_COMMANDS = (
    CommandSpec(("task",), "Create, follow and move tasks."),
    CommandSpec(
        ("task", "create"),
        "Create a task and start its agent.",
        (
            Argument(
                "branch",
                "The git branch to work on; one that exists is taken up (default: orange-tasks/<id>).",
                required=False,
                complete="branch",
            ),
            Argument("summary", "What is wanted, in one line.", required=False),
        ),
        (
            Option("--context", "TEXT|-", "What the agent should know, in Markdown; - reads standard input."),
            Option("--harness", "H", "The agent that does the work.", complete="harness"),
            Option("--review-harness", "H", "The agent that reviews it.", complete="harness"),
            Option("--status", "S", "The state to start in, if the workflow allows it.", complete="status"),
            Option("--workflow", "W", "The workflow (default: the project's).", complete="workflow"),
            Option("--effort", "L", "How hard the agent should think, in its own words (such as high)."),
            Option("--review-effort", "L", "The same for the reviewer."),
            Option("--blocked-by", "ID", "Wait until that task is done.", repeat=True, complete="task"),
            Option("--parent", "ID", "The task that this one is a part of.", complete="task"),
            Option("--label", "L", "A label; may be given more than once.", repeat=True),
            Option("--no-spawn", None, "Only write it down; start no agent."),
            IN_PROJECT,
        ),
        "orange_tui.cli.commands.tasks:create",
        """
The agent gets a workspace (a git worktree) and a tmux session of its own. When no workspace is free, the
task is created all the same and waits; that is not an error.

Without a summary the task starts in clarification, where the workflow has that: the agent asks first.
A branch that already has a task is refused.

Exit codes: 0 created; 1 refused; 2 wrong usage. With --json the task is printed, its id included.
""",
        (
            ('orange task create fix/login "Fix the login redirect loop"', "Start on it now"),
            (
                'orange task create add-export "CSV export" --context - < notes.md',
                "Give the agent your notes along",
            ),
            (
                'orange task create docs "Describe the export" --blocked-by k3x9 --no-spawn',
                "Note something for when another task (k3x9) is done",
            ),
            (
                'orange task create --json -- fix/cold "-5 degrees shows as 5"',
                "After -- every word is text, even one that begins with a dash",
            ),
        ),
    ),
    CommandSpec(
        ("task", "list"),
        "List tasks, those at work first.",
        options=(
            Option("--status", "S", "Only tasks in this state.", complete="status"),
            Option("--all", None, "Tasks of every project."),
            Option("--ready", None, "Only tasks that could start now: not begun, nothing in their way."),
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
A task whose TASK.md cannot be read is listed with the reason; it stops nothing else.
""",
        examples=(
            ("orange task list", "What is going on in this project"),
            ("orange task list --all --status reviewing", "What waits for a person, everywhere"),
            ("orange task list --json", "The same for a program: every field, and the session's state"),
        ),
    ),
    CommandSpec(
        ("task", "show"),
        "Show one task: its fields and its TASK.md.",
        (TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.tasks:show",
        "With --json the fields come with session, body and history.",
        (
            ("orange task show k3x9", "Read the task whose id begins with k3x9"),
            ("orange task show k3x9 --json", "Everything that is known about it"),
        ),
    ),
    CommandSpec(
        ("task", "context"),
        "Print what an agent is told about a task besides its prompt.",
        (_THIS_TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.tasks:context",
        """
The task, its parent and parts, earlier attempts, the last error, comments on its issue, the project's
instructions (`instructions` in .orange.yml, else CLAUDE.md, else AGENTS.md), selected skills, the files of the
repository, and what a failed attempt left uncommitted. What is empty is left out; what is cut says so.
""",
        (
            ("orange task context k3x9", "What its agent knows"),
            ("orange task context k3x9 --json", "The same as a list of title, text and how much was cut"),
        ),
    ),
    CommandSpec(
        ("task", "update"),
        "Move a task to another state, or change its summary or branch.",
        (_THIS_TASK,),
        (
            Option("--status", "S", "The state to move to.", complete="status"),
            Option("--summary", "TEXT", "A new summary, one line."),
            Option(
                "--branch",
                "NAME",
                "Without a name: take over the git branch that is checked out. With one: check it out "
                "if it exists, else rename the present one.",
                optional_value=True,
                complete="branch",
            ),
            OF_PROJECT,
        ),
        "orange_tui.cli.commands.tasks:update",
        """
This is the command agents use: write what the workflow asks for into TASK.md (a plan, a handoff, a
review), then say where the task should go. The workflow decides whether it may. A refusal names what is
missing and shows an example; write that, and try again.

Done and cancelled are not reached this way: merging and cancelling are for a person.

Exit codes: 0 the task has moved, and if something that follows from it failed, that is on standard error;
1 refused, nothing has changed; 2 wrong usage.
""",
        (
            (
                "orange task update --status agent-review",
                "In a workspace: the work is done, let it be reviewed",
            ),
            ('orange task update k3x9 --summary "Fix the login loop"', "Say better what it is about"),
            ("orange task update k3x9 --branch", "The agent has switched branches: follow it"),
        ),
    ),
    CommandSpec(
        ("task", "complete"),
        "Say that the agent has finished: the task moves on to what its workflow has next.",
        (_THIS_TASK,),
        (OF_PROJECT,),
        "orange_tui.cli.commands.tasks:complete",
        """
Made for agents' stop hooks, which know that the agent has ended but not where its task goes from there.
The same checks hold as for task update.

Exit codes: 0 the task has moved on; 1 refused, with what is missing; 2 wrong usage.
""",
        (("orange task complete", "In a workspace, from the agent's stop hook"),),
    ),
    CommandSpec(
        ("task", "stuck"),
        "Say that the agent cannot go on: a person should look.",
        (_THIS_TASK,),
        (Option("--reason", "TEXT", "Why, in a sentence; it is shown with the task."), OF_PROJECT),
        "orange_tui.cli.commands.tasks:stuck",
        """
Made for agents and their stop hooks.

Exit codes: 0 the task is marked; 1 refused; 2 wrong usage.
""",
        (
            (
                'orange task stuck --reason "The tests need a database I cannot reach"',
                "In a workspace: stop, and say why",
            ),
        ),
    ),
    CommandSpec(
        ("task", "cancel"),
        "Give a task up: end its session and release its workspace, with all work saved.",
        (TASK,),
        (YES, OF_PROJECT),
        "orange_tui.cli.commands.tasks:cancel",
        """
Commits stay on the branch. What was not committed is kept as a commit of its own, and `orange task restore`
brings it back. The next task is not started.

Exit codes: 0 cancelled; 1 refused or not confirmed; 2 wrong usage.
""",
        (("orange task cancel k3x9", "Cancel it after a question"),),
    ),
    CommandSpec(
        ("task", "delete"),
        "Delete a finished task: its TASK.md, its history and its logs.",
        (TASK,),
        (YES, OF_PROJECT),
        "orange_tui.cli.commands.tasks:delete",
        """
Only tasks that are done or cancelled can be deleted. The git branch and its commits stay, and what was saved of
its work is kept for 30 days: `orange task restore` puts it on a branch.

Exit codes: 0 deleted; 1 refused or not confirmed; 2 wrong usage.
""",
        (("orange task delete k3x9", "Delete it after a question"),),
    ),
)
