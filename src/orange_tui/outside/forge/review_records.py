"""What a forge tells about the review of a pull request, and what it is told: records, which any forge fills in."""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.pull_request import Check


@record
class PullRequestDetails:
    """A pull request for who reviews it: what its author says of it, and what is to go where."""

    url: str
    state: str
    title: str
    body: str
    author: str
    head: str  # its last commit
    head_name: str  # its branch, with whose it is
    base: str


@record
class ReviewComment:
    """A comment of a review on lines of a pull request's diff."""

    path: str
    line: int
    end_line: int
    side: str
    text: str


@record
class NewReview:
    """A review as it is submitted: on which commit, its verdict (comment, approve, request changes), its comments."""

    commit: str
    verdict: str
    text: str
    comments: tuple[ReviewComment, ...] = ()


@record
class RemoteComment:
    """What somebody said on a pull request, as they wrote it.

    `is_own` where it was this login, `is_trusted` where the author may write to the repository.
    """

    key: str
    author: str
    text: str
    at: str
    url: str
    is_own: bool
    is_trusted: bool


@record
class RemoteThread:
    """A comment on lines of a pull request with its replies; or one in the conversation, or what a review says.

    The path is as the forge has it: somebody may have made it up. Without a commit, the lines are those of the head.
    """

    key: str
    comments: tuple[RemoteComment, ...]
    is_about_lines: bool = True
    path: str = ""
    line: int | None = None
    end_line: int | None = None
    side: str = "new"
    quote: str = ""
    commit: str | None = None
    is_resolved: bool = False
    is_outdated: bool = False


@record
class PullRequestReview:
    """What people and checks say about a pull request; and the checks of its repository's default branch.

    `left_out` is how many comments there are besides: earlier ones. Where it is not complete, there may be others.
    """

    head: str
    changes_requested: bool
    threads: tuple[RemoteThread, ...]
    checks: tuple[Check, ...]
    default_branch: str
    default_checks: tuple[Check, ...]
    left_out: int = 0
    is_complete: bool = True


@record
class CheckFailure:
    """Where a check failed: the step, the end of its log, the command that it ran, and how the forge runs it again."""

    step: str
    log: str
    command: str
    rerun: str
