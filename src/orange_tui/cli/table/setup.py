"""`install`, `doctor`, `log` and `completion`, as entries for the table in `all_commands`."""

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
        run="orange_tui.cli.commands.setup:doctor",
        details="Exit codes: 0 nothing is wrong; 1 something is, with how to fix it; 2 wrong usage.",
        examples=(("orange doctor", "When something seems wrong, or after a crash"),),
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
        agents_may="use it",
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
