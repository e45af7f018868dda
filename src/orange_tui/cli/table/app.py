"""`orange` itself, `demo` and `serve`, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import CommandSpec, Option

PROGRAM = CommandSpec(
    (),
    "Run several coding agents at once, each in its own git worktree, without losing any of their work.",
    options=(
        Option("--all", None, "Open the app with the tasks of every project."),
        Option("--project", "NAME", "Open the app with this project.", complete="project", instead_of="--all"),
        Option("--version", None, "Print the version.", short="-V"),
    ),
    run="orange_tui.cli.commands.app:open_app",
    opens="orange_tui.tui.opening:open_app",
    details="""
Without a command, orange opens the app: with the project of the current directory, or with all projects if it is
in none.

Exit codes: 0 done; 1 refused by a rule, a gate or the current state: nothing was changed, and standard error says
why; 2 wrong usage.

Environment: ORANGE_HOME is the directory where Orange keeps everything (default ~/orange); ORANGE_TASK is the task
that an agent works on, set in its window; ORANGE_TMUX_SOCKET names a private tmux server.
""",
    examples=(
        ("orange project add", "Register the git repository you are in (once)"),
        ('orange task create fix/login "Fix the login redirect loop"', "Give an agent a task"),
        ("orange", "Watch, answer, review and merge"),
    ),
)

DEMO = CommandSpec(
    ("demo",),
    "See Orange work: seven tasks, scripted agents and a throw-away repository.",
    options=(
        Option(
            "--headless",
            None,
            "Run without the app: print what happens, and check that every task ends where it should.",
        ),
        Option(
            "--pace",
            "SECONDS",
            "How long an agent thinks at each step (default: 0.2 headless, 1 in the app); 0 is full speed.",
        ),
        Option("--keep", None, "Keep the demo's directory afterwards, to look around in it."),
    ),
    run="orange_tui.cli.commands.app:demo",
    opens="orange_tui.tui.opening:open_demo",
    details="""
Everything except the agents' thinking is real: worktrees, tmux windows, commits, reviews, a crash, a question. It
needs no network and no key, and runs in a temporary directory with a tmux server of its own.

Exit codes: 0 every task ended where it should; 1 one did not, or the demo could not run; 2 wrong usage.
""",
    examples=(
        ("orange demo --headless", "See it work in about a minute"),
        ("orange demo --headless --pace 0 --keep", "Run at full speed and keep the result"),
    ),
    agents_may="use it unconfined",
)

SERVE = CommandSpec(
    ("serve",),
    "Run the engine without the app, for servers and cron.",
    run="orange_tui.cli.commands.app:serve",
    details="""
It notices agents that have died, reacts to what agents write, delivers messages and starts waiting tasks. Only one
Orange does this for a home at a time; another one waits for its turn.
""",
    examples=(("orange serve", "Run until Ctrl+C"),),
)
