"""How far each task's branch is from the default branch: commits ahead, lines added and removed.

Whatever the number of branches, a look costs one git process while nothing has moved, and three when something has:
where all branches are, the commits they are ahead, and the lines of those that changed. What is known of a pair of
commits stays true, so it is kept. Everything here waits for git: call it off the event loop.
"""

from __future__ import annotations

import os
import re

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.home.files import read_bytes
from orange_tui.outside.git import REMOTE, Repository, environment_for_git, local, remote
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from orange_tui.home.projects import Project

    Pair = tuple[str, str]  # head and base

_REFS = "--format=%(refname)%00%(objectname)"
_DIFF = ("diff-tree", "--stdin", "-r", "-M", "--shortstat", "--no-ext-diff")
_COUNTS = re.compile(r"(\d+) (insertion|deletion)")
_MOST_BYTES = 1_000_000  # of a file git does not know yet; a longer one is hardly written by hand
_MOST_KNOWN = 50_000  # pairs; old ones are of no use, but cost little
_PATIENCE = 120.0  # seconds for all branches at once


@record
class Stats:
    """How far a branch is from the default branch: commits, and lines added and removed."""

    ahead: int
    added: int
    removed: int


@record
class Seen:
    """Where a project's branches were at the last look."""

    name: str  # of the default branch, here or on the remote
    base: str  # its commit, which all are compared with
    heads: Mapping[str, str]  # branch → commit
    forks: Mapping[str, str]  # commit → where it left the default branch; of those that have commits of their own


class GitStats:
    """What git says about the branches of all projects, as far as it was asked."""

    def __init__(self) -> None:
        self._known: dict[Pair, Stats] = {}
        self._forks: dict[Pair, str] = {}
        self._seen: dict[str, Seen] = {}

    def seen(self, project: Project) -> Seen | None:
        """What the last refresh saw; None where it saw nothing."""
        return self._seen.get(project.path)

    def refresh(self, project: Project, branches: Iterable[str]) -> dict[str, Stats]:
        """The stats of those branches that exist; none, where git or the repository is not there."""
        self._seen.pop(project.path, None)
        try:
            heads, name, base = _heads(project)
            if base is None:
                return {}
            wanted = {branch: heads[branch] for branch in branches if branch in heads}
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
                self._forks.clear()
            new = {head for head in wanted.values() if (head, base) not in self._known}
            self._measure(project.path, new, base)
        except OrangeError:
            return {}
        forks = {head: fork for head in wanted.values() if (fork := self._forks.get((head, base)))}
        self._seen[project.path] = Seen(name, base, wanted, forks)
        pairs = {branch: (head, base) for branch, head in wanted.items()}
        return {branch: self._known[pair] for branch, pair in pairs.items() if pair in self._known}

    def _measure(self, path: str, heads: set[str], base: str) -> None:
        if not heads:
            return
        ahead, forks = _ahead(path, heads, base)
        lines = _changed_lines(path, forks)
        self._forks.update({(head, base): fork for head, fork in forks.items()})
        self._known.update({(head, base): Stats(ahead[head], *lines.get(head, (0, 0))) for head in heads})

    def with_uncommitted(self, project: Project, branch: str, worktree: str) -> Stats | None:
        """The same for one branch with all that lies in its worktree, committed or not; for the task a person looks at.

        This is not kept: what is not committed has no name to keep it under, and finding out is the whole cost.
        """
        committed = self.refresh(project, [branch]).get(branch)
        try:
            _, _, base = _heads(project)
            fork = _merge_base(worktree, base, "HEAD") if base is not None else None
            if fork is None or committed is None:
                return committed
            added, removed = _counted(_ask(worktree, "diff", "--shortstat", "--no-ext-diff", fork))
            return Stats(committed.ahead, added + _untracked_lines(worktree), removed)
        except OrangeError:
            return committed


def _heads(project: Project) -> tuple[dict[str, str], str, str | None]:
    """Where all branches are, and what they are compared with: the remote's default branch, else ours."""
    default = project.default_branch
    lines = _ask(project.path, "for-each-ref", _REFS, local(""), remote(default)).splitlines()
    refs = dict(line.split("\0") for line in lines)
    heads = {name.removeprefix(local("")): commit for name, commit in refs.items() if name.startswith(local(""))}
    theirs = refs.get(remote(default))
    return heads, f"{REMOTE}/{default}" if theirs else default, theirs or heads.get(default)


def _ahead(path: str, heads: set[str], base: str) -> tuple[dict[str, int], dict[str, str]]:
    """How many commits of its own each head has, and where those that have any left the default branch."""
    words = "".join(f"{head}\n" for head in sorted(heads)) + f"^{base}\n"
    commits = [line.split() for line in _ask(path, "rev-list", "--parents", "--stdin", stdin=words).splitlines()]
    parents = {commit: rest for commit, *rest in commits}
    ahead = {head: _reachable(head, parents) for head in heads}
    forks = {head: fork for head in heads if ahead[head] and (fork := _fork(path, ahead[head], parents, head, base))}
    return {head: len(own) for head, own in ahead.items()}, forks


def _reachable(head: str, parents: Mapping[str, list[str]]) -> set[str]:
    """The commits of a branch that the default branch does not have."""
    found: set[str] = set()
    left = [head]
    while left:
        commit = left.pop()
        if commit in parents and commit not in found:
            found.add(commit)
            left += parents[commit]
    return found


def _fork(path: str, ahead: set[str], parents: Mapping[str, list[str]], head: str, base: str) -> str | None:
    """Where a branch left the default branch. One commit that both have is it; of several, git knows the best."""
    shared = {parent for commit in ahead for parent in parents[commit] if parent not in ahead}
    return shared.pop() if len(shared) == 1 else _merge_base(path, base, head)


def _merge_base(path: str, one: str, other: str) -> str | None:
    return Repository(path).answer("merge-base", one, other)


def _changed_lines(path: str, forks: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Lines added and removed since the fork, by head: one process for any number of branches."""
    if not forks:
        return {}
    pairs = "".join(f"{head} {fork}\n" for head, fork in forks.items())
    found: dict[str, tuple[int, int]] = {}
    head = ""
    for line in _ask(path, *_DIFF, stdin=pairs).splitlines():
        if line in forks:
            head = line
        elif line.strip():
            found[head] = _counted(line)
    return found


def _counted(shortstat: str) -> tuple[int, int]:
    counts = {kind: int(number) for number, kind in _COUNTS.findall(shortstat)}
    return counts.get("insertion", 0), counts.get("deletion", 0)


def _untracked_lines(worktree: str) -> int:
    names = _ask(worktree, "ls-files", "--others", "--exclude-standard", "-z").split("\0")
    return sum(_lines_in(os.path.join(worktree, name)) for name in names if name)


def _lines_in(path: str) -> int:
    try:
        data = read_bytes(path, max_bytes=_MOST_BYTES)
    except OrangeError:
        return 0
    if len(data) > _MOST_BYTES or b"\0" in data:
        return 0
    return len(data.splitlines())


def _ask(path: str, *words: str, stdin: str | None = None) -> str:
    finished = run(
        ["git", "-C", path, *words],
        environment=environment_for_git() | {"LC_ALL": "C"},
        stdin=None if stdin is None else stdin.encode(),
        timeout=_PATIENCE,
    )
    if finished.code != 0:
        raise Refused(f"git {words[0]}: {finished.message}")
    return finished.output
