"""Which issues of a project become tasks: the settings in its entry of projects.json."""

from __future__ import annotations

import re

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.projects import Project
    from orange_tui.outside.forge.interface import Issue

ON, AUTHORS, LABELS = "issues", "issue_authors", "issue_labels"  # keys of projects.json
ME = "@me"  # whoever is logged in to the forge
_LOGIN = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\[bot\])?"
_MAX_LABEL_CHARACTERS = 50


@record
class IssueRules:
    """Off unless switched on; without authors only the person's own issues; without labels those with any or none."""

    on: bool
    authors: tuple[str, ...]
    labels: tuple[str, ...]

    def allow(self, issue: Issue, viewer: str) -> bool:
        """Whether an issue may become a task. Logins and labels are the same in capitals."""
        wanted = {(viewer if each == ME else each).casefold() for each in self.authors or (ME,)} - {""}
        known = {label.casefold() for label in issue.labels}
        return issue.author.casefold() in wanted and (
            not self.labels or any(label.casefold() in known for label in self.labels)
        )


def rules_of(project: Project) -> IssueRules:
    """The rules in projects.json; what makes no sense there lets nobody in."""
    entry = project.entry
    return IssueRules(entry.get(ON) is True, _texts(entry.get(AUTHORS, [])), _texts(entry.get(LABELS, [])))


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        return ("",)  # somebody meant to restrict something: not readable is not unrestricted
    return tuple(value)


def settings_changes(on: str | None, authors: tuple[str, ...], labels: tuple[str, ...]) -> dict[str, object]:
    """The entries to write for a person's options; one empty text removes all authors or labels."""
    found: dict[str, object] = {} if on is None else {ON: on == "on"}
    if authors:
        found[AUTHORS] = [] if authors == ("",) else [_login(each) for each in authors]
    if labels:
        found[LABELS] = [] if labels == ("",) else [_label(each) for each in labels]
    return found


def _login(text: str) -> str:
    name = text if text == ME else text.removeprefix("@")
    if name != ME and not re.fullmatch(_LOGIN, name):
        raise Refused(f"{text!a} is not a login; give a name such as octocat, or {ME} for your own")
    return name


def _label(text: str) -> str:
    label = text.strip()
    if not label or not label.isprintable() or len(label) > _MAX_LABEL_CHARACTERS:
        raise Refused(f"{ascii(text)[:60]} is not a label: one line of at most {_MAX_LABEL_CHARACTERS} characters")
    return label
