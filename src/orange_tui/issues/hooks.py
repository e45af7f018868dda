"""The hook that tells GitHub which branch an issue is worked on in. It never stops a task."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.engine.hooks import Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun

_REGISTERED = "branch.registered"


def register_branch(run: HookRun) -> None:
    """Link the task's branch with its issue; where there is no issue, or the branch exists, there is nothing to do.

    GitHub makes the branch there, at the end of the default branch; the workspace that is acquired next follows it.
    """
    if "issue_url" not in run.task.extra:
        return
    try:
        _register(run)
    except OrangeError as problem:  # an old gh, no permission, nobody there: the work can be done all the same
        run.services.log.write("warning", f"the branch was not registered with its issue: {problem}", task=run.task.id)


def _register(run: HookRun) -> None:
    from orange_tui.issues import issue_hub
    from orange_tui.issues.issue_file import IssueFile
    from orange_tui.outside.git import Repository, local, remote

    place = IssueFile(run.services.home, run.task.project).place(run.task.id)
    project = run.services.projects.get(run.task.project)
    there = Repository(project.path).refs(local(run.task.branch), remote(run.task.branch))
    known = run.opened.journal.last(_REGISTERED)
    if place is None or there or (known is not None and known.get("branch") == run.task.branch):
        return
    issue_hub.register_branch(*place, run.task.branch, project)
    run.opened.record(_REGISTERED, branch=run.task.branch, issue=place[1])


REGISTER_BRANCH = Action(register_branch)
