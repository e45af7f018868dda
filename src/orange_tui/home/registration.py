"""Registering a repository as a project: its name and its default branch, unless they are given."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.task import check_branch, check_project_name, printable
from orange_tui.home.projects import DEFAULT_POOL_SIZE, DEFAULT_WORKFLOW
from orange_tui.outside.git import Repository, local, remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.home.projects import Project, Projects


def register(projects: Projects, path: str, settings: Mapping[str, object] | None = None) -> Project:
    """Register the repository that contains a path."""
    if not os.path.isdir(path):
        raise NotFound(f"There is no directory {path}")
    top = Repository(path).top_level()
    for each in (os.path.realpath(path), top):
        _check_path(each)
    given = dict(settings or {})
    branch = given.pop("default_branch", None) or Repository(top).default_branch()
    name = given.pop("name", None) or os.path.basename(top)
    entry = {
        "name": check_project_name(str(name)),
        "path": top,
        "default_branch": existing_branch(top, str(branch)),
        "pool_size": DEFAULT_POOL_SIZE,
        "workflow": DEFAULT_WORKFLOW,
        **given,
    }
    return projects.add(entry)


def _check_path(path: str) -> None:
    """A path is a line in git's own files and on the screen."""
    if printable(path) != path:
        raise Refused(f"{printable(path)} has a line end or another control character in its path; rename it first")


def existing_branch(path: str, name: str) -> str:
    """A branch that tasks can start from: a local one, a remote one, or the one that the first commit will be on."""
    repository = Repository(path)
    known = (local(check_branch(name)), remote(name))
    if not repository.refs(*known) and name != repository.current_branch():
        raise Refused(f"{path} has no branch {name}, neither local nor remote; `git branch {name}` creates it")
    return name
