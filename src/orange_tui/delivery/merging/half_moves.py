"""A move of the default branch that was killed on the way, in the checkout where the person has it.

Git changes the files first, then the index, then the branch. What is written down before the move tells, after a kill
anywhere in between, what it was to become: whoever comes next finishes it (the next merge in the project, a supervisor
that starts, `orange doctor`). Only the files that the merge changes are touched, and only while each is as it was
before, as it will be, or half written in between. A file that somebody has changed since is left alone, with all the
rest, and the person is told.

The file with the note is where agents write too. So it is only believed where git says the same: the project's default
branch is checked out there, and its next commit comes after the one it has.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress

from orange_tui.delivery.wording import listed_files
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record, replace
from orange_tui.home.json_file import JsonFile
from orange_tui.home.locks import locked
from orange_tui.outside.git import SLOW_SECONDS, Repository, local
from orange_tui.outside.git_merge import contains
from orange_tui.workspaces.trial import has_trials, remove_trials

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project

_LITERALLY = {"GIT_LITERAL_PATHSPECS": "1"}
_RAW = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev")
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOTHING = "000000"  # the mode of a file that is not there


@record
class Move:
    """The default branch of a person's checkout, on its way from one commit to another."""

    checkout: str
    branch: str
    old: str
    new: str

    def finish(self) -> None:
        """Do what is left of it; refused where somebody has changed one of its files since."""
        git = Repository(self.checkout)
        if git.current_branch() != self.branch or git.head() != self.old:
            return  # it is done, or somebody has gone on from there
        changes = self._known_changes(git)
        # One after the other: git cannot make a file of a directory that it still lists.
        _restore(
            git, self.new, [name for name, change in changes.items() if change.new[0] == _NOTHING and change.staged]
        )
        _restore(git, self.new, [name for name, change in changes.items() if change.new[0] != _NOTHING])
        git.must("update-ref", "-m", "orange: finished a merge that was killed", local(self.branch), self.new, self.old)

    def undo(self) -> None:
        """Give back what a git that has failed on the way had changed; refused where somebody else changed it too."""
        git = Repository(self.checkout)
        if git.current_branch() != self.branch or git.head() != self.old:
            return
        changes = _changes(git, "diff-tree", self.old, self.new)
        touched, theirs = _compare(git, changes)
        if not touched:
            return  # git has refused it before it began
        self._must_be_ours(theirs)
        added = [name for name in touched if changes[name].old[0] == _NOTHING]
        git.must("update-index", "--force-remove", "-z", "--stdin", stdin="".join(f"{name}\0" for name in added))
        for path in [os.path.join(self.checkout, name) for name in added]:
            with suppress(OSError):
                os.unlink(path)
                os.removedirs(os.path.dirname(path))
        _restore(git, self.old, [name for name in touched if changes[name].old[0] != _NOTHING])

    def _known_changes(self, git: Repository) -> dict[str, _Change]:
        """The files that the move changes; refused where one is neither as it was, nor as it will be, nor half so."""
        changes = _changes(git, "diff-tree", self.old, self.new)
        staged = [_changes(git, "diff-index", "--cached", commit) for commit in (self.old, self.new)]
        theirs = [name for name in changes if name in staged[0] and name in staged[1]] + _compare(git, changes)[1]
        self._must_be_ours(theirs)
        return {name: replace(change, staged=name not in staged[0]) for name, change in changes.items()}

    def _must_be_ours(self, theirs: list[str]) -> None:
        if theirs:
            raise Refused(
                f"{self.branch} in {self.checkout} was left half updated by a merge that did not end, and since then"
                f" {listed_files(tuple(dict.fromkeys(theirs)))} was changed. Save what is yours of it elsewhere, then"
                f" `git -C {self.checkout} reset --hard {self.new}` gives you what was merged"
            )


@record
class _Change:
    """What a file is in two commits: modes and hashes; `staged` where the index has it as in the old one."""

    old: tuple[str, str]
    new: tuple[str, str]
    staged: bool = True


def _changes(git: Repository, command: str, *words: str) -> dict[str, _Change]:
    fields = git.must(command, *_RAW, *words, timeout=SLOW_SECONDS, exact=True).split("\0")
    found = {}
    for entry, name in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old, new, _ = entry.removeprefix(":").split(" ")
        found[name] = _Change((old_mode, old), (new_mode, new))
    return found


def _restore(git: Repository, commit: str, names: list[str]) -> None:
    """Give files the content they have in a commit, in the index too."""
    words = ("restore", f"--source={commit}", "--staged", "--worktree", "--pathspec-from-file=-", "--pathspec-file-nul")
    if names:
        listed = "".join(f"{name}\0" for name in names)
        git.must(*words, stdin=listed, extra=_LITERALLY, timeout=SLOW_SECONDS)


def _compare(git: Repository, changes: Mapping[str, _Change]) -> tuple[list[str], list[str]]:
    """The files on disk that are those of the new commit, whole or half written, and those that are of neither."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="orange-move-") as directory:
        differing = []
        for side in ("old", "new"):
            extra = {"GIT_INDEX_FILE": os.path.join(directory, side)}
            entries = {name: getattr(change, side) for name, change in changes.items()}
            lines = [f"{mode} {blob}\t{name}\0" for name, (mode, blob) in entries.items() if mode != _NOTHING]
            git.must("update-index", "-z", "--index-info", stdin="".join(lines), extra=extra)
            git.ask("update-index", "-q", "--refresh", extra=extra, timeout=SLOW_SECONDS)
            other = set(git.must("diff-files", "--name-only", "-z", extra=extra, exact=True).split("\0"))
            gone = {name for name, (mode, _) in entries.items() if mode == _NOTHING}
            differing.append({name for name in changes if name in other or name in gone})
        unknown = [name for name in changes if name in differing[0] and name in differing[1]]
        there = [name for name in unknown if os.path.lexists(os.path.join(git.path, name))]
        touched = [name for name in changes if name in differing[0] and not _is_absent(git.path, name, changes[name])]
        theirs = [name for name in there if not _is_half_written(git, name, directory)]
    found = dict.fromkeys(each for name in theirs for each in _in_the_way(git.path, name, changes))
    return [name for name in touched if name not in found], [*found, *_files_above(git.path, changes)]


def _is_absent(root: str, name: str, change: _Change) -> bool:
    """Whether a file is not there and was not there before."""
    return change.old[0] == _NOTHING and not os.path.lexists(os.path.join(root, name))


def _in_the_way(root: str, name: str, changes: Mapping[str, _Change]) -> Iterator[str]:
    """What is not git's in the place of a file: itself, or where it is a directory, the files in there.

    Git makes a directory of a file, or the other way round, one after the other.
    """
    full = os.path.join(root, name)
    if _is_no_directory(full):
        yield name
        return
    for directory, _, files in os.walk(full):
        paths = (os.path.relpath(os.path.join(directory, each), root) for each in files)
        yield from (path for path in paths if path not in changes)


def _files_above(root: str, changes: Mapping[str, _Change]) -> list[str]:
    """Files and links where the move needs a directory: git would replace them, whosever they are."""
    needed = set()
    for name in [name for name, change in changes.items() if change.new[0] != _NOTHING]:
        parent = os.path.dirname(name)
        while parent and parent not in changes and parent not in needed:
            needed.add(parent)
            parent = os.path.dirname(parent)
    return sorted(each for each in needed if _is_no_directory(os.path.join(root, each)))


def _is_no_directory(path: str) -> bool:
    return os.path.islink(path) or (os.path.lexists(path) and not os.path.isdir(path))


def _is_half_written(git: Repository, name: str, directory: str) -> bool:
    """Whether a file is the beginning of what git was about to write."""
    if not os.path.isfile(os.path.join(git.path, name)):
        return False
    whole = os.path.join(directory, "whole", "")
    git.ask("checkout-index", f"--prefix={whole}", "--", name, extra={"GIT_INDEX_FILE": os.path.join(directory, "new")})
    try:
        with open(os.path.join(git.path, name), "rb") as file, open(os.path.join(whole, name), "rb") as wanted:
            found = file.read()
            return wanted.read(len(found)) == found
    except OSError:
        return False


@record
class MoveNote:
    """The file that says which move is under way in a project; whoever reads or writes it holds the merge lock."""

    directory: str  # of the project's tasks
    project: Project

    @property
    def _file(self) -> JsonFile:
        path = os.path.join(self.directory, ".moving.json")
        return JsonFile(path, f"{path}.lock", title="the move under way", repair="delete it, and look at your checkout")

    def write(self, move: Move) -> None:
        """Before the move is begun."""
        with self._file.changing_object() as data:
            data.update(vars(move))

    def remove(self) -> None:
        """The move is done, or has not begun."""
        with suppress(FileNotFoundError):
            os.unlink(self._file.path)

    def read(self) -> Move | None:
        """The move that was begun and not ended."""
        data = self._file.read_object()
        found = [data.get(name) for name in ("checkout", "branch", "old", "new")]
        values = [value for value in found if isinstance(value, str) and value]
        if not data:
            return None
        if values != found:
            raise self._file.unreadable("must have `checkout`, `branch`, `old` and `new`")
        move = Move(*values)
        if not all(_COMMIT.fullmatch(commit) for commit in (move.old, move.new)):
            raise self._file.unreadable("names something else than commits")
        return move

    def _is_possible(self, move: Move) -> bool:
        """Whether git says so too: where the default branch is checked out, and that it only goes forward."""
        git, name = Repository(self.project.path), local(self.project.default_branch)
        here = git.refs(name).get(name)
        if here is None or here.worktree is None or move.branch != self.project.default_branch:
            return False
        is_there = os.path.realpath(here.worktree) == os.path.realpath(move.checkout)
        return is_there and here.commit == move.old and contains(git, move.new, move.old)

    def finish(self) -> str | None:
        """Finish the move that was killed, if one was; returns a sentence about it. Refused where it cannot be."""
        move = self.read()
        if move is None:
            return None
        if self._is_possible(move):
            move.finish()
            sentence = f"{move.branch} in {move.checkout}: finished the update that a killed merge had begun"
        else:  # it is done, or somebody has gone on from there
            sentence = f"{move.branch} in {move.checkout}: no update is left to be finished"
        self.remove()
        return sentence


def finish_half_moves(tasks: Tasks) -> Iterator[str]:
    """Finish what killed merges have left half done in the checkouts of all projects; a sentence for each."""
    home = tasks.engine.store.home
    for project in tasks.projects.all():
        directory = os.path.join(home.tasks, project.name)
        note = MoveNote(directory, project)
        if not os.path.isdir(directory):
            continue
        sentence = None
        try:
            if note.read() is None and not has_trials(home, project):
                continue
            with locked(merge_lock(directory), what=f"a merge in {project.name}", wait=False) as held:
                if held:
                    remove_trials(home, project)
                    sentence = note.finish()
        except OrangeError as problem:
            sentence = str(problem)
        if sentence is not None:
            yield sentence


def merge_lock(directory: str) -> str:
    """The lock of everything that is merged in a project."""
    return os.path.join(directory, ".merge.lock")


@contextmanager
def merge_turn(directory: str, project: str, report: Callable[[str], None]) -> Iterator[None]:
    """Hold a project's merge lock; where somebody else has it, and checks what they merge, the person is told."""
    path, what = merge_lock(directory), f"a merge in {project}"
    with locked(path, what=what, wait=False) as is_free:
        if is_free:
            yield
            return
    report(f"another merge in {project} goes first")
    with locked(path, what=what):
        yield
