"""The hook that links a task's new branch with its issue on the forge. It never stops a task."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.engine.hooks import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun

_REGISTERED = "branch.registered"


def register_branch(run: HookRun) -> None:
    """Link the task's branch with its issue; without an issue, or where the branch exists, there is nothing to do.

    The forge creates the branch at the tip of the default branch; the workspace that is acquired next follows it.
    """
    if "issue_url" not in run.task.extra:
        return
    try:
        _register(run)
    except OrangeError as problem:  # an old gh, no permission, no network: the work can be done all the same
        run.parts.log.write("warning", f"the branch was not registered with its issue: {problem}", task=run.task.id)


def _register(run: HookRun) -> None:
    from orange_tui.issues.links import IssueLinks
    from orange_tui.outside.git import Repository, local, remote

    issue = IssueLinks(run.parts.home, run.task.project).issue_of(run.task.id)
    project = run.parts.projects.get(run.task.project)
    existing = Repository(project.path).refs(local(run.task.branch), remote(run.task.branch))
    known = run.opened.journal.last(_REGISTERED)
    if issue is None or existing or (known is not None and known.get("branch") == run.task.branch):
        return
    forge, address = issue
    forge.register_branch(address, run.task.branch, project.default_branch, project.path)
    run.opened.record(_REGISTERED, branch=run.task.branch, issue=address.number)


REGISTER_BRANCH = Action(register_branch)
