"""Work that is on no branch, kept as a commit under `refs/orange/<task>/<n>`.

Nothing in the worktree is touched for it, neither its index nor what is checked out: the commit is made through an
index of its own. Files are saved byte by byte, past the filters that git would run: what such a filter strips is lost
otherwise. Saving the same twice saves it once.
"""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import ORANGE_IDENTITY, SLOW_SECONDS, Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from orange_tui.outside.git_worktree import Worktree

    Content = tuple[str, str]  # the mode and the hash of a file

_NAMESPACE = "refs/orange"
_ANYWHERE = ("--not", "--branches", "--remotes", "--tags")
_ALL_FORMAT = "--format=%(refname)%00%(committerdate:iso-strict)"
_REF_FORMAT = "--format=%(refname)%00%(objectname)%00%(tree)%00%(parent)"
# The half of a save that holds what was staged must be the same commit when a killed save is repeated.
_NO_TIME = {"GIT_AUTHOR_DATE": "@0 +0000", "GIT_COMMITTER_DATE": "@0 +0000"}
# What was saved is deleted next, so it must be on the disk by then; git itself leaves that to the system.
_DURABLY = ("core.fsync=loose-object",)
# How the message of a commit begins that holds files, or the half of it that holds what was staged.
WORK, STAGED = "Work saved by Orange", "What was staged"
_PLAIN, _EXECUTABLE, _SYMLINK, SUBMODULE = "100644", "100755", "120000", "160000"


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


def hash_files(git: Repository, root: str, paths: Iterable[str], *, store: bool) -> dict[str, Content]:
    """The bytes of those files that exist, as git names them; with `store` they are in its object store afterwards."""
    kinds = {
        path: mode for path in _reached(root, list(paths)) if (mode := _mode(os.path.join(root, path))) is not None
    }
    if not kinds:
        return {}
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as links:
        names = []
        for number, (path, mode) in enumerate(kinds.items()):
            full = os.path.join(root, path)
            if mode == _SYMLINK:  # what it points to is its content
                target, full = os.readlink(full), os.path.join(links, str(number))
                with open(full, "wb") as file:
                    file.write(os.fsencode(target))
            names.append(_quoted(full))
        words = ("hash-object", *(("-w",) if store else ()), "--no-filters", "--stdin-paths")
        listed = "\n".join(names) + "\n"
        hashes = git.must(*words, stdin=listed, timeout=SLOW_SECONDS, settings=_DURABLY).split()
    return {path: (mode, blob) for (path, mode), blob in zip(kinds.items(), hashes, strict=True)}


def _reached(root: str, paths: Sequence[str]) -> list[str]:
    """The files that are where their names say: for git, there is nothing behind a link to a directory."""
    top = os.path.realpath(root)
    parents = {parent: os.path.join(top, parent) for parent in {os.path.dirname(path) for path in paths}}
    inside = {parent for parent, full in parents.items() if os.path.realpath(full) == os.path.normpath(full)}
    return [path for path in paths if os.path.dirname(path) in inside]


def _mode(path: str) -> str | None:
    """The mode git has for a file; None where there is none."""
    try:
        mode = os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    if stat.S_ISDIR(mode):
        return None  # a directory in the place of a file: what is in it is in the list too
    if stat.S_ISLNK(mode):
        return _SYMLINK
    if not stat.S_ISREG(mode):
        raise Refused(f"{path} is neither a file nor a link, so it cannot be saved; move it away")
    return _EXECUTABLE if mode & stat.S_IXUSR else _PLAIN


def _quoted(path: str) -> str:
    """A path on a line of its own, as git quotes those that would not fit there."""
    if path.isprintable() and not path.startswith('"'):
        return path
    return '"' + "".join(f"\\{byte:03o}" for byte in os.fsencode(path)) + '"'


def save(
    worktree: Worktree, task: str, head: str | None, contents: Mapping[str, Content | None], *, staged: bool = True
) -> str | None:
    """Save what would be lost if this worktree were reset; returns its name, or None when there is nothing.

    `head` is the commit that is checked out, `contents` are the files that may have changed, None for one that is
    gone; their bytes are stored already. Without `staged`, what is in the index is saved already.
    """
    git = worktree.git
    loose = _loose_commits(git, head, worktree.heads_under_way())
    if not contents and not loose:
        return None
    base = _tree(git, head)
    tree = _tree_with(worktree, head, contents) if contents or base is None else base
    index = _index_tree(worktree) if contents and staged else None
    latest = next(reversed(saved_work(git, task)), None)
    if tree == base and index in {None, base}:
        return _save_commits(git, task, loose, latest)
    parents = [head] if head else []
    if index is not None and index not in {tree, base}:
        parents.append(_commit(git, index, parents, STAGED, _NO_TIME))
    parents += [commit for commit in loose if commit not in parents]
    if latest is not None and _holds(git, latest, tree, parents, set(contents)):
        return latest.name
    under_way = worktree.under_way()
    during = f", in the middle of {under_way}" if under_way else ""
    return _keep(git, task, _commit(git, tree, parents, f"{WORK} from task {task}{during}"))


def _save_commits(git: Repository, task: str, commits: Sequence[str], latest: Saved | None) -> str | None:
    """Save commits without changes; several are the parents of one."""
    if not commits:
        return None
    if latest is not None and _holds(git, latest, latest.tree, commits, set()):
        return latest.name
    if len(commits) == 1:
        return _keep(git, task, commits[0])
    tree = git.must("rev-parse", f"{commits[0]}^{{tree}}").strip()
    return _keep(git, task, _commit(git, tree, commits, f"Commits saved by Orange from task {task}"))


def _holds(git: Repository, saved: Saved, tree: str, commits: Sequence[str], files: set[str]) -> bool:
    """Whether all of this is in what was saved before: then it is what a killed release has left of that."""
    differing = git.must("diff", "--name-only", "--no-renames", "-z", saved.tree, tree, exact=True).split("\0")
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


def _index_tree(worktree: Worktree) -> str | None:
    """What is staged, as a tree; None where there is none, as in a conflict."""
    import shutil

    with _own_index(worktree) as index:
        try:
            shutil.copyfile(os.path.join(worktree.git_directory, "index"), index)
        except FileNotFoundError:
            return None
        written = worktree.git.ask("write-tree", extra={"GIT_INDEX_FILE": index}, settings=_DURABLY)
        return written.output.strip() if written.code == 0 else None


def _tree_with(worktree: Worktree, head: str | None, contents: Mapping[str, Content | None]) -> str:
    """The tree of a commit with other contents."""
    git = worktree.git
    gone = [f"0 {'0' * len(head)}\t{path}\0" for path, content in contents.items() if content is None and head]
    there = [f"{content[0]} {content[1]}\t{path}\0" for path, content in contents.items() if content is not None]
    with _own_index(worktree) as index:
        extra = {"GIT_INDEX_FILE": index}
        git.must("read-tree", head or "--empty", extra=extra)
        git.must("update-index", "-z", "--index-info", stdin="".join(gone + there), extra=extra)
        return git.must("write-tree", extra=extra, settings=_DURABLY).strip()


@contextmanager
def _own_index(worktree: Worktree) -> Iterator[str]:
    """The path of an index that nobody else uses."""
    index = os.path.join(worktree.git_directory, "orange-index")
    _remove_index(index)
    yield index
    _remove_index(index)


def _remove_index(index: str) -> None:
    for path in (index, f"{index}.lock"):
        if os.path.exists(path):
            os.unlink(path)


def _tree(git: Repository, head: str | None) -> str | None:
    return git.answer("rev-parse", "--verify", "--quiet", f"{head}^{{tree}}") if head else None


def _commit(
    git: Repository, tree: str, parents: Sequence[str], message: str, extra: dict[str, str] | None = None
) -> str:
    named = [word for parent in parents for word in ("-p", parent)]
    words, identity = ("commit-tree", tree, *named, "-m", message), ORANGE_IDENTITY | (extra or {})
    return git.must(*words, extra=identity, settings=_DURABLY).strip()


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


def restore(repository: Repository, saved: Saved, branch: str) -> None:
    """Give saved work a branch, which must be new or be there already with just that."""
    name = f"refs/heads/{branch}"
    there = repository.refs(name).get(name)
    if there is not None and there.commit == saved.commit:
        return
    if there is not None:
        raise Refused(f"There is a branch {branch} already, with other work on it; choose another name with --branch")
    repository.must("branch", "--no-track", "--", branch, saved.commit)
