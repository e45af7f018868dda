"""Pull requests, through GitHub's own `gh`. Whatever keeps it from working is a sentence; all else goes on without."""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import Refused
from orange_tui.domain.pull_request import address_of, answers, question
from orange_tui.outside import github
from orange_tui.outside.git import REMOTE, SLOW, Repository, local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.pull_request import Address, PullRequest
    from orange_tui.domain.task import Task
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

CREATED, ADOPTED = "pr.created", "pr.adopted"
NO_ADDRESS = "this is not the address of a pull request"
_TEMPLATE = "pull_request_template.md"
_TEMPLATE_PLACES = (".github", "", "docs")  # where GitHub looks for one, in any case
_MANY = 100  # pull requests in one question


def ask_about(host: str, addresses: Sequence[Address]) -> dict[Address, PullRequest | str]:
    """What became of pull requests on a host, or why that of one cannot be told; `Unanswered` where nothing can."""
    found: dict[Address, PullRequest | str] = {}
    for start in range(0, len(addresses), _MANY):
        some = addresses[start : start + _MANY]
        found.update(zip(some, answers(github.query(host, question(some)), some), strict=True))
    return found


def pull_request_at(url: str) -> PullRequest:
    """What became of a pull request."""
    address = address_of(url)
    if address is None:
        raise Refused(NO_ADDRESS)
    found = ask_about(address.host, [address])[address]
    if isinstance(found, str):
        raise Refused(found)
    return found


def create_pull_request(orange: Orange, ref: TaskRef) -> str:
    """Push a task's branch and open its pull request, or take up the one that is there; returns its address."""
    with orange.engine.open(ref) as opened:
        task, body = opened.task, opened.body
    if task.pr_url is not None:
        return task.pr_url
    project = orange.projects.get(task.project)
    if orange.tasks.is_finished(task):
        raise Refused(f"{task.id} is {task.status}; there is nothing to open a pull request for")
    must_have_remote(project)
    there = existing_pull_request(project, task.branch)  # asked first: without gh or a login, nothing is pushed
    push(project, task.branch)
    url = there or open_pull_request(project, task, body)
    with orange.engine.open(ref) as opened:
        opened.change(ADOPTED if there else CREATED, {"pr_url": url}, url=url)
    return url


def must_have_remote(project: Project) -> None:
    """Pull requests are made from what is on the remote."""
    if not Repository(project.path).has_remote():
        raise Refused(f"{project.name} has no remote {REMOTE}; `git -C {project.path} remote add {REMOTE} …` adds one")


def push(project: Project, branch: str) -> None:
    """Give the remote a task's branch; never the default one, never by force."""
    if branch == project.default_branch:
        raise Refused(f"{branch} is the default branch; Orange does not push it for a task")
    done = Repository(project.path).ask("push", "--quiet", "--set-upstream", REMOTE, local(branch), timeout=SLOW)
    if done.code != 0:
        raise Refused(f"the push was refused: {done.message}")


def existing_pull_request(project: Project, branch: str) -> str | None:
    """The open pull request of a branch, whoever opened it; one from a fork that has the same name is another's."""
    words = ("pr", "list", "--head", branch, "--state", "open", "--json", "url,isCrossRepository")
    found = github.asked(*words, directory=project.path)
    return next((str(each["url"]) for each in found if not each.get("isCrossRepository")), None)


def open_pull_request(project: Project, task: Task, body: str) -> str:
    """Open a pull request for a task's branch, which the remote has; returns its address, or that of an earlier one."""
    words = ["pr", "create", "--base", project.default_branch, "--head", task.branch]
    words += ["--title", task.summary or task.branch, "--body-file", "-"]
    finished = github.gh(*words, directory=project.path, stdin=_text(project, task, body))
    if finished.code != 0 and "already exists" not in finished.message:
        raise Refused(f"gh could not open a pull request: {github.meaning(finished)}")
    # Both are read: beside an address there may be a warning of what is not committed.
    words = f"{finished.errors} {finished.output}".split()
    addresses = [word for word in words if word.startswith("https://")]
    if not addresses:
        raise Refused(f"gh opened a pull request and did not say where: {finished.message}")
    return addresses[-1]


def _text(project: Project, task: Task, body: str) -> str:
    from orange_tui.domain.text.sections import find_section

    context = find_section(body, "Context")
    parts = [task.summary, context.text.strip() if context else "", _template(project)]
    return "\n\n".join(part for part in parts if part)


def _template(project: Project) -> str:
    for place in _TEMPLATE_PLACES:
        folder = os.path.join(project.path, place)
        with suppress(OSError, UnicodeDecodeError):
            for name in sorted(os.listdir(folder)):
                if name.lower() == _TEMPLATE:
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        return file.read().strip()
    return ""
