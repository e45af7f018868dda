"""`task event`, which agents' own hooks run, as an entry for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option

EVENT = CommandSpec(
    ("task", "event"),
    "Report what an agent is doing; agents' own hooks run this.",
    (
        Argument(
            "id",
            "The task; in an agent's window it may be left out.",
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
Orange puts this into the agents' hooks by itself. It says nothing and always succeeds, because it must not
disturb the agent; what it noted is in runtime.json beside TASK.md.

Exit codes: 0 always; 2 wrong usage.
""",
    (("orange task event --agent claude --event Stop", "In a hook: the agent has finished its turn"),),
    hidden=True,
)
