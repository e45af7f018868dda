"""How much a merge brings into the default branch, in one line: the same before it and after it."""

from __future__ import annotations

from orange_tui.branches.recorded_merge import STARTED, last_merge
from orange_tui.delivery.wording import counted
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.outside.git import SLOW_SECONDS
from orange_tui.outside.git_guard.look import look_at_repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.home.projects import Project
    from orange_tui.store.journal import Journal

_NUMBERS = ("diff", "--numstat", "-z", "-M", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")


@record
class MergeSummary:
    """What a branch brings: commits, files, and lines added and removed. Of binary files no lines are counted."""

    into: str
    commits: int
    files: int
    added: int
    removed: int

    def __str__(self) -> str:
        what = f"{counted(self.commits, 'commit')}, {counted(self.files, 'file')}"
        return f"{what}, +{self.added} −{self.removed} into {self.into}"


def read_summary(repository: str, into: str, base: str, head: str) -> MergeSummary | None:
    """What `head` brings into `base`; None where the two have no history in common, or git cannot tell."""
    try:
        with look_at_repository(repository) as git:
            commits = int(git.must("rev-list", "--count", f"{base}..{head}", "--"))
            numbers = git.must(*_NUMBERS, f"{base}...{head}", "--", timeout=SLOW_SECONDS)
    except OrangeError:
        return None
    lines = list(_lines(numbers))
    added, removed = (sum(line[side] for line in lines) for side in (0, 1))
    return MergeSummary(into, commits, len(lines), added, removed)


def recorded_summary(project: Project, journal: Journal, commit: str) -> MergeSummary | None:
    """What the merge that made this commit has brought, by the journal of its start; None where it was no merge."""
    started = last_merge(journal, STARTED)
    if started is None or started.base is None or started.commit != commit:
        return None
    return read_summary(project.path, project.default_branch, started.base, started.head)


def _lines(numbers: str) -> Iterator[tuple[int, int]]:
    """The lines added and removed of each file, as `git diff --numstat -z` tells them; of a binary file it says `-`."""
    fields = iter(numbers.split("\0"))
    for field in fields:
        added, _, rest = field.partition("\t")
        removed, _, name = rest.partition("\t")
        if not name:  # a renamed file: both its names follow, each in a field of its own
            next(fields, None), next(fields, None)
        if field:
            yield int(added) if added.isdigit() else 0, int(removed) if removed.isdigit() else 0
