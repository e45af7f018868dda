"""A round with GitHub for one project: issues become tasks, and what became of tasks is said on their issues."""

from __future__ import annotations

import time

from orange_tui.domain.errors import Busy, OrangeError, Refused
from orange_tui.issues import issue_hub
from orange_tui.issues.issue_file import IssueFile, tracked
from orange_tui.issues.issue_pull import Did, Pull
from orange_tui.issues.issue_push import push
from orange_tui.issues.issue_rules import rules_of
from orange_tui.outside.github import Unanswered
from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.home.projects import Project
    from orange_tui.issues.issue import Repository
    from orange_tui.issues.issue_rules import Rules
    from orange_tui.orange import Orange

_EVERYTHING = 600.0  # seconds after which all open issues are asked for again, and not only what has changed


class ProjectIssues:
    """What one process remembers between two rounds, so that the next one asks for what has changed."""

    def __init__(self, orange: Orange, name: str) -> None:
        self._orange, self._name = orange, name
        self._where: Repository | None = None
        self._since: str | None = None
        self._rules: Rules | None = None
        self._asked_for_all = 0.0

    def pull(self, *, wait: bool = False) -> list[Did]:
        """Ask GitHub, and do what follows here. `Unanswered` where it does not answer, `Busy` where another asks."""
        project, file = self._orange.projects.get(self._name), IssueFile(self._orange.home, self._name)
        with file.lock(wait=wait) as held:
            if not held:
                raise Busy(f"The issues of {self._name} are being looked at by another Orange")
            try:
                did = self._round(project)
            except Unanswered as problem:
                self._where = self._since = None
                file.note_problem(str(problem))
                raise
            file.note_problem(next((each.sentence for each in did if each.is_problem), None))
            return did

    def _round(self, project: Project) -> list[Did]:
        rules = rules_of(project)
        if rules != self._rules or time.monotonic() - self._asked_for_all > _EVERYTHING:
            self._since = None
        self._where = self._where or issue_hub.repository_of(project)
        pull, everything = Pull(self._orange, project), self._since is None
        found = issue_hub.issues_of(self._where, self._since, pull.tracked() if everything else ())
        did = pull.take(found)
        if not any(each.is_problem for each in did):  # else the same is asked again
            self._since = max((issue.updated_at for issue in found.issues), default=self._since or "") or None
            self._rules = rules
            self._asked_for_all = time.monotonic() if everything else self._asked_for_all
        return did

    def push(self, refs: Iterable[TaskRef], *, wait: bool = False) -> list[Did]:
        """Say what is to be said of these tasks; one issue's trouble stops no other, the host's stops all."""
        file = IssueFile(self._orange.home, self._name)
        with file.lock(wait=wait) as held:
            if not held:
                raise Busy(f"The issues of {self._name} are being looked at by another Orange")
            return [did for ref in refs for did in self._pushed(ref, file)]

    def _pushed(self, ref: TaskRef, file: IssueFile) -> list[Did]:
        try:
            did = push(self._orange, ref)
        except Unanswered:
            raise
        except OrangeError as problem:
            sentence = f"Task {ref.id} and its issue: {problem}"
            file.note_unsaid(ref.id, sentence)
            return [Did("problem", sentence, 0, ref.id, is_problem=True)]
        file.note_unsaid(ref.id, None)
        return did


def sync(orange: Orange, project: Project) -> list[Did]:
    """One whole round now."""
    if not rules_of(project).on:
        raise Refused(
            f"{project.name} does not take issues; `orange project update {project.name} --issues on` switches that on"
        )
    issues = ProjectIssues(orange, project.name)
    did = issues.pull(wait=True)
    known = [TaskRef(project.name, task) for _, _, task in tracked(IssueFile(orange.home, project.name).entries())]
    return did + issues.push([ref for ref in known if orange.store.has(ref)], wait=True)
