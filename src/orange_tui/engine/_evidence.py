"""What a gate is shown of a task: TASK.md, `.orange-outcome`, its threads, and how a command ends in the worktree.

A command's result stands until HEAD moves: asking again costs nothing.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record
from orange_tui.engine.command_checks import CommandResults, run_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.review.thread import Thread
    from orange_tui.engine.command_checks import CommandResult
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Projects
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import Store


@record
class TaskEvidence:
    """The evidence of one open task, for `Gate.missing`."""

    opened: OpenTask
    store: Store
    projects: Projects

    @property
    def task_id(self) -> str:
        """Which task it is."""
        return self.opened.task.id

    @property
    def body(self) -> str:
        """TASK.md without its frontmatter."""
        return self.opened.body

    def outcome(self) -> str | None:
        """The text of `.orange-outcome`."""
        return self.store.outcome(self.store.ref_of(self.opened.task))

    def outcome_version(self) -> str:
        """What tells this `.orange-outcome` from one that is written later, be it with the same words."""
        try:
            found = os.stat(os.path.join(self.opened.directory, ".orange-outcome"))
        except OSError:
            return ""
        return f"{found.st_ino} {found.st_mtime_ns}"

    def threads(self) -> Sequence[Thread]:
        """The comments on its code."""
        from orange_tui.review.threads_file import ThreadsFile

        return ThreadsFile(self.store.home, self.opened.task.project, self.opened.task.id).read()

    def command_failure(self, command: str) -> str | None:
        """Why a command fails in the task's workspace; None when it succeeds."""
        return _failure(self.opened, command, self.store.home, self.projects)


def _failure(opened: OpenTask, command: str, home: Home, projects: Projects) -> str | None:
    """Why the command keeps the gate closed; None when it succeeds on the commit that is checked out."""
    from orange_tui.outside.git_worktree import worktree_of

    if opened.task.workspace is None:
        return f"`{command}` must succeed in the task's workspace, and it has none"
    worktree = os.path.join(home.workspaces, opened.task.workspace)
    head = worktree_of(projects.get(opened.task.project).path, worktree).git.head()
    result = CommandResults.of(home, opened.task).find(command, head) or _run(home, opened, command, worktree, head)
    if result.code == 0:
        return None
    return (
        f"`{command}` must succeed, and it ended with {result.code}:\n{result.output}\n"
        "Commit a change that fixes it, and try again"
    )


def _run(home: Home, opened: OpenTask, command: str, worktree: str, head: str | None) -> CommandResult:
    result = run_command(home, command, worktree, opened.task)
    opened.record("gate.command", command=command, head=head, exit_code=result.code, output=result.output)
    if head is not None:
        CommandResults.of(home, opened.task).keep(command, head, result)
    return result
