"""Which tasks would not merge, known before anybody tries: with the default branch, and with one another.

Commits only, and no checkout is touched. Two branches can only collide where both have changed the same files, so
those are found first, in one process for all branches; what is left is merged in another one. What is known of a
pair of commits stays true and is kept. Everything here waits for git: call it off the event loop.
"""

from __future__ import annotations

from itertools import combinations

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.task import printable
from orange_tui.outside.git import SLOW, Repository
from orange_tui.outside.git_merge import conflicts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from orange_tui.branches.distance import Seen
    from orange_tui.home.projects import Project

    Pair = tuple[str, str]
    Files = frozenset[str]

_FILES = ("diff-tree", "--stdin", "-r", "-z", "--name-only", "--no-renames")
_MOST_KNOWN = 50_000  # pairs; old ones are of no use, but cost little


@record
class Conflicts:
    """What stands against a task's branch as it is committed now."""

    files: tuple[str, ...]  # where it would not merge into the default branch
    others: Mapping[str, tuple[str, ...]]  # unfinished tasks whose branches it collides with, and where
    base: str  # what the default branch is called where it was compared: `main`, or `origin/main`


@record
class _Changed:
    """The files a branch has changed, and the directories they are in."""

    files: Files
    directories: Files

    def meets(self, other: _Changed) -> bool:
        """Whether two sets of changes touch: the same file, or a name that is a file here and a directory there."""
        apart = self.files.isdisjoint(other.files)
        return not (apart and self.files.isdisjoint(other.directories) and other.files.isdisjoint(self.directories))


@record
class _Look:
    """All that an answer depends on: while it is the same, so is the answer."""

    seen: Seen
    tasks: Mapping[str, str]


class Collisions:
    """What is known about the branches of all projects."""

    def __init__(self) -> None:
        self._changed: dict[Pair, _Changed] = {}  # head and fork → what was changed since
        self._merged: dict[Pair, tuple[str, ...]] = {}  # two commits → what conflicts in their merge
        self._told: dict[str, tuple[_Look, dict[str, Conflicts]]] = {}

    def refresh(self, project: Project, seen: Seen | None, tasks: Mapping[str, str]) -> dict[str, Conflicts]:
        """The conflicts of those tasks that have any; `tasks` are the unfinished ones, by branch."""
        if seen is None:
            return {}
        look = _Look(seen, dict(tasks))
        before = self._told.get(project.path)
        if before is None or before[0] != look:
            try:
                before = (look, self._looked_up(Repository(project.path), look))
            except OrangeError:
                return {}
            self._told[project.path] = before
        return before[1]

    def _looked_up(self, git: Repository, look: _Look) -> dict[str, Conflicts]:
        seen = look.seen
        heads = {task: seen.heads[branch] for branch, task in look.tasks.items() if _has_work(seen, branch)}
        self._forget_too_much()
        changed = self._changes(git, seen, set(heads.values()))
        close = [(one, other) for one, other in combinations(sorted(changed), 2) if changed[one].meets(changed[other])]
        self._merge(git, [*((seen.base, head) for head in heads.values()), *close])
        alone = {head: self._merged[seen.base, head] for head in heads.values()}
        between = {pair: self._theirs(pair, changed, alone) for pair in close}
        told = {
            task: Conflicts(_shown(alone[head]), _others(task, heads, between), seen.name)
            for task, head in heads.items()
        }
        return {task: found for task, found in told.items() if found.files or found.others}

    def _forget_too_much(self) -> None:
        for known in (self._changed, self._merged):
            if len(known) > _MOST_KNOWN:
                known.clear()

    def _changes(self, git: Repository, seen: Seen, heads: set[str]) -> dict[str, _Changed]:
        wanted = {head: (head, seen.forks[head]) for head in heads}
        new = [pair for pair in wanted.values() if pair not in self._changed]
        if new:
            self._changed.update(_listed(git, new))
        return {head: self._changed[pair] for head, pair in wanted.items()}

    def _merge(self, git: Repository, pairs: Iterable[Pair]) -> None:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._merged]
        if new:
            self._merged.update(conflicts_of(git, new))

    def _theirs(
        self, pair: Pair, changed: Mapping[str, _Changed], alone: Mapping[str, tuple[str, ...]]
    ) -> tuple[str, ...]:
        """What two branches have against each other.

        The younger one brings along what the default branch has changed since the older one left. A file that
        conflicts with that is told as such, and is no affair between the two unless both have changed it.
        """
        both = changed[pair[0]].files & changed[pair[1]].files
        old_news = {*alone[pair[0]], *alone[pair[1]]} - both
        return tuple(name for name in self._merged[pair] if name not in old_news)


def _has_work(seen: Seen, branch: str) -> bool:
    """Whether a branch is there and has commits of its own."""
    return seen.heads.get(branch, "") in seen.forks


def _listed(git: Repository, pairs: list[Pair]) -> dict[Pair, _Changed]:
    """The files that were changed between commits: one process for any number of pairs."""
    found: dict[str, set[str]] = {head: set() for head, _ in pairs}
    current: set[str] = set()
    lines = "".join(f"{head} {fork}\n" for head, fork in pairs)
    for name in git.must(*_FILES, stdin=lines, timeout=SLOW).split("\0"):
        if name in found:
            current = found[name]
        elif name:
            current.add(name)
    return {pair: _Changed(frozenset(found[pair[0]]), _directories(found[pair[0]])) for pair in pairs}


def _directories(files: Iterable[str]) -> Files:
    found: set[str] = set()
    for name in files:
        while (name := name.rpartition("/")[0]) and name not in found:
            found.add(name)
    return frozenset(found)


def _others(task: str, heads: Mapping[str, str], between: Mapping[Pair, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """With whom a task collides, and where."""
    own = heads[task]
    pairs = {other: (min(own, head), max(own, head)) for other, head in heads.items() if other != task}
    return {other: _shown(files) for other, pair in pairs.items() if (files := between.get(pair, ()))}


def _shown(files: Iterable[str]) -> tuple[str, ...]:
    """Names fit for a sentence: git lets a file be called anything."""
    return tuple(printable(name) for name in files)
