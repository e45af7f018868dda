"""A merge as a task's history tells it.

The task's agents can write there, and what is read here becomes words on git's command line: so a merge whose commits
are not named as git names them, in full, was not written by Orange and is none.
"""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.store.journal import Journal

STARTED, MADE = "merge.started", "task.merged"
_HEXADECIMAL = "0123456789abcdef"
_COMMIT_LENGTHS = (40, 64)


@record
class RecordedMerge:
    """The last commit of the branch, and the one of the default branch that it was merged as."""

    head: str
    commit: str
    base: str | None  # what it was merged into; only its start tells
    strategy: str | None
    pushed: bool


def last_merge(journal: Journal, kind: str) -> RecordedMerge | None:
    """The last merge that was started, or that was made; None where there is none that can be believed."""
    event = journal.last(kind) or {}
    head, commit, base, strategy = (event.get(name) for name in ("head", "commit", "base", "strategy"))
    if not is_commit(head) or not is_commit(commit) or (kind == STARTED and not is_commit(base)):
        return None
    known = strategy if isinstance(strategy, str) else None
    return RecordedMerge(str(head), str(commit), str(base) if base else None, known, event.get("pushed") is True)


def is_commit(name: object) -> bool:
    """Whether a name is a commit's, in full, and so no word that git would take for something else."""
    return isinstance(name, str) and len(name) in _COMMIT_LENGTHS and not name.strip(_HEXADECIMAL)
