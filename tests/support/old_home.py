"""A home as version 0.8 left it: the engine's files beside TASK.md, where agents could write them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from orange_tui.sessions.runtime import Runtime

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import World

TORN = b'{"type": "task.upd'
ENGINE_FILES = ("history.jsonl", "runtime.json", ".lock", ".runtime.lock", "logs")


def as_in_0_8(world: World, *refs: TaskRef) -> None:
    """Put the files of tasks where version 0.8 had them, and forget that the home is newer."""
    for ref in refs:
        for name in ENGINE_FILES:
            if os.path.lexists(world.state(ref) / name):
                (world.state(ref) / name).rename(world.directory(ref) / name)
        if not any(world.state(ref).iterdir()):
            world.state(ref).rmdir()
    for project in {ref.project for ref in refs}:
        lock = world.root / "state" / project / ".lock"
        if lock.exists():
            lock.rename(world.root / "tasks" / project / ".lock")
    (world.root / "state" / ".layout").unlink(missing_ok=True)
    (world.root / "state" / ".layout.lock").unlink(missing_ok=True)


def task_of_0_8(world: World) -> TaskRef:
    """A task that has seen something: a torn history, logs, what was true then, and what its agents used."""
    ref = world.task(status="todo", body="\n## Notes\nGround the beans.\n")
    world.orange.tasks.update(ref, status="doing", summary="Brew two")
    Runtime(str(world.state(ref))).update("worker", state="busy", session_id="s1")
    logs = world.state(ref) / "logs"
    logs.mkdir()
    for name, text in {"worker.log": "brewing\n", "worker.sh": "#!/bin/sh\n", "worker.exit": "0\n"}.items():
        (logs / name).write_text(text)
    (logs / "worker.status.json").write_text('{"cost": 1}')
    (logs / "worker.usage.jsonl").write_text("{}\n")
    (world.state(ref) / "usage.json").write_text("{}")
    with world.history_file(ref).open("ab") as file:
        file.write(TORN)
    as_in_0_8(world, ref)
    return ref
