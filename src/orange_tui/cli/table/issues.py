"""The `issue` command, and the options by which a project takes issues, as entries for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import CommandSpec, Option

ISSUE_OPTIONS = (
    Option("--issues", "on|off", "Whether open GitHub issues become tasks.", choices=("on", "off")),
    Option(
        "--issue-author",
        "LOGIN",
        "Whose issues do; @me is you, '' takes all names back (default: only yours).",
        repeat=True,
    ),
    Option("--issue-label", "LABEL", "Only issues with one of these labels; '' takes all back.", repeat=True),
)

ISSUE_COMMANDS = (
    CommandSpec(("issue",), "Make tasks of GitHub issues, and say on them what became of those."),
    CommandSpec(
        ("issue", "sync"),
        "Look at the issues on GitHub now.",
        (),
        (Option("--project", "P", "This project only (default: all that take issues).", complete="project"),),
        "orange_tui.cli.commands.issues:sync",
        """
`orange serve` and the app do this every minute, for each project with `orange project update NAME --issues on`.

An open issue becomes one task, ever: of the project's workflow if its tasks start by themselves, else of autopilot.
Labels agent:NAME, model:NAME, effort:LEVEL and workflow:NAME say how it is done. Until it starts, the task follows
the issue's title, text and labels, and is cancelled when the issue is closed. Results become comments; a task that is
blocked or asks for a person puts a label (blocked, needs-review) on its issue and takes it off again.

It goes through GitHub's own gh, which has to be logged in.

Exit codes: 0 done; 1 refused, or GitHub did not answer; 2 wrong usage.
""",
        (
            ("orange issue sync", "All projects that take issues"),
            ("orange issue sync --project coffee --json", "One of them, for a script"),
        ),
    ),
)
