"""The data of the GitHub server: plain records that tests create, change and read."""

from __future__ import annotations

from dataclasses import dataclass, field

from support.github.reviews import STAMP, VIEWER, CheckRun, Remark, ReviewThread


@dataclass
class PullRequest:
    """A pull request as the server has it."""

    number: int
    head: str
    base: str = "main"
    title: str = ""
    body: str = ""
    state: str = "OPEN"
    draft: bool = False
    commit: str | None = None  # what it was merged as
    head_commit: str = "0" * 40
    review: str | None = None  # APPROVED, CHANGES_REQUESTED or REVIEW_REQUIRED
    checks: str | None = None  # SUCCESS, FAILURE, ERROR, PENDING or EXPECTED
    from_fork: bool = False
    threads: list[ReviewThread] = field(default_factory=list)
    reviews: list[Remark] = field(default_factory=list)
    comments: list[Remark] = field(default_factory=list)
    check_runs: list[CheckRun] = field(default_factory=list)
    updated_at: str = STAMP
    author: str = VIEWER
    submitted: list[dict[str, object]] = field(default_factory=list)  # the reviews that this login has sent
    diff_lines: dict[str, set[int]] = field(default_factory=dict)  # of each path, those that can be commented on


@dataclass
class Comment:
    """A comment on an issue."""

    author: str
    body: str
    created_at: str = STAMP


@dataclass
class Issue:
    """An issue as the server has it."""

    number: int
    title: str
    body: str = ""
    state: str = "OPEN"
    author: str = VIEWER
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    branches: list[str] = field(default_factory=list)  # those that are linked with it
    updated_at: str = STAMP
