"""Pull requests, through GitHub's own `gh`."""

from __future__ import annotations

import os

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.outside.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.services.projects import Project

_TEMPLATES = (".github/pull_request_template.md", ".github/PULL_REQUEST_TEMPLATE.md", "pull_request_template.md")


def open_pull_request(project: Project, task: Task, body: str) -> str:
    """Open a pull request for a task's branch; returns its address."""
    words = ["gh", "pr", "create", "--base", project.default_branch, "--head", task.branch]
    words += ["--title", task.summary or task.branch, "--body", _text(project, task, body)]
    environment = {**os.environ, "GH_PROMPT_DISABLED": "1"}
    try:
        finished = run(words, directory=project.path, environment=environment)
    except NotFound:
        raise Refused("gh is not installed, and pull requests go through it: see cli.github.com") from None
    if finished.code != 0:
        raise Refused(f"gh could not open a pull request: {finished.message}")
    return finished.output.strip().splitlines()[-1]


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
