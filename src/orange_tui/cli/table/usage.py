"""`usage`, as an entry for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import CommandSpec, Option

USAGE = CommandSpec(
    ("usage",),
    "Show what the agents have used: tokens, dollars and turns.",
    options=(
        Option(
            "--by",
            "WHAT",
            "One line for each task (the default), project, agent, model or day.",
            choices=("task", "project", "agent", "model", "day"),
        ),
        Option("--since", "DATE", "Only that day and later: a date such as 2026-11-01, today, or 7d for seven days."),
    ),
    run="orange_tui.cli.commands.usage:usage",
    details="""
The numbers come from the agents' own files, and stay when those files or the task are deleted. Days are those of your
time zone. What is not known is shown as such: a cost is "unknown" where nobody knows the price of a model, and "over
$2.00" where that is so for a part of it. `prices` in config.yml gives a model its price.

With --json: an object with the rows and their total. A cost that is not all known is null, and `unpriced` names
the models.
""",
    examples=(
        ("orange usage", "What each task has cost, the dearest first"),
        ("orange usage --by day --since 7d", "The last seven days"),
        ("orange usage --by model --since 2026-11-01 --json", "For a program: which models were used this month"),
    ),
    agents_may="use it",
)
