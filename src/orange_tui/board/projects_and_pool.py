"""What the board tells beside its tasks: projects, workspaces, and tasks of other projects that are waited for.

The files are read when they have changed; one that cannot be read leaves the board as it is and is told.
"""

from __future__ import annotations

import os

from orange_tui.board.rows import PoolUse
from orange_tui.domain.errors import OrangeError
from orange_tui.home.files import read_signature
from orange_tui.store.store import StoredTask, TaskRef
from orange_tui.workspaces.pool_file import FREE, PoolFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.board.reading import Key
    from orange_tui.domain.task import Task
    from orange_tui.home.files import Signature
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.workspaces.pool_file import Slot


class House:
    """Projects and workspaces, as of the last look."""

    def __init__(self, orange: Orange, project: str | None) -> None:
        self._orange = orange
        self._project = project
        self._seen: tuple[Signature | None, ...] | None = None
        self.projects: tuple[Project, ...] = ()
        self.pool: dict[str, PoolUse] = {}
        self.holders: list[Key] = []  # the tasks that have a workspace
        self.problem: str | None = None

    def look(self) -> bool:
        """Read what has changed; says whether the projects are other ones than before."""
        files = (self._orange.home.projects_file, PoolFile(self._orange.home).path)
        seen = tuple(read_signature(path) for path in files)
        if seen == self._seen:
            return False
        before, self._seen = self.projects, seen
        try:
            self.problem = None
            self.projects = tuple(self._orange.projects.all())
            slots = self._orange.pool.slots()
        except OrangeError as problem:
            self.problem = str(problem)
            return self.projects != before
        self.holders = [(slot.project, slot.task) for slot in slots if slot.task and self._project in _scope(slot)]
        self.pool = {each.name: _use(each, slots) for each in self.projects if self._project in {None, each.name}}
        return self.projects != before

    def task_elsewhere(self, task_id: str) -> Task | None:
        """A task that is not on this board, if it is on another project's."""
        for project in self.projects if self._project is not None else ():
            ref = TaskRef(project.name, task_id)
            if project.name != self._project and os.path.isdir(self._orange.store.directory(ref)):
                found = self._orange.store.read(ref)
                return found.task if isinstance(found, StoredTask) else None
        return None


def _scope(slot: Slot) -> set[str | None]:
    return {None, slot.project}


def _use(project: Project, slots: list[Slot]) -> PoolUse:
    taken = [slot for slot in slots if slot.project == project.name and slot.state != FREE]
    return PoolUse(len(taken), project.pool_size)
