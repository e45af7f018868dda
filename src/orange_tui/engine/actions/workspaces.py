"""The hooks that give a task a workspace, and take it back."""

from __future__ import annotations

from contextlib import suppress

from orange_tui.domain.errors import OrangeError
from orange_tui.engine.hooks import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun
    from orange_tui.workspaces.pool import ReleaseResult


def reserve(run: HookRun) -> None:
    """Make sure of a workspace before the task is moved."""
    run.services.pool.reserve(run.services.projects.get(run.task.project), run.task)


def acquire(run: HookRun) -> None:
    """Bind a workspace and make it ready; a new one that cannot be made ready is given back."""
    pool, project = run.services.pool, run.services.projects.get(run.task.project)
    name = pool.reserve(project, run.task)
    try:
        pool.prepare(project, run.task, name)
    except OrangeError:
        if run.task.workspace != name:  # what it has held before is not taken away because something failed
            with suppress(OrangeError):
                _record(run, name, pool.release(project, run.task.id, name))
            run.change("workspace", None)
        raise
    run.change("workspace", name)


def release(run: HookRun) -> None:
    """Give the workspace back; its work is saved, or it is kept aside and a person is told."""
    name = run.task.workspace
    if name is None:
        return
    released = run.services.pool.release(run.services.projects.get(run.task.project), run.task.id, name)
    _record(run, name, released)
    run.change("workspace", None)
    if released.quarantined is not None:
        run.change("attention", f"{name} was not cleared: {released.quarantined}. `orange workspace gc` tries again")


def _record(run: HookRun, name: str, released: ReleaseResult) -> None:
    if released.saved is not None:
        run.opened.record("work.saved", ref=released.saved, workspace=name)


ACQUIRE = Action(run=acquire, reserve=reserve)
RELEASE = Action(run=release)
