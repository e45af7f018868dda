"""Branches that are packed, as files of their own again: only a file can be shown to an agent and held against it.

Where a branch is in `packed-refs` alone, whoever may make a file beside the task's own branch makes that one, and it
counts more than what is packed.
"""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import Refused
from orange_tui.domain.sandbox.repository import check_few_beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT = ".orange"  # keeps a directory of references, which git removes once it is empty; git ignores such a name


def loosen_branches(shared: str, directory: str, branch: str) -> None:
    """Give each branch beside one a file of its own, in a directory such as refs/heads; directories there are kept."""
    packed = [name.removeprefix(f"{directory}/") for name in _packed(shared) if name.startswith(f"{directory}/")]
    others = [name for name in packed if f"{directory}/{name}" != f"refs/heads/{branch}"]
    beside = {(name.partition("/")[0], "/" in name) for name in others}
    check_few_beside(branch, len({first for first, _ in beside}))
    for first, is_directory in sorted(beside):
        if is_directory:
            _keep(os.path.join(shared, directory, first))
        elif not os.path.lexists(os.path.join(shared, directory, first)):
            _loosen(shared, f"{directory}/{first}")


def _packed(shared: str) -> dict[str, str]:
    try:
        with open(os.path.join(shared, "packed-refs"), encoding="utf-8", errors="surrogateescape") as file:
            lines: Iterable[str] = file.read().split("\n")
    except FileNotFoundError:
        return {}
    parts = (line.partition(" ") for line in lines if not line.startswith(("#", "^")))
    return {name: commit for commit, _, name in parts if name}


def _keep(directory: str) -> None:
    with suppress(FileExistsError, NotADirectoryError):  # a branch of that name has come meanwhile
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, KEPT), "a", encoding="utf-8"):
            pass


def _loosen(shared: str, name: str) -> None:
    """As git writes a branch: with its lock, under which nobody else changes, packs or deletes it."""
    path = os.path.join(shared, name)
    lock = f"{path}.lock"
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        raise Refused(f"git is at work on {name} ({lock} is there); try again when it has ended") from None
    try:
        commit = _packed(shared).get(name)
        if commit is None or os.path.lexists(path):
            os.unlink(lock)
        else:
            os.write(descriptor, f"{commit}\n".encode())
            os.rename(lock, path)
    except OSError:
        os.unlink(lock)  # it is still ours: once it is renamed, one of that name is somebody else's
        raise
    finally:
        os.close(descriptor)
