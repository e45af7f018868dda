"""`task merge` and `task create-pr`, as entries for the table in `root`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import CommandSpec, Option
from orange_tui.cli.table.tasks import OF_PROJECT, TASK

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
                "ff moves the default branch along, merge makes a merge commit, squash a single one.",
                choices=("ff", "merge", "squash"),
            ),
            Option("--local", None, "Merge here although the task has a pull request."),
            Option("--force", None, "Merge what was not reviewed, without asking; finish a task without commits."),
            OF_PROJECT,
        ),
        f"{_MODULE}:merge",
        """
Unless told otherwise, ff where that is possible, else merge. The merge is computed first; a conflict, a default
branch with uncommitted changes, one that has diverged from the remote, or a rejected push leaves everything as it was
and says what to do. A pull request that was merged on GitHub is not merged again: the task is only finished.

Afterwards the session ends and the workspace is released, with whatever was not committed saved.

Exit codes: 0 merged; 1 refused or not confirmed, with nothing changed; 2 wrong usage.
""",
        (
            ("orange task merge k3x9", "Merge what was reviewed"),
            ("orange task merge k3x9 --strategy squash", "All of it as one commit, with the summary as its message"),
        ),
    ),
    CommandSpec(
        ("task", "create-pr"),
        "Push a task's branch and open a pull request for it on GitHub.",
        (TASK,),
        (OF_PROJECT,),
        f"{_MODULE}:create_pr",
        """
Through `gh`, with the summary as title, and summary, context and the repository's template as text. Where the branch
has an open pull request already, the task takes that one up.
""",
        (("orange task create-pr k3x9", "Let others look at it on GitHub"),),
    ),
)
