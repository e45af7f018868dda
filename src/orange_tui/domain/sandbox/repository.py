"""What a git repository needs in a sandbox: commits work, and nothing of it can be made to run something outside.

The git directory that all worktrees share is made anew. What is in it leads to the real thing, live and read-only:
configuration, hooks, attributes, the person's own HEAD and index, other worktrees, packs. Written are objects, the
worktree's own part, the stash, and the branches in the directory of the task's branch.

Git locks `packed-refs` with a file beside it whenever it deletes a reference, and it does that for each cherry-pick
and each step of a rebase. Nothing may be made beside the real one. To find the place, git follows five links; so this
one is the sixth, in a place of the sandbox's own, and reading goes on from there to the real file. There is no room in
that place for as much as a byte: git can lock there, but cannot write a `packed-refs` that would hide the real one,
where the person's git puts this very branch one day. So `git branch -d`, `git bisect`, `git gc` are refused.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.rules import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.sandbox.rules import Tree

SHARED = "/run/orange/git"  # where the real git directory is
_LOCK_PLACE = "/run/orange/packed-refs"
_LINKS = 5
_BRANCHES = "refs/heads"
_MADE_ANEW = frozenset({"objects", "refs", "logs", "worktrees", "packed-refs"})
_MAYBE_LATER = frozenset({"shallow", "config.worktree"})
_FIXED = ("commondir", "gitdir", "config.worktree")  # of a worktree: they say where git finds what it runs
# Of references: what would be forged. A replacement is even taken for the object that it replaces, by every git.
_READ_REFERENCES = ("heads", "notes", "orange", "remotes", "replace", "tags")
_MAX_PACKS = 100  # each is two mounts; a repository that is packed now and then has a handful
_MAX_BRANCHES = 300  # beside the task's own, each a mount


@record
class GitPlace:
    """Where git keeps what: the directory all worktrees share, the worktree and its own part, and its branch."""

    shared: str
    own: str
    worktree: str
    branch: str  # without refs/heads/

    @property
    def branch_directory(self) -> str:
        """The directory of the branch below refs/heads; git makes its lock in there."""
        return os.path.normpath(os.path.join(_BRANCHES, os.path.dirname(self.branch)))

    @property
    def needed(self) -> list[str]:
        """The directories that must be there before a sandbox is made."""
        objects = [os.path.join(self.shared, "objects", name) for name in ("info", "pack")]
        return [*self._branch_directories, *self._read_references, *objects]

    @property
    def placeholders(self) -> list[str]:
        """Empty files that must be there: of settings that nobody else is to make, and to keep a directory.

        Git removes a directory of references once all are packed or deleted, and with it what is mounted there in a
        sandbox. It ignores names that begin with a dot.
        """
        kept = {*self._branch_directories, *self._read_references}
        return [os.path.join(self.own, "config.worktree"), *(os.path.join(each, ".orange") for each in sorted(kept))]

    @property
    def _read_references(self) -> list[str]:
        roots = (os.path.join(self.shared, "refs"), os.path.join(self.shared, "logs", "refs"))
        return [os.path.join(root, name) for root in roots for name in _READ_REFERENCES]

    @property
    def _branch_directories(self) -> list[str]:
        return [os.path.join(self.shared, prefix, self.branch_directory) for prefix in ("", "logs")]


def repository_mounts(place: GitPlace, tree: Tree) -> Iterator[Mount]:
    """The mounts for a worktree's repository; they come after all others."""
    shared = place.shared
    yield Mount("read", SHARED, shared)
    yield from _packed_refs(shared)
    names = {*tree.names(shared), *_MAYBE_LATER} - _MADE_ANEW
    for name in sorted(names):
        yield Mount("link", os.path.join(shared, name), os.path.join(SHARED, name))
    yield from _objects(os.path.join(shared, "objects"), tree)
    yield from _references(place, tree)
    yield from _read(os.path.join(shared, "worktrees"))
    yield Mount("write", place.own, place.own)
    for name in _FIXED:
        yield from _read(os.path.join(place.own, name))
    yield from _read(os.path.join(place.worktree, ".git"))


def _packed_refs(shared: str) -> Iterator[Mount]:
    yield Mount("full", _LOCK_PLACE)
    for number in range(1, _LINKS):
        yield Mount("link", f"{_LOCK_PLACE}/{number}", f"{_LOCK_PLACE}/{number + 1}")
    yield Mount("link", f"{_LOCK_PLACE}/{_LINKS}", f"{SHARED}/packed-refs")
    yield Mount("empty", shared)
    yield Mount("link", f"{shared}/packed-refs", f"{_LOCK_PLACE}/1")


def _objects(objects: str, tree: Tree) -> Iterator[Mount]:
    """New objects can be written, each in a file of its own; packs, and where git looks for more, are read.

    Git looks for an object in packs first, and believes what they say they have: who may add one replaces any file of
    any commit. A partial clone fetches what it has not into packs, so there only those that are there are held.
    """
    yield Mount("write", objects, objects)
    yield from _read(os.path.join(objects, "info"))
    packs = os.path.join(objects, "pack")
    names = sorted(tree.names(packs))
    if not any(name.endswith(".promisor") for name in names):
        yield from _read(packs)
        return
    for name in [name for name in names if name.endswith((".pack", ".idx"))][: 2 * _MAX_PACKS]:
        yield from _read(os.path.join(packs, name))


def _references(place: GitPlace, tree: Tree) -> Iterator[Mount]:
    """References are read, but for the stash and the branches beside the task's own that are not there yet."""
    for root in (os.path.join(place.shared, "refs"), os.path.join(place.shared, "logs", "refs")):
        top = os.path.dirname(root) if os.path.basename(os.path.dirname(root)) == "logs" else root
        if top != root:
            yield from _read(top)
        yield Mount("write", root, root)
        for name in sorted(tree.names(root)):
            if tree.kind(os.path.join(root, name)) == "directory":
                yield from _read(os.path.join(root, name))
    for prefix in ("", "logs"):
        directory = os.path.join(place.shared, prefix, place.branch_directory)
        yield Mount("write", directory, directory)
    yield from _other_branches(place, tree)


def _other_branches(place: GitPlace, tree: Tree) -> Iterator[Mount]:
    directory = os.path.join(place.shared, place.branch_directory)
    own = os.path.basename(place.branch)
    others = [name for name in sorted(tree.names(directory)) if name != own and not name.endswith(".lock")]
    check_few_beside(place.branch, len(others))
    for name in others:
        yield from _read(os.path.join(directory, name))


def check_few_beside(branch: str, others: int) -> None:
    """Refuse a branch that has more others beside it than can be protected."""
    if others > _MAX_BRANCHES:
        raise Refused(
            f"{branch} has more than {_MAX_BRANCHES} other branches beside it, and not all of them could be protected;"
            f" give the task a branch in a directory of its own, such as fix/{os.path.basename(branch)}"
        )


def _read(path: str) -> Iterator[Mount]:
    yield Mount("read", path, path)
