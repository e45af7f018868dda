"""Pull requests: what a forge says of one, and what is known of a task's, which a person may have to look at."""

from __future__ import annotations

from orange_tui.domain.records import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

OPEN, MERGED, CLOSED = "open", "merged", "closed"
PASSED, FAILED, RUNNING = "passed", "failed", "running"
APPROVED, CHANGES_REQUESTED, REVIEW_WANTED = "approved", "changes requested", "review wanted"
_WORDS: Mapping[str, tuple[str, ...]] = {
    "state": (OPEN, MERGED, CLOSED),
    "checks": (PASSED, FAILED, RUNNING),
    "review": (APPROVED, CHANGES_REQUESTED, REVIEW_WANTED),
}
_FEWEST_URL_PARTS = 7  # https:, nothing, host, owner, repository, what it is, number


@record
class PullRequest:
    """A pull request as its forge has it; the commit it was merged as, and the last of its own."""

    url: str
    state: str
    commit: str = ""
    head: str | None = None
    draft: bool = False
    checks: str = ""  # empty: there are none, or we may not see them
    review: str = ""
    mark: str = ""  # another one as soon as its comments or checks are others; empty where there are none


@record
class Check:
    """A check of a commit: passed, failed, running, or in a state that says nothing about the code."""

    name: str
    state: str
    url: str = ""
    step: str = ""  # the one that failed
    summary: str = ""  # what its program says about it
    job: int = 0  # whose log can be read; 0: of another program
    run: int = 0


@record
class PullRequestStatus:
    """What a forge last said of a task's pull request, and what has kept it from saying more since then."""

    url: str
    state: str = ""  # empty: not asked yet
    draft: bool = False
    checks: str = ""
    review: str = ""
    problem: str = ""
    since: str = ""
    comments: int = 0  # that nobody has answered
    failures: int = 0  # checks that failed, and not on the default branch as well
    unpushed: int = 0  # commits of the branch here that are not there

    @property
    def name(self) -> str:
        """What people call it: `#7`."""
        parts = self.url.rstrip("/").split("/")
        number = parts[-1] if len(parts) >= _FEWEST_URL_PARTS else ""
        return f"#{number}" if number.isascii() and number.isdigit() else "PR"

    @property
    def has_threads(self) -> bool:
        """Whether comments or failed checks wait for an answer."""
        return bool(self.comments or self.failures)

    def needs(self) -> str | None:
        """Why a person should look at it."""
        if self.state in {MERGED, CLOSED} and self.problem:
            return self.problem  # it has ended, and its task could not
        if self.state == OPEN and self.has_threads:
            counts = ((self.comments, "review comment"), (self.failures, "failed check"))
            said = ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count)
            return f"{said} on pull request {self.name}"
        if self.state == OPEN and self.review == CHANGES_REQUESTED:
            return f"Changes are requested on pull request {self.name}"
        if self.state == OPEN and self.checks == FAILED:
            return f"The checks of pull request {self.name} failed"
        return None

    def unpushed_sentence(self) -> str | None:
        """What is to be done before anybody looks at it there, or merges it; None where it has everything."""
        if self.state != OPEN or not self.unpushed:
            return None
        commits = "1 commit is" if self.unpushed == 1 else f"{self.unpushed} commits are"
        return f"{commits} not in pull request {self.name} yet: p pushes"

    def updated(self, answer: PullRequest | str) -> PullRequestStatus:
        """The status after a forge's answer, or after a problem with getting one, which leaves what was known."""
        if isinstance(answer, str):
            return replace(self, problem=answer)
        found = {"state": answer.state, "draft": answer.draft, "checks": answer.checks, "review": answer.review}
        return replace(self, url=answer.url or self.url, problem="", **found)

    def __str__(self) -> str:
        state = f"{self.state}, a draft" if self.draft and self.state == OPEN else self.state
        checks = f"checks {self.checks}" if self.checks else ""
        left = f"{self.unpushed} commit{'' if self.unpushed == 1 else 's'} not pushed" if self.unpushed else ""
        parts = [state, *([checks, self.review, left] if self.state == OPEN else [])]
        known = " · ".join(part for part in parts if part)
        if self.problem:
            return f"{self.problem} (before: {known})" if known else self.problem
        return known or "not asked yet"


def status_from_file(url: str, values: Mapping[str, Any]) -> PullRequestStatus:
    """A status from what stands in a file that anybody may have written; that of another URL says nothing of it."""
    if values.get("url") != url:
        return PullRequestStatus(url)
    words = {name: values[name] for name, known in _WORDS.items() if values.get(name) in known}
    texts = {name: values[name] for name in ("problem", "since") if isinstance(values.get(name), str)}
    counts = {name: values[name] for name in ("comments", "failures", "unpushed") if _is_count(values.get(name))}
    return PullRequestStatus(url=url, draft=values.get("draft") is True, **words, **texts, **counts)


def _is_count(value: object) -> bool:
    return type(value) is int and value > 0
