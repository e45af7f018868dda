"""Labels: the ones on an issue that set how its task is done, and the ones that Orange puts on it."""

from __future__ import annotations

from orange_tui.outside.forge.interface import Label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from orange_tui.outside.forge.interface import Issue

_BLOCKED = Label("blocked", "d73a4a", "Its task cannot go on")
_NEEDS_REVIEW = Label("needs-review", "fbca04", "Its task asks for a person")
STATUS_LABELS: Mapping[str, Label] = {"blocked": _BLOCKED, "stuck": _BLOCKED, "needs_review": _NEEDS_REVIEW}
OUR_LABELS: Mapping[str, Label] = {label.name: label for label in STATUS_LABELS.values()}
_SETTINGS = ("agent", "model", "effort", "workflow")  # `agent:codex` is more than a label


def task_labels(issue: Issue) -> tuple[str, ...]:
    """The labels that a task gets from its issue: all but those by which Orange shows the task's status."""
    return tuple(label for label in issue.labels if label not in OUR_LABELS)


def label_settings(labels: Iterable[str]) -> dict[str, str]:
    """What labels such as `agent:codex` set; of two for the same setting, the first counts."""
    found: dict[str, str] = {}
    for label in labels:
        name, colon, value = label.partition(":")
        if colon and name.strip().lower() in _SETTINGS and value.strip():
            found.setdefault(name.strip().lower(), value.strip())
    return found
