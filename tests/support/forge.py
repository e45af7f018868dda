"""A forge in memory that is not GitHub: other addresses, no program. What works with it needs nothing of GitHub's."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orange_tui.domain.pull_request import PullRequest
from orange_tui.outside.forge.interface import (
    Address,
    Forge,
    HostedRepository,
    Issue,
    IssueComment,
    IssueList,
    IssueThread,
    Label,
    NewPullRequest,
)
from orange_tui.outside.forge.review_records import CheckFailure, NewReview, PullRequestDetails, PullRequestReview

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.pull_request import Check

REPOSITORY = HostedRepository("lab.example.org", "o/group", "r")
_URL = r"https://(lab\.example\.org)/(o/group)/(r)/-/{}/([0-9]+)"


@dataclass
class LabForge(Forge):
    """One repository of a host whose pull requests are called merge requests."""

    name = "Lab"
    program = "lab"
    install_hint = "See lab.example.org"
    template_name = "default.md"
    template_directories = (".lab/templates",)

    requests: dict[int, NewPullRequest] = field(default_factory=dict)
    states: dict[int, str] = field(default_factory=dict)
    issues: list[Issue] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    submitted: list[NewReview] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)
    reviews: dict[int, PullRequestReview | str] = field(default_factory=dict)
    replies: list[tuple[str, str]] = field(default_factory=list)
    resolved: dict[str, bool] = field(default_factory=dict)

    __hash__ = object.__hash__

    def url(self, number: int, kind: str = "merge_requests") -> str:
        return f"https://{REPOSITORY}/-/{kind}/{number}"

    def is_installed(self) -> bool:
        return True

    def owns_remote(self, url: str) -> bool:
        return "remote.git" in url

    def pull_request_address(self, url: str) -> Address | None:
        return _address(url, "merge_requests")

    def issue_address(self, url: str) -> Address | None:
        return _address(url, "issues")

    def branch_url(self, repository: HostedRepository, branch: str) -> str:
        return f"https://{repository}/-/tree/{branch}"

    def find_open_pull_request(self, checkout: str, branch: str) -> str | None:
        found = (number for number, each in self.requests.items() if each.branch == branch)
        return next((self.url(number) for number in found if self.states[number] == "open"), None)

    def create_pull_request(self, checkout: str, new: NewPullRequest) -> str:
        number = len(self.requests) + 1
        self.requests[number], self.states[number] = new, "open"
        return self.url(number)

    def read_pull_requests(self, host: str, addresses: Sequence[Address]) -> dict[Address, PullRequest | str]:
        return {each: PullRequest(self.url(each.number), self.states[each.number]) for each in addresses}

    def read_reviews(self, host: str, addresses: Sequence[Address]) -> dict[Address, PullRequestReview | str]:
        return {each: self.reviews[each.number] for each in addresses}

    def read_failure(self, repository: HostedRepository, check: Check) -> CheckFailure:
        return CheckFailure(check.step, check.summary, "", "")

    def post_reply(self, pull_request: Address, thread: str, text: str) -> str:
        self.replies.append((thread, text))
        return f"{self.url(pull_request.number)}#{len(self.replies)}"

    def resolve_thread(self, pull_request: Address, thread: str, *, is_resolved: bool) -> None:
        self.resolved[thread] = is_resolved

    def read_details(self, pull_request: Address) -> PullRequestDetails:
        new, url = self.requests[pull_request.number], self.url(pull_request.number)
        state = self.states[pull_request.number]
        return PullRequestDetails(url, state, new.title, new.text, "me", "0" * 40, new.branch, new.base)

    def find_review(self, pull_request: Address, mark: str) -> str | None:
        return self.url(pull_request.number) if any(mark in each.text for each in self.submitted) else None

    def submit_review(self, pull_request: Address, review: NewReview) -> str:
        self.submitted.append(review)
        return self.url(pull_request.number)

    def repository_of(self, checkout: str) -> HostedRepository:
        return REPOSITORY

    def list_issues(self, repository: HostedRepository, since: str | None, tracked: Sequence[int]) -> IssueList:
        return IssueList("me", tuple(self.issues), ())

    def read_thread(self, issue: Address, labels: Sequence[str]) -> IssueThread:
        return IssueThread(tuple(self.labels), (), tuple((self.url(1, "issues"), text) for text in self.comments))

    def read_comments(
        self, checkout: str, number: int, repository: HostedRepository | None, limit: int
    ) -> list[IssueComment]:
        return [IssueComment("me", "", text) for text in self.comments[-limit:]]

    def post_comment(self, issue: Address, text: str) -> str:
        self.comments.append(text)
        return self.url(issue.number, "issues")

    def create_label(self, repository: HostedRepository, label: Label) -> None:
        """Labels need not be created here."""

    def add_label(self, issue: Address, label: str) -> None:
        self.labels.append(label)

    def remove_label(self, issue: Address, label: str) -> None:
        self.labels.remove(label)

    def register_branch(self, issue: Address, branch: str, base: str, checkout: str) -> None:
        self.branches.append(branch)


def _address(url: str, kind: str) -> Address | None:
    found = re.fullmatch(_URL.format(kind), url)
    return Address(HostedRepository(found[1], found[2], found[3]), int(found[4])) if found else None
