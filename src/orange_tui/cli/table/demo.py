"""`orange demo`, as an entry for the table in `commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Command, Option

DEMO = Command(
    ("demo",),
    "Watch Orange at work: six tasks, scripted agents, a throw-away repository.",
    options=(
        Option("--headless", None, "Without the app: print what happens, and check that all of it does."),
        Option("--pace", "SECONDS", "How long an agent's thought takes (default 0.2); 0 is full speed."),
        Option("--keep", None, "Leave the demo's directory there afterwards, to look around in."),
    ),
    run="orange_tui.cli.commands.demo:demo",
    opens="orange_tui.tui.opening:open_demo",
    details="""
Everything is real but the agents' minds: worktrees, tmux windows, commits, reviews, a crash, a question. It needs
no network and no key, and happens in a temporary directory and a tmux server of its own.

Exit codes: 0 every task ended where it should; 1 one did not, or the demo could not be played; 2 wrong usage.
""",
    examples=(
        ("orange demo --headless", "See it work within a minute"),
        ("orange demo --headless --pace 0 --keep", "At full speed, and keep what comes of it"),
    ),
)
