"""What a gate is shown of a task: TASK.md, `.orange-outcome`, and how a command ends in the worktree.

A command's result stands until HEAD moves: asking again costs nothing.
"""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Projects
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import Store

_TIMEOUT_SECONDS = 600.0
_MAX_OUTPUT_CHARS = 4000


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
    code, output = _earlier_result(home, opened.task, command, head) or _run(opened, command, worktree, head, home)
    if code == 0:
        return None
    return (
        f"`{command}` must succeed, and it ended with {code}:\n{output}\nCommit a change that fixes it, and try again"
    )


def _results(home: Home, task: Task) -> JsonFile:
    """How commands have ended on which commit. The journal tells that as well, but a task's agents can write there."""
    path = os.path.join(home.root, ".cache", "gates", task.project, f"{task.id}.json")
    return JsonFile(path, f"{path}.lock", title="the results of commands", disposable=True)


def _earlier_result(home: Home, task: Task, command: str, head: str | None) -> tuple[int, str] | None:
    found = _results(home, task).read_object().get(command)
    if not isinstance(found, list) or list(map(type, found)) != [str, int, str] or found[0] != head:
        return None
    return found[1], found[2]


def _keep_result(home: Home, task: Task, command: str, result: tuple[str, int, str]) -> None:
    file = _results(home, task)
    with suppress(OrangeError):  # then it is run once more
        make_directory(os.path.dirname(file.path))
        with file.changing_object() as results:
            results[command] = list(result)


def _run(opened: OpenTask, command: str, worktree: str, head: str | None, home: Home) -> tuple[int, str]:
    from orange_tui.outside.programs import run

    # The command is the workflow author's own, and its environment names the task; no task text is in it.
    environment = {**os.environ, "ORANGE_TASK": opened.task.id}
    try:
        finished = run(
            ["/bin/sh", "-c", command], directory=worktree, environment=environment, timeout=_TIMEOUT_SECONDS
        )
        code, output = finished.code, (finished.output + finished.errors)[-_MAX_OUTPUT_CHARS:].strip()
    except OrangeError as problem:
        code, output = 1, str(problem)
    opened.record("gate.command", command=command, head=head, exit_code=code, output=output)
    if head is not None:
        _keep_result(home, opened.task, command, (head, code, output))
    return code, output
