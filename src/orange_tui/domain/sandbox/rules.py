"""From rules about paths to mounts: what is there in a sandbox, and what may be done with it.

A directory of the home that something in it is hidden from is not shown as it is: it is made anew, empty, and each
other thing in it is put there. So a secret that is made while the agent works is not there either.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Protocol

    class Tree(Protocol):
        """The files as they are, looked at for a plan."""

        def kind(self, path: str) -> str | None:
            """What is there, links not followed: `directory`, `file`, `link`, `other`, or None."""

        def names(self, directory: str) -> list[str]:
            """What is in a directory; nothing where it cannot be read."""

        def target(self, link: str) -> str:
            """Where a link leads."""


# What may be done with a path.
HIDE = "hide"  # it is not there
READ = "read"
WRITE = "write"
PRIVATE = "private"  # empty, writable, and forgotten at the end
COPIED = "copied"  # the same, with copies of the files that are in it

_MAX_COPY_FILES = 60  # of an agent's directory: more would be no settings any more


@record
class Mount:
    """One step of making a sandbox, by its kind: `read`, `write`, `empty`, `full`, `blank`, `link`, `copy`, `lock`."""

    kind: str
    path: str
    source: str = ""  # what is mounted or copied there, or where a link leads

    def as_json(self) -> list[str]:
        """As it stands in a plan."""
        return [self.kind, self.path, self.source]


def plan_mounts(rules: Mapping[str, str], home: str, tree: Tree) -> list[Mount]:
    """The mounts that give each path what its rule says; what has no rule is read, as all of the machine is."""
    return list(_Planner({"/": READ, home: READ, **rules}, home, tree).place("/", READ))


def access_to(path: str, rules: Mapping[str, str]) -> str:
    """What may be done with a path: what the rule of the innermost path says that it is, or is in."""
    while path not in rules:
        if path == "/":
            return READ
        path = os.path.dirname(path)
    return rules[path]


class _Planner:
    def __init__(self, rules: Mapping[str, str], home: str, tree: Tree) -> None:
        self._rules = rules
        self._home = home
        self._tree = tree

    def place(self, path: str, access: str) -> Iterator[Mount]:
        """Put a path there, and then what has rules of its own in it."""
        if access == HIDE:
            yield from self._hidden(path)
        elif access in {PRIVATE, COPIED}:
            yield Mount("empty", path)
            yield from self._copies(path) if access == COPIED else ()
            yield from self._inner(path)
        elif access == READ and self._is_opened(path):
            yield from self._opened(path)
        else:
            yield Mount(access, path, path)
            yield from self._inner(path)

    def _hidden(self, path: str) -> Iterator[Mount]:
        """In a directory that is made anew it is not there by itself; elsewhere it is covered."""
        kind, covered = self._tree.kind(path), not self._is_opened(os.path.dirname(path))
        shows = any(self._rules[inner] != HIDE for inner in self._inside(path))
        if kind == "directory" and (shows or covered):
            yield Mount("empty", path)
            yield from self._inner(path)
            yield Mount("lock", path)
        elif kind in {"file", "other"} and covered:
            yield Mount("blank", path)

    def _is_opened(self, path: str) -> bool:
        """Whether a directory is made anew: the home or one in it, read as it is, and with something to hide."""
        is_home = path == self._home or is_in(path, self._home)
        return (
            is_home and access_to(path, self._rules) == READ and any(self._hides(inner) for inner in self._inside(path))
        )

    def _hides(self, path: str) -> bool:
        return self._rules[path] in {HIDE, PRIVATE, COPIED}

    def _opened(self, path: str) -> Iterator[Mount]:
        yield Mount("empty", path)
        names = self._tree.names(path)
        for inner in [os.path.join(path, name) for name in names]:
            kind = self._tree.kind(inner)
            if kind == "link":
                yield Mount("link", inner, self._tree.target(inner))
            elif kind in {"directory", "file"}:  # no sockets: who listens there is outside
                yield from self.place(inner, self._rules.get(inner, READ))
        for inner in self._inside(path):
            if self._rules[inner] in {PRIVATE, COPIED} and self._tree.kind(_first(inner, path)) is None:
                yield from self.place(inner, self._rules[inner])
        yield Mount("lock", path)

    def _copies(self, path: str) -> Iterator[Mount]:
        """Copies of the files in an agent's own directory: it may change them, and nobody else sees that."""
        files = [name for name in self._tree.names(path) if self._tree.kind(os.path.join(path, name)) == "file"]
        for inner in [os.path.join(path, name) for name in files[:_MAX_COPY_FILES]]:
            if inner not in self._rules:
                yield Mount("copy", inner, inner)

    def _inner(self, path: str) -> Iterator[Mount]:
        """What has a rule of its own in here, but for what is in something else that has one."""
        inside = self._inside(path)
        for inner in inside:
            if not any(is_in(inner, other) for other in inside):
                yield from self.place(inner, self._rules[inner])

    def _inside(self, path: str) -> list[str]:
        return sorted(inner for inner in self._rules if is_in(inner, path))


def is_in(path: str, directory: str) -> bool:
    """Whether a path is inside a directory, both without links."""
    return path != directory and path.startswith(directory.rstrip("/") + "/")


def _first(path: str, directory: str) -> str:
    """The path, or the directory it is in, that is right inside another directory."""
    return os.path.join(directory, os.path.relpath(path, directory).split("/")[0])
