"""`.issues.json` of a project: which issue became which task, so that no issue ever makes a second one.

The id of the task to come is noted before the task is made. After a crash, whether that task is there tells what is
left to do; a task that was made once and is gone now was deleted by a person, and stays gone.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.home.json_file import JsonFile
from orange_tui.issues.issue import place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import Any

    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project
    from orange_tui.issues.issue import Repository
    from orange_tui.orange import Orange

    Entries = dict[str, dict[str, Any]]

_MOST_BYTES = 20_000_000


@record
class IssueFile:
    """What is known of one project's issues. Whoever writes holds the lock."""

    home: Home
    project: str

    @property
    def path(self) -> str:
        """Where it is."""
        return os.path.join(self.home.tasks, self.project, ".issues.json")

    def lock(self, *, wait: bool) -> AbstractContextManager[bool]:
        """One process at a time deals with a project's issues."""
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        return self._file.locked(wait=wait)

    @property
    def _file(self) -> JsonFile:
        return JsonFile(
            self.path,
            os.path.join(os.path.dirname(self.path), ".issues.lock"),
            title=f"the issues of {self.project}",
            repair="fix it by hand, or delete it",
            max_bytes=_MOST_BYTES,
        )

    def entries(self) -> Entries:
        """By GitHub's own key of an issue: `task`, `made`, and what the task was last told of it."""
        found = self._file.read_object().get("issues", {})
        fits = isinstance(found, dict) and all(isinstance(entry, dict) for entry in found.values())
        if not fits or not all(isinstance(entry.get("task"), str) for entry in found.values()):
            raise self._file.unreadable("must have a `task` for each of its `issues`")
        return dict(found)

    def place(self, task: str) -> tuple[Repository, int] | None:
        """Where the issue of a task is. TASK.md says so, too, but whoever edits that must not choose where we write."""
        found = (entry.get("url") for entry in self.entries().values() if entry["task"] == task)
        return place_of(next(found, None))

    def note(self, key: str, **values: object) -> None:
        """Write something down about an issue, durably."""
        entries = self.entries()
        entry = entries.get(key, {}) | values
        if entries.get(key) != entry:
            self._file.write(self._file.read_object() | {"issues": entries | {key: entry}})

    @property
    def problem(self) -> str | None:
        """Why the issues could not be looked at the last time, or what could not be said on one, if so."""
        try:
            data = self._file.read_object()
        except Unreadable as unreadable:
            return str(unreadable)
        unsaid = data.get("unsaid")
        found = [data.get("problem"), *(unsaid.values() if isinstance(unsaid, dict) else ())]
        return next((each for each in found if isinstance(each, str)), None)

    def note_problem(self, problem: str | None) -> None:
        """Keep that for whoever asks (`orange project list`); written only when it changes."""
        data = self._file.read_object()
        if data.get("problem") != problem:
            self._file.write(data | {"problem": problem})

    def note_unsaid(self, task: str, problem: str | None) -> None:
        """The same for what was to be said of one task."""
        data = self._file.read_object()
        known = data.get("unsaid")
        before = known if isinstance(known, dict) else {}
        after = {name: each for name, each in before.items() if name != task} | ({task: problem} if problem else {})
        if before != after:
            self._file.write(data | {"unsaid": after})


def tracked(entries: Entries) -> Iterator[tuple[str, int, str]]:
    """Key, number and task of every issue that is known."""
    for key, entry in entries.items():
        if isinstance(entry.get("number"), int):
            yield key, entry["number"], entry["task"]


def issue_problem(orange: Orange, project: Project) -> str | None:
    """Why a project's issues are not followed at the moment, if so."""
    return IssueFile(orange.home, project.name).problem
