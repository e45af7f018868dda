"""workspaces/.pool.json: which task holds which workspace, and the state of each.

The file is replaced in one step under its lock. Should it be lost, it is recovered from the workspaces: the link to
TASK.md in each leads to the task that holds it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from orange_tui.domain.records import record
from orange_tui.home import clock
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile
from orange_tui.home.locks import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project

FREE, BOUND, QUARANTINED = "free", "bound", "quarantined"
_STATES = (FREE, BOUND, QUARANTINED)
_FIELD_TYPES: dict[str, tuple[type, ...]] = {
    "project": (str,),
    "state": (str,),
    "task": (str, type(None)),
    "reason": (str, type(None)),
    "since": (str,),
    "head": (str, type(None)),
    "index": (str, type(None)),
    "making": (bool,),
    "prepared": (bool,),
    "ports": (list, tuple, type(None)),
}
_MAX_PORT = 65_535


@record
class Slot:
    """One workspace of the pool, made or not.

    `head` is the commit it was reset to when it was last released, `index` the stamp of its index then; `making` says
    that git has begun to add it, and nobody has worked in it yet; `prepared` that a task was given it, and what is in
    it is the agent's. `ports` are leased to whoever holds it.
    """

    name: str
    project: str
    state: str
    task: str | None
    reason: str | None
    path: str
    since: str = ""
    head: str | None = None
    index: str | None = None
    making: bool = False
    prepared: bool = False
    ports: tuple[int, ...] = ()

    def describe(self, holder: str | None = None) -> str:
        """Who holds it, for a sentence: by the task's id, where no better name is known."""
        if self.state == BOUND:
            return f"{self.name} is held by {holder or self.task}"
        return f"{self.name} is quarantined ({self.reason})" if self.state == QUARANTINED else f"{self.name} is free"

    def as_json(self) -> dict[str, object]:
        """The slot for a program."""
        names = ("name", "project", "state", "task", "reason", "since", "path")
        return {name: getattr(self, name) for name in names} | {"ports": list(self.ports)}


def _entry(slot: Slot) -> dict[str, Any]:
    return {key: getattr(slot, key) for key in _FIELD_TYPES}


@record
class PoolFile:
    """The pool file of one home."""

    home: Home

    @property
    def path(self) -> str:
        """The path of the file."""
        return os.path.join(self.home.workspaces, ".pool.json")

    def read(self) -> dict[str, Slot]:
        """Every slot that was ever used, as it is now."""
        was_there = os.path.exists(self.path)  # asked first: the first slot may be written just after it was read
        return self._slots(self._file.read_object(), was_there=was_there)

    def all_slots(self, projects: Iterable[Project]) -> list[Slot]:
        """Every slot there is, in use or not; also those of projects that are not registered any more."""
        recorded = self.read()
        found = [slot for each in projects for slot in self.slots_of(each, recorded)]
        return found + [slot for slot in recorded.values() if slot not in found]

    def slots_of(self, project: Project, recorded: dict[str, Slot]) -> list[Slot]:
        """Every slot of one project."""
        names = [f"{project.name}--{number}" for number in range(1, project.pool_size + 1)]
        names += [name for name, slot in recorded.items() if slot.project == project.name and name not in names]
        return [self.slot(project.name, name, recorded) for name in names]

    @property
    def _file(self) -> JsonFile:
        return JsonFile(
            self.path,
            f"{self.path}.lock",
            title="the workspaces",
            repair="fix it by hand, or delete it: it is made again from what is in the workspaces",
        )

    def _slots(self, data: dict[str, Any], *, was_there: bool) -> dict[str, Slot]:
        slots = data.get("slots") if data or was_there else {}
        if not isinstance(slots, dict):
            raise self._file.unreadable("must be an object with `slots`")
        return {name: self._parse_slot(name, entry) for name, entry in slots.items()}

    def _parse_slot(self, name: str, entry: Any) -> Slot:
        known: dict[str, Any] = {key: entry.get(key) for key in _FIELD_TYPES} if isinstance(entry, dict) else {}
        valid = all(isinstance(known.get(key), types) for key, types in _FIELD_TYPES.items())
        is_name = name == os.path.basename(name) and not name.startswith(".")  # else it would lead elsewhere
        if not valid or known["state"] not in _STATES or not is_name:
            raise self._file.unreadable(f"has an invalid entry for {name}")
        known["ports"] = tuple(known["ports"] or ())
        if any(type(port) is not int or not 0 < port <= _MAX_PORT for port in known["ports"]):
            raise self._file.unreadable(f"has an invalid port for {name}")
        return Slot(name=name, path=os.path.join(self.home.workspaces, name), **known)

    @contextmanager
    def changing(self) -> Iterator[dict[str, Slot]]:
        """Hold the pool's lock, to read its slots and change them; what was changed is written at the end."""
        make_directory(self.home.workspaces)
        with self._file.changing_object() as data:
            slots = self._slots(data, was_there=os.path.exists(self.path))
            before = dict(slots)
            yield slots
            if slots != before:
                known = data.get("slots", {})
                data["slots"] = {name: known.get(name, {}) | _entry(slot) for name, slot in slots.items()}

    def put(self, slot: Slot) -> None:
        """Write one slot."""
        with self.changing() as slots:
            slots[slot.name] = slot

    @contextmanager
    def holding(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock of one workspace. The pool itself is not locked: a set-up may take minutes."""
        make_directory(self.home.workspaces)
        path = os.path.join(self.home.workspaces, f".{name}.lock")
        with locked(path, what=f"workspace {name}", wait=wait) as held:
            yield held

    @contextmanager
    def making(self, project: str) -> Iterator[None]:
        """While a worktree is added to a project's repository: git cannot add two at once."""
        with self.holding(f"{project}.making"):
            yield

    def slot(self, project: str, name: str, slots: dict[str, Slot]) -> Slot:
        """A slot as it is in the file, else as recovered from its workspace."""
        return slots.get(name) or self._recover_slot(project, name)

    def _recover_slot(self, project: str, name: str) -> Slot:
        path = os.path.join(self.home.workspaces, name)
        task = self._linked_task(project, path)
        state = BOUND if task else FREE
        return Slot(name, project, state, task, None, path, since=clock.now(), prepared=task is not None)

    def _linked_task(self, project: str, path: str) -> str | None:
        try:
            target = os.readlink(os.path.join(path, "TASK.md"))
        except OSError:
            return None
        directory = os.path.dirname(target)
        at_home = os.path.dirname(directory) == os.path.join(self.home.tasks, project)
        return os.path.basename(directory) if at_home else None
