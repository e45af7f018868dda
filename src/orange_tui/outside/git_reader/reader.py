"""Questions about a repository's branches, answered by pygit2 where it can and by the git program where it must.

The answers are the same; pygit2 only needs no process for them. Whether a pair of commits would conflict is always
decided by git: it finds renames and merges files in ways of its own. Everything here takes its time: call it off
the event loop. Neither runs anything that the repository configures.
"""

from __future__ import annotations

import os
import re
from functools import partial

from orange_tui.domain.records import record
from orange_tui.outside.git import Repository, local
from orange_tui.outside.git_guard.look import look_at_repository
from orange_tui.outside.git_merge import conflicts_of
from orange_tui.outside.git_worktree import common_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeVar

    from orange_tui.outside.git_reader._objects import ChangedFile, GitObjects

    T = TypeVar("T")
    Pair = tuple[str, str]  # two commits, the older one first

_LOCAL = local("")
_REFS = "--format=%(refname)%00%(objectname)"
_LINES = ("diff-tree", "--stdin", "--always", "-r", "-M", "--shortstat", "--no-ext-diff")
_FILES = ("diff-tree", "--stdin", "--always", "-r", "-z", "--name-status", "--no-renames")
_LAYOUT = ("", "config", "packed-refs", "shallow", "info/grafts", "refs/replace")  # what pygit2 must know of anew
_TIMEOUT_SECONDS = 120.0  # for all branches at once
_COUNTS = re.compile(r"(\d+) (insertion|deletion)")


@record
class ChangedFiles:
    """The files that differ between two commits, and the directories they are in."""

    files: frozenset[str]
    directories: frozenset[str]
    may_rename: bool  # some were added and others deleted, so that git may call it a rename

    def overlap(self, other: ChangedFiles) -> bool:
        """Whether two sets of changes touch: the same file, or a name that is a file here and a directory there."""
        apart = self.files.isdisjoint(other.files)
        return not (apart and self.files.isdisjoint(other.directories) and other.files.isdisjoint(self.directories))


class GitReader:
    """The branches of one repository. Without `use_library`, git alone is asked."""

    def __init__(self, path: str, *, use_library: bool = True) -> None:
        self._path = path
        self._use_library = use_library
        self._opened: tuple[object, GitObjects | None] = (None, None)  # by the signature it had then

    def tips(self, names: Sequence[str]) -> dict[str, str]:
        """Which of these full names of branches exist, and their commits."""
        found = self._read(lambda objects: objects.tips(names))
        if found is not None:
            return found
        patterns = {_LOCAL if name.startswith(_LOCAL) else name for name in names}
        there = dict(line.split("\0") for line in self._ask("for-each-ref", _REFS, *patterns).splitlines())
        return {name: there[name] for name in names if name in there}

    def commits_not_in(self, base: str, heads: Iterable[str]) -> dict[str, list[str]]:
        """The commits that are reachable from the heads and not from the base, each with its parents."""
        heads = sorted(set(heads))
        found = self._read(lambda objects: objects.commits_not_in([base], heads))
        if found is not None:
            return found
        words = "".join(f"{head}\n" for head in heads) + f"^{base}\n"
        commits = [line.split() for line in self._ask("rev-list", "--parents", "--stdin", stdin=words).splitlines()]
        return {commit: parents for commit, *parents in commits}

    def merge_base(self, one: str, other: str) -> tuple[str | None, bool]:
        """A best common ancestor of two commits, and whether it is certain that there is no other one."""
        found = self._read(lambda objects: (objects.merge_base(one, other), True))
        if found is not None:
            return found
        with look_at_repository(self._path) as git:
            return git.answer("merge-base", one, other), False

    def changed_lines(self, pairs: Iterable[Pair]) -> dict[Pair, tuple[int, int]]:
        """Lines added and removed between the commits of each pair, renamed files not counted as new."""
        pairs = list(pairs)
        found = self._each(pairs, lambda objects, pair: objects.changed_lines(*pair, self._path))
        return found | self._lines_by_program([pair for pair in pairs if pair not in found])

    def changed_files(self, pairs: Iterable[Pair]) -> dict[Pair, ChangedFiles]:
        """The files that differ between the commits of each pair."""
        pairs = list(pairs)
        found = self._each(pairs, lambda objects, pair: _changes(_statuses(objects.changed_files(*pair))))
        return found | self._files_by_program([pair for pair in pairs if pair not in found])

    def conflicts(self, pairs: Iterable[Pair]) -> dict[Pair, tuple[str, ...]]:
        """The files that would conflict in the merge of each pair of commits."""
        return conflicts_of(Repository(self._path), pairs)

    def _each(self, pairs: Iterable[Pair], read: Callable[[GitObjects, Pair], T]) -> dict[Pair, T]:
        """The answers of pygit2, for the pairs that it can answer for."""
        objects = self._open()
        answers = {pair: _attempt(partial(read, objects, pair)) for pair in pairs} if objects is not None else {}
        return {pair: answer for pair, answer in answers.items() if answer is not None}

    def _read(self, read: Callable[[GitObjects], T]) -> T | None:
        """The answer of pygit2; None where git must be asked, for whatever reason."""
        objects = self._open()
        return None if objects is None else _attempt(partial(read, objects))

    def _open(self) -> GitObjects | None:
        """The repository as pygit2 sees it, opened again when anything has changed that decides whether it can be."""
        if not self._use_library:
            return None
        directory = common_directory(self._path) or self._path
        signature = [_signature(os.path.join(directory, name)) for name in _LAYOUT]
        if signature != self._opened[0]:
            self._opened = (signature, _open_objects(directory))
        return self._opened[1]

    def _lines_by_program(self, pairs: Sequence[Pair]) -> dict[Pair, tuple[int, int]]:
        """One process for any number of pairs; git prints the newer commit of each before its counts."""
        left, found = iter(pairs), dict.fromkeys(pairs, (0, 0))
        for line in self._ask(*_LINES, stdin=_as_lines(pairs)).splitlines() if pairs else ():
            if line and not line.startswith(" "):
                current = next(left)
            elif line:
                counts = {kind: int(number) for number, kind in _COUNTS.findall(line)}
                found[current] = (counts.get("insertion", 0), counts.get("deletion", 0))
        return found

    def _files_by_program(self, pairs: Sequence[Pair]) -> dict[Pair, ChangedFiles]:
        """The same for files: each has its status before it, which is a letter."""
        left = iter(pairs)
        statuses: dict[Pair, dict[str, str]] = {pair: {} for pair in pairs}
        words = iter(self._ask(*_FILES, stdin=_as_lines(pairs)).split("\0") if pairs else ())
        for word in words:
            if len(word) > 1:
                current = statuses[next(left)]
            elif word:
                current[next(words)] = word
        return {pair: _changes(files) for pair, files in statuses.items()}

    def _ask(self, *words: str, stdin: str | None = None) -> str:
        with look_at_repository(self._path) as git:
            return git.must(*words, extra={"LC_ALL": "C"}, stdin=stdin, timeout=_TIMEOUT_SECONDS)


class GitReaders:
    """The readers of all repositories, each made once."""

    def __init__(self, *, use_library: bool = True) -> None:
        self._use_library = use_library
        self._readers: dict[str, GitReader] = {}

    def of(self, path: str) -> GitReader:
        """The reader of the repository at a path."""
        if path not in self._readers:
            self._readers[path] = GitReader(path, use_library=self._use_library)
        return self._readers[path]


def _attempt(read: Callable[[], T]) -> T | None:
    from orange_tui.outside.git_reader._objects import READ_ERRORS

    try:
        return read()
    except READ_ERRORS:
        return None


def _open_objects(directory: str) -> GitObjects | None:
    try:
        from orange_tui.outside.git_reader._objects import GitObjects
    except ImportError:  # there is no pygit2 for this machine
        return None
    return _attempt(lambda: GitObjects(directory))


def _signature(path: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return (found.st_dev, found.st_ino, 0 if os.path.isdir(path) else found.st_mtime_ns)


def _as_lines(pairs: Iterable[Pair]) -> str:
    return "".join(f"{new} {old}\n" for old, new in pairs)


def _changes(files: Mapping[str, str]) -> ChangedFiles:
    """What is known of changed files, given whether each was added (A), deleted (D) or changed in another way."""
    directories: set[str] = set()
    for name in files:
        while (name := name.rpartition("/")[0]) and name not in directories:
            directories.add(name)
    return ChangedFiles(frozenset(files), frozenset(directories), {"A", "D"} <= set(files.values()))


def _statuses(files: Iterable[ChangedFile]) -> dict[str, str]:
    return {file.path: "A" if file.old is None else "D" if file.new is None else "M" for file in files}
