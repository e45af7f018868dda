"""One linked worktree: where git keeps its state, what is checked out, and what is under way in it.

The layout (`.git`, `gitdir`, `commondir`, `HEAD`) is documented in gitrepository-layout(5); reading it takes no
process, and a task that is spawned waits for every process.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from contextlib import suppress

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git import ORANGE_IDENTITY, SLOW_SECONDS, Repository
from orange_tui.outside.git_guard import locks
from orange_tui.outside.processes import git_processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.git_changes import IndexFlags

_STALE_LOCK_SECONDS = 60.0  # after which a lock that no git uses was left behind
_LOCKS = ("index.lock", "HEAD.lock")
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_UNSET_PLACE = ("--unset-all", "core.worktree")
NO_BRANCH = "ref: refs/heads/.invalid"  # what HEAD says where a reftable has it
_ON_A_BRANCH = {"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert"}
_UNDER_WAY = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    **_ON_A_BRANCH,
    "BISECT_START": "a bisection",
}
_SUBMODULE_MODE = "160000 "
_LEFT_BY_OPERATIONS = (*_ON_A_BRANCH, "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "AUTO_MERGE")
_HEADS_UNDER_WAY = (
    "ORIG_HEAD",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "rebase-merge/orig-head",
    "rebase-merge/autostash",
    "rebase-apply/orig-head",
    "rebase-apply/autostash",
)
# The person's hooks are for their own checkouts, and submodules are handled one by one.
_WITHOUT_HOOKS = ("core.hooksPath=/dev/null", "submodule.recurse=false")


@record
class Worktree:
    """A worktree that git knows: its path, its own git directory, and the one it shares with all others."""

    path: str
    git_directory: str
    common_directory: str

    @property
    def git(self) -> Repository:
        """git, run in this worktree; its `.git` was checked, and is not asked again."""
        return Repository(self.path, self.git_directory)

    def head(self) -> str | None:
        """The full name of the branch that is checked out, else the commit."""
        text = _first_line(os.path.join(self.git_directory, "HEAD"))
        if text is None or text == NO_BRANCH:
            return self.git.answer("symbolic-ref", "--quiet", "HEAD") or self.git.head()
        return text.removeprefix("ref: ")

    def under_way(self) -> str | None:
        """What somebody has begun here and not ended, such as a rebase."""
        return next((what for name, what in _UNDER_WAY.items() if self._has(name)), None)

    def heads_under_way(self) -> list[str]:
        """The commits a rebase, merge or the like needs to be ended or undone."""
        if self.under_way() is None:
            return []
        lines = [line for name in _HEADS_UNDER_WAY for line in read_lines(os.path.join(self.git_directory, name))]
        return [line for line in dict.fromkeys(lines) if _SHA.fullmatch(line)]

    def _has(self, name: str) -> bool:
        return os.path.exists(os.path.join(self.git_directory, name))

    def remove_dead_locks(self) -> list[str]:
        """Remove locks that a killed git has left; one whose git may be alive is refused."""
        locks.clear(self.path, self.git_directory)
        there = [path for name in _LOCKS if os.path.exists(path := os.path.join(self.git_directory, name))]
        for path in there:
            with suppress(FileNotFoundError):
                self._remove_dead_lock(path)
        return there

    def _remove_dead_lock(self, path: str) -> None:
        users = git_processes(self.path, self.git_directory)
        if users:
            raise Refused(f"git is at work in {self.path} ({users[0]}); try again when it has ended")
        age = abs(time.time() - os.stat(path).st_mtime)  # from the future, too: then the clock was set back since
        if age < _STALE_LOCK_SECONDS:
            raise Refused(f"{path} was left by git {age:.0f} s ago; if no git runs there, try again in a minute")
        os.unlink(path)

    def restore_files(self) -> None:
        """Write every file of the index that is not there: what is left of a directory that was deleted."""
        # It fails over what is in conflict, or in the way.
        self.git.ask("checkout-index", "--all", "--quiet", "--index", timeout=SLOW_SECONDS)

    def existing_refs(self, *names: str) -> set[str]:
        """Which of these branches exist, read off the files that git keeps them in."""
        if os.path.isdir(os.path.join(self.common_directory, "reftable")):
            return set(self.git.refs(*names))
        # In this order: a branch is in the one file before it leaves its own.
        found = {name for name in names if os.path.isfile(os.path.join(self.common_directory, name))}
        packed = {line.partition(" ")[2] for line in read_lines(os.path.join(self.common_directory, "packed-refs"))}
        return found | packed.intersection(names)

    def index_stamp(self) -> str | None:
        """What tells whether git has written the index since: it does whenever an entry or a flag changes."""
        try:
            known = os.stat(os.path.join(self.git_directory, "index"))
        except FileNotFoundError:
            return None
        # Of one length whatever the disk's numbers are: a simulated world is the same each time, to the last byte.
        return f"{known.st_ino:020}-{known.st_mtime_ns:020}-{known.st_size:012}"

    def end_operations(self) -> None:
        """Drop what is under way, such as a rebase: its commits are saved."""
        if self._has("rebase-apply/applying"):
            self.git.must("am", "--quit")
        elif self._has("rebase-merge") or self._has("rebase-apply"):
            self.git.must("rebase", "--quit")
        if self._has("sequencer"):
            self.git.must("cherry-pick", "--quit")

    def detach(self, commit: str, before: str | None, flags: IndexFlags) -> None:
        """Check out a commit without a branch, without overwriting any file; `before` is what was checked out.

        Nothing is done where another commit is checked out by now. Files that are missing are written, and those
        that are there already stay, whatever is in them: whoever calls this has removed what may go.
        """
        old = before or "0" * len(commit)
        self.git.must("update-ref", "--no-deref", "-m", f"orange: reset to {commit}", "HEAD", commit, old)
        self._clear(flags)
        self.git.must("read-tree", "--reset", commit, timeout=SLOW_SECONDS)
        self.restore_files()
        if any(self._has(name) for name in _LEFT_BY_OPERATIONS):  # nothing is left to check out, but these go with it
            words = ("checkout", "--quiet", "--no-overwrite-ignore", "--detach", commit, "--")
            self.git.must(*words, settings=_WITHOUT_HOOKS)
        if self._has("BISECT_START"):
            self.git.must("bisect", "reset", "HEAD", settings=_WITHOUT_HOOKS)

    def _clear(self, flags: IndexFlags) -> None:
        for option, paths in (
            ("--no-assume-unchanged", flags.assume_unchanged),
            ("--no-skip-worktree", flags.skip_worktree),
        ):
            if paths:
                self.git.must("update-index", "-z", option, "--stdin", stdin="".join(f"{path}\0" for path in paths))

    def end_sparse_checkout(self) -> bool:
        """End one that was set here alone; that of the person's own checkout is meant for all. Tells if there was one.

        While there is one, git does not tell of every flag that it has set in the index.
        """
        if not self._has("config.worktree"):
            return False
        question = ("config", "--type=bool", "core.sparseCheckout")
        here, of_person = self.git.answer(*question), Repository(self.path, self.common_directory).answer(*question)
        if here != "true" or of_person == "true":
            return False
        self.git.must("config", "--worktree", "core.sparseCheckout", "false")
        return True

    def stay_here(self) -> None:
        """Take back what somebody has set here alone so that git works on other files than those of this worktree."""
        if self._has("config.worktree"):
            self.git.ask("config", "--file", os.path.join(self.git_directory, "config.worktree"), *_UNSET_PLACE)

    def exclude(self, patterns: tuple[str, ...]) -> None:
        """Have git ignore these files, in every worktree of the repository; each pattern is added once."""
        path = os.path.join(self.common_directory, "info", "exclude")
        if set(patterns) <= set(read_lines(path)):
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a+", encoding="utf-8", errors="surrogateescape") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            text = file.read()
            missing = [pattern for pattern in patterns if pattern not in text.splitlines()]
            file.write("" if text.endswith("\n") or not text else "\n")
            file.write("".join(f"{pattern}\n" for pattern in missing))


def find_worktree(path: str) -> Worktree | None:
    """The worktree at a path; None when there is none, git has forgotten it, or its `.git` leads elsewhere."""
    own = _pointer(path)
    shared = _first_line(os.path.join(own, "commondir")) if own is not None else None
    if own is None or shared is None or not os.path.exists(os.path.join(own, "HEAD")):
        return None
    found = Worktree(path, os.path.realpath(own), os.path.realpath(os.path.join(own, shared)))
    is_listed = os.path.dirname(found.git_directory) == os.path.join(found.common_directory, "worktrees")
    return found if is_listed and _is_same(_back_pointer(found.git_directory), os.path.join(path, ".git")) else None


def worktree_of(repository: str, path: str) -> Worktree:
    """A worktree of that very repository; refused where there is none, or its `.git` is not as git has written it.

    Whoever works in a worktree can write its `.git`: git would then work elsewhere, by a configuration of their own.
    """
    problem = pointer_problem(repository, path)
    if problem is not None:
        raise Refused(problem)
    worktree = find_worktree(path)
    if worktree is None:
        raise Refused(f"{path} is not a worktree of {repository}: git has forgotten it, or it never was one")
    return worktree


def pointer_problem(repository: str, path: str) -> str | None:
    """Why a worktree's `.git` is not to be followed, as a sentence; one that leads to nothing can be repaired."""
    place, shared = os.path.join(path, ".git"), common_directory(repository)
    own = _pointer(path)
    if shared is None or not os.path.lexists(place) or (own is not None and not os.path.isdir(own)):
        return None
    listed = os.path.join(shared, "worktrees")
    if own is not None and os.path.dirname(os.path.realpath(own)) == listed:
        back = _back_pointer(own)
        if back is None or _is_same(back, place) or not os.path.exists(back):
            return None
    known = [os.path.join(listed, name) for name in (os.listdir(listed) if os.path.isdir(listed) else [])]
    right = next((each for each in known if _is_same(_back_pointer(each), place)), None)
    repair = f"move it away and write `gitdir: {right}` into {place}" if right is not None else "move it away"
    leads = f"leads to {own}" if own is not None else "is no longer the file that git wrote"
    return (
        f"{place} {leads}, so {path} belongs to another repository, not to {repository}. Nothing was run there."
        f" Check what is in it, then {repair}"
    )


def _pointer(path: str) -> str | None:
    """Where the `.git` of a linked worktree leads."""
    line = _first_line(os.path.join(path, ".git"))
    return os.path.join(path, line.removeprefix("gitdir: ")) if line and line.startswith("gitdir: ") else None


def _back_pointer(own: str) -> str | None:
    """The `.git` that git has written for a worktree of its own."""
    line = _first_line(os.path.join(own, "gitdir"))
    return os.path.join(own, line) if line else None


def _is_same(one: str | None, other: str) -> bool:
    return one is not None and os.path.realpath(one) == os.path.realpath(other)


def common_directory(path: str) -> str | None:
    """What all worktrees of a repository share, seen from its main checkout, a linked one, or a bare repository."""
    inner = os.path.join(path, ".git")
    if os.path.isdir(inner):
        return os.path.realpath(inner)
    linked = find_worktree(path)
    if linked is not None:
        return linked.common_directory
    shared = Repository(path).answer("rev-parse", "--git-common-dir") if os.path.isdir(path) else None
    return None if shared is None else os.path.realpath(os.path.join(path, shared))


def operation_on_branch(checkout: Repository) -> str | None:
    """What is under way in any checkout that has a branch checked out, such as a merge; a rebase has none."""
    own = checkout.answer("rev-parse", "--absolute-git-dir") or ""
    return next((what for name, what in _ON_A_BRANCH.items() if os.path.exists(os.path.join(own, name))), None)


def commit_all(worktree: Worktree, branch: str, message: str) -> bool:
    """Commit every file that is not ignored onto the branch that must be checked out; False when all is committed.

    For an agent that is not allowed to commit itself.
    """
    git = worktree.git
    present = git.current_branch()
    if present != branch:
        raise Refused(f"what is not committed stays so: {present or 'no branch'} is checked out there, not {branch}")
    _add_all(git)
    if git.ask("diff", "--cached", "--quiet", timeout=SLOW_SECONDS).code == 0:
        return False
    identity = {} if git.answer("config", "user.email") else ORANGE_IDENTITY
    git.must(
        "commit", "--quiet", "-m", message, extra=identity, settings=("commit.gpgsign=false",), timeout=SLOW_SECONDS
    )
    return True


def _add_all(git: Repository) -> None:
    """Add every file, and the commit of each submodule; `git add` would look into those by settings of their own."""
    entries = [line.partition("\t") for line in git.must("ls-files", "--stage", "-z", exact=True).split("\0")]
    inner = [path for about, _, path in entries if about.startswith(_SUBMODULE_MODE)]
    left_out = (".", *(f":(exclude,literal,top){path}" for path in inner))
    git.must(
        "add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul", stdin="\0".join(left_out), timeout=SLOW_SECONDS
    )
    if inner:
        git.must("update-index", "--remove", "-z", "--stdin", stdin="".join(f"{path}\0" for path in inner))


def _first_line(path: str) -> str | None:
    return next(iter(read_lines(path)), None)


def read_lines(path: str) -> list[str]:
    """The lines of a file; none of what is no file, such as a pipe that nobody writes to."""
    if not os.path.isfile(path):
        return []
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read().splitlines()
    except OSError:
        return []
