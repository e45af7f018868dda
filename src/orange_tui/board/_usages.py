"""What the tasks of a board have used: usage.json of each, read when it has changed.

Most tasks have none, and a directory of ten thousand is gone through once. A home with many of them has its newest read
first, and no refresh waits for all of them: what is left is read by the next, a moment later.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.usage.totals import Totals, sum_rows
from orange_tui.home.files import read_signature
from orange_tui.home.paths import CHAT
from orange_tui.home.settings.config_file import read_settings
from orange_tui.home.time_zone import today
from orange_tui.usage.usage_file import UsageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import tzinfo

    from orange_tui.domain.usage.totals import TaskUsage
    from orange_tui.home.files import Signature
    from orange_tui.home.paths import Home
    from orange_tui.store.index import Key

_READ_SECONDS = 0.1  # for what nobody has asked for by name


class Usages:
    """What was used in every project, as of the last refresh: also by chats, and by tasks that are deleted."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._signatures: dict[Key, Signature] = {}
        self._found: dict[Key, TaskUsage] = {}
        self._unread: list[Key] = []  # the newest at the end
        self._zone: tzinfo | None = None  # None: the system's
        self._knows_zone = False  # it is looked for only where something was used: that takes as long as many tasks
        self._day = ""
        self._of_today: dict[Key, Totals] = {}

    def get(self, key: Key) -> TaskUsage | None:
        """What a task has used; None where nothing is known."""
        return self._found.get(key)

    @property
    def is_complete(self) -> bool:
        """Whether all there is was read."""
        return not self._unread

    def today(self) -> dict[str, Totals]:
        """What was used today, in the person's time zone, by project; nothing of those where nothing was."""
        if not self._found:
            return {}
        if not self._knows_zone:
            self._knows_zone = True
            with suppress(OrangeError):
                self._zone = read_settings(self._home).time_zone()
        day = str(today(self._zone))
        if day != self._day:
            self._day, self._of_today = day, {}
            for key, usage in self._found.items():
                self._note_today(key, usage)
        found: dict[str, Totals] = {}
        for (project, _), totals in self._of_today.items():
            found[project] = found.get(project, Totals()) + totals
        return found

    def refresh(self, changed: Iterable[Key]) -> set[Key]:
        """Read what these tasks and the chats have used, and go on with what is unread; says whose has changed."""
        chats = [(project, CHAT) for project in self._folders("")]
        return {key for key in {*changed, *chats} if self._read(key)} | self._read_more()

    def refresh_all(self, tasks: Collection[Key] | None) -> set[Key]:
        """Look at every file, or only at those of these tasks, as long as the others have to wait."""
        self._knows_zone = False  # config.yml may be another
        keys = ((project, name) for project in self._folders("") for name in self._folders(project))
        looked_at = [key for key in keys if tasks is None or key in tasks]
        seen = {key: found for key in looked_at if (found := read_signature(self._file(key).path)) is not None}
        stale = [key for key, signature in seen.items() if signature != self._signatures.get(key)]
        self._unread = sorted(stale, key=lambda key: seen[key][1])
        gone = self._signatures.keys() - seen.keys() if tasks is None else set()
        return {key for key in gone if self._read(key)} | self._read_more()

    def _read_more(self) -> set[Key]:
        until = time.monotonic() + _READ_SECONDS
        found: set[Key] = set()
        while self._unread and (not found or time.monotonic() < until):
            key = self._unread.pop()
            self._read(key)
            found.add(key)
        return found

    def _read(self, key: Key) -> bool:
        """Read one file, if it has changed; says whether it has."""
        file = self._file(key)
        signature = read_signature(file.path)
        if signature == self._signatures.get(key):
            return False
        usage = file.read() if signature is not None else None
        self._of_today.pop(key, None)
        if signature is None:
            del self._signatures[key]
        else:
            self._signatures[key] = signature
        if usage is None or not usage.rows:
            self._found.pop(key, None)
        else:
            self._found[key] = usage
            self._note_today(key, usage)
        return True

    def _note_today(self, key: Key, usage: TaskUsage) -> None:
        rows = [row for row in usage.rows if row.day == self._day]
        if rows:
            self._of_today[key] = sum_rows(rows)

    def _file(self, key: Key) -> UsageFile:
        return UsageFile(self._home.task_state(*key))

    def _folders(self, project: str) -> list[str]:
        with suppress(OSError), os.scandir(os.path.join(self._home.state, project)) as entries:
            return [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
        return []
