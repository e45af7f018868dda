"""Links in the parts of a git directory that an agent in a sandbox writes: its worktree's own part, and references.

Git writes there by the names it knows, and follows links: an index, a line of a reflog or a branch would land wherever
one leads, as the person. Git itself has made none there, so where there is one nothing is run.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.outside.git_guard.brought import GitDirectories

_REFERENCES = ("refs", os.path.join("logs", "refs"))


def check_no_links(where: GitDirectories) -> None:
    """Refuse where git could be led elsewhere by what it writes."""
    link = next(_links(where), None)
    if link is not None:
        raise Refused(f"{link} is a link, and git would write to where it leads, so it was not run. Remove it")


def _links(where: GitDirectories) -> Iterator[str]:
    if os.path.realpath(where.own) != where.shared:  # the person's own part is nobody else's to write
        yield from _below(where.own, 0)
        yield from _below(os.path.join(where.own, "logs"))
    for name in _REFERENCES:
        yield from _below(os.path.join(where.shared, name))


def _below(directory: str, depth: int = 100) -> Iterator[str]:
    try:
        with os.scandir(directory) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        if entry.is_symlink():
            yield entry.path
        elif depth and entry.is_dir(follow_symlinks=False):
            yield from _below(entry.path, depth - 1)
