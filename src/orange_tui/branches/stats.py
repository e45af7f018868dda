"""What is known of a branch's distance; apart from how it is measured, because whoever only shows it needs no git."""

from __future__ import annotations

from orange_tui.domain.records import record


@record
class Stats:
    """How far a branch is from the default branch: commits, and lines added and removed."""

    ahead: int
    added: int
    removed: int
