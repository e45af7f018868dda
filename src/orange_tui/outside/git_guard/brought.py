"""What git itself would run in a repository because its settings say so; its hooks: `hooks.py`.

A clone brings none of this along, but a repository that was unpacked does, tools install some (husky, pre-commit, LFS),
and an agent can write all of it. What the person has configured for all their repositories is theirs and not listed.
Settings are read by git itself (`git config --file -`), from the very bytes that were looked at: ours would be a
second opinion. Editors, pagers, aliases and merge tools are not listed: Orange never has git start one.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from functools import lru_cache

from orange_tui.domain.records import record
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.outside.programs import Finished

    Entry = tuple[str, str]  # a setting and its value

SETTING, HOOK = "setting", "hook"
# Compiled when it is first needed: most repositories have no settings that could be any of these.
_RUNS = (
    r"(?s:filter\..*\.(clean|smudge|process)|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver"
    r"|core\.(fsmonitor|sshcommand|gitproxy|askpass|alternaterefscommand)|credential\.(.*\.)?helper"
    r"|remote\..*\.(uploadpack|receivepack|vcs)|protocol\.(ext\.)?allow|gpg\.(.*\.)?(program|defaultkeycommand)"
    r"|(hook|trailer)\..*\.(command|cmd)|lfs\..*\.(clean|smudge|path)|.*hook|.*-command)"
)
HOOKS_PATH = "core.hookspath"
# Without one of these words there is no such setting, and git need not be asked.
_MAY_RUN = re.compile(
    rb"filter|external|command|textconv|driver|fsmonitor|sshcommand|gitproxy|askpass|helper|uploadpack|receivepack|vcs"
    rb"|protocol|program|hook|trailer|lfs|include|!",
    re.IGNORECASE,
)
_MAY_FETCH = re.compile(rb"promisor|partialclone|include", re.IGNORECASE)
_HEAD = re.compile(r"ref: refs/\S+|[0-9a-f]{40}(?:[0-9a-f]{24})?")
_OF_GITS_OWN = ("%(", ":(")  # how a path begins that git reads in a way of its own
_ON_OR_OFF = frozenset({"", "0", "1", "no", "yes", "on", "off", "true", "false"})  # git's own file monitor, or none
_MAX_CONFIG_BYTES = 1_000_000
_MAX_REFS_BYTES = 50_000_000
_MAX_INCLUDED = 10
_CALLER_VARIABLES = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_CONFIG"})
UNSHOWABLE = ""  # the digest of what cannot be shown, and so never be trusted


@record
class Brought:
    """One thing that a repository brings along: what it is, what it is called, and what it says."""

    kind: str
    name: str
    text: str
    digest: str


@record
class GitDirectories:
    """A checkout, its own git directory, and the one that it shares with the others of its repository."""

    path: str
    own: str
    shared: str

    @property
    def main(self) -> str | None:
        """The person's own checkout; a bare repository has none."""
        return os.path.dirname(self.shared) if os.path.basename(self.shared) == ".git" else None


def brought(kind: str, name: str, text: str) -> Brought:
    """One thing, with what tells it from any other."""
    from hashlib import sha256

    data = f"{kind}\0{name}\0{text}".encode(errors="surrogateescape")
    return Brought(kind, name, text, sha256(data).hexdigest())


def find_directories(path: str, git_directory: str | None = None) -> GitDirectories | None:
    """Where git would work at a path, found as git does; None where there is no repository."""
    own = git_directory or _own_directory(path)
    if own is None:
        return None
    shared = _line(os.path.join(own, "commondir"))
    return GitDirectories(path, own, os.path.realpath(os.path.join(own, shared) if shared else own))


def _own_directory(path: str) -> str | None:
    inner = os.path.join(path, ".git")
    if _is_plainly_one(inner):
        return inner
    line = _line(inner) if os.path.isfile(inner) else None
    if line is not None and line.startswith("gitdir: "):
        return os.path.join(path, line.removeprefix("gitdir: "))
    if not os.path.lexists(inner) and _is_plainly_one(path):
        return path
    if not os.path.isdir(path):
        return None
    found = ask_git("-C", path, "rev-parse", "--absolute-git-dir")
    return found.output.strip() or None if found.code == 0 else None


def _is_plainly_one(place: str) -> bool:
    """Whether git would take a directory for a git directory; of any that is unusual, git is asked.

    It passes over a `.git` that is none, and goes on to look around it.
    """
    has_parts = all(os.path.isdir(os.path.join(place, name)) for name in ("objects", "refs"))
    return has_parts and _HEAD.fullmatch(_line(os.path.join(place, "HEAD")) or "") is not None


def ask_git(*words: str, stdin: bytes | None = None) -> Finished:
    """Ask git what runs nothing, and not about the repository of a hook that may have called us."""
    environment = {name: value for name, value in os.environ.items() if name not in _CALLER_VARIABLES}
    return run(["git", *words], environment=environment, stdin=stdin, undecodable="surrogateescape")


def read_lines(path: str) -> list[str]:
    """The lines of one of git's own files; none where there is no such file."""
    try:
        data = read_file(path, _MAX_REFS_BYTES)
    except OSError:
        return []
    return data.decode(errors="surrogateescape").removesuffix("\n").split("\n") if data else []


def _line(path: str) -> str | None:
    return next(iter(read_lines(path)), None)


def read_file(path: str, most: int) -> bytes | None:
    """The bytes of a regular file, one more than the most where it is longer; None where there is nothing.

    What is there and cannot be read raises: git may be able to, or run it unread.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        return file.read(most + 1)


def may_fetch(where: GitDirectories) -> bool:
    """Whether git may fetch what it does not find here, as in a partial clone, whatever it is asked."""
    try:
        found = [read_file(path, _MAX_CONFIG_BYTES) for path in _config_files(where)]
    except OSError:
        return True
    return any(data is not None and _MAY_FETCH.search(data) for data in found)


def settings_that_run(where: GitDirectories) -> tuple[list[Brought], str | None]:
    """The settings of a repository by which git runs something, and where they say that its hooks are."""
    found: list[Brought] = []
    hooks_path = None
    for number, (path, entries) in enumerate(_with_included(_config_files(where))):
        if number >= _MAX_INCLUDED:
            found.append(Brought(SETTING, path, "too many files are included to be shown", UNSHOWABLE))
            break
        if entries is None:
            found.append(Brought(SETTING, path, "it is too large to be shown, or cannot be read", UNSHOWABLE))
            continue
        for key, value in entries:
            if key == HOOKS_PATH:
                hooks_path = value
            elif _runs(key, value):
                found.append(brought(SETTING, key, value))
    return list(dict.fromkeys(found)), hooks_path


def _config_files(where: GitDirectories) -> list[str]:
    """Where a repository's own settings are, and those of this checkout and of the person's."""
    names = [(where.shared, "config"), (where.own, "config.worktree"), (where.shared, "config.worktree")]
    is_main = os.path.realpath(where.own) == where.shared
    return [os.path.join(*each) for each in (names[:2] if is_main else names)]


def _runs(key: str, value: str) -> bool:
    if key == "core.fsmonitor":
        return value.lower() not in _ON_OR_OFF
    return (value.startswith("!") and not key.startswith("alias.")) or re.fullmatch(_RUNS, key) is not None


def _with_included(files: list[str]) -> Iterator[tuple[str, tuple[Entry, ...] | None]]:
    """Each file with its settings, and the files that it includes, now or under a condition."""
    left, seen = list(files), set[str]()
    while left:
        path = left.pop(0)
        if path in seen:
            continue
        seen.add(path)
        try:
            data = read_file(path, _MAX_CONFIG_BYTES)
        except OSError:
            yield path, None
            continue
        if data is None:
            continue
        entries = _entries(data) if len(data) <= _MAX_CONFIG_BYTES else None
        yield path, entries
        included = [value for key, value in entries or () if key.startswith("include") and key.endswith(".path")]
        yield from ((value, None) for value in included if value.startswith(_OF_GITS_OWN))
        left += [os.path.join(os.path.dirname(path), os.path.expanduser(value)) for value in included]


@lru_cache(maxsize=64)
def _entries(data: bytes) -> tuple[Entry, ...] | None:
    """The settings in a file, in git's own reading; None where git cannot read it."""
    if not _MAY_RUN.search(data):
        return ()
    finished = ask_git("config", "--file", "-", "--no-includes", "--list", "-z", stdin=data)
    if finished.code != 0:
        return None
    pairs = (line.partition("\n") for line in finished.output.split("\0") if line)
    return tuple((key, value) for key, _, value in pairs)
