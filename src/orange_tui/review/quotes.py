"""The code that a comment is about: the lines of a file as they are now, and the commit that is there.

It comes from the task's worktree, or from its branch where it has none. A path is somebody's input: nothing outside is
read, no link is followed, and nothing that the repository configures is run (`outside/git_guard/look.py`).
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager

from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record
from orange_tui.domain.review.thread import MAX_QUOTE_CHARACTERS, is_path
from orange_tui.domain.task import printable
from orange_tui.domain.text.quoting import plain
from orange_tui.outside.git import Repository, local
from orange_tui.outside.git_guard.look import look_at_repository
from orange_tui.outside.git_worktree import worktree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Projects

_MAX_BYTES = 5_000_000
_FEWEST_DIGITS, _MOST_DIGITS = 4, 64
_MAX_LINE_DIGITS = 9
_FILES, _DIRECTORY = ("100644", "100755"), "040000"  # as git has their modes; a link is 120000, a submodule 160000


@record
class Place:
    """Where a comment is: a path, "" for the task as a whole, and the lines, if any."""

    path: str
    line: int | None = None
    end_line: int | None = None


def parse_place(text: str) -> Place:
    """`PATH`, `PATH:LINE` or `PATH:LINE-LINE`; a dot is the task as a whole."""
    path, colon, lines = text.rpartition(":")
    first, dash, last = lines.partition("-")
    if not colon or not first.isdecimal() or (dash and not last.isdecimal()):
        path, first, last = text, "", ""
    if len(first) > _MAX_LINE_DIGITS or len(last) > _MAX_LINE_DIGITS:
        raise Refused(f"{printable(text[:200])}: no file has that many lines")
    line, end_line = (int(each) if each else None for each in (first, last))
    if line == 0 or (line is not None and end_line is not None and end_line < line):
        raise Refused(f"{printable(text)}: lines count from 1, and the first one comes first, such as auth.py:12-14")
    if not path or (path == "." and line is not None):
        raise Refused(
            f"'{printable(text)}' is not a path in the repository, such as src/auth.py; a dot is all of the task"
        )
    return Place("" if path == "." else path.removeprefix("./"), line, None if end_line == line else end_line)


@record
class TaskCode:
    """The code of one task, in its worktree or on its branch."""

    task: str
    repository: str
    branch: str
    worktree: str | None

    def quote(self, place: Place) -> str:
        """The code of these lines as it is now, made harmless to a terminal; "" where no line is meant."""
        if not place.path:
            return ""
        text = self.read(place.path)
        if place.line is None:
            return ""
        if "\0" in text:
            raise Refused(f"{place.path} is not text: comment on the file as a whole, without a line")
        lines = text.split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        last = place.end_line or place.line
        if last > len(lines):
            there = f"it has {len(lines)}" if lines else "it is empty"
            raise Refused(f"{place.path} has no line {last}: {there}")
        return plain("\n".join(line.removesuffix("\r") for line in lines[place.line - 1 : last]))[:MAX_QUOTE_CHARACTERS]

    def read(self, path: str) -> str:
        """A plain file of the task as it is now; anything else is refused with a sentence."""
        if not is_path(path):
            raise Refused(f"{printable(path[:200])} is not a path in the repository, such as src/auth.py")
        return self._read_worktree(path) if self.worktree is not None else self._read_branch(path)

    def inside(self, path: str) -> str:
        """A path as it is in the repository, also where somebody gives all of it."""
        root = f"{os.path.realpath(self.worktree)}{os.sep}" if self.worktree is not None else None
        return path.removeprefix(root) if root is not None and os.path.isabs(path) else path

    def head(self) -> str:
        """The commit that is there now: that of the branch, or what is checked out where it has another name by now."""
        tip = f"{local(self.branch)}^{{commit}}"
        found = Repository(self.repository).answer("rev-parse", "--verify", "--quiet", tip)
        if found is None and self.worktree is not None:
            found = worktree_of(self.repository, self.worktree).git.head()
        if found is None:
            raise Refused(f"{self.task} has no branch {self.branch} yet, so there is no code to comment on")
        return found

    def check_commit(self, text: str) -> str:
        """A commit on the task's branch, in full; refused where there is none, or where it is on another."""
        wanted = text.lower()
        is_hash = wanted.isascii() and wanted.isalnum() and not wanted.strip("0123456789abcdef")
        if not is_hash or not _FEWEST_DIGITS <= len(wanted) <= _MOST_DIGITS:
            raise Refused(f"{printable(text[:80])} is not a commit, such as 1f3a9c2; `git log` shows those there are")
        head = self.head()
        with look_at_repository(self.repository) as git:
            found = git.answer("rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}")
            if found is None:
                raise Refused(f"There is no commit {wanted}; `git log` shows those there are")
            if git.answer("merge-base", found, head) != found:
                raise Refused(f"The commit {wanted[:10]} is not on {self.branch}: commit it there first")
        return found

    def _read_worktree(self, path: str) -> str:
        return read_below(str(self.worktree), path).decode(errors="replace")

    def _read_branch(self, path: str) -> str:
        head = self.head()
        with look_at_repository(self.repository) as git:
            listed = git.must("ls-tree", "--long", "-z", "--full-tree", head, "--", f":(literal){path}")
            about = listed.partition("\t")[0].split()
            if len(about) < len(("mode", "kind", "object", "size")):
                raise NotFound(f"{path} is not on {self.branch}")
            mode, _kind, blob, size = about
            if mode not in _FILES:
                raise Refused(f"{path} is {'not a file' if mode == _DIRECTORY else 'a link'}: comment on a file")
            _check_size(path, int(size))
            return git.must("cat-file", "blob", blob)


def task_code(home: Home, projects: Projects, task: Task) -> TaskCode:
    """Where the code of a task is."""
    worktree = os.path.join(home.workspaces, task.workspace) if task.workspace else None
    has_one = worktree is not None and os.path.isdir(worktree)
    return TaskCode(task.id, projects.get(task.project).path, task.branch, worktree if has_one else None)


def read_below(root: str, path: str) -> bytes:
    """A plain file below a directory, which no link on the way leads out of, put there in time or not."""
    with _opened(root, path) as descriptor:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise Refused(f"{path} is not a file: comment on a file in it")
        _check_size(path, status.st_size)
        data = b""
        while len(data) <= _MAX_BYTES and (piece := os.read(descriptor, _MAX_BYTES + 1 - len(data))):
            data += piece
        return data


@contextmanager
def _opened(root: str, path: str) -> Iterator[int]:
    """A file below a directory, opened step by step: no link on the way is followed, and no pipe is waited for."""
    try:
        opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as problem:
        raise Refused(f"{root} cannot be read: {problem.strerror}") from None
    try:
        for name in path.split("/"):
            above, opened = opened, _open_in(opened, name, path)
            os.close(above)
        yield opened
    finally:
        os.close(opened)


def _open_in(directory: int, name: str, path: str) -> int:
    try:
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=directory)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{path} is not among the task's files") from None
    except OSError as problem:
        why = "it is a link, or behind one" if problem.errno == errno.ELOOP else problem.strerror
        raise Refused(f"{path} cannot be commented on: {why}") from None


def _check_size(path: str, size: int) -> None:
    if size > _MAX_BYTES:
        raise Refused(f"{path} is over {_MAX_BYTES // 1_000_000} MB, which nobody reviews line by line")
