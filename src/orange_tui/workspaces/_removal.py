"""Removing from a workspace exactly what is saved, however many others write in it meanwhile.

A file is moved aside first, so that nobody finds it by its name any more; then it is compared with what was saved, and
only then deleted. One that differs, or that somebody has open for writing, is put back. What a killed command has left
aside is put back by the next.
"""

from __future__ import annotations

import os
from contextlib import suppress
from fnmatch import fnmatch

from orange_tui.domain.errors import Refused
from orange_tui.home.files import has_writer, make_directory
from orange_tui.outside.git_changes import file_identity
from orange_tui.outside.git_saved import hash_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from orange_tui.outside.git_changes import Identity
    from orange_tui.outside.git_saved import Content
    from orange_tui.outside.git_worktree import Worktree


class Aside:
    """The place beside a workspace where files wait for their deletion. While it exists, a reset is under way."""

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree
        self._path = os.path.join(os.path.dirname(worktree.path), f".{os.path.basename(worktree.path)}.aside")

    def exists(self) -> bool:
        """Whether a reset was begun and not finished."""
        return os.path.isdir(self._path)

    def create(self) -> None:
        """Begin a reset: from here on, a missing file is missing because of it."""
        make_directory(self._path)

    def remove(self) -> None:
        """End the reset: nothing is left aside."""
        remove_empty_directories(self._path)
        with suppress(FileNotFoundError):
            os.rmdir(self._path)

    def put_all_back(self) -> list[str]:
        """Put back what is here, also what a killed reset has left; returns the paths."""
        paths = [os.path.relpath(path, self._path) for path in _files_below(self._path)]
        for path in paths:
            self._put_back(path)
        return paths

    def delete_files(self, saved: Mapping[str, Content], unchanged: Mapping[str, Identity]) -> None:
        """Delete files that are as they were saved, or as they were when they were found to be unchanged."""
        paths = [*saved, *unchanged]
        reachable = {parent for parent in {os.path.dirname(path) for path in paths} if self._is_inside(parent)}
        moved = [path for path in paths if os.path.dirname(path) in reachable and self._move(path)]
        try:
            self._delete(moved, saved, unchanged)
        finally:
            changed = self.put_all_back()
        _remove_empty_parents(self._worktree.path, moved)
        if changed:
            raise Refused(f"{changed[0]} was written to while the workspace was being cleared")

    def _delete(self, moved: list[str], saved: Mapping[str, Content], unchanged: Mapping[str, Identity]) -> None:
        hashes = hash_files(self._worktree.git, self._path, [path for path in moved if path in saved], store=False)
        for path in moved:
            known = hashes.get(path) == saved[path] if path in saved else self._is_as_before(path, unchanged[path])
            if known and not self._is_being_written(path):
                os.unlink(os.path.join(self._path, path))

    def _is_inside(self, directory: str) -> bool:
        """Whether a directory is where its name says, and not behind a link by now."""
        root = os.path.realpath(self._worktree.path)
        return os.path.realpath(os.path.join(root, directory)) == os.path.normpath(os.path.join(root, directory))

    def _move(self, path: str) -> bool:
        """Move one file aside; False where it is gone."""
        source, target = os.path.join(self._worktree.path, path), os.path.join(self._path, path)
        if os.path.isdir(source) and not os.path.islink(source):
            return False
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with suppress(FileNotFoundError, NotADirectoryError):
            os.rename(source, target)
            return True
        return False

    def _is_as_before(self, path: str, before: Identity) -> bool:
        return file_identity(self._path, path) == before

    def _is_being_written(self, path: str) -> bool:
        """Whether somebody has it open, and would go on writing into a file that is deleted."""
        full = os.path.join(self._path, path)
        if os.path.islink(full) or os.lstat(full).st_nlink > 1:
            return False
        descriptor = os.open(full, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return has_writer(descriptor) or False
        finally:
            os.close(descriptor)

    def _put_back(self, path: str) -> None:
        """Give a file its place again, or one beside it where there is another by now."""
        source, wanted = os.path.join(self._path, path), os.path.join(self._worktree.path, path)
        os.makedirs(os.path.dirname(wanted), exist_ok=True)
        for target in _names_like(wanted):
            try:
                os.link(source, target, follow_symlinks=False)
            except FileExistsError:
                continue
            except OSError:  # a disk without links
                if os.path.lexists(target):
                    continue
                os.rename(source, target)
                return
            os.unlink(source)
            return


def _files_below(root: str) -> list[str]:
    """Every file and every link, those to directories too."""
    found = []
    for directory, directories, files in os.walk(root):
        names = [*files, *(name for name in directories if os.path.islink(os.path.join(directory, name)))]
        found += [os.path.join(directory, name) for name in names]
    return found


def _names_like(path: str) -> Iterator[str]:
    yield path
    number = 1
    while True:
        yield f"{path}.orange-aside-{number}"
        number += 1


def _remove_empty_parents(root: str, paths: Iterable[str]) -> None:
    for parent in sorted({os.path.dirname(path) for path in paths}, key=len, reverse=True):
        directory = parent
        with suppress(OSError):
            while directory:
                os.rmdir(os.path.join(root, directory))
                directory = os.path.dirname(directory)


def remove_empty_directories(root: str, keep: Sequence[str] = ()) -> None:
    """Remove directories without any file in them, but for the root itself."""
    found = []
    for directory, directories, _ in os.walk(root):
        paths = {name: os.path.relpath(os.path.join(directory, name), root) for name in directories}
        directories[:] = [name for name, path in paths.items() if not is_kept(path, keep)]
        found += [os.path.join(directory, name) for name in directories]
    for directory in reversed(found):
        with suppress(OSError):
            os.rmdir(directory)


def is_kept(path: str, keep: Sequence[str]) -> bool:
    """Whether a path is one that stays, or is in one: an entry with a slash is a path, one without a name anywhere."""
    parts = path.rstrip("/").split("/")
    for count in range(1, len(parts) + 1):
        ancestor = "/".join(parts[:count])
        if any(fnmatch(ancestor if "/" in entry else parts[count - 1], entry) for entry in keep):
            return True
    return False


def delete_ignored(root: str, ignored: Iterable[str], keep: Sequence[str]) -> None:
    """Delete what git ignores, but for what the project keeps."""
    for path in ignored:
        if is_kept(path, keep):
            continue
        if path.endswith("/"):
            _delete_tree(root, path.rstrip("/"), keep)
        else:
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(root, path))
        _remove_empty_parents(root, [path.rstrip("/")])


def nested_repositories(root: str, ignored: Iterable[str], keep: Sequence[str]) -> Iterator[str]:
    """The git repositories in ignored directories that would be deleted with them."""
    for top in ignored:
        for directory, directories, files in os.walk(os.path.join(root, top)) if top.endswith("/") else ():
            path = os.path.relpath(directory, root)
            if is_kept(path, keep):
                directories.clear()
            elif ".git" in directories or ".git" in files:
                yield path


def _delete_tree(root: str, path: str, keep: Sequence[str]) -> None:
    full = os.path.join(root, path)
    if os.lstat(full).st_dev != os.lstat(root).st_dev:
        raise Refused(f"{path} is on another disk, so it is not emptied; unmount it")
    if not os.access(full, os.W_OK | os.X_OK):
        os.chmod(full, 0o700)  # some tools make what they download read-only
    with os.scandir(full) as entries:
        found = [(f"{path}/{entry.name}", entry.is_dir(follow_symlinks=False)) for entry in entries]
    for inner, is_directory in found:
        if is_kept(inner, keep):
            continue
        if is_directory:
            _delete_tree(root, inner, keep)
        else:
            os.unlink(os.path.join(root, inner))
    with suppress(OSError):  # something in it is kept, or has just appeared
        os.rmdir(full)
