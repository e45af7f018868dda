"""Keys about the task under the cursor: its agent, its work, its delivery."""

from __future__ import annotations

from orange_tui.domain.workflow import REVIEW_WORKFLOW
from orange_tui.tui.commands import _approvals, _delivery, _endings, _tasks, _views
from orange_tui.tui.commands.context import KeyCommand

TASK_KEYS = (
    KeyCommand(
        "enter",
        "enter",
        "open",
        "Attach to the agent, or start or restart it",
        _tasks.enter,
        _tasks.why_no_enter,
        task_title=_tasks.enter_title,
    ),
    KeyCommand(
        "answer", "a", "answer", "Send the agent a message without attaching", _tasks.answer, _tasks.why_no_answer
    ),
    KeyCommand(
        "approve",
        "A",
        "allow?",
        "See what the agent asks to be allowed: all of it; allow it once, for this task, or deny it",
        _approvals.approve,
        _approvals.why_no_approval,
        footer_for=_approvals.asks,
    ),
    KeyCommand(
        "hand_over",
        "h",
        "hand over",
        "Have another agent go on with the work, at a limit or at any time",
        _tasks.hand_over,
        _tasks.why_no_hand_over,
        footer_for=_tasks.is_at_limit,
    ),
    KeyCommand(
        "send_back",
        "r",
        "send back",
        "Request changes: they go to ## Feedback and to the worker",
        _tasks.send_back,
        _tasks.why_no_send_back,
    ),
    KeyCommand(
        "retry",
        "u",
        "retry",
        "Start over or unblock: back to the workflow's first state",
        _tasks.retry,
        _tasks.why_no_retry,
        gives_way=2,
    ),
    KeyCommand(
        "merge",
        "m",
        "merge",
        "Merge the branch and finish the task",
        _delivery.merge,
        _delivery.why_no_merge,
        gives_way=1,
    ),
    KeyCommand(
        "cancel",
        "x",
        "cancel",
        "Cancel the task; its work is saved",
        _endings.cancel,
        _endings.why_no_cancel,
        gives_way=3,
    ),
    KeyCommand("delete", "d", "delete", "Delete a finished task", _endings.delete, _endings.why_no_delete, gives_way=4),
    KeyCommand(
        "pull_request",
        "p",
        "PR",
        "Open its pull request, or create one; push what is not in it yet",
        _delivery.pull_request,
        _delivery.why_no_pull_request,
        gives_way=5,
    ),
    KeyCommand(
        "run",
        "o",
        "run",
        "Open what the project's `run` command serves, and start it where it does not run",
        _delivery.open_run,
        _delivery.why_no_run,
        in_footer=False,
    ),
    KeyCommand(
        "refresh",
        "R",
        "refresh PR",
        "Refresh its pull request from GitHub",
        _delivery.refresh,
        _delivery.why_no_refresh,
    ),
    KeyCommand(
        "send_review",
        "V",
        "send review",
        "Send the comments to its pull request on GitHub, as one review",
        _delivery.send_review,
        _delivery.why_no_send_review,
        footer_for=lambda row: row.task is not None and row.task.workflow == REVIEW_WORKFLOW,
    ),
    KeyCommand(
        "workspace",
        "w",
        "workspace",
        "Session, diff and history, full screen",
        _views.workspace,
        _tasks.why_not_readable,
        in_footer=False,
    ),
    KeyCommand(
        "diff",
        "D",
        "review",
        "Review what the branch changes: comment on lines, send back, merge",
        _views.review,
        _tasks.why_not_readable,
        gives_way=7,
    ),
)
