"""runtime.json: what is true only now, for each window of a task. It may be deleted at any time.

It is not worth a sync to disk and never worth waiting for long: agents' hooks write it, in the middle of their work.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import record
from orange_tui.home.files import locked, not_saved, read_bytes, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST_BYTES = 1_000_000
_PATIENCE = 5.0  # seconds; whoever holds the lock needs a millisecond, unless somebody has stopped it
_PAUSE = 0.002


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
        try:
            found = json.loads(read_bytes(self.path, most=_MOST_BYTES))
        except (OrangeError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {window: values for window, values in found.items() if isinstance(values, dict)}

    def window(self, name: str) -> dict[str, Any]:
        """What is known about one window."""
        return self.read().get(name, {})

    def update(self, window: str, **values: object) -> None:
        """Change some values of a window; None takes one away."""
        self._change(window, values, afresh=False)

    def replace(self, window: str, **values: object) -> None:
        """Begin a window anew: whatever was known about an earlier one of that name is gone."""
        self._change(window, values, afresh=True)

    def forget(self, window: str) -> None:
        """A window that is no more."""
        self._change(window, {}, afresh=True)

    def _change(self, window: str, values: dict[str, object], *, afresh: bool) -> None:
        lock = os.path.join(self.directory, ".runtime.lock")
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            with locked(lock, what="the runtime file", wait=False) as held:
                if held:
                    self._apply(window, values, afresh=afresh)
                    return
            time.sleep(_PAUSE)
        raise Refused(f"{self.path} is held by another command")

    def _apply(self, window: str, values: dict[str, object], *, afresh: bool) -> None:
        everything = self.read()
        known = {} if afresh else everything.get(window, {})
        changed = {name: value for name, value in {**known, **values}.items() if value is not None}
        after = {**everything, window: changed}
        if not changed:
            del after[window]
        if after != everything:
            self._write(json.dumps(after).encode())

    def _write(self, data: bytes) -> None:
        aside = f"{self.path}.new"
        try:
            descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
            try:
                write_all(descriptor, data)
            finally:
                os.close(descriptor)
            os.replace(aside, self.path)
        except OSError as problem:
            with suppress(OSError):
                os.unlink(aside)
            raise not_saved(self.path, problem) from None
