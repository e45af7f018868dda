"""What is in a worktree and in no commit, found without trusting what could hide it.

`git status` alone misses files that git was told not to compare (index flags), files that differ only in what a clean
filter strips, and ignored files in the place of one that the commit to be checked out has.
"""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.records import record, replace
from orange_tui.outside.git import SLOW_SECONDS
from orange_tui.outside.git_guard.nested import has_nothing_uncommitted, ignored_inside
from orange_tui.outside.git_saved import SUBMODULE, hash_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from orange_tui.outside.git import Repository
    from orange_tui.outside.git_worktree import Worktree

    Identity = tuple[int, int, int, int, int]  # device, inode, mode, size, time of the last change

# What a repository may have set to make git quick, by not comparing everything.
_COMPARE_EVERYTHING = (
    *("core.fsmonitor=false", "core.untrackedCache=false", "core.checkStat=default", "core.trustctime=true"),
)
_STATUS = (
    *("status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=dirty"),
    *("--untracked-files=all", "--ignored=matching"),
)
_NOTHING: Mapping[str, Identity] = {}
_RAW = ("--raw", "-z", "--no-renames", "--ignore-submodules=all")
_BYTES_AT_ONCE = 200_000_000
_FILES = ("100644 ", "100755 ")


@record
class IndexFlags:
    """The entries of an index that git was told not to compare with the files."""

    assume_unchanged: tuple[str, ...] = ()
    skip_worktree: tuple[str, ...] = ()


@record
class Changes:
    """What is in a worktree and in no commit, and what is in the way of the commit that is to be checked out."""

    files: tuple[str, ...]  # that differ from the commit checked out, or may: whoever saves them compares their bytes
    submodules: tuple[str, ...]  # with another commit checked out
    dirty_submodules: tuple[str, ...]
    nested: tuple[str, ...]  # repositories inside, whose content no commit of ours can hold
    ignored: tuple[str, ...]  # files, and directories with a slash at the end
    flags: IndexFlags = IndexFlags()
    replaced: Mapping[str, Identity] = _NOTHING  # unchanged files that the other commit has not, or otherwise


def changes_in(worktree: Worktree, target: str) -> Changes:
    """Every file that differs from the commit that is checked out, or that checking out `target` would destroy."""
    git = worktree.git
    against_target = _differing(git, "diff-index", "--cached", target)
    # Read before the files are compared, so that what is changed later cannot pass for unchanged.
    before = {path: file_identity(worktree.path, path) for path, how in against_target.items() if how != "D"}
    flags, found = read_flags(git), left_in(worktree)
    only_in_target = [path for path, how in against_target.items() if how == "D"]
    hidden = [path for path in (*flags.skip_worktree, *only_in_target) if _is_file(worktree.path, path)]
    told = {*found.files, *_differing(git, "diff-files"), *flags.assume_unchanged, *hidden}
    differing = (*sorted(told), *_edits_behind_filters(worktree, told))
    files = dict.fromkeys(path for path in differing if path not in found.submodules)
    return replace(
        found,
        flags=flags,
        files=tuple(files),
        ignored=tuple(path for path in found.ignored if path not in files),
        replaced={path: known for path, known in before.items() if known is not None and path not in files},
    )


def left_in(worktree: Worktree) -> Changes:
    """What git shows in a worktree, with one question; for one where nobody can have hidden anything."""
    files, submodules, nested, ignored = [], [], [], []
    for entry in _entries(worktree.git, *_STATUS):
        path = _path_of(entry)
        is_submodule = entry[0] in "12u" and entry.split(" ")[2].startswith("S")
        if entry[0] == "!":
            ignored.append(path)
        elif entry[0] == "?" and path.endswith("/"):
            nested.append(path)
        elif is_submodule:
            submodules.append(path)
        else:
            files.append(path)
    inside = {path: os.path.join(worktree.path, path) for path in _submodules_there(worktree)}
    # `git status` would look at each by its own configuration, the agent's, and tells nothing of what they ignore.
    dirty = tuple(path for path, full in inside.items() if not has_nothing_uncommitted(full))
    for path in (*inside, *(each.rstrip("/") for each in nested)):
        ignored += [f"{path}/{each}" for each in ignored_inside(os.path.join(worktree.path, path))]
    return Changes(tuple(files), tuple(submodules), dirty, tuple(nested), tuple(ignored))


def _submodules_there(worktree: Worktree) -> tuple[str, ...]:
    has_any = os.path.lexists(os.path.join(worktree.path, ".gitmodules"))
    if not has_any and not os.path.isdir(os.path.join(worktree.git_directory, "modules")):
        return ()
    entries = [entry.partition("\t") for entry in _entries(worktree.git, "ls-files", "--stage", "-z")]
    paths = dict.fromkeys(path for about, _, path in entries if about.startswith(SUBMODULE))
    return tuple(path for path in paths if os.path.lexists(os.path.join(worktree.path, path, ".git")))


def file_identity(root: str, path: str) -> Identity | None:
    """What tells whether a file is the one it was, and unchanged; None where there is none."""
    try:
        known = os.lstat(os.path.join(root, path))
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (known.st_dev, known.st_ino, known.st_mode, known.st_size, known.st_mtime_ns)


def _is_file(root: str, path: str) -> bool:
    full = os.path.join(root, path)
    return os.path.lexists(full) and (os.path.islink(full) or not os.path.isdir(full))


def read_flags(git: Repository) -> IndexFlags:
    """The entries that are marked in the index: `ls-files -v` has a letter for each."""
    assumed, skipped = [], []
    for line in _entries(git, "ls-files", "-v", "-z"):
        letter, path = line[0], line[2:]
        if letter.islower():
            assumed.append(path)
        if letter in "Ss":
            skipped.append(path)
    return IndexFlags(tuple(assumed), tuple(skipped))


def _edits_behind_filters(worktree: Worktree, told: Container[str]) -> list[str]:
    """The other tracked files whose bytes are neither those in the index nor what git would make of these.

    Git compares a file through its filters once, and from then on by its time and size: where somebody has added it
    since an edit that a filter takes away again, nothing that is asked of git tells of that edit, nor does it where
    that filter is gone by now.
    """
    entries = (entry.partition("\t") for entry in _entries(worktree.git, "ls-files", "--stage", "-z"))
    tracked = {
        path: about.split(" ")[1]
        for about, _, path in entries
        if about.startswith(_FILES) and about.endswith(" 0") and path not in told
    }
    there = hash_files(worktree.git, worktree.path, tracked, store=False)
    differing = [path for path, (_, blob) in there.items() if blob != tracked[path]]
    return [path for some in _in_parts(worktree, differing) for path in _not_as_written(worktree, some)]


def _in_parts(worktree: Worktree, paths: list[str]) -> Iterator[list[str]]:
    """So many at a time that a second copy of them has room on the disk."""
    part: list[str] = []
    size = 0
    for path in paths:
        part.append(path)
        known = file_identity(worktree.path, path)
        size += known[3] if known is not None else 0
        if size > _BYTES_AT_ONCE:
            yield part
            part, size = [], 0
    if part:
        yield part


def _not_as_written(worktree: Worktree, paths: list[str]) -> list[str]:
    """Those that are not as git would write them now."""
    import shutil

    written = os.path.join(worktree.git_directory, "orange-written")
    shutil.rmtree(written, ignore_errors=True)  # of one that was killed
    try:
        listed = "".join(f"{path}\0" for path in paths)
        words = ("checkout-index", "-z", "--stdin", f"--prefix={written}/")
        worktree.git.must(*words, stdin=listed, timeout=SLOW_SECONDS)
        return [path for path in paths if not _is_same(os.path.join(written, path), os.path.join(worktree.path, path))]
    finally:
        shutil.rmtree(written, ignore_errors=True)


def _is_same(one: str, other: str) -> bool:
    with suppress(OSError):
        import filecmp

        return filecmp.cmp(one, other, shallow=False)
    return False


def _ignores_case(root: str) -> bool:
    """Whether the disk takes names in other letters for the same; the repository could say so of any disk."""
    with suppress(OSError):
        return os.path.samefile(os.path.join(root, ".git"), os.path.join(root, ".GIT"))
    return False


def _path_of(entry: str) -> str:
    fields_before = {"1": 8, "u": 10}.get(entry[0], 1)
    return entry.split(" ", fields_before)[-1]


def _differing(git: Repository, *words: str) -> dict[str, str]:
    """The paths that git compares as different, each with the letter that says how."""
    found = _entries(git, words[0], *_RAW, *words[1:])
    return {path: fields[-1] for fields, path in zip(found[::2], found[1::2], strict=True)}


def _entries(git: Repository, *words: str) -> list[str]:
    settings = (*_COMPARE_EVERYTHING, f"core.ignoreCase={'true' if _ignores_case(git.path) else 'false'}")
    output = git.must(*words, timeout=SLOW_SECONDS, settings=settings, exact=True)
    return [entry for entry in output.split("\0") if entry]
