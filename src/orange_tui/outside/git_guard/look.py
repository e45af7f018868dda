"""Looking at a repository, or one of its worktrees, without running anything that it configures.

An agent can change its worktree's `.git`, the configuration and the attributes that all worktrees share, and so what
git runs for a mere `git diff`: filters, text conversions, merge drivers, a file monitor, hooks. So git is not asked
in the repository itself, but through a git directory of our own, made for one look and deleted after it. Objects and
branches in there are links to the real ones, the index is a copy, and the configuration has only what says how files
are to be read. Nothing can be configured that runs something, whatever git will learn one day.

What the person has configured for all their repositories (`~/.gitconfig`) is theirs, and still holds. Where Orange
acts for the person (checks out, merges, fetches, pushes), the repository's own filters and hooks work as always, if
the person has trusted them (`gate.py`).
What reads neither files nor an index (rev-parse, symbolic-ref, for-each-ref, rev-list, config) runs nothing, and is
asked in the repository itself; but `git diff-tree` of two commits starts a file monitor.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress

from orange_tui.domain.errors import Refused
from orange_tui.outside.git import Repository
from orange_tui.outside.git_worktree import NO_BRANCH, common_directory, find_worktree, worktree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_HOOKS = "[core]\n\thooksPath = /dev/null\n"  # else the person's own settings may say: those in this checkout
_LINKED = ("objects", "refs", "packed-refs", "info", "shallow", "reftable")
# Compiled when they are first needed: a start imports this, and looks at a submodule at most.
_SECTION = r'\[([A-Za-z]+)(?: "([^"\\]*)")?\]\s*'
_SETTING = r"\s*([A-Za-z]+)\s*=\s*([^\s\"\\;#][^\"\\;#]*?)\s*"
# How files and objects are to be read, as git itself writes it; and where a partial clone has the rest of them.
_READING = (
    r"core\.(repositoryformatversion|filemode|symlinks|ignorecase|precomposeunicode|autocrlf|eol|trustctime|checkstat)"
    r"|extensions\.(objectformat|refstorage|partialclone)"
    r"|diff\.(algorithm|renames|renamelimit|indentheuristic)|diff\.[^\n]+\.binary"
    r"|remote\.[^\n]+\.(url|promisor|partialclonefilter)"
)


@contextmanager
def look_at_worktree(repository: str, path: str) -> Iterator[Repository]:
    """Git in a task's worktree, to look at its files; refused where its `.git` is not what git has put there."""
    worktree = worktree_of(repository, path)
    with _looking(path, worktree.git_directory, worktree.common_directory) as git:
        yield git


@contextmanager
def look_at_repository(path: str) -> Iterator[Repository]:
    """Git in the person's repository, to compare or merge commits; its checkout is only read for attributes."""
    linked = find_worktree(path)
    shared = common_directory(path)
    if shared is None:
        raise Refused(f"{path} is not in a git repository; `git init` makes one")
    with _looking(path, linked.git_directory if linked is not None else shared, shared) as git:
        yield git


@contextmanager
def look_at_bare(path: str) -> Iterator[Repository]:
    """Git in what is a repository without a checkout, or nothing: the one around it is not taken for it."""
    with _looking(path, path, os.path.realpath(path)) as git:
        yield git


@contextmanager
def _looking(path: str, own: str, shared: str) -> Iterator[Repository]:
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory(prefix="orange-look-", ignore_cleanup_errors=True) as directory:
        for name in _LINKED:
            with suppress(FileExistsError):
                if os.path.exists(os.path.join(shared, name)):
                    os.symlink(os.path.join(shared, name), os.path.join(directory, name))
        for name in [name for name in os.listdir(own) if name == "index" or name.startswith("sharedindex.")]:
            if os.path.islink(os.path.join(own, name)):  # git has made none: it may lead to anything, of any length
                raise Refused(f"{os.path.join(own, name)} is a link, so nothing was read through it. Remove it")
            with suppress(FileNotFoundError):  # with its time, by which git knows whose changes it may have missed
                shutil.copy2(os.path.join(own, name), os.path.join(directory, name))
        _write(directory, "HEAD", _head(path, own))
        bare = os.path.realpath(path) == shared
        _write(
            directory,
            "config",
            _settings(shared) + _NO_HOOKS + ("[core]\n\tbare = true\n" if bare else _work_tree(path)),
        )
        yield Repository(path, directory, is_ours=True)


def _head(path: str, own: str) -> str:
    """What is checked out, in the one file or, with a reftable, wherever git has it."""
    text = _text(os.path.join(own, "HEAD"))
    return f"{Repository(path, own).head() or NO_BRANCH}\n" if text.strip() in {"", NO_BRANCH} else text


def _work_tree(path: str) -> str:
    quoted = os.path.abspath(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'[core]\n\tbare = false\n\tworktree = "{quoted}"\n'


def _settings(shared: str) -> str:
    """Those settings of a repository that say how it is to be read, where they stand on plain lines."""
    section, subsection, found = "", None, []
    for line in _text(os.path.join(shared, "config")).splitlines():
        if title := re.fullmatch(_SECTION, line):
            section, subsection = title[1].lower(), title[2]
        elif setting := re.fullmatch(_SETTING, line):
            name = ".".join(part for part in (section, subsection, setting[1].lower()) if part is not None)
            if re.fullmatch(_READING, name):
                inner = "" if subsection is None else f' "{subsection}"'
                found.append(f"[{section}{inner}]\n\t{setting[1]} = {setting[2]}\n")
    return "".join(found)


def _text(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def _write(directory: str, name: str, text: str) -> None:
    with open(os.path.join(directory, name), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
