"""From a collision that is seen early to two merged tasks, with agents that really work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.branches.conflicts import ConflictForecast
from orange_tui.branches.distance import BranchDistances
from orange_tui.delivery.feedback import request_changes, request_to_resolve
from orange_tui.delivery.merging.merge import Merger
from orange_tui.outside.git_reader.reader import GitReaders
from support.driver import put
from support.live_board import LiveBoard

if TYPE_CHECKING:
    from orange_tui.board.rows import TaskRow
    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


class Observer:
    """Somebody with the app open."""

    def __init__(self, live_home: LiveHome) -> None:
        self._live_home, self._boards = live_home, LiveBoard(live_home.orange)
        readers = GitReaders()
        self._distances, self._forecast = BranchDistances(readers), ConflictForecast(readers)

    def row(self, ref: TaskRef) -> TaskRow:
        """A task as the board shows it now."""
        rows = list(self._boards.scan())[-1].rows
        project = self._live_home.orange.projects.get("coffee")
        tasks = {row.task.branch: row.ref.id for row in rows if row.task is not None and not row.finished}
        self._distances.refresh(project, tasks)
        found = self._forecast.refresh(project, self._distances.positions(project), tasks)
        return next(row for row in self._boards.with_conflicts("coffee", found).rows if row.ref == ref)


def test_two_tasks_collide_one_is_merged_and_the_other_resolves_it_and_is_merged(live_home: LiveHome) -> None:
    one, other = live_home.create("cortado", demo="conflict"), live_home.create("lungo", demo="conflict")
    observer, merges = Observer(live_home), Merger(live_home.orange.tasks)
    live_home.supervised(lambda: live_home.rests(one, "reviewing") and live_home.rests(other, "reviewing"))

    collides = observer.row(other).conflicts
    assert collides is not None
    assert (collides.files, collides.others) == ((), {one.id: ("demo/special.md",)})
    assert observer.row(other).needs == "It waits for your review"

    merges.merge(one, report=lambda _text: None)
    stuck = observer.row(other)
    assert stuck.conflicts is not None
    assert (stuck.conflicts.files, stuck.conflicts.others) == (("demo/special.md",), {})
    assert stuck.needs == "Would not merge, r sends it back: demo/special.md"

    words = request_to_resolve(stuck.conflicts.base, stuck.conflicts.files, hand_in=True)
    assert request_changes(live_home.orange.engine, other, words).target == "working"
    live_home.supervised(lambda: live_home.rests(other, "reviewing"))
    assert observer.row(other).conflicts is None

    merges.merge(other, report=lambda _text: None)
    special = live_home.git("show", "main:demo/special.md")
    assert "Today's special: cortado" in special
    assert "Today's special: lungo" in special
    assert "<<<<" not in special
    assert live_home.git("rev-parse", "main") == live_home.git("rev-parse", "origin/main")


@pytest.mark.parametrize("status", ["working", "stuck"])
def test_an_agent_at_work_is_told_of_the_conflict_and_merges_where_it_is(live_home: LiveHome, status: str) -> None:
    """There is no way back from here: the worker gets the words as a message."""
    ref = live_home.create("lungo", demo="conflict, stuck")
    live_home.supervised(lambda: live_home.rests(ref, "stuck"))
    with live_home.orange.store.open(ref) as opened:
        put(opened, "test", {"status": status, "attention": None})
    demo = live_home.repository / "demo"
    demo.mkdir()
    (demo / "special.md").write_text("Today's special: ristretto\n")
    live_home.git("add", "--all")
    live_home.git("commit", "--quiet", "--message=By hand")
    live_home.git("push", "--quiet", "origin", "main")
    row = Observer(live_home).row(ref)
    assert row.conflicts is not None
    assert "merge" not in (row.needs or "")  # before it is handed in, that is a mark, and nobody waits for the person
    words = request_to_resolve(row.conflicts.base, row.conflicts.files, hand_in=False)
    live_home.orange.agents.answer(ref, words, to_worker=True)
    live_home.supervised(lambda: Observer(live_home).row(ref).conflicts is None)
    assert "ristretto" in live_home.git("show", "lungo:demo/special.md")
