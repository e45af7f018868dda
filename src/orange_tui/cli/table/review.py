"""The `task` commands of a review: comments on lines and their answers, as entries for the table in `all_commands`."""

from __future__ import annotations

from orange_tui.cli.parsing.grammar import Argument, CommandSpec, Option
from orange_tui.cli.table.tasks import OF_PROJECT, TASK, THIS_TASK

_MODULE = "orange_tui.cli.commands.review"
_THREADS = Argument("threads", "The threads, such as t1 t3.", shown="THREAD", repeat=True)
_TEXT = Argument("text", "What you have to say; - reads standard input.")

REVIEW_COMMANDS = (
    CommandSpec(
        ("task", "comment"),
        "Comment on lines of a task's code.",
        (
            TASK,
            Argument("place", "The file, as the repository has it, and the lines.", shown="PATH[:LINE[-LINE]]"),
            _TEXT,
        ),
        (OF_PROJECT,),
        f"{_MODULE}:comment",
        """
Your comments are drafts until `orange task request-changes` sends them all at once. A reviewer's are open at once. The
code of the lines is kept with the comment, so that they are found again after new commits. A dot as PATH is the task as
a whole.
""",
        (
            ('orange task comment k3x9 src/auth.py:42 "Compare with <="', "Comment on a line"),
            ('orange task comment k3x9 src/auth.py:40-48 "Split this up"', "Comment on several lines"),
            ("orange task comment k3x9 . -", "Comment on the task as a whole, from standard input"),
        ),
        agents_may="use it on their own task",
    ),
    CommandSpec(
        ("task", "threads"),
        "List the comments on a task, with their answers.",
        (THIS_TASK,),
        (Option("--open", None, "Only those that wait for an answer."), OF_PROJECT),
        f"{_MODULE}:threads",
        "A thread is a draft, open, fixed, declined or resolved.",
        (("orange task threads k3x9 --open", "See what is left to be answered"),),
        agents_may="use it",
    ),
    CommandSpec(
        ("task", "reply"),
        "Answer a comment.",
        (Argument("thread", "The thread, such as t3."), _TEXT),
        (
            Option("--fixed", None, "The code was changed as asked for."),
            Option("--declined", None, "It was not, for the reason in the text.", instead_of="--fixed"),
            Option("--commit", "SHA", "The commit that did it, on the task's branch."),
            Option("--task", "ID", "The task (default: the one of this window or workspace).", complete="task"),
            OF_PROJECT,
        ),
        f"{_MODULE}:reply",
        "Words alone leave a thread open: it is answered with --fixed or --declined.",
        (
            ('orange task reply t3 "Compared with <=, test added" --fixed', "Say that it is done"),
            ('orange task reply t4 "The app needs it" --declined', "Say why it is not"),
        ),
        agents_may="use it",
    ),
    CommandSpec(
        ("task", "resolve"),
        "Close threads that you are content with.",
        (TASK, _THREADS),
        (OF_PROJECT,),
        f"{_MODULE}:resolve",
        "They need no answer any more. If one of them cannot be resolved, none is.",
        (("orange task resolve k3x9 t1 t2", "Close two of them"),),
    ),
    CommandSpec(
        ("task", "reopen"),
        "Open threads again that need another answer.",
        (TASK, _THREADS),
        (OF_PROJECT,),
        f"{_MODULE}:reopen",
        "`orange task request-changes` sends the task back with them.",
        (("orange task reopen k3x9 t1", "Open one again"),),
    ),
    CommandSpec(
        ("task", "request-changes"),
        "Send a task back to work with your comments.",
        (
            TASK,
            Argument("text", "What should change, besides the comments; - reads standard input.", required=False),
        ),
        (OF_PROJECT,),
        f"{_MODULE}:request_changes",
        """
All drafts and the text go out as one batch: the drafts become open, the text goes into ## Feedback of TASK.md, the task
goes back to work, and its agent is told in one message.
""",
        (
            ("orange task request-changes k3x9", "Send the comments that you have written"),
            ('orange task request-changes k3x9 "Please add a test"', "Send a sentence with them"),
        ),
    ),
)
