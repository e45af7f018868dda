"""One round with the forge for one project: issues become tasks, and results are posted on their issues."""

from __future__ import annotations

import time

from orange_tui.domain.errors import Busy, OrangeError, Refused
from orange_tui.issues._importer import IssueImporter
from orange_tui.issues._publisher import ResultPublisher
from orange_tui.issues.changes import PROBLEM, IssueChange
from orange_tui.issues.links import IssueLinks
from orange_tui.issues.rules import rules_of
from orange_tui.outside.forge.interface import ForgeUnavailable
from orange_tui.outside.forge.registry import forge_of_checkout
from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.issues.rules import IssueRules
    from orange_tui.outside.forge.interface import Forge, HostedRepository

_FULL_ROUND_SECONDS = 600.0  # after this, all open issues are asked for again, and not only what has changed


class ProjectSync:
    """The rounds of one project; what it remembers lets the next round ask only for what has changed."""

    def __init__(self, tasks: Tasks, name: str) -> None:
        self._tasks, self._name = tasks, name
        self._links = IssueLinks(tasks.engine.store.home, name)
        self._publisher = ResultPublisher(tasks)
        self._repository: tuple[Forge, HostedRepository] | None = None
        self._since: str | None = None
        self._rules: IssueRules | None = None
        self._last_full_round = 0.0

    def import_issues(self, *, wait: bool = False) -> list[IssueChange]:
        """Ask the forge and bring tasks up to date. `ForgeUnavailable`, or `Busy` where another Orange is at it."""
        project = self._tasks.projects.get(self._name)
        with self._links.lock(wait=wait) as held:
            self._must_hold(held)
            try:
                changes = self._import(project)
            except ForgeUnavailable as problem:
                self._repository = self._since = None
                self._links.set_problem(str(problem))
                raise
            self._links.set_problem(next((each.sentence for each in changes if each.is_problem), None))
            return changes

    def _import(self, project: Project) -> list[IssueChange]:
        rules = rules_of(project)
        if rules != self._rules or time.monotonic() - self._last_full_round > _FULL_ROUND_SECONDS:
            self._since = None
        if self._repository is None:
            forge = forge_of_checkout(project.path)
            self._repository = forge, forge.repository_of(project.path)
        forge, repository = self._repository
        importer, is_full = IssueImporter(self._tasks, project), self._since is None
        found = forge.list_issues(repository, self._since, importer.unfinished_issues() if is_full else ())
        changes = importer.apply(found)
        if not any(each.is_problem for each in changes):  # else the next round asks for the same
            self._since = max((issue.updated_at for issue in found.issues), default=self._since or "") or None
            self._rules = rules
            self._last_full_round = time.monotonic() if is_full else self._last_full_round
        return changes

    def has_pending(self, ref: TaskRef) -> bool:
        """Whether there is anything to post about a task."""
        try:
            return self._publisher.pending(ref) is not None
        except OrangeError:
            return True  # publishing says what is wrong

    def publish(self, refs: Iterable[TaskRef], *, wait: bool = False) -> list[IssueChange]:
        """Post what there is to post about these tasks; one issue's problem stops no other, the forge's stops all."""
        with self._links.lock(wait=wait) as held:
            self._must_hold(held)
            return [change for ref in refs for change in self._publish(ref)]

    def _publish(self, ref: TaskRef) -> list[IssueChange]:
        try:
            changes = self._publisher.publish(ref)
        except ForgeUnavailable:
            raise
        except OrangeError as problem:
            sentence = f"Task {ref.id} and its issue: {problem}"
            self._links.set_post_problem(ref.id, sentence)
            return [IssueChange(PROBLEM, sentence, 0, ref.id)]
        self._links.set_post_problem(ref.id, None)
        return changes

    def _must_hold(self, held: bool) -> None:
        if not held:
            raise Busy(f"Another Orange is working on the issues of {self._name} right now")


def sync(tasks: Tasks, project: Project) -> list[IssueChange]:
    """One whole round now."""
    if not rules_of(project).on:
        raise Refused(
            f"{project.name} does not take issues; `orange project update {project.name} --issues on` turns that on"
        )
    rounds, store = ProjectSync(tasks, project.name), tasks.engine.store
    changes = rounds.import_issues(wait=True)
    linked = [TaskRef(project.name, task) for _, _, task in IssueLinks(store.home, project.name).linked()]
    return changes + rounds.publish([ref for ref in linked if store.has(ref)], wait=True)
