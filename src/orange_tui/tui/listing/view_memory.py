"""view.json: how the person likes to see the list, from one start of the app to the next.

It holds nothing that could not be chosen again, so it may be deleted at any time, and one that cannot be read is
ignored and replaced. Of two apps at once each writes down what was chosen in it, and nothing else.
"""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.home.json_file import JsonFile

if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.home.log import Log
    from orange_tui.home.paths import Home

_SCOPES = "scopes"  # the project that is shown, by where the app was started; empty: all of them
_MAX_BYTES = 100_000
_LOCK_TIMEOUT_SECONDS = 5.0


class ViewMemory:
    """What was chosen, as last read, with what was chosen since. Only `read` and `write` wait for files."""

    def __init__(self, home: Home, log: Log) -> None:
        self._path = os.path.join(home.root, "view.json")
        self._log = log
        self._values: dict[str, object] = {}
        self._unsaved: dict[str, object] = {}
        self._lock = Lock()

    def read(self) -> None:
        """Read what was chosen in earlier starts; what is wrong with the file is in the log, and nothing else."""
        try:
            self._values = self._file(disposable=False).read_object()
        except OrangeError as problem:
            self._values = {}
            self._log.write("warning", f"what was chosen in the list before is not known: {problem}")

    def chosen(self, name: str, possible: Collection[str]) -> str | None:
        """What was chosen last of what is possible; None where nothing was."""
        value = self._values.get(name)
        return value if isinstance(value, str) and value in possible else None

    def flag(self, name: str) -> bool:
        """Whether something was switched on last."""
        return self._values.get(name) is True

    def scope(self, start: str | None) -> tuple[bool, str | None]:
        """Whether a scope was chosen in an app that was started in this project, or in none; and which."""
        found = self._scopes(self._values).get(start or "")
        return isinstance(found, str), found if isinstance(found, str) and found else None

    def note_scope(self, start: str | None, scope: str | None) -> None:
        """Remember which project is shown in apps that are started there."""
        self.note(**{_SCOPES: {**self._scopes(self._unsaved), start or "": scope or ""}})

    def note(self, **values: object) -> None:
        """Remember some choices; `write` writes them down."""
        with self._lock:
            self._values.update(values)
            self._unsaved.update(values)

    def write(self) -> None:
        """Write down what was chosen since the last time; a file that cannot be written keeps nobody from working."""
        unsaved: dict[str, object] = {}
        try:
            with self._file(disposable=True).changing_object() as known:
                with self._lock:  # only now: of two that write, the second one has what was chosen last
                    unsaved, self._unsaved = self._unsaved, {}
                scopes = {**self._scopes(known), **self._scopes(unsaved)}
                known.update({**unsaved, **({_SCOPES: scopes} if scopes else {})})
        except OrangeError as problem:
            with self._lock:
                self._unsaved = {**unsaved, **self._unsaved}  # the next choice takes it along
            self._log.write("warning", f"what was chosen in the list is not remembered: {problem}")

    def _scopes(self, values: dict[str, object]) -> dict[str, object]:
        found = values.get(_SCOPES)
        return dict(found) if isinstance(found, dict) else {}

    def _file(self, *, disposable: bool) -> JsonFile:
        return JsonFile(
            self._path,
            f"{self._path}.lock",
            title="view.json",
            repair="it is replaced as soon as something is chosen",
            max_bytes=_MAX_BYTES,
            disposable=disposable,
            lock_timeout=_LOCK_TIMEOUT_SECONDS,
        )
