"""What is good to know while a task is being made: where it may begin, and whether its branch is there already.

Everything here reads files or asks git: call it off the event loop.
"""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.git import Repository, local, remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.orange import Orange


def first_states(orange: Orange) -> dict[str, tuple[str, ...] | str]:
    """By workflow: the states a task may begin in, the usual one first; or why the workflow cannot be used."""
    return {name: _states(orange, name) for name in orange.workflows.names()}


def _states(orange: Orange, workflow: str) -> tuple[str, ...] | str:
    try:
        return tuple(orange.workflows.load(workflow).initial)
    except OrangeError as problem:
        return f"Workflow {workflow} cannot be used: {problem}"


def branch_exists(orange: Orange, project: str, branch: str) -> bool:
    """Whether git has a branch of that name, here or as it last saw the remote."""
    try:
        path = orange.projects.get(project).path
        return bool(Repository(path).refs(local(branch), remote(branch)))
    except OrangeError:
        return False
