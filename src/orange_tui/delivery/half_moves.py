"""A move of the default branch that was killed on the way, in the checkout where the person has it.

Git changes the files first, then the index, then the branch. What is written down before the move tells, after a kill
anywhere in between, what it was to become: whoever comes next finishes it (the next merge in the project, a supervisor
that starts, `orange doctor`). Only the files that the merge changes are touched, and only while each is as it was
before, as it will be, or half written in between. A file that somebody has changed since is left alone, with all the
rest, and the person is told.
"""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.delivery.wording import listed_files
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.home.files import locked
from orange_tui.home.json_file import JsonFile
from orange_tui.outside.git import SLOW_SECONDS, Repository, local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.engine.tasks import Tasks

_LITERALLY = {"GIT_LITERAL_PATHSPECS": "1"}
_RAW = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev")
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
        changes = _changes(git, "diff-tree", self.old, self.new)
        staged = [_changes(git, "diff-index", "--cached", commit) for commit in (self.old, self.new)]
        theirs = [name for name in changes if name in staged[0] and name in staged[1]] + _unknown_files(git, changes)
        if theirs:
            raise Refused(
                f"{self.branch} in {self.checkout} was left half updated by a merge that was killed, and since then"
                f" {listed_files(tuple(dict.fromkeys(theirs)))} was changed. Save what is yours of it elsewhere, then"
                f" `git -C {self.checkout} reset --hard {self.new}` gives you what was merged"
            )
        left = [name for name, change in changes.items() if change.new[0] != _NOTHING or name not in staged[0]]
        words = ("restore", f"--source={self.new}", "--staged", "--worktree", "--pathspec-from-file=-")
        if left:
            names = "".join(f"{name}\0" for name in left)
            git.must(*words, "--pathspec-file-nul", stdin=names, extra=_LITERALLY, timeout=SLOW_SECONDS)
        git.must("update-ref", "-m", "orange: finished a merge that was killed", local(self.branch), self.new, self.old)


@record
class _Change:
    """What a file is in two commits: modes and hashes."""

    old: tuple[str, str]
    new: tuple[str, str]


def _changes(git: Repository, command: str, *words: str) -> dict[str, _Change]:
    fields = git.must(command, *_RAW, *words, timeout=SLOW_SECONDS, exact=True).split("\0")
    found = {}
    for entry, name in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old, new, _ = entry.removeprefix(":").split(" ")
        found[name] = _Change((old_mode, old), (new_mode, new))
    return found


def _unknown_files(git: Repository, changes: Mapping[str, _Change]) -> list[str]:
    """The files on disk that are neither those of the old commit nor those of the new one, whole or half written."""
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
        return [name for name in there if not _is_half_written(git, name, directory)]


def _is_half_written(git: Repository, name: str, directory: str) -> bool:
    """Whether a file is the beginning of what git was about to write."""
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
        values = [str(data.get(name) or "") for name in ("checkout", "branch", "old", "new")]
        return Move(*values) if all(values) else None

    def finish(self) -> str | None:
        """Finish the move that was killed, if one was; returns a sentence about it. Refused where it cannot be."""
        move = self.read()
        if move is None:
            return None
        if os.path.isdir(move.checkout):
            move.finish()
        self.remove()
        return f"{move.branch} in {move.checkout}: finished the update that a killed merge had begun"


def finish_half_moves(tasks: Tasks) -> Iterator[str]:
    """Finish what killed merges have left half done in the checkouts of all projects; a sentence for each."""
    for project in tasks.projects.all():
        directory = os.path.join(tasks.engine.store.home.tasks, project.name)
        note = MoveNote(directory)
        if not os.path.isdir(directory):
            continue
        try:
            if note.read() is None:
                continue
            with locked(merge_lock(directory), what=f"a merge in {project.name}", wait=False) as held:
                sentence = note.finish() if held else None
        except OrangeError as problem:
            sentence = str(problem)
        if sentence is not None:
            yield sentence


def merge_lock(directory: str) -> str:
    """The lock of everything that is merged in a project."""
    return os.path.join(directory, ".merge.lock")
