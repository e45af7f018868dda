"""Paths that a project opens besides (`--sandbox-read`, `--sandbox-write`): which of them would open too much."""

from __future__ import annotations

import os

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.rules import is_in
from orange_tui.domain.sandbox.tables import HOME_SECRETS, NEVER_OPENED, SYSTEM_SECRETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@record
class Surroundings:
    """What an opened path must not lead to: the person's home, Orange's, and the repository. All links are resolved."""

    home: str
    orange_home: str
    repository: str


def check_opened(path: str, around: Surroundings, *, write: bool) -> None:
    """Refuse a path, links resolved, that would open a secret, what is Orange's, or all of the home."""
    if not os.path.isabs(path):
        raise Refused(f"{path} is not a whole path; write one that begins with / or ~")
    reason = next(_reasons(path, around, write=write), None)
    if reason is not None:
        way_out = "Name something more particular, or a copy with a login that may only read"
        raise Refused(f"{path} cannot be opened in a sandbox: {reason}. {way_out}")


def _reasons(path: str, around: Surroundings, *, write: bool) -> Iterator[str]:
    if path in {"/", around.home} or is_in(around.home, path):
        yield "your whole home is in there"
    if _touches(path, around.orange_home):
        yield "Orange's own files are there, and those of other tasks"
    yield from _secrets(path, around, write=write)
    if write and _touches(path, around.repository):
        yield "agents write the repository through git, in worktrees of their own"


def _secrets(path: str, around: Surroundings, *, write: bool) -> Iterator[str]:
    known = {os.path.join(around.home, name): reason for name, reason in HOME_SECRETS.items()} | dict(SYSTEM_SECRETS)
    for secret, reason in known.items():
        if path == secret or is_in(path, secret):
            yield f"it is hidden because it has {reason}"
        if write and is_in(secret, path):
            yield f"{secret} is in there, which has {reason}"
    for socket in NEVER_OPENED:
        if _touches(path, socket):
            yield f"who reaches {socket} acts as you"


def _touches(path: str, other: str) -> bool:
    return path == other or is_in(path, other) or is_in(other, path)
