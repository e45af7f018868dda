"""Numbers about a task that no field has, for the `when` of a workflow: worked out when one is compared."""

from __future__ import annotations

from orange_tui.domain.workflow import ATTEMPTS_LEFT, MAX_ATTEMPTS, OWN_COMMITS
from orange_tui.outside.git import Repository, local, remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.engine.parts import HomeParts


def _attempts_left(parts: HomeParts, task: Task) -> int:
    """How many attempts the settings leave a task."""
    return parts.projects.setting(MAX_ATTEMPTS, task.project) - task.number("attempts")


def _own_commits(parts: HomeParts, task: Task) -> int:
    """How many commits a task's branch has that the default branch has not, neither here nor on the remote."""
    project = parts.projects.get(task.project)
    repository = Repository(project.path)
    default = (local(project.default_branch), remote(project.default_branch))
    found = repository.refs(local(task.branch), *default)
    if local(task.branch) not in found:
        return 0
    known = [name for name in default if name in found]
    return int(repository.must("rev-list", "--count", local(task.branch), "--not", *known))


NUMBERS = {ATTEMPTS_LEFT: _attempts_left, OWN_COMMITS: _own_commits}
