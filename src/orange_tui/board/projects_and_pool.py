"""What the board shows besides its tasks: the projects, and how many of their workspaces are taken.

The files are read when they have changed; one that cannot be read leaves the board as it is, with the problem on it.
"""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.board.rows import PoolUse
from orange_tui.domain.errors import OrangeError
from orange_tui.home.files import read_signature
from orange_tui.home.settings.config_file import read_settings
from orange_tui.store.store import TaskRef
from orange_tui.workspaces.pool_file import FREE, PoolFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.files import Signature
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project, Projects
    from orange_tui.workspaces.pool_file import Slot


class ProjectsAndPool:
    """Projects and workspaces, as of the last refresh."""

    def __init__(self, home: Home, projects: Projects) -> None:
        self._home = home
        self._files = (home.projects_file, PoolFile(home).path, os.path.join(home.root, "config.yml"))
        self._projects = projects
        self._signatures: tuple[Signature | None, ...] | None = None
        self.projects: tuple[Project, ...] = ()
        self.pool: dict[str, PoolUse] = {}
        self.holders: list[TaskRef] = []  # the tasks that have a workspace
        self.problem: str | None = None
        self._budgets: dict[str, float] = {}
        self._default_budget = 0.0

    def budget(self, project: str) -> float:
        """The dollars that each task of a project may use, unless it says so itself; 0 is no limit."""
        return self._budgets.get(project, self._default_budget)

    def refresh(self) -> None:
        """Read what has changed."""
        signatures = tuple(read_signature(path) for path in self._files)
        if signatures == self._signatures:
            return
        self._signatures = signatures
        try:
            self.problem = None
            self.projects = tuple(self._projects.all())
            slots = PoolFile(self._home).all_slots(self.projects)
        except OrangeError as problem:
            self.problem = str(problem)
            return
        with suppress(OrangeError):  # what is wrong with config.yml is said elsewhere
            self._default_budget = read_settings(self._home).amount("budget")
        said = {each.name: each.entry.get("budget") for each in self.projects}
        self._budgets = {name: amount for name, amount in said.items() if amount is not None}
        self.holders = [TaskRef(slot.project, slot.task) for slot in slots if slot.task]
        self.pool = {each.name: _use(each, slots) for each in self.projects}


def _use(project: Project, slots: list[Slot]) -> PoolUse:
    taken = [slot for slot in slots if slot.project == project.name and slot.state != FREE]
    return PoolUse(len(taken), project.pool_size)
