"""The issues of all projects that ask for it, every minute; and what tasks come to is said as soon as it is known.

Each project has its own backoff: where GitHub does not answer it is asked less and less, and it is said once why. All
of this is beside the supervisor's other work and never holds it up.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from orange_tui.domain.errors import Busy, OrangeError
from orange_tui.issues.issue_push import news_of
from orange_tui.issues.issue_rules import rules_of
from orange_tui.issues.issue_sync import ProjectIssues
from orange_tui.outside.backoff import Backoff, in_background
from orange_tui.outside.github import Unanswered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.task import Task
    from orange_tui.issues.issue_pull import Did
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

EVERY = 60.0  # seconds between two rounds of a project
LONGEST = 1800.0  # seconds that GitHub is left alone at most, unless it asks for more


class Watched:
    """One project: what is remembered of it, and when its turn is."""

    def __init__(self, orange: Orange, name: str) -> None:
        self.issues = ProjectIssues(orange, name)
        self.backoff = Backoff(EVERY, LONGEST)


class IssueWatch:
    """The issues of one home."""

    def __init__(self, orange: Orange) -> None:
        self._orange = orange
        self._watched: dict[str, Watched] = {}
        self._changed: set[TaskRef] = set()  # tasks of issues about which there may be something to say
        self._has_new = False
        self._told: set[str] = set()  # what was logged of single issues, so that it is logged once
        self._wake = asyncio.Event()

    def know(self, ref: TaskRef, task: Task) -> None:
        """A task is like this now. Called from any thread."""
        if "issue_url" in task.extra:
            self._changed.add(ref)
            self._has_new = True

    def look(self) -> None:
        """Say now what there is to say."""
        if self._has_new:
            self._has_new = False
            self._wake.set()

    async def run(self) -> None:
        """Ask and say, for ever."""
        while True:
            self._wake.clear()
            names = await asyncio.to_thread(self._names)
            for name in names:
                await self._deal_with(name)
            due = [self._of(name).backoff.due for name in names]
            pause = min([*(each - time.monotonic() for each in due), EVERY])
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), max(0.0, pause))

    def _names(self) -> list[str]:
        try:
            return [project.name for project in self._orange.projects.all() if rules_of(project).on]
        except OrangeError:
            return []  # projects.json cannot be read: every command says so

    def _of(self, name: str) -> Watched:
        return self._watched.setdefault(name, Watched(self._orange, name))

    async def _deal_with(self, name: str) -> None:
        watched = self._of(name)
        is_due = watched.backoff.due <= time.monotonic()
        if is_due and not await self._try(name, watched.issues.pull):
            return
        if watched.backoff.problem is None:
            refs = [ref for ref in list(self._changed) if ref.project == name]
            await self._try(name, lambda: self._said(watched, refs), is_round=False)

    def _said(self, watched: Watched, refs: list[TaskRef]) -> list[Did]:
        """What is said of tasks leaves the list before it is said: what changes meanwhile is looked at again."""
        self._changed.difference_update(refs)
        try:
            wanted = [ref for ref in refs if _has_news(self._orange, ref)]
            return watched.issues.push(wanted) if wanted else []
        except Exception:
            self._changed.update(refs)
            raise

    async def _try(self, name: str, work: Callable[[], list[Did]], *, is_round: bool = True) -> bool:
        """Do it, and tell what came of it; whatever it is, the others go on."""
        backoff = self._of(name).backoff
        try:
            did = await in_background(work)
        except Busy:
            backoff.due = time.monotonic() + EVERY
            return False
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is told
            pause = problem.pause if isinstance(problem, Unanswered) else 0.0
            said = str(problem) if isinstance(problem, OrangeError) else repr(problem)
            if backoff.failed(said, pause):
                self._log("warning", f"The issues of {name} cannot be followed: {said}")
            return False
        if is_round:
            if backoff.problem is not None:
                self._log("info", f"The issues of {name} can be followed again")
            backoff.succeeded()
        for each in did:
            self._tell(each)
        return True

    def _tell(self, did: Did) -> None:
        if not did.is_problem:
            self._log("info", did.sentence)
        elif did.sentence not in self._told:
            self._told.add(did.sentence)
            self._log("warning", did.sentence)

    def _log(self, level: str, sentence: str) -> None:
        with suppress(OrangeError, OSError):
            self._orange.log.write(level, sentence)


def _has_news(orange: Orange, ref: TaskRef) -> bool:
    try:
        return news_of(orange, ref) is not None
    except OrangeError:
        return True  # whoever is to say it says what is wrong
