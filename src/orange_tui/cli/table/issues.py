"""The `issue` command, as an entry for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import CommandSpec, Option

ISSUE_COMMANDS = (
    CommandSpec(("issue",), "Turn GitHub issues into tasks, and report the results on them."),
    CommandSpec(
        ("issue", "sync"),
        "Sync with the issues on GitHub now.",
        (),
        (Option("--project", "P", "Only this project (default: all that take issues).", complete="project"),),
        "orange_tui.cli.commands.issues:sync",
        """
`orange serve` and the app do this every minute for each project with `orange project update NAME --issues on`.

Each open issue becomes one task, once: with the project's workflow if its tasks start by themselves, else with
autopilot. The labels agent:NAME, model:NAME, effort:LEVEL and workflow:NAME say how it is done. Until it starts, the
task follows the issue's title, text and labels, and is cancelled if the issue is closed. Results become comments. While
a task is blocked or needs a person, its issue has a label that says so (blocked, needs-review).

This uses GitHub's own gh, which must be logged in.

Exit codes: 0 done; 1 refused, or GitHub did not answer; 2 wrong usage.
""",
        (
            ("orange issue sync", "All projects that take issues"),
            ("orange issue sync --project coffee --json", "One project, for a script"),
        ),
    ),
)
