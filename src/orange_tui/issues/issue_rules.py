"""Which issues of a project become tasks: what its entry in projects.json says, and what may be said there."""

from __future__ import annotations

import re

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.projects import Project
    from orange_tui.issues.issue import Issue

ON, AUTHORS, LABELS = "issues", "issue_authors", "issue_labels"  # keys of projects.json
ME = "@me"  # whoever gh is logged in as
_LOGIN = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\[bot\])?"
_LONGEST_LABEL = 50


@record
class Rules:
    """Off unless switched on; without authors, only the person's own issues; without labels, whatever labels it has."""

    on: bool
    authors: tuple[str, ...]
    labels: tuple[str, ...]

    def allow(self, issue: Issue, viewer: str) -> bool:
        """Whether an issue may become a task. GitHub does not tell capitals in logins and labels apart."""
        wanted = {(viewer if each == ME else each).casefold() for each in self.authors or (ME,)} - {""}
        known = {label.casefold() for label in issue.labels}
        return issue.author.casefold() in wanted and (
            not self.labels or any(label.casefold() in known for label in self.labels)
        )


def rules_of(project: Project) -> Rules:
    """What projects.json says; what makes no sense there lets nobody in."""
    entry = project.entry
    return Rules(entry.get(ON) is True, _texts(entry.get(AUTHORS, [])), _texts(entry.get(LABELS, [])))


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        return ("",)  # somebody meant to restrict something: not readable is not unrestricted
    return tuple(value)


def changes(on: str | None, authors: tuple[str, ...], labels: tuple[str, ...]) -> dict[str, object]:
    """What to write for what a person said; one empty text takes all authors or labels back."""
    said: dict[str, object] = {} if on is None else {ON: on == "on"}
    if authors:
        said[AUTHORS] = [] if authors == ("",) else [_login(each) for each in authors]
    if labels:
        said[LABELS] = [] if labels == ("",) else [_label(each) for each in labels]
    return said


def _login(text: str) -> str:
    name = text if text == ME else text.removeprefix("@")
    if name != ME and not re.fullmatch(_LOGIN, name):
        raise Refused(f"{text!a} is not a login on GitHub; give a name such as octocat, or {ME} for your own")
    return name


def _label(text: str) -> str:
    label = text.strip()
    if not label or not label.isprintable() or len(label) > _LONGEST_LABEL:
        raise Refused(f"{ascii(text)[:60]} is not a label: one line of at most {_LONGEST_LABEL} characters")
    return label
