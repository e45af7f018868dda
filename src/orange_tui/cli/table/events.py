"""`task event` and `task ask`, which agents' own hooks run, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option

EVENT = CommandSpec(
    ("task", "event"),
    "Report what an agent is doing; agents' own hooks run this.",
    (
        Argument(
            "id",
            "The task; optional in an agent's window.",
            required=False,
            complete="task",
        ),
        Argument("payload", "The agent's report, as JSON (default: standard input).", required=False, shown="JSON"),
    ),
    (
        Option("--agent", "H", "Which agent reports.", complete="harness"),
        Option("--event", "NAME", "What happened: the agent's own word, or busy, idle, permission or error."),
    ),
    "orange_tui.cli.commands.events:event",
    """
Orange adds this to the agents' hooks itself. It prints nothing and always succeeds, so that it never disturbs the
agent. What it records is in the task's runtime.json, below the directory state.

Exit codes: 0 always; 2 wrong usage.
""",
    (("orange task event --agent claude --event Stop", "In a hook: the agent has finished its turn"),),
    hidden=True,
    agents_may="use it",
)

ASK = CommandSpec(
    ("task", "ask"),
    "Have a person asked for a permission, and wait for the answer; agents' own hooks run this.",
    (Argument("payload", "The agent's report, as JSON; a dash is standard input.", shown="JSON"),),
    (Option("--agent", "H", "Which agent asks.", complete="harness"),),
    "orange_tui.cli.commands.events:ask",
    """
Orange adds this to the agents' permission hooks itself. It prints the answer in the words of the agent's hook, or
nothing: then the agent's own dialog is to be answered. The person answers with A in the app, or with
`orange task approve`.

Exit codes: 0 always; 2 wrong usage.
""",
    (("orange task ask --agent claude -", "In a permission hook: ask, and wait"),),
    hidden=True,
    agents_may="use it",
)
