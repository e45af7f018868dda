"""The records of agents that an agent has started itself, where they are files beside its own.

opencode keeps them in its database, with the conversation they belong to; pi starts none.
"""

from __future__ import annotations

import os
import time
from itertools import takewhile

from orange_tui.agents._session_records import days_backwards, head_lines, is_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_RACY_NANOSECONDS = 100_000_000  # a directory changed so lately may change again within the same tick of its clock


def files_below(session_format: str, path: str, session_id: str) -> list[str]:
    """The files of the agents below a conversation, which is in `path`."""
    find = _BELOW.get(session_format)
    return find(path, session_id) if find is not None else []


def _below_claude(path: str, session_id: str) -> list[str]:
    """`<id>/subagents/*.jsonl` beside it."""
    del session_id
    files = _files_in(os.path.join(path.removesuffix(".jsonl"), "subagents"))
    return [each for each in files if each.endswith(".jsonl")]


def _below_codex(path: str, session_id: str) -> list[str]:
    """Files like its own, of the same day or later, that name it as the one they belong to."""
    own_day = os.path.dirname(path)
    root = os.path.dirname(os.path.dirname(os.path.dirname(own_day)))
    days = takewhile(lambda day: day >= own_day, days_backwards(root))
    return [each for day in days for each in _days.setdefault(day, _CodexDay(root, day)).below(session_id)]


class _CodexDay:
    """The agents that codex has started itself on one day, by whom they belong to. Each file is opened once."""

    def __init__(self, root: str, folder: str) -> None:
        self._root, self._folder = root, folder
        self._changed_at = 0
        self._known: set[str] = set()
        self._below: dict[str, list[str]] = {}

    def below(self, session_id: str) -> list[str]:
        """The files of those that belong to a conversation."""
        try:
            changed_at = os.stat(self._folder).st_mtime_ns
        except OSError:
            return []
        if changed_at != self._changed_at:
            is_settled = time.time_ns() - changed_at > _RACY_NANOSECONDS
            unread = [path for path in _files_in(self._folder) if path not in self._known and not self._note(path)]
            self._changed_at = changed_at if is_settled and not unread else 0
        return self._below.get(session_id, [])

    def _note(self, path: str) -> bool:
        """Look whose a file is; False where its first line is not there yet."""
        first = next(head_lines(path), None) if is_record(self._root, path) else {}
        if first is None:
            return False
        self._known.add(path)
        meta = first.get("payload")
        if first.get("type") == "session_meta" and isinstance(meta, dict) and isinstance(meta.get("source"), dict):
            self._below.setdefault(str(meta.get("session_id")), []).append(path)
        return True


def _files_in(folder: str) -> list[str]:
    """The regular files of a directory, with their paths, in the order of their names."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.path for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return []


_days: dict[str, _CodexDay] = {}
_BELOW: Mapping[str, Callable[[str, str], list[str]]] = {"claude": _below_claude, "codex": _below_codex}
