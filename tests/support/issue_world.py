"""A project that takes issues from the stand-in for GitHub: what the stories about issues are told with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.issues.links import IssueLinks
from orange_tui.issues.sync import sync
from support.driver import put

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.github.server import GitHub
    from support.github.state import Issue
    from support.live_home import LiveHome


class IssueWorld:
    """A live home whose project `coffee` takes issues."""

    def __init__(self, live_home: LiveHome, github: GitHub) -> None:
        self.live_home, self.github, self.orange = live_home, github, live_home.orange
        github.adopt(live_home.repository)
        github.remote = live_home.remote
        (live_home.root / "home" / "config.yml").write_text("router: demo\nrouter_fallback: demo\n")
        self.settings(issues=True)

    def settings(self, **changes: object) -> None:
        self.orange.projects.update("coffee", changes)

    def sync(self) -> list[str]:
        """One round now; what was done, in words."""
        return [
            change.sentence if change.is_problem else change.kind for change in sync(self.orange.tasks, self.project)
        ]

    @property
    def project(self) -> Any:
        return self.orange.projects.get("coffee")

    @property
    def file(self) -> IssueLinks:
        return IssueLinks(self.orange.home, "coffee")

    def tasks(self) -> list[TaskRef]:
        return self.orange.store.refs("coffee")

    def task_of(self, issue: Issue) -> TaskRef:
        (found,) = [ref for ref in self.tasks() if self.live_home.task(ref).extra.get("issue") == issue.number]
        return found

    def report(self, ref: TaskRef, to: str, **report: Any) -> None:
        """An agent has worked and reported; the task is where that has led."""
        known = {"status": to, "summary": "Brewed", "accomplished": ["Boiled water"], "why": "", "reason": ""}
        with self.orange.store.open(ref) as opened:
            opened.record("agent.spawned", harness="demo", window="worker")
            opened.record("agent.reported", report={**known, **report}, attempt=1, tokens=42, milliseconds=65_000)
            put(opened, "status.changed", {"status": to}, **{"from": opened.task.status, "to": to, "by": "engine"})

    def move(self, ref: TaskRef, to: str) -> None:
        with self.orange.store.open(ref) as opened:
            put(opened, "status.changed", {"status": to}, **{"from": opened.task.status, "to": to, "by": "engine"})

    def logged(self, words: str) -> int:
        return sum(words in entry["message"] for entry in self.orange.log.entries())
