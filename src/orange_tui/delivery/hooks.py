"""The hooks that touch the remote. None of them ever touches the default branch."""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.engine.hooks import Action
from orange_tui.outside.git import Repository
from orange_tui.outside.git_merge import contains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun
    from orange_tui.home.projects import Project

REMOTE = "origin"


def push_branch(run: HookRun) -> None:
    """Push the task's branch; without a remote, or where nobody has made the branch, there is nothing to do."""
    project, repository = _repository(run)
    if repository.answer("remote", "get-url", REMOTE) is None or not repository.has_branch(run.task.branch):
        return
    _must_not_be_default(run, project)
    finished = repository.ask("push", "--set-upstream", REMOTE, f"refs/heads/{run.task.branch}")
    if finished.code != 0:
        raise Refused(f"the push was refused: {finished.message}")


def delete_remote_branch(run: HookRun) -> None:
    """Delete the branch on the remote, once all its commits are in the default branch there."""
    project, repository = _repository(run)
    branch = f"refs/remotes/{REMOTE}/{run.task.branch}"
    tip = repository.answer("rev-parse", "--verify", "-q", branch)
    if run.task.branch == project.default_branch or tip is None:
        return
    default = f"refs/remotes/{REMOTE}/{project.default_branch}"
    if not contains(repository, default, _merged_as(run, repository, tip)):
        raise Refused(f"{run.task.branch} stays on {REMOTE}: it has commits that are not in {project.default_branch}")
    # The lease keeps a push that came after our last look.
    lease = f"--force-with-lease=refs/heads/{run.task.branch}:{tip}"
    finished = repository.ask("push", lease, REMOTE, f":refs/heads/{run.task.branch}")
    if finished.code != 0 and "remote ref does not exist" not in finished.errors:
        raise Refused(f"the branch could not be deleted on {REMOTE}: {finished.message}")


def _merged_as(run: HookRun, repository: Repository, tip: str) -> str:
    """What stands for the remote branch in the default branch: of a squash, another commit than its own.

    This is safe because the merge's journal names both its `head` and its `commit`: the tree of that commit was made
    from all of `head`. A remote branch that is at `head`, or behind it on the way there, is therefore contained in
    `commit` to the last line. Any other tip has something that was not merged, and must be found as itself.
    """
    merged = run.opened.journal.last("task.merged")
    if merged is None or not merged.get("commit") or not merged.get("head"):
        return tip
    return str(merged["commit"]) if contains(repository, str(merged["head"]), tip) else tip


def create_pr(run: HookRun) -> None:
    """Push the branch and open its pull request, or take up the one that is there."""
    from orange_tui.delivery.pull_requests import ADOPTED, CREATED, existing_pull_request, open_pull_request

    if run.task.pr_url is not None:
        return
    project, _ = _repository(run)
    there = existing_pull_request(project, run.task.branch)  # asked first: without gh or a login, nothing is pushed
    push_branch(run)
    url = there or open_pull_request(project, run.task, run.opened.body)
    known = [run.opened.journal.last(kind) or {} for kind in (CREATED, ADOPTED)]
    if url not in [event.get("url") for event in known]:  # a hook may be run twice
        run.opened.record(ADOPTED if there else CREATED, url=url)
    run.change("pr_url", url)


def _repository(run: HookRun) -> tuple[Project, Repository]:
    project = run.services.projects.get(run.task.project)
    return project, Repository(project.path)


def _must_not_be_default(run: HookRun, project: Project) -> None:
    if run.task.branch == project.default_branch:
        raise Refused(f"{run.task.branch} is the default branch; Orange does not push it for a task")


PUSH_BRANCH = Action(push_branch)
CREATE_PR = Action(create_pr)
DELETE_REMOTE_BRANCH = Action(delete_remote_branch)
