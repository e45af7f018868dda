"""A JSON file that several processes read and change, such as projects.json, jobs.json and runtime.json.

Whoever changes one holds its lock, and the file is replaced in one step: a reader sees the old content or the new.
A file that cannot be read is refused, with the line and the way out, and never rewritten; keys that the reader does
not know are handed over as they are, and so survive. On the path of `orange task event`: keep the imports few.
"""

from __future__ import annotations

import json
from contextlib import contextmanager

from orange_tui.domain.errors import NotFound, NotSaved, OrangeError, Unreadable
from orange_tui.domain.records import record
from orange_tui.home.files import read_bytes, replace_file
from orange_tui.home.locks import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, TypeVar

    Object = dict[str, Any]
    T = TypeVar("T")

_TOO_LARGE = 1e300


@record
class JsonFile:
    """A file whose content is one JSON object, or a list of them.

    A `disposable` one may be deleted at any time: damaged, it reads as empty, and a write is not synced to disk.
    """

    path: str
    lock_path: str
    title: str  # what messages call it, and what a list in it is a list of
    repair: str = "fix it by hand"  # the way out of a damaged file
    max_bytes: int = 5_000_000
    disposable: bool = False
    lock_timeout: float | None = None  # seconds; None waits for as long as it takes

    def read_object(self) -> Object:
        """The object in the file; an empty one where there is no file."""
        found = self._read({})
        if not isinstance(found, dict):
            return self._damaged(self.unreadable("must be a JSON object"), {})
        return found

    def read_objects(self) -> list[Object]:
        """The list of objects in the file; an empty one where there is no file."""
        found = self._read([])
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            return self._damaged(self.unreadable(f"must be a list of {self.title}"), [])
        return found

    def _read(self, empty: object) -> object:
        try:
            data = read_bytes(self.path, max_bytes=self.max_bytes)
        except NotFound:
            return empty
        except OrangeError as problem:
            return self._damaged(problem, empty)
        if len(data) > self.max_bytes:
            return self._damaged(self.unreadable(f"is over {self.max_bytes:,} bytes"), empty)
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as problem:
            return self._damaged(self._not_json(problem), empty)

    def _damaged(self, problem: OrangeError, empty: T) -> T:
        if self.disposable:
            return empty
        raise problem from None

    def _not_json(self, problem: Exception) -> Unreadable:
        if isinstance(problem, json.JSONDecodeError):
            return Unreadable(f"{self.path}:{problem.lineno} is not JSON: {problem.msg}; {self.repair}")
        reason = "it is nested too deeply" if isinstance(problem, RecursionError) else "it is not UTF-8 text"
        return self.unreadable(f"is not JSON: {reason}")

    def unreadable(self, reason: str) -> Unreadable:
        """The error for wrong content: the file, the reason and the way out."""
        return Unreadable(f"{self.path} {reason}; {self.repair}")

    def locked(self, *, wait: bool = True) -> AbstractContextManager[bool]:
        """Hold the file's lock; with wait=False, yield whether it was free."""
        return locked(self.lock_path, what=self.title, wait=wait, timeout=self.lock_timeout)

    def changing_object(self) -> AbstractContextManager[Object]:
        """The object, to be changed under the lock; written at the end if it was changed, and nothing raised."""
        return self._changing(self.read_object)

    def changing_objects(self) -> AbstractContextManager[list[Object]]:
        """The list of objects, likewise."""
        return self._changing(self.read_objects)

    @contextmanager
    def _changing(self, read: Callable[[], T]) -> Iterator[T]:
        with self.locked():
            content = read()
            before = json.dumps(content)  # without indentation, which takes seven times as long
            yield content
            if json.dumps(content) != before:
                self.write(content)

    def write(self, content: object) -> None:
        """Replace the content; the caller holds the lock."""
        self._replace(self._encode(content))

    def _encode(self, content: object) -> bytes:
        text = json.dumps(content, indent=None if self.disposable else 2, ensure_ascii=False)
        return text.encode(errors="backslashreplace") + b"\n"  # a lone surrogate becomes a JSON escape

    def _replace(self, data: bytes) -> None:
        if len(data) > self.max_bytes and not self.disposable:  # nobody could read it again
            raise NotSaved(f"{self.path} was not saved: it would be over {self.max_bytes:,} bytes")
        replace_file(self.path, data, durable=not self.disposable)


def to_number(value: object) -> float | None:
    """A number from JSON; None for what is none, also for one that no calculation can hold."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < _TOO_LARGE:
        return None
    return float(value)
