"""Merging in git's object store: what would come of it, and the commit it makes. No checkout is touched.

`git merge-tree --write-tree` does the whole work of a merge without an index or a working tree, so conflicts are
known before anything has changed, also of a branch that is checked out and changed somewhere.
"""

from __future__ import annotations

from functools import lru_cache

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import SLOW_SECONDS, Repository
from orange_tui.outside.git_guard.look import look_at_repository
from orange_tui.outside.git_worktree import common_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Pair = tuple[str, str]

_WRONG_USAGE = 129
_CONFLICT = 1
_ONE_MERGE = ("merge-tree", "--write-tree", "-z", "--name-only", "--no-messages")
_MANY_MERGES = ("merge-tree", "--stdin", "--name-only", "--no-messages")
_CLEAN = "1"
_BATCH_SIZE = 500  # merges in one process, so that none runs for minutes


@record
class MergedTree:
    """What a merge would make: a tree, and the files in it that hold conflict marks."""

    tree: str
    conflicts: tuple[str, ...]


def merged_tree(repository: Repository, ours: str, theirs: str) -> MergedTree:
    """Merge two commits; the result is only written to the object store."""
    done = repository.ask(*_ONE_MERGE, ours, theirs, timeout=SLOW_SECONDS)
    if done.code == _WRONG_USAGE:
        raise Refused("Merging takes git 2.38 or later (`git merge-tree --write-tree`); this one is older: update it")
    if done.code not in {0, _CONFLICT}:
        raise Refused(f"git merge-tree: {done.message or f'ended with {done.code}'}")
    tree, *files = done.output.split("\0")
    return MergedTree(tree, tuple(dict.fromkeys(name for name in files if name)) if done.code == _CONFLICT else ())


def conflicts_of(repository: Repository, pairs: Iterable[Pair]) -> dict[Pair, tuple[str, ...]]:
    """Which files would conflict in each of many merges; one process for hundreds of them.

    A dry run: the objects that git writes for it go to a temporary directory, not into the person's repository, and
    no merge driver of the repository's is run.
    """
    import tempfile

    wanted, found = list(pairs), {}
    with (
        tempfile.TemporaryDirectory(prefix="orange-merge-") as temporary,
        look_at_repository(repository.path) as looking,
    ):
        extra = {"GIT_OBJECT_DIRECTORY": temporary, "GIT_ALTERNATE_OBJECT_DIRECTORIES": _objects(repository.path)}
        for start in range(0, len(wanted), _BATCH_SIZE):
            found.update(_batch_conflicts(looking, wanted[start : start + _BATCH_SIZE], extra))
    return found


def _batch_conflicts(
    repository: Repository, pairs: Sequence[Pair], extra: dict[str, str]
) -> dict[Pair, tuple[str, ...]]:
    lines = "".join(f"{one} {other}\n" for one, other in pairs)
    done = repository.ask(*_MANY_MERGES, stdin=lines, extra=extra, timeout=SLOW_SECONDS)
    if done.code == _WRONG_USAGE:  # git 2.38 takes one merge at a time
        return {pair: merged_tree(repository, *pair).conflicts for pair in pairs}
    results = list(_results(done.output)) if done.code == 0 else []
    if len(results) != len(pairs):
        raise Refused(f"git merge-tree: {done.message or f'ended with {done.code}'}")
    return dict(zip(pairs, results, strict=True))


def _results(output: str) -> Iterator[tuple[str, ...]]:
    """For each merge git prints whether it is clean, its tree, the conflicting files, and an empty name as the end."""
    fields = iter(output.split("\0"))
    for status in fields:
        if not status:
            return
        next(fields, "")
        files = tuple(dict.fromkeys(iter(lambda: next(fields, ""), "")))
        yield () if status == _CLEAN else files


@lru_cache(maxsize=256)
def _objects(path: str) -> str:
    """A repository's object directory, quoted: git splits a list of such directories at colons."""
    place = f"{common_directory(path) or path}/objects"
    return '"' + place.replace("\\", "\\\\").replace('"', '\\"') + '"'


@lru_cache(maxsize=4096)
def ahead_and_behind(path: str, base: str, head: str) -> tuple[int, int]:
    """How many commits each of two has that the other has not: those of `head`, then those of `base`."""
    behind, ahead = Repository(path).must("rev-list", "--left-right", "--count", f"{base}...{head}").split()
    return int(ahead), int(behind)


def contains(repository: Repository, commit: str, earlier: str) -> bool:
    """Whether one commit leads back to another, or is it; a commit that is not here leads to nothing."""
    return repository.ask("merge-base", "--is-ancestor", earlier, commit).code == 0


def represents(repository: Repository, commit: str, head: str) -> bool:
    """Whether a commit is a branch's merge: it leads back to the branch's head, or has the files of a squash of it."""
    if contains(repository, commit, head):
        return True
    words = ("rev-parse", "--verify", "--quiet")
    before, known = (repository.answer(*words, name) for name in (f"{commit}^", f"{head}^{{commit}}"))
    if before is None or known is None:
        return False
    merged = merged_tree(repository, before, head)
    return not merged.conflicts and merged.tree == tree_of(repository, commit)


def tree_of(repository: Repository, commit: str) -> str:
    """The files of a commit, as git names them all at once."""
    return repository.must("rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}").strip()


def has_moved(repository: Repository, name: str) -> bool:
    """Whether a branch ever pointed to another commit than now; without a reflog, it may have."""
    known = repository.ask("rev-list", "--walk-reflogs", name, "--")
    return known.code != 0 or len(set(known.output.split())) != 1


def make_commit(repository: Repository, tree: str, parents: tuple[str, ...], message: str) -> str:
    """A commit by whoever git says we are, signed where they sign all of theirs."""
    named = [word for parent in parents for word in ("-p", parent)]
    signs = repository.answer("config", "--type=bool", "--get", "commit.gpgSign") == "true"
    signed = ("-S",) if signs else ()
    return repository.must("commit-tree", tree, *named, *signed, "-m", message).strip()
