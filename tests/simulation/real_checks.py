"""What must be true of a real world once the dust has settled."""

from __future__ import annotations

import fcntl
import json
import os
import re
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.outside.tmux.server import Tmux
from orange_tui.store.store import StoredTask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulation.real_world import RealWorld

_TOKEN = re.compile(rb"t\d{5}[fl]z")


def check(world: RealWorld) -> None:
    """Note whatever is not as it must be."""
    for kind in (_nothing_is_lost, _tasks, _workspaces, _sessions, _locks, _checkout, _doctor):
        world.result.violations += [f"{kind.__name__.strip('_')}: {each}" for each in kind(world)]


def _nothing_is_lost(world: RealWorld) -> Iterator[str]:
    heads = [
        line.removeprefix("HEAD ")
        for line in world.git("worktree", "list", "--porcelain").splitlines()
        if line.startswith("HEAD ") and set(line[5:]) != {"0"}
    ]
    reachable = world.git("rev-list", "--objects", "--all", *heads).splitlines()
    objects = {line.split(" ", 1)[0] for line in reachable}
    for commit in world.commits - objects:
        yield f"the commit {commit} is on no branch and not saved"
    blobs = subprocess.run(
        ["git", "cat-file", "--batch"],
        input="\n".join(objects).encode(),
        cwd=world.main,
        capture_output=True,
        check=True,
    ).stdout
    found = set(_TOKEN.findall(blobs))
    for folder in (world.home / "workspaces", world.home / "tasks", world.home / "state"):
        for directory, _, names in os.walk(folder):
            for path in (os.path.join(directory, name) for name in names):
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found |= set(_TOKEN.findall(file.read()))
    for token in sorted((world.files | world.lines) - {each.decode() for each in found}):
        yield f"{token} is nowhere"


def _tasks(world: RealWorld) -> Iterator[str]:
    orange = assemble(Home(str(world.home)))
    for each in orange.store.read_all():
        if not isinstance(each, StoredTask):
            yield f"{each.ref.id} cannot be read: {each.error}"
            continue
        workflow = orange.tasks.engine.workflows.load(each.task.workflow)
        if each.task.status not in workflow.states:
            yield f"{each.ref.id} is in {each.task.status}, which {workflow.name} does not have"
        if orange.store.journal(each.ref).unfinished() is not None:
            yield f"{each.ref.id} has a move that nobody has finished"


def _workspaces(world: RealWorld) -> Iterator[str]:
    path = world.home / "workspaces/.pool.json"
    slots = json.loads(path.read_text())["slots"] if path.exists() else {}
    holders = {task.id: task.workspace for task in world.tasks() if task.workspace}
    for name, times in Counter(holders.values()).items():
        if times > 1:
            yield f"{name} is held by {times} tasks"
    for task, name in holders.items():
        slot = slots.get(name, {})
        if (slot.get("state"), slot.get("task")) != ("bound", task):
            yield f"{task} holds {name}, which is {slot.get('state')} and {slot.get('task')}'s"
    for name, slot in slots.items():
        if slot["state"] == "quarantined" or (slot["state"] == "bound" and holders.get(slot["task"]) != name):
            yield f"{name} is {slot['state']} for {slot['task']}: {slot['reason']}"


def _sessions(world: RealWorld) -> Iterator[str]:
    unfinished = {task.id for task in world.tasks() if task.status not in {"done", "cancelled"}}
    panes = Tmux(world.socket).panes()
    for (task, window), times in Counter((pane.task, pane.window) for pane in panes).items():
        if task not in unfinished:
            yield f"{task} is finished or gone, and has a window {window}"
        if times > 1:
            yield f"{task} has {times} windows {window}"


def _locks(world: RealWorld) -> Iterator[str]:
    for path in (world.main / ".git").rglob("*.lock"):
        yield f"{path} was left behind"
    for path in world.home.rglob("*.lock"):
        with path.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                yield f"somebody still holds {path}"


def _checkout(world: RealWorld) -> Iterator[str]:
    changed = world.git("status", "--porcelain")
    if changed:
        yield f"the person's checkout has changes: {changed!r}"
    here, there = (
        world.git("rev-parse", "main"),
        world.git("ls-remote", str(world.remote), "refs/heads/main").split()[0],
    )
    world.git("fetch", "-q", "origin")
    base = world.git("merge-base", here, there)
    if base not in {here, there}:
        yield f"main ({here}) and the remote's ({there}) have diverged"


def _doctor(world: RealWorld) -> Iterator[str]:
    done = world.orange("doctor")
    if done.returncode != 0:
        yield done.stdout + done.stderr
