"""`task merge`, `create-pr`, `review-pr` and `send-review`, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import IN_PROJECT, OF_PROJECT, TASK
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
    CommandSpec(
        ("task", "review-pr"),
        "Review somebody else's pull request: fetch it into a workspace and have a reviewer comment on its lines.",
        (Argument("pull-request", "Its address on GitHub, or its number.", shown="URL|NUMBER"),),
        (Option("--harness", "H", "The agent that reviews it.", complete="harness"), IN_PROJECT),
        f"{_MODULE}:review_pr",
        """
The pull request's head is fetched onto a branch of its own here, also from a fork. The task uses the workflow
review-pr: nothing is merged, nothing is pushed, and the project's set-up is not run. The reviewer writes comments on
lines; you read them with D, add your own, resolve those that you do not want, and send the rest:
`orange task send-review`.
""",
        (
            ("orange task review-pr 42", "Review pull request 42 of the project you are in"),
            ("orange task review-pr https://github.com/o/r/pull/42 --harness claude", "Have Claude Code review it"),
        ),
    ),
    CommandSpec(
        ("task", "send-review"),
        "Send a task's comments to its pull request on GitHub, as one review.",
        (
            TASK,
            Argument(
                "text", "What the review says as a whole; - reads standard input.", required=False, shown="TEXT|-"
            ),
        ),
        (
            Option("--approve", None, "Approve the pull request."),
            Option("--request-changes", None, "Request changes."),
            OF_PROJECT,
        ),
        f"{_MODULE}:send_review",
        """
All open comments and drafts of yours and of reviewers go out together; resolved ones do not. A comment on lines that
are not in the pull request's diff goes into the review's text. If the pull request got new commits since you read it,
they are fetched and nothing is sent: look at them, then send again. Sending ends a task of the workflow review-pr.

Exit codes: 0 sent; 1 refused, with nothing sent; 2 wrong usage. Killed on the way, run it again: it is sent once.
""",
        (
            ("orange task send-review k3x9", "Send the comments as they are"),
            ("orange task send-review k3x9 'Two things to fix' --request-changes", "Request changes"),
        ),
    ),
)
