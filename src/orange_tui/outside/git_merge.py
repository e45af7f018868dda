"""Merging in git's object store: what would come of it, and the commit it makes. No checkout is touched.

`git merge-tree --write-tree` does the whole work of a merge without an index or a working tree, so conflicts are
known before anything has changed, also of a branch that is checked out and changed somewhere.
"""

from __future__ import annotations

from functools import lru_cache

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import SLOW, Repository

_WRONG_USAGE = 129
_CONFLICT = 1
_WORDS = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")


@record
class MergedTree:
    """What a merge would make: a tree, and the files in it that hold conflict marks."""

    tree: str
    conflicts: tuple[str, ...]


def merged_tree(repository: Repository, ours: str, theirs: str) -> MergedTree:
    """Merge two commits; the result is only written to the object store."""
    done = repository.ask(*_WORDS, ours, theirs, timeout=SLOW)
    if done.code == _WRONG_USAGE:
        raise Refused("Merging takes git 2.38 or later (`git merge-tree --write-tree`); this one is older: update it")
    if done.code not in {0, _CONFLICT}:
        raise Refused(f"git merge-tree: {done.message or f'ended with {done.code}'}")
    tree, *files = done.output.split("\0")
    return MergedTree(tree, tuple(dict.fromkeys(name for name in files if name)) if done.code == _CONFLICT else ())


@lru_cache(maxsize=4096)
def known_tree(path: str, ours: str, theirs: str) -> MergedTree:
    """The same, asked once for a pair of commits: what they merge to does not change. For looking, not for merging."""
    return merged_tree(Repository(path), ours, theirs)


@lru_cache(maxsize=4096)
def ahead_and_behind(path: str, base: str, head: str) -> tuple[int, int]:
    """How many commits each of two has that the other has not: those of `head`, then those of `base`."""
    behind, ahead = Repository(path).must("rev-list", "--left-right", "--count", f"{base}...{head}").split()
    return int(ahead), int(behind)


def contains(repository: Repository, commit: str, earlier: str) -> bool:
    """Whether one commit leads back to another, or is it; a commit that is not here leads to nothing."""
    return repository.ask("merge-base", "--is-ancestor", earlier, commit).code == 0


def tree_of(repository: Repository, commit: str) -> str:
    """The files of a commit, as git names them all at once."""
    return repository.must("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}").strip()


def has_moved(repository: Repository, name: str) -> bool:
    """Whether a branch ever stood on another commit than today; where git kept no record, it may have."""
    known = repository.ask("log", "--walk-reflogs", "--format=%H", name, "--")
    return known.code != 0 or len(set(known.output.split())) != 1


def make_commit(repository: Repository, tree: str, parents: tuple[str, ...], message: str) -> str:
    """A commit by whoever git says we are, signed where they sign all of theirs."""
    named = [word for parent in parents for word in ("-p", parent)]
    signs = repository.answer("config", "--type=bool", "--get", "commit.gpgSign") == "true"
    signed = ("-S",) if signs else ()
    return repository.must("commit-tree", tree, *named, *signed, "-m", message).strip()
