"""A cancel is undone: the task, its uncommitted files and its agent are back, whatever comes between."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.engine.actions import restoring
from orange_tui.engine.starting import is_unblocked
from orange_tui.home import clock
from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime
from orange_tui.workspaces.put_back import check_can_come_back
from support.killing import every_step
from support.limited import Clock

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


@pytest.fixture
def seen(live_home: LiveHome) -> Path:
    """An agent that can resume a conversation, and writes down with which words it was started."""
    folder = live_home.harness(orders='echo "$*" | head -n 1 >>"$here/words"')
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  resume: ["{binary}", "--resume", "{session_id}"]\n')
    live_home.orange = assemble(live_home.orange.home)
    return folder


def at_work(live_home: LiveHome, branch: str = "fix/one") -> TaskRef:
    """A task whose agent has committed, staged, changed, deleted and added files of every kind."""
    ref = live_home.create(branch, harness="recorder")
    live_home.wait(lambda: live_home.windows(ref) == ["worker"])
    Runtime(live_home.orange.store.state_directory(ref)).update("worker", session_id="talk-1")
    here = live_home.worktree(ref)
    for name in ("kept", "gone", "changed", "staged", "both"):
        (here / name).write_text(f"{name}\n")
    live_home.git("add", "--all", at=here)
    live_home.git("commit", "-qm", "work", at=here)
    (here / "gone").unlink()
    (here / "changed").write_bytes(b"other\r\n\xff\x00bytes")
    (here / "staged").write_text("staged\nagain\n")
    (here / "both").write_text("first\n")
    live_home.git("add", "staged", "both", at=here)
    (here / "both").write_text("second\n")
    (here / "new dir").mkdir()
    (here / "new dir" / "\u00fcmlaut").write_text("new\n")
    (here / "run.sh").write_text("#!/bin/sh\n")
    (here / "run.sh").chmod(0o755)
    (here / "link").symlink_to("nowhere")
    return ref


def look(live_home: LiveHome, ref: TaskRef) -> tuple[str, dict[str, bytes | str], bool]:
    """What is in a task's workspace: git's own words, and every file."""
    here = live_home.worktree(ref)
    files: dict[str, bytes | str] = {}
    for path in sorted(here.rglob("*")):
        name = str(path.relative_to(here))
        if path.is_symlink():
            files[name] = os.readlink(path)
        elif path.is_file() and name != ".git":
            files[name] = path.read_bytes()
    return live_home.git("status", "--porcelain", at=here), files, os.access(here / "run.sh", os.X_OK)


@pytest.mark.usefixtures("seen")
def test_undo_that_waited_until_it_is_too_late_is_refused_and_not_taken_for_tampering(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, ahead = at_work(live_home), Clock(monkeypatch)
    live_home.orange.tasks.cancel(ref)

    def takes_an_hour(*words: Any) -> None:
        check_can_come_back(*words)
        ahead.ahead = 3600.0

    monkeypatch.setattr(restoring, "check_can_come_back", takes_an_hour)
    with pytest.raises(Refused, match="too long ago to undo"):
        live_home.orange.tasks.undo_cancel(ref)
    assert live_home.rests(ref, "cancelled")
    assert live_home.refused() == []
    assert live_home.task(ref).workspace is None


def test_a_cancelled_task_comes_back_with_its_files_and_its_conversation(live_home: LiveHome, seen: Path) -> None:
    ref = at_work(live_home)
    before, workspace = look(live_home, ref), live_home.task(ref).workspace
    with live_home.orange.engine.open(ref) as opened:
        opened.set_attention("Tea or coffee?")
    for times in (1, 2):
        live_home.orange.tasks.cancel(ref)
        assert (live_home.status(ref), live_home.windows(ref)) == ("cancelled", [])
        moved = live_home.orange.tasks.undo_cancel(ref)
        task = live_home.task(ref)
        assert (moved.source, moved.target, moved.hook_errors) == ("cancelled", "planning", ())
        assert (task.status, task.workspace, task.attention) == ("planning", workspace, "Tea or coffee?")
        assert look(live_home, ref) == before
        assert live_home.windows(ref) == ["worker"]
        live_home.wait(lambda: (seen / "words").read_text().count("--resume talk-1\n") == times)  # noqa: B023 - at once
        assert len(live_home.events(ref, "task.restored")) == times
        Runtime(live_home.orange.store.state_directory(ref)).update("worker", session_id="talk-1")
    with pytest.raises(Refused, match="is planning: there is no cancel to undo"):
        live_home.orange.tasks.undo_cancel(ref)


def test_where_another_task_took_the_workspace_the_work_comes_back_in_another_one(
    live_home: LiveHome, seen: Path
) -> None:
    ref = at_work(live_home)
    before, workspace = look(live_home, ref), live_home.task(ref).workspace
    live_home.orange.tasks.cancel(ref)
    other = live_home.create("fix/other", harness="recorder")
    assert live_home.task(other).workspace == workspace
    live_home.orange.tasks.undo_cancel(ref)
    assert live_home.task(ref).workspace not in {workspace, None}
    assert look(live_home, ref) == before
    assert "--resume" not in (seen / "words").read_text()  # its conversation was about another directory
    live_home.orange.tasks.cancel(ref)
    live_home.create("fix/third", harness="recorder")
    with pytest.raises(Refused, match="There is no free workspace for coffee"):
        live_home.orange.tasks.undo_cancel(ref)
    assert live_home.rests(ref, "cancelled")


def test_an_undo_that_cannot_be_says_why_and_where_the_work_is(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = live_home.create("fix/one", spawn=False, status="clarification")
    assert live_home.orange.store.journal(ref).start().state == "clarification"
    live_home.orange.tasks.cancel(ref)
    live_home.orange.tasks.undo_cancel(ref)
    start = live_home.orange.store.journal(ref).start()
    assert (start.has_begun, start.is_held, start.state) == (False, True, "clarification")  # as if nothing had been
    live_home.orange.tasks.cancel(ref)
    other = live_home.create("fix/one", spawn=False)
    with pytest.raises(Refused, match=f"Branch fix/one has a task already: {other.id}"):
        live_home.orange.tasks.undo_cancel(ref)
    live_home.orange.tasks.cancel(other)
    waits = live_home.create("fix/two", spawn=False, blocked_by=(ref.id,))
    assert not is_unblocked(live_home.orange.engine, waits)
    assert "which was cancelled or is gone" in str(live_home.task(waits).attention)
    live_home.orange.tasks.undo_cancel(ref)
    assert not is_unblocked(live_home.orange.engine, waits)
    assert live_home.task(waits).attention is None  # what it waits for is to be done again
    live_home.orange.tasks.cancel(ref)
    monkeypatch.setattr(clock, "seconds_since", lambda _stamp: 130.0)
    with pytest.raises(Refused, match=f"cancelled 2 minutes ago.*branch fix/one; `orange task restore {ref.id}`"):
        live_home.orange.tasks.undo_cancel(ref)
    assert live_home.rests(ref, "cancelled")


def test_work_is_not_put_on_a_branch_that_has_moved_nor_where_another_checkout_has_it(
    live_home: LiveHome, seen: Path
) -> None:
    ref = at_work(live_home)
    live_home.orange.tasks.cancel(ref)
    live_home.git("switch", "--quiet", "fix/one")
    with pytest.raises(Refused, match=r"Branch fix/one is checked out in .* switch to another one there"):
        live_home.orange.tasks.undo_cancel(ref)
    assert live_home.rests(ref, "cancelled")
    live_home.git("switch", "--quiet", "main")
    live_home.git("branch", "--force", "fix/one", "main")
    live_home.orange.tasks.undo_cancel(ref)
    assert live_home.git("status", "--porcelain", at=live_home.worktree(ref)) == ""
    assert "its uncommitted work is saved, not put back: its branch is not where it was" in str(
        live_home.task(ref).attention
    )
    assert seen.exists()


def test_an_undo_killed_anywhere_is_finished_with_all_the_work(live_home: LiveHome, seen: Path) -> None:
    ref = at_work(live_home)
    before = look(live_home, ref)
    live_home.orange.tasks.cancel(ref)
    for step in every_step(lambda _: assemble(live_home.orange.home).tasks.undo_cancel(ref)):
        with assemble(live_home.orange.home).engine.open(ref):
            pass
        if live_home.status(ref) == "cancelled":
            live_home.orange.tasks.undo_cancel(ref)
        assert live_home.rests(ref, "planning"), step
        assert look(live_home, ref) == before, step
        assert (live_home.windows(ref), live_home.task(ref).attention) == (["worker"], None), step
        live_home.orange.tasks.cancel(ref)
        assert all(slot.state == "free" for slot in live_home.orange.pool.slots()), step
    assert seen.exists()
