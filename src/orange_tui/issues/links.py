"""Which issue became which task: a project's `.issues.json`, so that no issue ever makes a second task.

The id of the task to come is written before the task is created. After a crash, whether that task is there tells
what is left to do; a task that was created once and is gone now was deleted by a person, and stays deleted.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile
from orange_tui.outside.forge.registry import find_issue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

    from orange_tui.home.paths import Home
    from orange_tui.outside.forge.interface import Address, Forge

    Entries = dict[str, dict[str, Any]]

_MAX_BYTES = 20_000_000


@record
class IssueLinks:
    """The known issues of one project. The caller of what writes holds the lock."""

    home: Home
    project: str

    @property
    def path(self) -> str:
        """Where the file is."""
        return os.path.join(self.home.tasks, self.project, ".issues.json")

    def lock(self, *, wait: bool) -> AbstractContextManager[bool]:
        """One process at a time works on a project's issues."""
        make_directory(os.path.dirname(self.path))
        return self._file.locked(wait=wait)

    @property
    def _file(self) -> JsonFile:
        return JsonFile(
            self.path,
            os.path.join(os.path.dirname(self.path), ".issues.lock"),
            title=f"the issues of {self.project}",
            repair="fix it by hand, or delete it",
            max_bytes=_MAX_BYTES,
        )

    def entries(self) -> Entries:
        """By the forge's own key of an issue: `task`, `made`, and the issue as of its task's last update."""
        found = self._file.read_object().get("issues", {})
        fits = isinstance(found, dict) and all(isinstance(entry, dict) for entry in found.values())
        if not fits or not all(isinstance(entry.get("task"), str) for entry in found.values()):
            raise self._file.unreadable("must have a `task` for each of its `issues`")
        return dict(found)

    def linked(self) -> list[tuple[str, int, str]]:
        """Key, number and task of every known issue."""
        entries = self.entries().items()
        return [(key, entry["number"], entry["task"]) for key, entry in entries if isinstance(entry.get("number"), int)]

    def issue_of(self, task: str) -> tuple[Forge, Address] | None:
        """Where a task's issue is. TASK.md has it too, but an edit there must not choose where we post."""
        found = (entry.get("url") for entry in self.entries().values() if entry["task"] == task)
        return find_issue(next(found, None))

    def update(self, key: str, **values: object) -> None:
        """Write something about an issue, durably."""
        entries = self.entries()
        entry = entries.get(key, {}) | values
        if entries.get(key) != entry:
            self._file.write(self._file.read_object() | {"issues": entries | {key: entry}})

    @property
    def problem(self) -> str | None:
        """Why the last round failed, or what could not be posted on an issue, if so."""
        try:
            data = self._file.read_object()
        except Unreadable as unreadable:
            return str(unreadable)
        unposted = data.get("unsaid")
        found = [data.get("problem"), *(unposted.values() if isinstance(unposted, dict) else ())]
        return next((each for each in found if isinstance(each, str)), None)

    def set_problem(self, problem: str | None) -> None:
        """Keep why a round failed, for `orange project list`; written only when it changes."""
        data = self._file.read_object()
        if data.get("problem") != problem:
            self._file.write(data | {"problem": problem})

    def set_post_problem(self, task: str, problem: str | None) -> None:
        """The same for what was to be posted about one task."""
        data = self._file.read_object()
        known = data.get("unsaid")
        before = known if isinstance(known, dict) else {}
        after = {name: each for name, each in before.items() if name != task} | ({task: problem} if problem else {})
        if before != after:
            self._file.write(data | {"unsaid": after})
