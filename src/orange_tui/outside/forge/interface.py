"""The interface to a git host: what Orange asks about pull requests, reviews and issues, and the records it gets.

A forge that cannot answer (no network, no login, a rate limit) raises `ForgeUnavailable`; whoever asks regularly waits
longer then. A forge that answers with a no raises `Refused`. What people on the web wrote is cleaned by the
implementation: titles, labels and names are one line each, without control characters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.pull_request import Check, PullRequest
    from orange_tui.outside.forge.review_records import CheckFailure, NewReview, PullRequestDetails, PullRequestReview

MAX_TITLE_CHARACTERS = 200
MAX_LABEL_CHARACTERS = 100


class ForgeUnavailable(Refused):
    """The forge did not answer; `retry_after` is how many seconds it asks to be left alone, 0 where it does not say."""

    def __init__(self, problem: str, retry_after: float = 0.0) -> None:
        super().__init__(problem)
        self.retry_after = retry_after


@record
class HostedRepository:
    """A repository on a forge."""

    host: str
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.host}/{self.owner}/{self.name}"


@record
class Address:
    """Where an issue or a pull request is."""

    repository: HostedRepository
    number: int


@record
class NewPullRequest:
    """What a pull request is opened with."""

    branch: str
    base: str
    title: str
    text: str


@record
class Issue:
    """An issue; its `key` stays the same when its repository is renamed."""

    key: str
    number: int
    title: str
    body: str
    url: str
    is_open: bool
    author: str
    labels: tuple[str, ...]
    updated_at: str


@record
class IssueList:
    """Issues of a repository, the login that asked for them, and the tracked numbers that no longer exist."""

    viewer: str
    issues: tuple[Issue, ...]
    deleted: tuple[int, ...]


@record
class Label:
    """A label that Orange creates where a repository does not have it."""

    name: str
    color: str
    description: str


@record
class IssueThread:
    """One issue as it is now: its labels, those asked about that its repository has, its last comments (url, text)."""

    labels: tuple[str, ...]
    existing_labels: tuple[str, ...]
    comments: tuple[tuple[str, str], ...]


@record
class IssueComment:
    """One comment on an issue, for reading."""

    author: str
    created_at: str
    text: str


class Forge(ABC):
    """A git host. `checkout` is always the path of a local clone; a forge's own program may find its host from that."""

    name: str  # as people call it
    program: str  # that it is asked through
    install_hint: str  # where to get the program
    template_name: str  # of a repository's file with which pull requests begin, in lower case
    template_directories: tuple[str, ...]  # where that file may be

    @abstractmethod
    def is_installed(self) -> bool:
        """Whether the program that this forge is asked through is there."""

    @abstractmethod
    def owns_remote(self, url: str) -> bool:
        """Whether a git remote with this URL is on this forge."""

    @abstractmethod
    def pull_request_address(self, url: str) -> Address | None:
        """Parse a URL; None where it is not that of a pull request on this forge."""

    @abstractmethod
    def issue_address(self, url: str) -> Address | None:
        """The same for an issue."""

    @abstractmethod
    def branch_url(self, repository: HostedRepository, branch: str) -> str:
        """The URL of a branch's page."""

    @abstractmethod
    def find_open_pull_request(self, checkout: str, branch: str) -> str | None:
        """The URL of a branch's open pull request, whoever opened it; one from a fork does not count."""

    @abstractmethod
    def create_pull_request(self, checkout: str, new: NewPullRequest) -> str:
        """Open a pull request for a branch that is on the remote; its URL, or that of one opened meanwhile."""

    @abstractmethod
    def read_pull_requests(self, host: str, addresses: Sequence[Address]) -> dict[Address, PullRequest | str]:
        """The state of many pull requests on one host; for one that cannot be read, a sentence says why."""

    @abstractmethod
    def read_reviews(self, host: str, addresses: Sequence[Address]) -> dict[Address, PullRequestReview | str]:
        """What people and checks say about many pull requests; for one that cannot be read, a sentence says why."""

    @abstractmethod
    def read_failure(self, repository: HostedRepository, check: Check) -> CheckFailure:
        """Where a check has failed; what cannot be read of it any more is left empty."""

    @abstractmethod
    def post_reply(self, pull_request: Address, thread: str, text: str) -> str:
        """Reply to a thread about lines of a pull request; returns the reply's URL."""

    @abstractmethod
    def resolve_thread(self, pull_request: Address, thread: str, *, is_resolved: bool) -> None:
        """Resolve a thread about lines of a pull request, or open it again; one that is so already is fine."""

    @abstractmethod
    def read_details(self, pull_request: Address) -> PullRequestDetails:
        """A pull request as somebody needs it to review it."""

    @abstractmethod
    def find_review(self, pull_request: Address, mark: str) -> str | None:
        """The URL of the review by this login that has this text in it; None where there is none."""

    @abstractmethod
    def submit_review(self, pull_request: Address, review: NewReview) -> str:
        """Submit a review with all its comments at once; returns its URL."""

    @abstractmethod
    def repository_of(self, checkout: str) -> HostedRepository:
        """The repository whose issues belong to a local clone."""

    @abstractmethod
    def list_issues(self, repository: HostedRepository, since: str | None, tracked: Sequence[int]) -> IssueList:
        """The open issues, or all that changed since a time; and the tracked ones, open or not."""

    @abstractmethod
    def read_thread(self, issue: Address, labels: Sequence[str]) -> IssueThread:
        """An issue as it is now, and which of these labels its repository has."""

    @abstractmethod
    def read_comments(
        self, checkout: str, number: int, repository: HostedRepository | None, limit: int
    ) -> list[IssueComment]:
        """The last comments on an issue, oldest first; without a repository, of the one the checkout belongs to."""

    @abstractmethod
    def post_comment(self, issue: Address, text: str) -> str:
        """Comment on an issue; returns the comment's URL."""

    @abstractmethod
    def create_label(self, repository: HostedRepository, label: Label) -> None:
        """Create a label; one that somebody else has created meanwhile is fine."""

    @abstractmethod
    def add_label(self, issue: Address, label: str) -> None:
        """Put a label on an issue."""

    @abstractmethod
    def remove_label(self, issue: Address, label: str) -> None:
        """Take a label off an issue; one that is not on it is fine."""

    @abstractmethod
    def register_branch(self, issue: Address, branch: str, base: str, checkout: str) -> None:
        """Link a new branch with an issue; the forge creates it there, at the tip of the base branch."""


def clean_line(text: str, limit: int) -> str:
    """Text from the web as one line without control characters, for titles and labels."""
    line = "".join(character for character in " ".join(text.split()) if printable(character) == character)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"
