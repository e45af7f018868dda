"""What was seen of a pull request's review, in `pull_request.json` beside the threads. It is the engine's alone.

None of it is needed to know a comment again: that is in the threads. Without the file, what somebody has resolved there
is resolved here once more, and nothing else.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orange_tui.home.paths import Home

_MAX_KEYS = 5_000


@record
class ReviewMemory:
    """What was seen at the last reading.

    `seen` and `resolved` are keys of the forge's threads; `sent` says in which version a thread was sent to the agent.
    """

    url: str = ""
    mark: str = ""
    changes_requested: bool = False
    is_running: bool = False  # some check is
    left_out: int = 0
    seen: tuple[str, ...] = ()
    resolved: tuple[str, ...] = ()
    sent: Mapping[str, str] = {}


class MemoryFile:
    """The file of one task."""

    def __init__(self, home: Home, project: str, task_id: str) -> None:
        self._directory = home.task_state(project, task_id)
        path = os.path.join(self._directory, "pull_request.json")
        self._file = JsonFile(path, f"{path}.lock", title="pull request", disposable=True)

    def read(self, url: str) -> ReviewMemory:
        """What is known of the pull request at this URL; of another one, nothing."""
        found = self._file.read_object()
        return _memory(found) if found.get("url") == url else ReviewMemory(url)

    def write(self, memory: ReviewMemory) -> None:
        """Replace what is known."""
        make_directory(self._directory)
        with self._file.locked():
            self._file.write({**memory.__dict__, "sent": dict(memory.sent)})


def _memory(found: Mapping[str, Any]) -> ReviewMemory:
    left_out, sent, mark = found.get("left_out"), found.get("sent"), found.get("mark")
    known = {str(key): text for key, text in sent.items() if isinstance(text, str)} if isinstance(sent, dict) else {}
    return ReviewMemory(
        url=str(found["url"]),
        mark=mark if isinstance(mark, str) else "",
        changes_requested=found.get("changes_requested") is True,
        is_running=found.get("is_running") is True,
        left_out=left_out if type(left_out) is int else 0,
        seen=_texts(found.get("seen")),
        resolved=_texts(found.get("resolved")),
        sent=known,
    )


def _texts(value: object) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str))[-_MAX_KEYS:] if isinstance(value, list) else ()
