"""What the dashboard says besides its rows: above them, and where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orange_tui.board.rows import Snapshot

_NO_TASKS = """No tasks yet.

Press c to create one:
it gets a branch, a worktree and an agent.

To watch a demo first: ctrl+p, demo, Enter.
? shows every key."""
_PREPARING = """The demo begins: its tasks are being created …

Nothing of yours is touched. q ends it."""


def empty_text(snapshot: Snapshot | None, search: str, *, is_demo: bool) -> str:
    """What stands in place of rows: what to do where there are none at all, or none that are shown."""
    if snapshot is None or not snapshot.complete:
        return "Reading …"
    if snapshot.rows:
        return "Nothing found. esc ends the search." if search else "Nothing here. f changes the filter."
    if is_demo:
        return _PREPARING
    if snapshot.scope is not None and snapshot.shares:
        return f"No tasks in {snapshot.scope}.\n\nPress c to create one, 0 to see all projects."
    return _NO_TASKS


def states_in_order(snapshot: Snapshot | None) -> list[str]:
    """All states in the order in which their workflows have them."""
    if snapshot is None:
        return []
    names = dict.fromkeys(project.workflow for project in snapshot.projects)
    workflows = [snapshot.workflows.get(name) for name in names]
    found = [state for each in workflows if each is not None and not isinstance(each, str) for state in each.states]
    return list(dict.fromkeys(found))
