"""Paths: the person's files under ORANGE_HOME, and the files that come with Orange.

Paths are plain strings here and everywhere on the path of `orange task update`: importing pathlib alone takes as long
as such a command may run.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from orange_tui.domain.records import record

_OWN_FOLDERS = frozenset({"tasks", "state", "workspaces", "workflows", "skills", ".cache"})
_OWN_FILES = (
    "config.yml",
    "harnesses.yml",
    "projects.json",
    "jobs.json",
    "limits.json",
    "prices.yml",
    "orange.log",
    "view.json",
)
_OTHERS = 0o077
CHAT_VARIABLE = "ORANGE_CHAT"  # in the environment of an orchestrator: the project it talks about; it has no task
STATUS_FOLDER = ".orange-status"  # in a task's directory: what its agents themselves write of cost and limits
CHAT = ".chat"  # in place of a task's id: what was asked without a task


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
    def limits_file(self) -> str:
        """What agents have said of their limits; most have reached none."""
        return os.path.join(self.root, "limits.json")

    @property
    def tasks(self) -> str:
        """A directory for each project, with one for each of its tasks."""
        return os.path.join(self.root, "tasks")

    @property
    def state(self) -> str:
        """The same once more, for what is the engine's alone: no agent is granted it."""
        return os.path.join(self.root, "state")

    def task_state(self, project: str, task_id: str) -> str:
        """The engine's own directory of one task."""
        return os.path.join(self.state, project, task_id)

    @property
    def layout_file(self) -> str:
        """What says that state/ is in use: a home of an earlier version is moved over first."""
        return os.path.join(self.state, ".layout")

    def is_of_earlier_version(self) -> bool:
        """Whether there are tasks here whose files may lie where they used to; one look, for every command."""
        return not os.path.exists(self.layout_file) and os.path.isdir(self.tasks)

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
    root = os.environ.get("ORANGE_HOME")
    return Home(os.path.abspath(os.path.expanduser(root)) if root else default_root())


def default_root() -> str:
    """Where a home is if nobody says otherwise."""
    return os.path.abspath(os.path.expanduser(os.path.join("~", "orange")))


def import_root() -> str:
    """The directory that Orange itself is imported from."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def shipped(kind: str) -> str:
    """Where shipped `workflows`, `styles`, `prices` or `docs` are: in an installed wheel, or at the root of a clone."""
    root = import_root()
    installed = os.path.join(root, "orange_tui", kind)
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(root), kind)


def close_to_others(home: Home) -> None:
    """Take a home of an earlier version away from other users, once; worktrees and what is not ours stay as they are.

    The root is last, and says that all of it was done: every other command only looks at that.
    """
    try:
        status = os.stat(home.root)
    except FileNotFoundError:
        return
    if not status.st_mode & _OTHERS or status.st_uid != os.geteuid():  # it is closed, or not ours to close
        return
    home = Home(os.path.realpath(home.root))
    for directory, folders, names in os.walk(home.root, topdown=True):
        if directory == home.root:  # a person may keep other things there
            folders[:] = [name for name in folders if name in _OWN_FOLDERS]
            names[:] = [name for name in names if name.startswith(_OWN_FILES) or name.endswith(".lock")]
        if directory == home.workspaces:
            folders.clear()
        for path in (*(os.path.join(directory, name) for name in names), directory):
            if path != home.root:
                _close_one(path)
    _close_one(home.root)


def _close_one(path: str) -> None:
    with suppress(OSError):  # gone meanwhile, or somebody else's
        status = os.lstat(path)
        if status.st_mode & _OTHERS and not stat.S_ISLNK(status.st_mode):
            os.chmod(path, stat.S_IMODE(status.st_mode) & ~_OTHERS)


def is_directory(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a directory, or leads to one; a link to itself is none, and hides no other."""
    return entry.is_dir(follow_symlinks=False) or os.path.isdir(entry.path)
