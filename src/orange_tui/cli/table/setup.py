"""`install`, `doctor`, `service`, `log` and `completion`, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option

_YES = Option("--yes", None, "Also replace a copy that you have changed.")

SETUP_COMMANDS = (
    CommandSpec(
        ("install",),
        "Teach your agents to use Orange: install its skill in their skill folders.",
        options=(
            Option("--harness", "H", "Only this agent (default: all that are installed).", complete="harness"),
            _YES,
        ),
        run="orange_tui.cli.commands.setup:install",
        details="""
With the skill, an agent in your terminal asks what you want, splits it into tasks, creates them and tells you when
one needs you. A copy that you have changed is left as it is, unless you give --yes.

Exit codes: 0 installed or up to date; 1 refused, or a changed copy was left as it is; 2 wrong usage.
""",
        examples=(
            ("orange install", "For every agent on this machine"),
            ("orange install --harness claude", "For one of them"),
        ),
    ),
    CommandSpec(
        ("doctor",),
        "Check what is installed and what is wrong, and finish what was interrupted.",
        options=(Option("--notify", None, "Also send a test notice to every address in notify of config.yml."),),
        run="orange_tui.cli.commands.setup:doctor",
        details="Exit codes: 0 nothing is wrong; 1 something is, with how to fix it; 2 wrong usage.",
        examples=(
            ("orange doctor", "When something seems wrong, or after a crash"),
            ("orange doctor --notify", "See whether notices reach you"),
        ),
    ),
    CommandSpec(("service",), "Have `orange serve` run as a service of the system."),
    CommandSpec(
        ("service", "install"),
        "Have `orange serve` run as a service: without a login, and again after a failure or a reboot.",
        options=(Option("--force", None, "Also replace a file that was edited; it is kept beside it as .bak."),),
        run="orange_tui.cli.commands.setup:service_install",
        details="""
It is a systemd user unit (launchd on macOS) for this home, with the PATH of now, so that agents are found; run it again
after you have moved Orange or installed an agent elsewhere. Keys and tokens of your shell are not written into it: put
what agents need into ~/.config/environment.d. With `resume: true` in config.yml, agents that were lost with tmux, as
after a reboot, come back by themselves. Agents outlive the service.

Exit codes: 0 installed; 1 there is no such manager here, or the file was edited; 2 wrong usage.
""",
        examples=(("orange service install", "Once, on the machine that works for you"),),
    ),
    CommandSpec(
        ("service", "remove"),
        "Remove that service; agents that run go on.",
        options=(Option("--force", None, "Also remove a file that was edited."),),
        run="orange_tui.cli.commands.setup:service_remove",
        examples=(("orange service remove", "From now on, run `orange` or `orange serve` yourself"),),
    ),
    CommandSpec(
        ("service", "status"),
        "Say whether that service is installed and runs, since when, and what is wrong.",
        run="orange_tui.cli.commands.setup:service_status",
        details="Exit codes: 0 it runs; 1 it does not, or is not installed; 2 wrong usage.",
        examples=(("orange service status", "After a reboot"),),
    ),
    CommandSpec(
        ("log",),
        "Show what Orange has been doing.",
        options=(
            Option(
                "--level",
                "L",
                "Only this level and more serious ones.",
                choices=("debug", "info", "warning", "error"),
            ),
            Option("--grep", "TEXT", "Only entries that contain this text."),
            Option("--lines", "N", "Only the last N entries (default 200).", short="-n", number=True),
        ),
        run="orange_tui.cli.commands.setup:log",
        examples=(
            ("orange log -n 20", "The last twenty entries"),
            ("orange log --level warning --grep k3x9", "What went wrong with one task"),
        ),
        agents_may="use it unconfined",
    ),
    CommandSpec(
        ("completion",),
        "Print the script that makes a shell complete orange's commands.",
        (Argument("shell", "Your shell.", choices=("bash", "zsh", "fish")),),
        run="orange_tui.cli.commands.setup:completion",
        examples=(
            ("source <(orange completion bash)", "In ~/.bashrc; the same with zsh in ~/.zshrc"),
            ("orange completion fish > ~/.config/fish/completions/orange.fish", "Once, for fish"),
        ),
        agents_may="use it",
    ),
)
