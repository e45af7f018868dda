"""Work that is on no branch, kept as a commit under `refs/orange/<task>/<n>`.

Nothing in the worktree is touched for it, neither its index nor what is checked out: the commit is made through an
index of its own, as `git stash` would, with files that were never added. Saving the same twice saves it once.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import ORANGE_IDENTITY, SLOW_SECONDS, Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.outside.git_worktree import Worktree

_NAMESPACE = "refs/orange"
_ANYWHERE = ("--not", "--branches", "--remotes", "--tags")
_ALL_FORMAT = "--format=%(refname)%00%(committerdate:iso-strict)"
_REF_FORMAT = "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)"
# The half of a save that holds what was staged must be the same commit when a killed save is repeated.
_NO_TIME = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
_CHANGED_SUBMODULE = re.compile(r"S(.)(.)(.)")


@record
class Saved:
    """One piece of saved work: its number for this task, its full name, and its commit."""

    number: int
    name: str
    commit: str
    tree: str
    parents: tuple[str, ...]


@record
class SavedOfTask:
    """One piece of saved work among those of all tasks."""

    task: str
    number: int
    when: str


@record
class Changes:
    """What is in a worktree and in no commit."""

    files: tuple[str, ...]
    nested: tuple[str, ...]  # repositories inside, whose content no commit of ours can hold
    dirty_submodules: tuple[str, ...]


def saved_work(repository: Repository, task: str) -> list[Saved]:
    """What was saved of a task, oldest first."""
    found = []
    for line in repository.must("for-each-ref", _REF_FORMAT, f"{_NAMESPACE}/{task}/").splitlines():
        name, commit, tree, parents = line.split("\0")
        number = name.rpartition("/")[2]
        if number.isdecimal():
            found.append(Saved(int(number), name, commit, tree, tuple(parents.split())))
    return sorted(found, key=lambda each: each.number)


def all_saved_work(repository: Repository) -> list[SavedOfTask]:
    """What was saved of every task, with one git process."""
    found = []
    for line in repository.must("for-each-ref", _ALL_FORMAT, f"{_NAMESPACE}/").splitlines():
        name, when = line.split("\0")
        task, _, number = name.removeprefix(f"{_NAMESPACE}/").rpartition("/")
        if number.isdecimal() and task and "/" not in task:
            found.append(SavedOfTask(task, int(number), when))
    return found


def forget(repository: Repository, saved: Saved) -> None:
    """Delete the reference to saved work, if it still is what was read. Git keeps the commit itself for some weeks."""
    repository.must("update-ref", "-d", saved.name, saved.commit)


def changes_in(worktree: Worktree) -> Changes:
    """Every file that differs from the commit that is checked out, but for what git ignores."""
    words = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none")
    entries = [entry for entry in worktree.git.must(*words, timeout=SLOW_SECONDS).split("\0") if entry]
    files, nested, dirty = [], [], []
    for entry in entries:
        path = _path_of(entry)
        submodule = _CHANGED_SUBMODULE.search(entry.split(" ")[2]) if entry[0] in "12u" else None
        if entry[0] == "?" and path.endswith("/"):
            nested.append(path)
        elif submodule is not None and (submodule[2] != "." or submodule[3] != "."):
            dirty.append(path)
        else:
            files.append(path)
    return Changes(tuple(files), tuple(nested), tuple(dirty))


def _path_of(entry: str) -> str:
    fields_before = {"1": 8, "u": 10}.get(entry[0], 1)
    return entry.split(" ", fields_before)[-1]


def save(worktree: Worktree, task: str, *, files: Sequence[str], forced: Sequence[str] = ()) -> str | None:
    """Save what would be lost if this worktree were reset; returns its name, or None when there is nothing.

    `files` are those with changes, `forced` are ignored ones to be kept all the same.
    """
    git = worktree.git
    head = git.head()
    loose = _loose_commits(git, head, worktree.heads_under_way())
    if not files and not loose and not forced:
        return None
    if not files and not forced and len(loose) == 1:
        return _keep(git, task, loose[0])
    staged, tree = _snapshot(worktree, forced)
    parents = [head] if head else []
    if staged is not None and staged not in {tree, _tree(git, head)}:
        parents.append(_commit(git, staged, parents, "What was staged", _NO_TIME))
    parents += [commit for commit in loose if commit not in parents]
    latest = next(reversed(saved_work(git, task)), None)
    if latest is not None and _holds(git, latest, tree, parents, {*files, *forced}):
        return latest.name
    under_way = worktree.under_way()
    during = f", in the middle of {under_way}" if under_way else ""
    return _keep(git, task, _commit(git, tree, parents, f"Work saved by Orange from task {task}{during}"))


def _holds(git: Repository, saved: Saved, tree: str, commits: Sequence[str], files: set[str]) -> bool:
    """Whether all of this is in what was saved before: then it is what a killed release has left of that."""
    differing = git.must("diff", "--name-only", "--no-renames", "-z", saved.tree, tree).split("\0")
    if not files.isdisjoint(differing):
        return False
    return not commits or not git.must("rev-list", "--max-count=1", *commits, *_ANYWHERE, saved.commit).strip()


def _loose_commits(git: Repository, head: str | None, others: Sequence[str]) -> list[str]:
    """Those of these commits that no branch, remote or tag leads to."""
    commits = list(dict.fromkeys([*([head] if head else []), *others]))
    if not commits:
        return []
    unreachable = set(git.must("rev-list", *commits, *_ANYWHERE).split())
    return [commit for commit in commits if commit in unreachable]


def _snapshot(worktree: Worktree, forced: Sequence[str]) -> tuple[str | None, str]:
    """The staged tree, where there is one, and the tree of all files, through an index of our own."""
    index = os.path.join(worktree.git_directory, "orange-index")
    for path in (index, f"{index}.lock"):
        with suppress(FileNotFoundError):
            os.unlink(path)
    _copy(os.path.join(worktree.git_directory, "index"), index)
    git, extra = worktree.git, {"GIT_INDEX_FILE": index}
    staged = git.answer("write-tree", extra=extra)
    git.must("add", "--all", extra=extra, timeout=SLOW_SECONDS, settings=("core.safecrlf=false",))
    if forced:
        git.must("add", "--force", "--", *forced, extra=extra)
    tree = git.must("write-tree", extra=extra).strip()
    os.unlink(index)
    return staged, tree


def _copy(source: str, target: str) -> None:
    """The index with what it knows about files: reading all of them again would take seconds."""
    with suppress(FileNotFoundError), open(source, "rb") as original, open(target, "wb") as copy:
        copy.write(original.read())


def _tree(git: Repository, head: str | None) -> str | None:
    return git.answer("rev-parse", "--verify", "--quiet", f"{head}^{{tree}}") if head else None


def _commit(
    git: Repository, tree: str, parents: Sequence[str], message: str, extra: dict[str, str] | None = None
) -> str:
    named = [word for parent in parents for word in ("-p", parent)]
    return git.must("commit-tree", tree, *named, "-m", message, extra=ORANGE_IDENTITY | (extra or {})).strip()


def _keep(git: Repository, task: str, commit: str) -> str:
    """Give a commit the next free name; one that has a name keeps it."""
    before = saved_work(git, task)
    known = next((each for each in before if each.commit == commit), None)
    if known is not None:
        return known.name
    name = f"{_NAMESPACE}/{task}/{before[-1].number + 1 if before else 1}"
    git.must("update-ref", "--create-reflog", "-m", "orange: saved", name, commit, "0" * len(commit))
    return name


def save_commit(git: Repository, task: str, revision: str = "HEAD") -> str | None:
    """Keep a commit that is on no branch, remote or tag; returns its name, or None where there is nothing to keep."""
    commit = git.answer("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    return _keep(git, task, commit) if commit is not None and _loose_commits(git, commit, ()) else None


def save_submodules(worktree: Worktree, task: str) -> None:
    """Commits made in submodules are kept in these themselves, where the next update would leave them on no branch."""
    modules = os.path.join(worktree.git_directory, "modules")
    for directory, names, files in os.walk(modules):
        if "HEAD" in files and "objects" in names:
            names[:] = [name for name in names if name == "modules"]
            save_commit(Repository(directory), task)


def is_settled_submodule(worktree: Worktree, path: str) -> bool:
    """Whether a repository inside is a submodule left from another branch, with nothing in it to be lost."""
    inner = Repository(os.path.join(worktree.path, path))
    git_directory = inner.answer("rev-parse", "--absolute-git-dir")
    modules = os.path.join(worktree.git_directory, "modules") + os.sep
    if git_directory is None or not os.path.realpath(git_directory).startswith(modules):
        return False
    status = inner.ask("status", "--porcelain")
    return status.code == 0 and not status.output


def restore(repository: Repository, saved: Saved, branch: str) -> None:
    """Give saved work a branch, which must be new or be there already with just that."""
    name = f"refs/heads/{branch}"
    there = repository.refs(name).get(name)
    if there is not None and there.commit == saved.commit:
        return
    if there is not None:
        raise Refused(f"There is a branch {branch} already, with other work on it; choose another name with --branch")
    repository.must("branch", "--no-track", "--", branch, saved.commit)
