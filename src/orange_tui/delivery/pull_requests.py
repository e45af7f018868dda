"""Opening a task's pull request, and reading one. A forge that cannot answer refuses with a sentence."""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.workflow import REVIEW_WORKFLOW
from orange_tui.home.files import read_bytes
from orange_tui.outside.forge.interface import NewPullRequest
from orange_tui.outside.forge.registry import find_pull_request, forge_of_checkout, remote_repositories
from orange_tui.outside.git import REMOTE, SLOW_SECONDS, Repository, local, remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.domain.task import Task
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.outside.forge.interface import Forge
    from orange_tui.store.store import TaskRef

CREATED, ADOPTED = "pr.created", "pr.adopted"
_MAX_TEMPLATE_BYTES = 100_000
NOT_A_PULL_REQUEST = "this is not the address of a pull request"


def read_pull_request(url: str) -> PullRequest:
    """The pull request at this URL, as it is now."""
    place = find_pull_request(url)
    if place is None:
        raise Refused(NOT_A_PULL_REQUEST)
    forge, address = place
    found = forge.read_pull_requests(address.repository.host, [address])[address]
    if isinstance(found, str):
        raise Refused(found)
    return found


def why_not_of(project: Project, url: str) -> str | None:
    """Why the end of a pull request says nothing about a project: it is of another repository; None where it may.

    An agent can write the address into its task's history. A repository that was renamed since is known to its forge.
    """
    place, known = find_pull_request(url), remote_repositories(project.path)
    if place is None or not known:
        return None
    repository = place[1].repository
    if f"{repository.owner}/{repository.name}".lower() in known.values():
        return None
    try:
        if str(place[0].repository_of(project.path)).lower() == str(repository).lower():
            return None
    except Refused as problem:
        return f"whether {repository} is the repository of {project.name} is not known: {problem}"
    return f"it is a pull request of {repository}, which is not the repository of {project.name}"


def create_pull_request(tasks: Tasks, ref: TaskRef) -> str:
    """Push a task's branch and open its pull request, or adopt the one it has; returns the URL.

    Where it has one already, it gets the commits that are not in it yet.
    """
    with tasks.engine.open(ref) as opened:
        task, body = opened.task, opened.body
    if task.pr_url is not None:
        if not tasks.is_finished(task) and unpushed_commits(tasks.projects.get(task.project), task):
            push_branch(tasks.projects.get(task.project), task.branch)
        return task.pr_url
    if tasks.is_finished(task):
        raise Refused(f"{task.id} is {task.status}; there is nothing to open a pull request for")
    event, url = push_and_open(tasks.projects.get(task.project), task, body)
    with tasks.engine.open(ref) as opened:
        opened.change(event, {"pr_url": url}, url=url)
    return url


def unpushed_commits(project: Project, task: Task) -> int:
    """How many commits of a task's branch were never pushed; none of somebody else's, nor where that is not known."""
    from orange_tui.outside.git_reader.reader import GitReader

    if task.workflow == REVIEW_WORKFLOW:
        return 0
    try:
        reader = GitReader(project.path)
        tips = reader.tips([local(task.branch), remote(task.branch)])
        here, there = tips.get(local(task.branch)), tips.get(remote(task.branch))
        return len(reader.commits_not_in(there, {here})) if here and there and here != there else 0
    except OrangeError:
        return 0


def push_and_open(project: Project, task: Task, body: str) -> tuple[str, str]:
    """Push a branch and open its pull request, or find the open one; returns the event to record, and the URL.

    The forge is asked first: without its program or a login, nothing is pushed.
    """
    _must_be_pushable(project, task.branch)
    forge = forge_of_checkout(project.path)
    existing = forge.find_open_pull_request(project.path, task.branch)
    push_branch(project, task.branch)
    if existing is not None:
        return ADOPTED, existing
    text = _text(task, body, _template(forge, project.path))
    new = NewPullRequest(task.branch, project.default_branch, task.summary or task.branch, text)
    return CREATED, forge.create_pull_request(project.path, new)


def _must_be_pushable(project: Project, branch: str) -> None:
    """Pull requests are made from what is on the remote."""
    git = Repository(project.path)
    if not git.has_remote():
        raise Refused(f"{project.name} has no remote {REMOTE}; `git -C {project.path} remote add {REMOTE} …` adds one")
    if not git.refs(local(branch), remote(branch)):
        raise Refused(f"There is no branch {branch} in {project.path}, so there is nothing to open a pull request for")


def push_branch(project: Project, branch: str) -> None:
    """Push a task's branch, if there are a remote and a branch; never the default branch, never by force."""
    git = Repository(project.path)
    if not git.has_remote() or not git.has_branch(branch):
        return
    if branch == project.default_branch:
        raise Refused(f"{branch} is the default branch; Orange does not push it for a task")
    done = git.ask("push", "--quiet", "--set-upstream", REMOTE, local(branch), timeout=SLOW_SECONDS)
    if done.code != 0:
        raise Refused(f"the push was rejected: {done.message}")


def _text(task: Task, body: str, template: str) -> str:
    from orange_tui.domain.text.sections import find_section

    context = find_section(body, "Context")
    parts = [task.summary, context.text.strip() if context else "", template]
    return "\n\n".join(part for part in parts if part)


def _template(forge: Forge, checkout: str) -> str:
    """The text with which a repository wants its pull requests to begin."""
    for place in forge.template_directories:
        folder = os.path.join(checkout, place)
        with suppress(OSError, OrangeError, UnicodeDecodeError):
            for name in sorted(os.listdir(folder)):
                if name.lower() == forge.template_name:
                    return read_bytes(os.path.join(folder, name), max_bytes=_MAX_TEMPLATE_BYTES).decode().strip()
    return ""
