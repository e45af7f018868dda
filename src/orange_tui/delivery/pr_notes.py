"""What is known now of a task's pull request. It is in runtime.json, beside what its agents do: true only now."""

from __future__ import annotations

from orange_tui.domain.pull_request import (
    APPROVED,
    CHANGES_REQUESTED,
    CLOSED,
    FAILED,
    MERGED,
    OPEN,
    PASSED,
    REVIEW_WANTED,
    RUNNING,
    address_of,
)
from orange_tui.domain.records import record, replace
from orange_tui.home import clock
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orange_tui.domain.pull_request import PullRequest

_NAME = "@pull_request"  # among the names of windows, and none of them
_WORDS: Mapping[str, tuple[str, ...]] = {
    "state": (OPEN, MERGED, CLOSED),
    "checks": (PASSED, FAILED, RUNNING),
    "review": (APPROVED, CHANGES_REQUESTED, REVIEW_WANTED),
}


@record
class PullRequestNote:
    """What GitHub last said of a pull request, and what has kept it from saying more since then."""

    url: str
    state: str = ""  # empty: not asked yet
    draft: bool = False
    checks: str = ""
    review: str = ""
    problem: str = ""
    since: str = ""

    @property
    def name(self) -> str:
        """What people call it."""
        address = address_of(self.url)
        return f"#{address.number}" if address is not None else "PR"

    @property
    def is_sure(self) -> bool:
        """Whether this is how it is now."""
        return bool(self.state) and not self.problem

    def needs(self) -> str | None:
        """Why a person should look at it."""
        if self.state in {MERGED, CLOSED} and self.problem:
            return self.problem  # it has ended, and its task could not
        if self.state == OPEN and self.review == CHANGES_REQUESTED:
            return f"Changes are requested on pull request {self.name}"
        if self.state == OPEN and self.checks == FAILED:
            return f"The checks of pull request {self.name} failed"
        return None

    def __str__(self) -> str:
        state = f"{self.state}, a draft" if self.draft and self.state == OPEN else self.state
        checks = f"checks {self.checks}" if self.checks else ""
        parts = [state, *([checks, self.review] if self.state == OPEN else [])]
        told = " · ".join(part for part in parts if part)
        if self.problem:
            return f"{self.problem} (before: {told})" if told else self.problem
        return told or "not asked yet"


def note_of(directory: str, url: str) -> PullRequestNote:
    """What is known of the pull request at this address; one from before it had another says nothing of it."""
    return from_values(url, Runtime(directory).window(_NAME))


def from_values(url: str, values: Mapping[str, Any]) -> PullRequestNote:
    """A note from what stands in a file that anybody may have written."""
    if values.get("url") != url:
        return PullRequestNote(url)
    words = {name: values[name] for name, known in _WORDS.items() if values.get(name) in known}
    texts = {name: values[name] for name in ("problem", "since") if isinstance(values.get(name), str)}
    return PullRequestNote(url=url, draft=values.get("draft") is True, **words, **texts)


def take_answer(before: PullRequestNote, answer: PullRequest | str) -> PullRequestNote:
    """The note with what was just heard, or why nothing was."""
    if isinstance(answer, str):
        return replace(before, problem=answer)
    found = {"state": answer.state, "draft": answer.draft, "checks": answer.checks, "review": answer.review}
    return replace(before, url=answer.url or before.url, problem="", **found)


def write_note(directory: str, note: PullRequestNote, before: PullRequestNote) -> None:
    """Keep a note, if it says anything new: whoever watches the file is told only then."""
    if replace(note, since=before.since) != before:
        Runtime(directory).replace(_NAME, **{name: value or None for name, value in _values(note).items()})


def _values(note: PullRequestNote) -> dict[str, object]:
    return {**note.__dict__, "since": clock.now()}
