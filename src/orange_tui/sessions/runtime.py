"""runtime.json: what is true only now, for each window of a task. It may be deleted at any time.

It is not worth a sync to disk and never worth waiting for long: agents' hooks write it, in the middle of their work.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_BYTES = 1_000_000
_LOCK_TIMEOUT_SECONDS = 5.0  # its holder needs a millisecond, unless it was stopped


@record
class Runtime:
    """The runtime file of one task directory: a mapping of window names to what is known about each."""

    directory: str

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self.directory, "runtime.json")

    def read(self) -> dict[str, dict[str, Any]]:
        """Everything known; a file that is missing or damaged says nothing."""
        return _windows(self._file.read_object())

    @property
    def _file(self) -> JsonFile:
        return JsonFile(
            self.path,
            os.path.join(self.directory, ".runtime.lock"),
            title=self.path,
            max_bytes=_MAX_BYTES,
            disposable=True,
            lock_timeout=_LOCK_TIMEOUT_SECONDS,
        )

    def window(self, name: str) -> dict[str, Any]:
        """What is known about one window."""
        return self.read().get(name, {})

    def update(self, window: str, **values: object) -> None:
        """Change some values of a window; None takes one away."""
        self._change(window, values, afresh=False)

    def replace(self, window: str, **values: object) -> None:
        """Replace all that is known about a window, for a new one of that name."""
        self._change(window, values, afresh=True)

    def _change(self, window: str, values: dict[str, object], *, afresh: bool) -> None:
        with self._file.changing_object() as everything:
            known = {} if afresh else _windows(everything).get(window, {})
            changed = {name: value for name, value in {**known, **values}.items() if value is not None}
            if changed:
                everything[window] = changed
            else:
                everything.pop(window, None)


def _windows(content: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {window: values for window, values in content.items() if isinstance(values, dict)}
