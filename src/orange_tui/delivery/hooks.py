"""The hooks that touch the remote. None of them ever touches the default branch."""

from __future__ import annotations

from orange_tui.branches.recorded_merge import MADE, last_merge
from orange_tui.domain.errors import Refused
from orange_tui.engine.hooks import Action
from orange_tui.outside.git import REMOTE, Repository, local, remote
from orange_tui.outside.git_merge import contains, represents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.engine.hooks import HookRun
    from orange_tui.home.projects import Project


def push_branch(run: HookRun) -> None:
    """Push the task's branch; without a remote, or where nobody has created the branch, there is nothing to do."""
    from orange_tui.delivery import pull_requests

    pull_requests.push_branch(_project(run), run.task.branch)


def create_pr(run: HookRun) -> None:
    """Push the branch and open its pull request, or adopt the one it has."""
    from orange_tui.delivery.pull_requests import ADOPTED, CREATED, push_and_open

    if run.task.pr_url is not None:
        return
    event, url = push_and_open(_project(run), run.task, run.opened.body)
    known = [run.opened.journal.last(kind) or {} for kind in (CREATED, ADOPTED)]
    if url not in [each.get("url") for each in known]:  # a hook may be run twice
        run.opened.record(event, url=url)
    run.change("pr_url", url)


def delete_remote_branch(run: HookRun) -> None:
    """Delete the branch on the remote, once all its commits are in the default branch there."""
    project = _project(run)
    repository, branch = Repository(project.path), run.task.branch
    tip = repository.answer("rev-parse", "--verify", "-q", remote(branch))
    if branch == project.default_branch or tip is None:
        return
    if not contains(repository, remote(project.default_branch), _merged_as(run, repository, tip)):
        raise Refused(f"{branch} stays on {REMOTE}: it has commits that are not in {project.default_branch}")
    # The lease keeps a push that came after our last fetch.
    lease = f"--force-with-lease={local(branch)}:{tip}"
    finished = repository.ask("push", lease, REMOTE, f":{local(branch)}")
    if finished.code != 0 and "remote ref does not exist" not in finished.errors:
        raise Refused(f"the branch could not be deleted on {REMOTE}: {finished.message}")


def _merged_as(run: HookRun, repository: Repository, tip: str) -> str:
    """The commit that represents the remote branch in the default branch: after a squash, not the branch's own tip.

    The merge's journal names both its `head` and its `commit`, and git says whether the files of that commit were made
    from all of `head`: an agent can write the journal. A remote branch that is at `head`, or behind it on the way
    there, is then contained in `commit` to the last line. Any other tip has something that was not merged, and must be
    found as itself.
    """
    merged = last_merge(run.opened.journal, MADE)
    if merged is None or not contains(repository, merged.head, tip):
        return tip
    return merged.commit if represents(repository, merged.commit, merged.head) else tip


def _project(run: HookRun) -> Project:
    return run.parts.projects.get(run.task.project)


PUSH_BRANCH = Action(push_branch)
CREATE_PR = Action(create_pr)
DELETE_REMOTE_BRANCH = Action(delete_remote_branch)
