"""Which commits are reachable from one side and not from the other, found as git finds it."""

from __future__ import annotations

import math
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from orange_tui.domain.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_EXTRA_STEPS = 5  # of a walk that seems to be over: git takes as many, for clocks that were wrong
_IN_HEADS, _IN_BASES = 1, 2


class CannotRead(Exception):
    """Git must be asked: the answer is out of bounds, or not what pygit2 can tell."""


@record
class Commit:
    """What a walk needs to know of a commit."""

    tree: str
    parents: list[str]
    time: int


class CommitWalk:
    """Commits followed to their parents from two sides, the newest first.

    It is over when no head is left to follow, and all that is left is older than what only heads have: then no base
    can reach any of that. This is right where no commit is older than its parent; one that is found ends the walk.
    """

    def __init__(self, read: Callable[[str], Commit], bases: Iterable[str], heads: Iterable[str]) -> None:
        self._read = read
        self._reached: dict[str, int] = {}  # commit → the sides it is reachable from
        self._queue: list[tuple[int, str]] = []
        self._open_heads: set[str] = set()
        self._oldest: float = math.inf  # of the commits that only heads have, as far as they were followed
        self._extra_steps = _EXTRA_STEPS
        for base in bases:
            self._reach(base, _IN_BASES)
        for head in heads:
            self._reach(head, _IN_HEADS)

    def _reach(self, commit: str, sides: int) -> None:
        """Note that a commit is reachable from one side or both; if that is new, it is followed."""
        known = self._reached.get(commit, 0)
        if known | sides != known:
            self._reached[commit] = known | sides
            heappush(self._queue, (-self._read(commit).time, commit))
            (self._open_heads.add if known | sides == _IN_HEADS else self._open_heads.discard)(commit)

    def is_over(self) -> bool:
        """Whether nothing can change any more about what only heads have; to be asked before each step."""
        if not self._queue:
            return True
        self._extra_steps = self._extra_steps - 1 if self._seems_over() else _EXTRA_STEPS
        return self._extra_steps == 0

    def _seems_over(self) -> bool:
        """The same, judged by the times of the commits."""
        return not self._open_heads and -self._queue[0][0] < self._oldest

    def only_in_heads(self) -> list[str]:
        """The commits that no base can reach."""
        return [commit for commit, sides in self._reached.items() if sides == _IN_HEADS]

    def step(self) -> None:
        """Follow the newest commit that was not followed yet."""
        _, commit = heappop(self._queue)
        self._open_heads.discard(commit)
        time = self._read(commit).time
        if self._reached[commit] == _IN_HEADS:
            self._oldest = time
        for parent in self._read(commit).parents:
            if self._read(parent).time > time:
                raise CannotRead("a commit is older than its parent")
            self._reach(parent, self._reached[commit])
