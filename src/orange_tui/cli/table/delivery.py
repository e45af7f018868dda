"""`task merge` and `task create-pr`, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import CommandSpec, Option
from orange_tui.cli.table.tasks import OF_PROJECT, TASK
from orange_tui.delivery.merging.strategies import STRATEGIES

_MODULE = "orange_tui.cli.commands.delivery"

DELIVERY_COMMANDS = (
    CommandSpec(
        ("task", "merge"),
        "Merge a task's branch into the default branch, push it, and finish the task.",
        (TASK,),
        (
            Option(
                "--strategy",
                "S",
                ", ".join(f"{name} {strategy.help}" for name, strategy in STRATEGIES.items()) + ".",
                choices=tuple(STRATEGIES),
            ),
            Option("--local", None, "Merge locally even if the task has a pull request."),
            Option(
                "--force", None, "Merge without asking if the work was not reviewed; finish a task that has no commits."
            ),
            Option(
                "--verify", None, "Run the workflow's command gates on the merged result first; merge only if all hold."
            ),
            OF_PROJECT,
        ),
        f"{_MODULE}:merge",
        """
Without --strategy: ff if possible, else merge. The merge is computed first. If there is a conflict, if the default
branch has uncommitted changes or has diverged from the remote, or if the push is rejected, everything stays as it was
and the message says what to do. A pull request already merged on GitHub is not merged again; the task is just finished.

With --verify, or where the workflow has a gate with `verify: merged`, the commands run in a temporary worktree of the
merged files before anything is pushed or moved. If one fails, nothing has changed, and the message has its output.

Afterwards the session ends and the workspace is released; uncommitted work is saved.

Exit codes: 0 merged; 1 refused or not confirmed, with nothing changed; 2 wrong usage.
""",
        (
            ("orange task merge k3x9", "Merge reviewed work"),
            ("orange task merge k3x9 --strategy squash", "Merge it as one commit, with the summary as its message"),
            ("orange task merge k3x9 --verify", "Merge it only if the checks pass on the merged result"),
        ),
    ),
    CommandSpec(
        ("task", "create-pr"),
        "Push a task's branch and open a pull request for it on GitHub.",
        (TASK,),
        (OF_PROJECT,),
        f"{_MODULE}:create_pr",
        """
This uses `gh`. The title is the summary; the text is the summary, the context and the repository's template. If the
branch already has an open pull request, the task uses that one.
""",
        (("orange task create-pr k3x9", "Let others review it on GitHub"),),
        agents_may="use it on their own task",
    ),
)
