"""Paths: the person's files under ORANGE_HOME, and the files that come with Orange.

Paths are plain strings here and everywhere on the path of `orange task update`: importing pathlib alone takes as long
as such a command may run.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record


@record
class Home:
    """The files and directories of one ORANGE_HOME."""

    root: str

    @property
    def projects_file(self) -> str:
        """The registered projects."""
        return os.path.join(self.root, "projects.json")

    @property
    def jobs_file(self) -> str:
        """The scheduled jobs."""
        return os.path.join(self.root, "jobs.json")

    @property
    def tasks(self) -> str:
        """A directory for each project, with one for each of its tasks."""
        return os.path.join(self.root, "tasks")

    @property
    def workspaces(self) -> str:
        """The worktrees agents work in."""
        return os.path.join(self.root, "workspaces")

    @property
    def log_file(self) -> str:
        """The log, as JSON lines."""
        return os.path.join(self.root, "orange.log")


def find_home() -> Home:
    """ORANGE_HOME, or `orange` in the person's home directory."""
    root = os.environ.get("ORANGE_HOME") or os.path.join("~", "orange")
    return Home(os.path.abspath(os.path.expanduser(root)))


def shipped(kind: str) -> str:
    """The directory of the shipped `workflows` or `styles`: inside an installed wheel, or at the root of a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, kind)
    if os.path.isdir(installed):
        return installed
    return os.path.join(os.path.dirname(os.path.dirname(package)), kind)
