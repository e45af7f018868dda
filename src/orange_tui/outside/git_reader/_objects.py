"""Branches, commits, trees and blobs read with pygit2: within this process, without a git process for each question.

pygit2 keeps all other threads waiting while it works. So each call here is a small one, and what is larger than the
bounds below is left to git, like everything that git alone knows: then `CannotRead` is raised. The git directory is
opened as a bare repository, so nothing it configures takes part: no work tree, index, filter, hook or monitor.
"""

from __future__ import annotations

import os
import re
import time
from typing import TYPE_CHECKING

import pygit2
from pygit2.enums import ObjectType, RepositoryOpenFlag

from orange_tui.domain.records import record
from orange_tui.outside.git import REMOTE
from orange_tui.outside.git_reader._walk import CannotRead, Commit, CommitWalk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Entry = tuple[bytes, bytes, bytes]  # mode, name, raw id

MOST_BRANCHES = 1000  # read for one question
MOST_COMMITS = 3000  # visited for one question
MOST_FILES = 300  # changed between two commits
MOST_BLOB_BYTES = 64 * 1024  # of a file whose lines are compared
_MOST_TOTAL_BYTES = 1024 * 1024  # of all files whose lines are compared for two commits
_MOST_TREE_BYTES = 512 * 1024
_MOST_COMMIT_BYTES = 64 * 1024
_MOST_PACKED_REFS_BYTES = 1024 * 1024  # they are parsed all at once
_MOST_CACHED = 20_000  # commits, and a tenth of it trees
_CACHE_BYTES = 16 * 1024 * 1024  # of objects that libgit2 itself keeps
_YIELD_SECONDS = 0.00002  # before each object is read: whoever waits for the interpreter has it first
_BINARY_BYTES = 8000  # git looks for a NUL in so many
_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_DIRECTORY, _SUBMODULE = b"40000", b"160000"
_MODES = {_DIRECTORY, _SUBMODULE, b"100644", b"100755", b"120000"}  # others are changed by git as it reads them
_DIFF_ATTRIBUTE = re.compile(rb"(?m)^(?![ \t]*#).*(?:\bdiff\b|\bbinary\b|\[attr\])")
_FOR_GIT_ALONE = ("core.worktree", "core.ignorecase", "core.attributesfile", "attr.tree", f"remote.{REMOTE}.promisor")
_SETTINGS_BY_ENVIRONMENT = (
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_ATTR_SOURCE",
)
_OTHER_PARENTS = ("shallow", "info/grafts", "refs/replace")
_ATTRIBUTES = b".gitattributes"


READ_ERRORS = (CannotRead, pygit2.GitError, LookupError, ValueError, OSError, RecursionError)


@record
class ChangedFile:
    """One file that differs between two commits: what it is in each of them, if it is there."""

    path: str
    old: tuple[bytes, bytes] | None  # mode and raw id
    new: tuple[bytes, bytes] | None


@record
class _Tree:
    entries: frozenset[Entry]
    attributes: bytes | None  # the raw id of its .gitattributes


_NO_TREE = _Tree(frozenset(), None)


@record
class _Comparison:
    """What differs between two trees, as far as it was compared."""

    files: list[ChangedFile]
    directories: set[bytes]
    attributes: set[bytes]  # raw ids of .gitattributes in those directories

    def add(self, path: str, old: tuple[bytes, bytes] | None, new: tuple[bytes, bytes] | None) -> None:
        """Note a file, unless there are too many."""
        self.files.append(ChangedFile(path, old, new))
        if len(self.files) > MOST_FILES:
            raise CannotRead("too many files")
        if any(side is not None and side[0] == _SUBMODULE for side in (old, new)):
            raise CannotRead("git knows which submodules are to be ignored")


class GitObjects:
    """What is in one repository, given its git directory, the one that all its worktrees share."""

    def __init__(self, directory: str) -> None:
        pygit2.settings.cache_max_size(_CACHE_BYTES)
        self._directory = directory
        self._repository = _opened(directory)
        self._is_bare = _is_set(self._repository, "core.bare")
        self._odb = self._repository.odb
        self._commits: dict[str, Commit] = {}
        self._trees: dict[bytes, _Tree] = {}

    def tips(self, names: Sequence[str]) -> dict[str, str]:
        """Which of these full names of branches exist, and their commits."""
        if len(names) > MOST_BRANCHES:
            raise CannotRead("too many branches")
        found = {}
        for name in names:
            try:
                found[name] = str(self._repository.lookup_reference(name).resolve().target)
            except (KeyError, ValueError):  # it does not exist, or is no name for a branch
                continue
        return found

    def commits_not_in(self, bases: Iterable[str], heads: Iterable[str]) -> dict[str, list[str]]:
        """The commits that are reachable from the heads and not from the bases, each with its parents."""
        walk = CommitWalk(self._commit, bases, heads)
        for _ in range(MOST_COMMITS):
            if walk.is_over():
                return {commit: self._commit(commit).parents for commit in walk.only_in_heads()}
            walk.step()
        raise CannotRead("too many commits")

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor of two commits, where there is but one; None where there is none."""
        own = self.commits_not_in([one], [other])
        if not own:
            return other
        shared = {parent for parents in own.values() for parent in parents if parent not in own}
        best = [each for each in shared if len(shared) == 1 or self.commits_not_in(shared - {each}, [each])]
        if len(best) > 1:
            raise CannotRead("several merge bases")
        return best[0] if best else None

    def changed_files(self, old: str, new: str) -> list[ChangedFile]:
        """The files that differ between two commits, without a thought about renames."""
        return self._compare(old, new).files

    def changed_lines(self, old: str, new: str, worktree: str) -> tuple[int, int]:
        """Lines added and removed between two commits; the worktree is where git would look for attributes."""
        comparison = self._compare(old, new)
        files = comparison.files
        if any(file.old is None for file in files) and any(file.new is None for file in files):
            raise CannotRead("git knows what was renamed")
        self._check_attributes(comparison, worktree)
        added = removed = total = 0
        for file in files:
            before, after = self._contents(file)
            total += len(before) + len(after)
            if total > _MOST_TOTAL_BYTES:
                raise CannotRead("too much to compare")
            if b"\0" not in before[:_BINARY_BYTES] and b"\0" not in after[:_BINARY_BYTES]:
                lines = _compared(before, after)
                added, removed = added + lines[0], removed + lines[1]
        return added, removed

    def _compare(self, old: str, new: str) -> _Comparison:
        found = _Comparison([], set(), set())
        old_tree, new_tree = (bytes.fromhex(self._commit(commit).tree) for commit in (old, new))
        self._compare_trees(old_tree, new_tree, b"", found)
        return found

    def _compare_trees(self, old: bytes | None, new: bytes | None, prefix: bytes, found: _Comparison) -> None:
        before, after = self._tree(old), self._tree(new)
        found.directories.add(prefix)
        found.attributes.update(each.attributes for each in (before, after) if each.attributes is not None)
        gone = {name: (mode, oid) for mode, name, oid in before.entries - after.entries}
        come = {name: (mode, oid) for mode, name, oid in after.entries - before.entries}
        for name in {**gone, **come}:
            sides = (gone.get(name), come.get(name))
            trees = [side[1] if side is not None and side[0] == _DIRECTORY else None for side in sides]
            files = [side if side is not None and side[0] != _DIRECTORY else None for side in sides]
            if any(trees):
                self._compare_trees(trees[0], trees[1], prefix + name + b"/", found)
            if any(files):
                found.add((prefix + name).decode(errors="replace"), files[0], files[1])

    def _contents(self, file: ChangedFile) -> tuple[bytes, bytes]:
        if file.old is not None and file.new is not None:
            if file.old[0][:2] != file.new[0][:2]:
                raise CannotRead("a file became a link, or a link a file")
            if file.old[1] == file.new[1]:
                return b"", b""  # only its mode has changed
        old, new = (b"" if side is None else self._read(side[1], MOST_BLOB_BYTES) for side in (file.old, file.new))
        return old, new

    def _check_attributes(self, comparison: _Comparison, worktree: str) -> None:
        """Attributes can say that a file is binary, or how it is compared: git reads them from many places."""
        if self._is_bare:
            raise CannotRead("git may take the attributes of HEAD")
        config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
        places = [os.path.join(worktree, os.fsdecode(each + _ATTRIBUTES)) for each in comparison.directories]
        places += [f"{self._directory}/info/attributes", f"{config}/git/attributes", "/etc/gitattributes"]
        texts = [_text(place) for place in places]
        texts += [self._read(oid, MOST_BLOB_BYTES) for oid in comparison.attributes]
        if any(_DIFF_ATTRIBUTE.search(text) for text in texts):
            raise CannotRead("attributes decide")

    def _commit(self, commit: str) -> Commit:
        if commit not in self._commits:
            if len(self._commits) > _MOST_CACHED:
                self._commits.clear()
            self._commits[commit] = _parsed(self._read(commit, _MOST_COMMIT_BYTES, ObjectType.COMMIT))
        return self._commits[commit]

    def _tree(self, tree: bytes | None) -> _Tree:
        if tree is None:
            return _NO_TREE
        if tree not in self._trees:
            if len(self._trees) > _MOST_CACHED / 10:
                self._trees.clear()
            self._trees[tree] = _parsed_tree(self._read(tree, _MOST_TREE_BYTES, ObjectType.TREE))
        return self._trees[tree]

    def _read(self, name: str | bytes, most: int, kind: ObjectType = ObjectType.BLOB) -> bytes:
        oid = pygit2.Oid(hex=name) if isinstance(name, str) else pygit2.Oid(raw=name)
        time.sleep(_YIELD_SECONDS)
        found, size = self._odb.read_header(oid)
        if found != kind or size > most:
            raise CannotRead(f"{oid} is of another kind, or too large")
        return self._odb.read(oid)[1]


def _opened(directory: str) -> pygit2.Repository:
    """Open a git directory, unless git would refuse it, or knows more about it than pygit2 does."""
    if os.stat(directory).st_uid != os.geteuid():
        raise CannotRead("it belongs to somebody else: git knows whether that is safe")
    if any(os.environ.get(name) not in {None, "", os.devnull} for name in _SETTINGS_BY_ENVIRONMENT):
        raise CannotRead("pygit2 does not know the settings that the environment gives")
    _check_layout(directory)
    repository = pygit2.Repository(directory, RepositoryOpenFlag.BARE | RepositoryOpenFlag.NO_SEARCH)
    for setting in _FOR_GIT_ALONE:
        if _is_set(repository, setting):
            raise CannotRead(f"{setting} is set")
    return repository


def _is_set(repository: pygit2.Repository, setting: str) -> bool:
    return setting in repository.config and repository.config[setting] != "false"


def _check_layout(directory: str) -> None:
    """Commits can be given other parents than they were made with, and there can be very many branches."""
    for name in _OTHER_PARENTS:
        if os.path.exists(os.path.join(directory, name)):
            raise CannotRead(f"{name} gives commits other parents")
    path = os.path.join(directory, "packed-refs")
    if os.path.exists(path) and os.stat(path).st_size > _MOST_PACKED_REFS_BYTES:
        raise CannotRead("too many packed branches")
    if b" refs/replace/" in _text(path):
        raise CannotRead("refs/replace gives commits other parents")


def _parsed(data: bytes) -> Commit:
    tree, *lines = data.partition(b"\n\n")[0].decode(errors="replace").split("\n")
    parents = [line.removeprefix("parent ") for line in lines if line.startswith("parent ")]
    times = [line.rsplit(" ", 2)[1] for line in lines if line.startswith("committer ")]
    return Commit(tree.removeprefix("tree "), parents, int(times[0]))


def _parsed_tree(data: bytes) -> _Tree:
    entries = _ENTRY.findall(data)
    if not {mode for mode, _, _ in entries} <= _MODES:
        raise CannotRead("modes that only git understands")
    attributes = next((oid for _, name, oid in entries if name == _ATTRIBUTES), None) if _ATTRIBUTES in data else None
    return _Tree(frozenset(entries), attributes)


def _compared(old: bytes, new: bytes) -> tuple[int, int]:
    """How many lines were added and removed, by the same comparison as git's."""
    if not old or not new:
        return _line_count(new), _line_count(old)
    _, added, removed = pygit2.Patch.create_from(old, new).line_stats
    return added, removed


def _line_count(data: bytes) -> int:
    return data.count(b"\n") + (not data.endswith(b"\n") if data else 0)


def _text(path: str) -> bytes:
    """What is in a file; nothing where it is another thing, such as a link to a terminal, which never ends."""
    if not os.path.isfile(path):
        return b""
    try:
        with open(path, "rb") as file:
            return file.read(_MOST_PACKED_REFS_BYTES)
    except OSError:
        return b""
