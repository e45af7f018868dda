"""The `workflow` commands, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import JSON, Argument, CommandSpec, Option

WORKFLOW_COMMANDS = (
    CommandSpec(("workflow",), "Look at the workflows that tasks follow."),
    CommandSpec(
        ("workflow", "list"),
        "List the workflows there are: yours and those that come with Orange.",
        options=(JSON,),
        run="orange_tui.cli.commands.workflows:list_workflows",
        details="""
Each with where it comes from, and the first line of its file if that is a comment, else the way a task goes in it.
""",
        examples=(("orange workflow list", "Which workflow might fit"),),
        agents_may="use it",
    ),
    CommandSpec(
        ("workflow", "check"),
        "Find every mistake in a workflow file, with its line and how to fix it.",
        (
            Argument(
                "workflow",
                "A workflow's name, or a file (default: all workflows).",
                required=False,
                complete="workflow or file",
                shown="NAME|FILE",
            ),
        ),
        run="orange_tui.cli.commands.workflows:check",
        details="Exit codes: 0 no mistakes (there may be warnings); 1 mistakes; 2 wrong usage.",
        examples=(
            ("orange workflow check", "All workflows, yours and those that come with Orange"),
            ("orange workflow check ./review.yml", "A file you are writing"),
        ),
        agents_may="use it unconfined",
    ),
    CommandSpec(
        ("workflow", "show"),
        "Show a workflow: its states, and what each move between them needs.",
        (Argument("name", "The workflow.", complete="workflow"),),
        (Option("--yaml", None, "Print its file instead, as it is written."),),
        run="orange_tui.cli.commands.workflows:show",
        examples=(
            ("orange workflow show default", "The workflow that tasks follow by default"),
            ("orange workflow show classic --yaml", "A workflow that comes with Orange, to read or to change"),
        ),
        agents_may="use it",
    ),
    CommandSpec(
        ("workflow", "copy"),
        "Copy a workflow into your own ones, to change it.",
        (
            Argument("name", "The workflow to copy.", complete="workflow"),
            Argument("new", "What to call the copy; under its old name it takes the place of the shipped one."),
        ),
        run="orange_tui.cli.commands.workflows:copy",
        details="Exit codes: 0 copied; 1 refused: there is one of that name, or the file has mistakes; 2 wrong usage.",
        examples=(("orange workflow copy default mine", "Make the file mine.yml, with that name in it"),),
    ),
)
