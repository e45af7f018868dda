"""Making a repository a project: what it is called and which branch counts, unless told otherwise."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound
from orange_tui.domain.task import check_branch, check_project_name
from orange_tui.outside.git import Repository
from orange_tui.services.projects import DEFAULT_POOL_SIZE, DEFAULT_WORKFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.services.orange import Orange
    from orange_tui.services.projects import Project


def register(orange: Orange, path: str, settings: Mapping[str, object] | None = None) -> Project:
    """Register the repository that a path lies in."""
    if not os.path.isdir(path):
        raise NotFound(f"There is no directory {path}")
    top = Repository(path).top_level()
    given = dict(settings or {})
    branch = given.pop("default_branch", None) or Repository(top).default_branch()
    name = given.pop("name", None) or os.path.basename(top)
    entry = {
        "name": check_project_name(str(name)),
        "path": top,
        "default_branch": check_branch(str(branch)),
        "pool_size": DEFAULT_POOL_SIZE,
        "workflow": DEFAULT_WORKFLOW,
        **given,
    }
    return orange.projects.add(entry)
