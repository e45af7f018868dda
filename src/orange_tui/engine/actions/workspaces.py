"""The hooks that give a task a workspace, run a command in it, and release it."""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.prompts import task_values
from orange_tui.domain.records import replace
from orange_tui.domain.task import NOT_CLEARED
from orange_tui.engine.hooks import Action
from orange_tui.sessions.liveness import RUN, find_window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun

_COMMAND_TIMEOUT_SECONDS = 600.0
_MAX_ERROR_CHARS = 2000


def reserve_first(run: HookRun) -> None:
    """Make sure of a workspace before the task is moved."""
    run.change("workspace", reserve(run))


def reserve(run: HookRun, wanted: str | None = None) -> str:
    """Bind a workspace: the wanted one, where nobody has it."""
    task = run.task if wanted is None else replace(run.task, workspace=wanted)
    return run.parts.pool.reserve(run.parts.projects.get(task.project), task)


def acquire(run: HookRun, wanted: str | None = None) -> None:
    """Bind a workspace and prepare it; a new one that cannot be prepared is released."""
    pool, project = run.parts.pool, run.parts.projects.get(run.task.project)
    name = reserve(run, wanted)
    try:
        is_set_up = run.params.get("setup") != "skip"  # a stranger's branch must not run what is in it
        _record(run, name, pool.prepare(project, run.task, name, set_up=is_set_up))
    except OrangeError:
        if run.task.workspace != name:  # what it has held before is not taken away because something failed
            with suppress(OrangeError):
                _record(run, name, pool.release(project, run.task.id, name).saved)
            run.change("workspace", None)
        raise
    run.change("workspace", name)


def release(run: HookRun) -> None:
    """Release the workspace: its work is saved first, or it is quarantined and a person is told."""
    name = run.task.workspace
    if name is None:
        run.change("workspace", None)  # killed before, the pool knows of the release and the history does not
        return
    _end_run_window(run)
    released = run.parts.pool.release(run.parts.projects.get(run.task.project), run.task.id, name)
    _record(run, name, released.saved)
    run.change("workspace", None)
    if released.quarantined is not None:
        run.change("attention", f"{name}{NOT_CLEARED}{released.quarantined}. `orange workspace gc` tries again")


def _end_run_window(run: HookRun) -> None:
    """End the project's own command there; where tmux does not answer, the release sees what still runs."""
    with suppress(OrangeError):
        pane = find_window(run.parts.sessions.every_window(run.task.id), RUN)
        if pane is not None:
            run.parts.sessions.end_window(pane)


def _record(run: HookRun, name: str, saved: str | None) -> None:
    if saved is not None:
        run.opened.record("work.saved", ref=saved, workspace=name)


def run_command(run: HookRun) -> None:
    """Run the workflow author's command in the worktree; it finds the task in its environment."""
    from orange_tui.agents.sandbox.commands import confined
    from orange_tui.outside.programs import run as run_program

    if run.task.workspace is None:
        raise Refused("there is no workspace to run a command in")
    seconds, directory = run.params.get("timeout"), run.parts.pool.worktree(run.task.workspace)
    finished = run_program(
        confined(run.parts.home, run.task, directory, ["/bin/sh", "-c", run.text("command")]),
        directory=directory,
        environment={**os.environ, **_task_environment(run)},
        timeout=float(seconds) if isinstance(seconds, int | float) else _COMMAND_TIMEOUT_SECONDS,
    )
    if finished.code != 0:
        raise Refused(f"`{run.text('command')}` ended with {finished.code}: {finished.message[-_MAX_ERROR_CHARS:]}")


def _task_environment(run: HookRun) -> dict[str, str]:
    fields = {f"ORANGE_TASK_{name.upper()}": str(value) for name, value in task_values(run.task).items()}
    return {
        "ORANGE_TASK": run.task.id,
        "ORANGE_TASK_FILE": os.path.join(run.opened.directory, "TASK.md"),
        "ORANGE_HOME": run.parts.home.root,
        **fields,
    }


ACQUIRE = Action(run=acquire, reserve=reserve_first)
RELEASE = Action(run=release)
RUN_COMMAND = Action(run_command)
