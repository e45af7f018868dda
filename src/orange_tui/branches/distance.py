"""How far each task's branch is from the default branch: commits ahead, lines added and removed.

What is known of a pair of commits stays true, so it is cached. Where git itself must be asked, all branches together
take one process while nothing has moved, and three when something has. Everything here waits: call it off the event
loop.
"""

from __future__ import annotations

from orange_tui.branches.stats import Stats
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.outside.git import REMOTE, local, remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from orange_tui.home.projects import Project
    from orange_tui.outside.git_reader.reader import GitReader, GitReaders

    Pair = tuple[str, str]  # head and base

_MOST_CACHED = 50_000  # pairs; old ones are of no use, but cost little


@record
class Fork:
    """Where a branch left the default branch; `certain`, unless it may have left it at other commits as well."""

    commit: str
    certain: bool


@record
class BranchPositions:
    """Where a project's branches were when they were last read."""

    name: str  # of the default branch, here or on the remote
    base: str  # its commit, which all are compared with
    heads: Mapping[str, str]  # branch → commit
    forks: Mapping[str, Fork]  # commit → where it left; of those that have commits of their own


class BranchDistances:
    """The distances of all branches that were asked for, of all projects."""

    def __init__(self, readers: GitReaders) -> None:
        self._readers = readers
        self._stats: dict[Pair, Stats] = {}
        self._forks: dict[Pair, Fork] = {}
        self._lines: dict[tuple[str, str], tuple[int, int]] = {}  # fork and head → lines added and removed
        self._positions: dict[str, BranchPositions] = {}

    def positions(self, project: Project) -> BranchPositions | None:
        """What the last refresh has read; None where it could read nothing."""
        return self._positions.get(project.path)

    def refresh(self, project: Project, branches: Iterable[str]) -> dict[str, Stats]:
        """The stats of those branches that exist; none, where git or the repository is not there."""
        self._positions.pop(project.path, None)
        reader = self._readers.of(project.path)
        try:
            heads, name, base = _read_heads(reader, project.default_branch, branches)
            if base is None:
                return {}
            self._measure(reader, set(heads.values()), base)
        except OrangeError:
            return {}
        forks = {head: fork for head in heads.values() if (fork := self._forks.get((head, base)))}
        self._positions[project.path] = BranchPositions(name, base, heads, forks)
        return {branch: self._stats[head, base] for branch, head in heads.items()}

    def _measure(self, reader: GitReader, heads: set[str], base: str) -> None:
        if len(self._stats) > _MOST_CACHED:
            for cache in (self._stats, self._forks, self._lines):
                cache.clear()
        new = {head for head in heads if (head, base) not in self._stats}
        if not new:
            return
        parents = reader.commits_not_in(base, new)
        own = {head: _own_commits(head, parents) for head in new}
        forks = {head: fork for head in new if own[head] and (fork := _fork(reader, own[head], parents, head, base))}
        changed = self._changed_lines(reader, {head: (fork.commit, head) for head, fork in forks.items()})
        self._forks.update({(head, base): fork for head, fork in forks.items()})
        self._stats.update({(head, base): Stats(len(own[head]), *changed.get(head, (0, 0))) for head in new})

    def _changed_lines(self, reader: GitReader, wanted: Mapping[str, Pair]) -> dict[str, tuple[int, int]]:
        """By head; while it leaves the default branch at the same commit, they stay the same."""
        self._lines.update(reader.changed_lines(pair for pair in wanted.values() if pair not in self._lines))
        return {head: self._lines[pair] for head, pair in wanted.items()}


def _read_heads(reader: GitReader, default: str, branches: Iterable[str]) -> tuple[dict[str, str], str, str | None]:
    """Where branches are, and what they are compared with: the remote's default branch, else ours."""
    wanted = {branch: local(branch) for branch in branches}
    tips = reader.tips([*dict.fromkeys([*wanted.values(), local(default), remote(default)])])
    heads = {branch: tips[name] for branch, name in wanted.items() if name in tips}
    theirs = tips.get(remote(default))
    return heads, f"{REMOTE}/{default}" if theirs else default, theirs or tips.get(local(default))


def _own_commits(head: str, parents: Mapping[str, list[str]]) -> set[str]:
    """The commits of a branch that the default branch does not have."""
    found: set[str] = set()
    left = [head]
    while left:
        commit = left.pop()
        if commit in parents and commit not in found:
            found.add(commit)
            left += parents[commit]
    return found


def _fork(reader: GitReader, own: set[str], parents: Mapping[str, list[str]], head: str, base: str) -> Fork | None:
    """Where a branch left the default branch. One commit that both have is it; of several, git knows the best."""
    shared = {parent for commit in own for parent in parents[commit] if parent not in own}
    if len(shared) == 1:
        return Fork(shared.pop(), certain=True)
    commit, certain = reader.merge_base(base, head)
    return Fork(commit, certain) if commit is not None else None
