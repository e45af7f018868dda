"""`orange` itself, `demo` and `serve`, as entries for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import CommandSpec, Option

PROGRAM = CommandSpec(
    (),
    "Orange runs several coding agents at once, each in its own worktree, and loses none of their work.",
    options=(
        Option("--all", None, "Open the app on the tasks of every project."),
        Option("--project", "NAME", "Open the app on this project.", complete="project", instead_of="--all"),
        Option("--version", None, "Print the version.", short="-V"),
    ),
    run="orange_tui.cli.commands.app:open_app",
    opens="orange_tui.tui.opening:open_app",
    details="""
Without a command, orange opens the app: on the project of the current directory, else on all of them.

Exit codes: 0 done; 1 refused, by a rule, a gate or the present state, with nothing changed and the reason
on standard error; 2 the command was not understood.

Environment: ORANGE_HOME is where everything is kept (default ~/orange); ORANGE_TASK is the task an agent
works on, set in its window; ORANGE_TMUX_SOCKET names a private tmux server.
""",
    examples=(
        ("orange project add", "Register the git repository you are in, once"),
        ('orange task create fix/login "Fix the login redirect loop"', "Give an agent something to do"),
        ("orange", "Watch, answer, review and merge"),
    ),
)

DEMO = CommandSpec(
    ("demo",),
    "Watch Orange at work: six tasks, scripted agents, a throw-away repository.",
    options=(
        Option("--headless", None, "Without the app: print what happens, and check that all of it does."),
        Option("--pace", "SECONDS", "How long an agent's thought takes (default 0.2); 0 is full speed."),
        Option("--keep", None, "Leave the demo's directory there afterwards, to look around in."),
    ),
    run="orange_tui.cli.commands.app:demo",
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

SERVE = CommandSpec(
    ("serve",),
    "Run the engine without the app: for servers and cron.",
    run="orange_tui.cli.commands.app:serve",
    details="""
Notices deaths of agents, follows what they write, delivers messages, starts waiting tasks. One acts per home;
another one waits for its turn.
""",
    examples=(("orange serve", "Until Ctrl+C"),),
)
