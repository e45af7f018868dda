"""The commands that have to do with agents themselves, as entries for the table in `commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, Command, Option

_YES = Option("--yes", None, "Replace a copy that you have changed, too.")

INSTALL = Command(
    ("install",),
    "Teach your agents to use Orange: put its skill into their skill folders.",
    options=(
        Option("--harness", "H", "Only this agent (default: all that are installed).", complete="harness"),
        _YES,
    ),
    run="orange_tui.cli.commands.install:install",
    details="""
With the skill, an agent in your terminal asks what you want, splits it into tasks, creates them and tells you
when one needs you. A copy that you have changed is left as it is, unless you say --yes.

Exit codes: 0 installed or up to date; 1 refused, or a changed copy was left as it is; 2 wrong usage.
""",
    examples=(
        ("orange install", "For every agent on this machine"),
        ("orange install --harness claude", "For one of them"),
    ),
)

EVENT = Command(
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
    "orange_tui.cli.commands.event:event",
    """
Orange puts this into the agents' hooks by itself. It says nothing and always succeeds, because it must not
disturb the agent; what it noted is in runtime.json beside TASK.md.

Exit codes: 0 always; 2 wrong usage.
""",
    (("orange task event --agent claude --event Stop", "In a hook: the agent has finished its turn"),),
    hidden=True,
)
