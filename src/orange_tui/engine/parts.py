"""The parts of one home that the engine and its hooks work with.

Each is made when it is first used: most commands need neither tmux nor workspaces.
"""

from __future__ import annotations

import os
from functools import cached_property

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.task import Task
    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Projects
    from orange_tui.home.workflows import Workflows
    from orange_tui.outside.tmux.server import Tmux
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.store.store import Store
    from orange_tui.usage.limits import Limits
    from orange_tui.workspaces.pool import Pool


class HomeParts:
    """Everything under one ORANGE_HOME that lies below the engine."""

    def __init__(self, home: Home, log: Log, projects: Projects, workflows: Workflows, store: Store) -> None:
        self.home = home
        self.log = log
        self.projects = projects
        self.workflows = workflows
        self.store = store

    @cached_property
    def tmux(self) -> Tmux:
        """The person's tmux server, or the private one."""
        from orange_tui.outside.tmux.server import Tmux

        return Tmux(os.environ.get("ORANGE_TMUX_SOCKET") or None)

    @cached_property
    def sessions(self) -> Sessions:
        """Who is alive in tmux."""
        from orange_tui.sessions.liveness import Sessions

        return Sessions(self.tmux, self.home.root, self.store)

    @cached_property
    def pool(self) -> Pool:
        """The workspaces."""
        from orange_tui.workspaces.pool import Pool

        return Pool(self.store, self.projects, self.log, _confined)

    @cached_property
    def limits(self) -> Limits:
        """The limits of the agents' accounts."""
        from orange_tui.usage.limits import Limits

        return Limits(self.home)

    @cached_property
    def harnesses(self) -> Harnesses:
        """The agents there are."""
        from orange_tui.agents.harnesses import Harnesses

        return Harnesses(self.home)


def _confined(home: Home, task: Task, directory: str, words: Sequence[str]) -> Sequence[str]:
    """A command on a task's code, in a sandbox where the task's agents are in one."""
    from orange_tui.agents.sandbox.commands import confined

    return confined(home, task, directory, words)
