"""Commands that run a task's code (gates, hooks, set-up, `run`): in a sandbox where the task's agents are in one.

The commands themselves are the person's, but what they run (tests, builds, scripts of packages) an agent has written.
Were they left outside, that would be the way out of every sandbox.
"""

from __future__ import annotations

import os

from orange_tui.agents.sandbox.planning import SandboxSpec, git_place, sandboxed
from orange_tui.domain.harnesses.harness import Harness, SandboxNeeds
from orange_tui.domain.sandbox.tables import is_sandboxed
from orange_tui.home.files import make_directory
from orange_tui.home.projects import Projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home

_COMMAND = Harness("command", "/bin/sh", "The command", install="", full=(), sandbox=SandboxNeeds(variables=()))


def sandbox_of(home: Home, task: Task, directory: str, harness: Harness) -> SandboxSpec:
    """The sandbox of a task for one of its agents, or a command, that begins in a directory."""
    project = Projects(home).get(task.project)
    return SandboxSpec(
        home.root,
        project.name,
        project.path,
        os.path.join(home.tasks, task.project, task.id),
        directory,
        harness,
        git_place(directory, task.branch) if directory != project.path else None,
        read=project.entry.get("sandbox_read") or (),
        write=project.entry.get("sandbox_write") or (),
    )


def command_sandbox(home: Home, task: Task, directory: str) -> SandboxSpec | None:
    """The sandbox for a command that runs a task's code; None where its agents have none either."""
    is_needed = is_sandboxed(Projects(home).sandbox(task.project), reviews=False)
    return sandbox_of(home, task, directory, _COMMAND) if is_needed else None


def confined(
    home: Home, task: Task, directory: str, words: Sequence[str], harness: Harness = _COMMAND
) -> Sequence[str]:
    """The words that run a command on a task's code, or ask about it, in a sandbox where its agents are in one."""
    if not is_sandboxed(Projects(home).sandbox(task.project), reviews=False):
        return words
    spec = sandbox_of(home, task, directory, harness)
    logs = os.path.join(home.task_state(task.project, task.id), "logs")
    make_directory(logs)
    plan = f"command-{os.path.basename(directory)}.sandbox.json"  # one for each place: two may run at once
    return sandboxed(words, os.path.join(logs, plan), spec)
