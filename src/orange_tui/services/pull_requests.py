"""Pull requests, through GitHub's own `gh`. Whatever keeps it from working is a sentence; all else goes on without."""

from __future__ import annotations

import json
import os

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import REMOTE, SLOW, Repository, local
from orange_tui.outside.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.domain.task import Task
    from orange_tui.outside.process import Finished
    from orange_tui.services.orange import Orange
    from orange_tui.services.projects import Project
    from orange_tui.services.store import TaskRef

_TEMPLATES = (".github/pull_request_template.md", ".github/PULL_REQUEST_TEMPLATE.md", "pull_request_template.md")
_NOT_LOGGED_IN = 4
_NO_GH = "gh is not installed, and pull requests go through it: see cli.github.com"
# What gh says, and what it means. In its own words these lead nowhere, or to the wrong place.
_MEANINGS = {
    "none of the git remotes": f"{REMOTE} is not on GitHub, or on a host that gh does not know (see `gh auth login`)",
    "no git remotes": f"the repository has no remote {REMOTE}; pull requests need one",
    **dict.fromkeys(
        ("error connecting", "dial tcp", "timeout", "unexpected EOF"), "GitHub cannot be reached; try again later"
    ),
    "HTTP 401": "GitHub does not take gh's login any more; run `gh auth login`, then try again",
    "rate limit": "GitHub answers no more for now (rate limit); try again later",
    "Could not resolve to a PullRequest": "GitHub has no such pull request any more",
    "Could not resolve to a Repository": "GitHub has no such repository, or shows it to others only",
}


@record
class PullRequest:
    """A pull request as GitHub has it: OPEN, MERGED or CLOSED; the commit it was merged as, and the last of its own."""

    url: str
    state: str
    commit: str
    head: str | None


def pull_request_at(url: str) -> PullRequest:
    """What became of a pull request."""
    if url.startswith("-"):
        raise Refused("this is not the address of a pull request")
    found = _asked("pr", "view", url, "--json", "url,state,mergeCommit,headRefOid")
    merged = found.get("mergeCommit") or {}
    return PullRequest(found.get("url") or url, found["state"], merged.get("oid") or "", found.get("headRefOid"))


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
    url = existing_pull_request(project, task.branch)  # asked first: without gh, nothing is pushed
    push(project, task.branch)
    url = url or open_pull_request(project, task, body)
    with orange.engine.open(ref) as opened:
        opened.change("task.updated", {"pr_url": url}, fields={"pr_url": url})
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
    found = _asked(*words, directory=project.path)
    return next((str(each["url"]) for each in found if not each.get("isCrossRepository")), None)


def open_pull_request(project: Project, task: Task, body: str) -> str:
    """Open a pull request for a task's branch, which the remote has; returns its address, or that of an earlier one."""
    words = ["pr", "create", "--base", project.default_branch, "--head", task.branch]
    words += ["--title", task.summary or task.branch, "--body-file", "-"]
    finished = _run(*words, directory=project.path, stdin=_text(project, task, body))
    if finished.code != 0 and "already exists" not in finished.message:
        raise Refused(f"gh could not open a pull request: {_meaning(finished)}")
    said = (
        f"{finished.errors} {finished.output}"  # beside an address there may be a warning, about what is not committed
    )
    addresses = [word for word in said.split() if word.startswith("https://")]
    if not addresses:
        raise Refused(f"gh opened a pull request and did not say where: {finished.message}")
    return addresses[-1]


def must_have_gh() -> None:
    """Without gh there is no pull request, so nothing should be begun for one."""
    import shutil

    if shutil.which("gh") is None:
        raise Refused(_NO_GH)


def _asked(*words: str, directory: str | None = None) -> Any:
    """What gh answers, as data."""
    finished = _run(*words, directory=directory)
    if finished.code != 0:
        raise Refused(_meaning(finished))
    try:
        return json.loads(finished.output)
    except ValueError:
        raise Refused("gh gave an answer that is not JSON; is it up to date?") from None


def _run(*words: str, directory: str | None = None, stdin: str = "") -> Finished:
    """Run gh, which asks nobody anything."""
    environment = {**os.environ, "GH_PROMPT_DISABLED": "1", "NO_COLOR": "1", "GH_NO_UPDATE_NOTIFIER": "1"}
    try:
        return run(["gh", *words], directory=directory, environment=environment, stdin=stdin.encode())
    except NotFound:
        raise Refused(_NO_GH) from None


def _meaning(finished: Finished) -> str:
    """Why gh failed, in words that lead somewhere."""
    if finished.code == _NOT_LOGGED_IN:
        return "gh is not logged in to GitHub; run `gh auth login`, then try again"
    known = (meaning for said, meaning in _MEANINGS.items() if said in finished.message)
    return next(known, f"gh says: {finished.message}")


def _text(project: Project, task: Task, body: str) -> str:
    from orange_tui.domain.sections import find_section

    context = find_section(body, "Context")
    parts = [task.summary, context.text.strip() if context else "", _template(project)]
    return "\n\n".join(part for part in parts if part)


def _template(project: Project) -> str:
    for name in _TEMPLATES:
        try:
            with open(os.path.join(project.path, name), encoding="utf-8") as file:
                return file.read().strip()
        except (OSError, UnicodeDecodeError):
            continue
    return ""
