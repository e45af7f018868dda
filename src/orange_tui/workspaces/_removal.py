"""Removing from a workspace exactly what is saved, however many others write in it meanwhile.

A file is moved aside first, so that nobody finds it by its name any more; then it is compared with what was saved, and
only then deleted. One that differs, or that somebody has open for writing, is put back. What a killed command has left
aside is put back by the next.

Directories are opened one by one and never through a link: whoever swaps one for a link meanwhile does not lead us out
of the workspace.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager, suppress
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

_ON_THE_WAY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TO_LIST = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_WITHOUT_CONTENT = {stat.S_IFIFO, stat.S_IFSOCK}
_NO_DIRECTORY = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}


class Aside:
    """The place beside a workspace where files wait for their deletion. While it exists, a reset is under way."""

    def __init__(self, worktree: Worktree) -> None:
        self._worktree = worktree
        self._path = os.path.join(os.path.dirname(worktree.path), f".{os.path.basename(worktree.path)}.aside")

    def exists(self) -> bool:
        """Whether a reset was begun and not finished."""
        if os.path.islink(self._path):
            raise Refused(f"{self._path} is a link, and Orange has made none there; remove it")
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
        moved: list[str] = []
        try:
            moved.extend(self._move([*saved, *unchanged]))
            self._delete(moved, saved, unchanged)
        finally:
            changed = self.put_all_back()
        _remove_empty_parents(self._worktree.path, moved)
        if changed:
            raise Refused(f"{changed[0]} was written to while the workspace was being cleared")

    def _delete(self, moved: list[str], saved: Mapping[str, Content], unchanged: Mapping[str, Identity]) -> None:
        # Asked first: who has it open could write after the comparison, and close it. Nobody can open it any more.
        idle = [path for path in moved if not self._is_being_written(path)]
        hashes = hash_files(self._worktree.git, self._path, [path for path in idle if path in saved], store=False)
        for path in idle:
            known = hashes.get(path) == saved[path] if path in saved else self._is_as_before(path, unchanged[path])
            if known and not self._is_being_written(path):  # of two names for one file, the last one tells
                os.unlink(os.path.join(self._path, path))

    def _move(self, paths: Iterable[str]) -> Iterator[str]:
        """Move files aside, all those of a directory at once; yields those that were there."""
        names: dict[str, list[str]] = {}
        for path in paths:
            names.setdefault(os.path.dirname(path), []).append(os.path.basename(path))
        for parent, inside in names.items():
            with _opened(self._worktree.path, parent) as source, _opened(self._path, parent, make=True) as target:
                for name in inside if source is not None and target is not None else ():
                    with suppress(FileNotFoundError, IsADirectoryError, NotADirectoryError):
                        if not stat.S_ISDIR(os.lstat(name, dir_fd=source).st_mode):
                            os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
                            yield os.path.join(parent, name)

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
        """Give a file its place again, or one beside it where there is another by now.

        Where even its directory is a file or a link by now, it gets a place at the top.
        """
        root, (parent, name) = self._worktree.path, os.path.split(path)
        with _opened(self._path, parent) as source, _opened(root, parent, make=True) as target, _opened(root) as top:
            if source is None or top is None:
                raise Refused(f"{os.path.join(self._path, path)} could not be put back into {root}; move it there")
            if target is None:
                _move_beside(source, name, top, path.replace(os.sep, "-"))
            else:
                _move_beside(source, name, target, name)


def _move_beside(source: int, name: str, target: int, wanted: str) -> None:
    """Move a file from one directory to another, under a name that nothing else has there."""
    for free in _names_like(wanted):
        try:
            os.link(name, free, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
        except FileExistsError:
            continue
        except OSError:  # a disk without links
            with suppress(FileNotFoundError):
                os.lstat(free, dir_fd=target)
                continue
            os.rename(name, free, src_dir_fd=source, dst_dir_fd=target)
            return
        os.unlink(name, dir_fd=source)
        return


@contextmanager
def _opened(root: str, directory: str = "", *, make: bool = False) -> Iterator[int | None]:
    """A directory below a root, to name files in it; None where there is none, or a link in its place."""
    descriptor: int | None = os.open(root, _ON_THE_WAY & ~os.O_NOFOLLOW)
    try:
        for part in directory.split(os.sep) if directory else ():
            if descriptor is not None:
                outer, descriptor = descriptor, _open_inner(descriptor, part, make=make)
                os.close(outer)
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _open_inner(outer: int, name: str, *, make: bool = False, flags: int = _ON_THE_WAY) -> int | None:
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=outer)
    try:
        return os.open(name, flags, dir_fd=outer)
    except OSError as problem:
        if problem.errno in _NO_DIRECTORY:
            return None
        raise


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


def remove_pipes(root: str, keep: Sequence[str]) -> None:
    """Remove pipes and sockets: there is nothing in them to be saved, and git shows them to nobody."""
    device = os.stat(root).st_dev
    for directory, directories, files, opened in os.fwalk(root):
        paths = {name: os.path.relpath(os.path.join(directory, name), root) for name in (*directories, *files)}
        is_here = os.fstat(opened).st_dev == device
        directories[:] = [name for name in directories if is_here and not is_kept(paths[name], keep)]
        for name in files if is_here else ():
            with suppress(OSError):  # it is gone, or its directory is protected
                kind = stat.S_IFMT(os.lstat(name, dir_fd=opened).st_mode)
                if kind in _WITHOUT_CONTENT and not is_kept(paths[name], keep):
                    os.unlink(name, dir_fd=opened)


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
    device = os.stat(root).st_dev
    for path in [path for path in ignored if not is_kept(path, keep)]:
        parent, name = os.path.split(path.rstrip("/"))
        with _opened(root, parent) as outer, suppress(FileNotFoundError):
            if outer is not None and path.endswith("/"):
                _delete_tree(outer, name, path.rstrip("/"), keep, device)
            elif outer is not None:
                os.unlink(name, dir_fd=outer)
        _remove_empty_parents(root, [path.rstrip("/")])


def nested_repositories(root: str, ignored: Iterable[str], keep: Sequence[str]) -> Iterator[str]:
    """The git repositories in ignored directories that would be deleted with them."""
    for top in ignored:
        for directory, directories, files in os.walk(os.path.join(root, top)) if top.endswith("/") else ():
            path = os.path.relpath(directory, root)
            if is_kept(path, keep):
                directories.clear()
            elif ".git" in directories or ".git" in files:
                directories[:] = [name for name in directories if name != ".git"]
                yield path
            elif {"objects", "refs"}.issubset(directories) and "HEAD" in files:  # a bare one
                directories.clear()
                yield path


def _delete_tree(outer: int, name: str, path: str, keep: Sequence[str], device: int) -> None:
    if not os.access(name, os.R_OK | os.W_OK | os.X_OK, dir_fd=outer):
        os.chmod(name, 0o700, dir_fd=outer)  # some tools make what they download read-only
    descriptor = _open_inner(outer, name, flags=_TO_LIST)
    if descriptor is None:
        return  # something else has just taken its place
    try:
        if os.fstat(descriptor).st_dev != device:
            raise Refused(f"{path} is on another disk, so it is not emptied; unmount it")
        with os.scandir(descriptor) as entries:
            found = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
        for inner, is_directory in found.items():
            with suppress(FileNotFoundError):
                if is_kept(f"{path}/{inner}", keep):
                    continue
                if is_directory:
                    _delete_tree(descriptor, inner, f"{path}/{inner}", keep, device)
                else:
                    os.unlink(inner, dir_fd=descriptor)
    finally:
        os.close(descriptor)
    with suppress(OSError):  # something in it is kept, or has just appeared
        os.rmdir(name, dir_fd=outer)
