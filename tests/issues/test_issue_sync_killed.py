"""kill -9 at every step of a round with GitHub: an issue still makes one task, and a result one comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orange_tui.outside.forge._gh
from orange_tui.issues._importer import IssueImporter
from orange_tui.issues.links import IssueLinks
from orange_tui.outside.forge.interface import Issue, IssueList
from support.killing import Countdown, every_death, every_step, watch_programs

if TYPE_CHECKING:
    from support.driver import World
    from support.github.server import GitHub
    from support.issue_world import IssueWorld
    from support.live_home import LiveHome


URL = "https://github.com/o/r/issues/7"


def seen(title: str = "Brew tea", *, is_open: bool = True) -> IssueList:
    issue = Issue("I_7", 7, title, "hot", URL, is_open, "me", (), "2026-11-16T09:00:00Z")
    return IssueList("me", (issue,), ())


def watch_with_github(countdown: Countdown) -> None:
    """Asking GitHub is a step too."""
    watch_programs(countdown)
    countdown.count(orange_tui.outside.forge._gh, "run")


def test_import_killed_at_any_step_leaves_one_task_for_one_issue(world: World) -> None:
    orange = world.orange
    orange.projects.update("coffee", {"issues": True})
    orange.workflows.load("autopilot")

    def take(found: IssueList) -> None:
        file = IssueLinks(orange.home, "coffee")
        with file.lock(wait=True):
            IssueImporter(orange.tasks, orange.projects.get("coffee")).apply(found)

    deaths = 0
    for step in every_death([world.root], lambda: take(seen())):
        deaths = step
        take(seen())
        take(seen())
        (ref,) = orange.store.refs("coffee")
        (entry,) = IssueLinks(orange.home, "coffee").entries().values()
        assert (entry["task"], entry["made"]) == (ref.id, True)
    assert deaths > 3


def test_publishing_killed_at_any_step_leaves_one_comment_and_the_label(
    issues: IssueWorld, live_home: LiveHome, github: GitHub
) -> None:
    made = github.open_issue("Brew tea")
    issues.sync()
    ref = issues.task_of(made)

    def life(step: int) -> None:
        issues.report(ref, "blocked", reason=f"No kettle, time {step}")
        issues.sync()

    first = 4  # the report itself takes three
    for lives, _step in enumerate(every_step(life, first, watch_with_github), start=1):
        issues.sync()
        assert len(made.comments) == lives
        assert made.labels == ["blocked"]
        assert len(live_home.events(ref, "issue.commented")) == lives
        issues.move(ref, "new")
        issues.sync()  # what it says too often is counted next time
        assert made.labels == []
        github.labels.clear()
    assert len(made.comments) == lives
