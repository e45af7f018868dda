"""Which tasks would not merge, known before anybody tries: with the default branch, and with one another.

Commits only, and no checkout is touched. Two sides can only conflict where both have changed the same files, or have
renamed some, so the changed files are found first; only what may conflict is merged, by git, in one process. What is
known of a pair of commits stays true and is cached. Everything here waits: call it off the event loop.
"""

from __future__ import annotations

from itertools import combinations

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from orange_tui.branches.distance import BranchPositions
    from orange_tui.home.projects import Project
    from orange_tui.outside.git_reader.reader import ChangedFiles, GitReader, GitReaders

    Pair = tuple[str, str]

_MOST_CACHED = 50_000  # pairs; old ones are of no use, but cost little


@record
class Conflicts:
    """What stands against a task's branch as it is committed now."""

    files: tuple[str, ...]  # where it would not merge into the default branch
    others: Mapping[str, tuple[str, ...]]  # unfinished tasks whose branches it conflicts with, and where
    base: str  # what the default branch is called where it was compared: `main`, or `origin/main`


@record
class _Inputs:
    """All that a forecast depends on: while it is the same, so is the forecast."""

    positions: BranchPositions
    tasks: Mapping[str, str]


class ConflictForecast:
    """What is known about the branches of all projects."""

    def __init__(self, readers: GitReaders) -> None:
        self._readers = readers
        self._changed: dict[Pair, ChangedFiles] = {}  # fork and commit → what was changed in between
        self._merged: dict[Pair, tuple[str, ...]] = {}  # two commits → what conflicts in their merge
        self._forecasts: dict[str, tuple[_Inputs, dict[str, Conflicts]]] = {}

    def refresh(
        self, project: Project, positions: BranchPositions | None, tasks: Mapping[str, str]
    ) -> dict[str, Conflicts]:
        """The conflicts of those tasks that have any; `tasks` are the unfinished ones, by branch."""
        if positions is None:
            return {}
        inputs = _Inputs(positions, dict(tasks))
        forecast = self._forecasts.get(project.path)
        if forecast is None or forecast[0] != inputs:
            try:
                forecast = (inputs, self._forecast(self._readers.of(project.path), inputs))
            except OrangeError:
                return {}
            self._forecasts[project.path] = forecast
        return forecast[1]

    def _forecast(self, reader: GitReader, inputs: _Inputs) -> dict[str, Conflicts]:
        positions = inputs.positions
        heads = {task: positions.heads[branch] for branch, task in inputs.tasks.items() if _has_work(positions, branch)}
        self._shrink_caches()
        changed = self._changed_files(reader, positions, set(heads.values()))
        close = [pair for pair in combinations(sorted(changed), 2) if changed[pair[0]].overlap(changed[pair[1]])]
        self._merge(reader, [*self._with_base(reader, positions, changed), *close])
        alone = {head: self._merged[positions.base, head] for head in heads.values()}
        between = {pair: self._between(pair, changed, alone) for pair in close}
        found = {
            task: Conflicts(_shown(alone[head]), _others(task, heads, between), positions.name)
            for task, head in heads.items()
        }
        return {task: conflicts for task, conflicts in found.items() if conflicts.files or conflicts.others}

    def _shrink_caches(self) -> None:
        if len(self._changed) > _MOST_CACHED:
            self._changed.clear()
        if len(self._merged) > _MOST_CACHED:
            self._merged.clear()

    def _changed_files(self, reader: GitReader, positions: BranchPositions, heads: set[str]) -> dict[str, ChangedFiles]:
        wanted = {head: (positions.forks[head].commit, head) for head in heads}
        self._read_changes(reader, wanted.values())
        return {head: self._changed[pair] for head, pair in wanted.items()}

    def _read_changes(self, reader: GitReader, pairs: Iterable[Pair]) -> None:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._changed]
        if new:
            self._changed.update(reader.changed_files(new))

    def _with_base(
        self, reader: GitReader, positions: BranchPositions, changed: Mapping[str, ChangedFiles]
    ) -> list[Pair]:
        """The merges with the default branch that may conflict; of the others it is noted that they do not."""
        new = {head: positions.forks[head] for head in changed if (positions.base, head) not in self._merged}
        behind = {head: (fork.commit, positions.base) for head, fork in new.items() if fork.commit != positions.base}
        self._read_changes(reader, behind.values())
        for head, fork in new.items():
            theirs = self._changed[behind[head]] if head in behind else None
            if theirs is None or (fork.certain and _merge_cleanly(changed[head], theirs)):
                self._merged[positions.base, head] = ()
        return [(positions.base, head) for head in changed]

    def _merge(self, reader: GitReader, pairs: Iterable[Pair]) -> None:
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._merged]
        if new:
            self._merged.update(reader.conflicts(new))

    def _between(
        self, pair: Pair, changed: Mapping[str, ChangedFiles], alone: Mapping[str, tuple[str, ...]]
    ) -> tuple[str, ...]:
        """The conflicts between two branches.

        The younger one brings along what the default branch has changed since the older one left. A file that
        conflicts with that is shown as such, and not as one between the two unless both have changed it.
        """
        both = changed[pair[0]].files & changed[pair[1]].files
        with_base = {*alone[pair[0]], *alone[pair[1]]} - both
        return tuple(name for name in self._merged[pair] if name not in with_base)


def _merge_cleanly(ours: ChangedFiles, theirs: ChangedFiles) -> bool:
    """Whether it takes no merge to know: each file was changed on one side only, and none can have been renamed."""
    return not (ours.overlap(theirs) or ours.may_rename or theirs.may_rename)


def _has_work(positions: BranchPositions, branch: str) -> bool:
    """Whether a branch is there and has commits of its own."""
    return positions.heads.get(branch, "") in positions.forks


def _others(task: str, heads: Mapping[str, str], between: Mapping[Pair, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The other tasks that a task conflicts with, and where."""
    own = heads[task]
    pairs = {other: (min(own, head), max(own, head)) for other, head in heads.items() if other != task}
    return {other: _shown(files) for other, pair in pairs.items() if (files := between.get(pair, ()))}


def _shown(files: Iterable[str]) -> tuple[str, ...]:
    """Names fit for a sentence: git lets a file be called anything."""
    return tuple(printable(name) for name in files)
