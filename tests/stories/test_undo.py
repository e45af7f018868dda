"""A cancel is undone: the task, its uncommitted files and its agent are back, whatever comes between."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.engine.starting import is_unblocked
from orange_tui.home import clock
from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime
from support.killing import every_step

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.office import Office


@pytest.fixture
def seen(office: Office) -> Path:
    """An agent that can resume a conversation, and writes down with which words it was started."""
    folder = office.harness(orders='echo "$*" | head -n 1 >>"$here/words"')
    with (office.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  resume: ["{binary}", "--resume", "{session_id}"]\n')
    office.orange = assemble(office.orange.home)
    return folder


def at_work(office: Office, branch: str = "fix/one") -> TaskRef:
    """A task whose agent has committed, staged, changed, deleted and added files of every kind."""
    ref = office.create(branch, harness="recorder")
    office.wait(lambda: office.windows(ref) == ["worker"])
    Runtime(office.orange.store.state_directory(ref)).update("worker", session_id="talk-1")
    here = office.worktree(ref)
    for name in ("kept", "gone", "changed", "staged", "both"):
        (here / name).write_text(f"{name}\n")
    office.git("add", "--all", at=here)
    office.git("commit", "-qm", "work", at=here)
    (here / "gone").unlink()
    (here / "changed").write_bytes(b"other\r\n\xff\x00bytes")
    (here / "staged").write_text("staged\nagain\n")
    (here / "both").write_text("first\n")
    office.git("add", "staged", "both", at=here)
    (here / "both").write_text("second\n")
    (here / "new dir").mkdir()
    (here / "new dir" / "\u00fcmlaut").write_text("new\n")
    (here / "run.sh").write_text("#!/bin/sh\n")
    (here / "run.sh").chmod(0o755)
    (here / "link").symlink_to("nowhere")
    return ref


def look(office: Office, ref: TaskRef) -> tuple[str, dict[str, bytes | str], bool]:
    """What is in a task's workspace: git's own words, and every file."""
    here = office.worktree(ref)
    files: dict[str, bytes | str] = {}
    for path in sorted(here.rglob("*")):
        name = str(path.relative_to(here))
        if path.is_symlink():
            files[name] = os.readlink(path)
        elif path.is_file() and name != ".git":
            files[name] = path.read_bytes()
    return office.git("status", "--porcelain", at=here), files, os.access(here / "run.sh", os.X_OK)


def test_a_cancelled_task_comes_back_with_its_files_and_its_conversation(office: Office, seen: Path) -> None:
    ref = at_work(office)
    before, workspace = look(office, ref), office.task(ref).workspace
    with office.orange.engine.open(ref) as opened:
        opened.set_attention("Tea or coffee?")
    for times in (1, 2):
        office.orange.tasks.cancel(ref)
        assert (office.status(ref), office.windows(ref)) == ("cancelled", [])
        moved = office.orange.tasks.undo_cancel(ref)
        task = office.task(ref)
        assert (moved.source, moved.target, moved.hook_errors) == ("cancelled", "planning", ())
        assert (task.status, task.workspace, task.attention) == ("planning", workspace, "Tea or coffee?")
        assert look(office, ref) == before
        assert office.windows(ref) == ["worker"]
        office.wait(lambda: (seen / "words").read_text().count("--resume talk-1\n") == times)  # noqa: B023 - at once
        assert len(office.events(ref, "task.restored")) == times
        Runtime(office.orange.store.state_directory(ref)).update("worker", session_id="talk-1")
    with pytest.raises(Refused, match="is planning: there is no cancel to undo"):
        office.orange.tasks.undo_cancel(ref)


def test_where_another_task_took_the_workspace_the_work_comes_back_in_another_one(office: Office, seen: Path) -> None:
    ref = at_work(office)
    before, workspace = look(office, ref), office.task(ref).workspace
    office.orange.tasks.cancel(ref)
    other = office.create("fix/other", harness="recorder")
    assert office.task(other).workspace == workspace
    office.orange.tasks.undo_cancel(ref)
    assert office.task(ref).workspace not in {workspace, None}
    assert look(office, ref) == before
    assert "--resume" not in (seen / "words").read_text()  # its conversation was about another directory
    office.orange.tasks.cancel(ref)
    office.create("fix/third", harness="recorder")
    with pytest.raises(Refused, match="There is no free workspace for coffee"):
        office.orange.tasks.undo_cancel(ref)
    assert office.rests(ref, "cancelled")


def test_an_undo_that_cannot_be_says_why_and_where_the_work_is(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = office.create("fix/one", spawn=False, status="clarification")
    assert office.orange.store.journal(ref).start().state == "clarification"
    office.orange.tasks.cancel(ref)
    office.orange.tasks.undo_cancel(ref)
    start = office.orange.store.journal(ref).start()
    assert (start.has_begun, start.is_held, start.state) == (False, True, "clarification")  # as if nothing had been
    office.orange.tasks.cancel(ref)
    other = office.create("fix/one", spawn=False)
    with pytest.raises(Refused, match=f"Branch fix/one has a task already: {other.id}"):
        office.orange.tasks.undo_cancel(ref)
    office.orange.tasks.cancel(other)
    waits = office.create("fix/two", spawn=False, blocked_by=(ref.id,))
    assert not is_unblocked(office.orange.engine, waits)
    assert "which was cancelled or is gone" in str(office.task(waits).attention)
    office.orange.tasks.undo_cancel(ref)
    assert not is_unblocked(office.orange.engine, waits)
    assert office.task(waits).attention is None  # what it waits for is to be done again
    office.orange.tasks.cancel(ref)
    monkeypatch.setattr(clock, "seconds_since", lambda _stamp: 130.0)
    with pytest.raises(Refused, match=f"cancelled 2 minutes ago.*branch fix/one; `orange task restore {ref.id}`"):
        office.orange.tasks.undo_cancel(ref)
    assert office.rests(ref, "cancelled")


def test_work_is_not_put_on_a_branch_that_has_moved_nor_where_another_checkout_has_it(
    office: Office, seen: Path
) -> None:
    ref = at_work(office)
    office.orange.tasks.cancel(ref)
    office.git("switch", "--quiet", "fix/one")
    with pytest.raises(Refused, match=r"Branch fix/one is checked out in .* switch to another one there"):
        office.orange.tasks.undo_cancel(ref)
    assert office.rests(ref, "cancelled")
    office.git("switch", "--quiet", "main")
    office.git("branch", "--force", "fix/one", "main")
    office.orange.tasks.undo_cancel(ref)
    assert office.git("status", "--porcelain", at=office.worktree(ref)) == ""
    assert "its uncommitted work is saved, not put back: its branch is not where it was" in str(
        office.task(ref).attention
    )
    assert seen.exists()


def test_an_undo_killed_anywhere_is_finished_with_all_the_work(office: Office, seen: Path) -> None:
    ref = at_work(office)
    before = look(office, ref)
    office.orange.tasks.cancel(ref)
    for step in every_step(lambda _: assemble(office.orange.home).tasks.undo_cancel(ref)):
        with assemble(office.orange.home).engine.open(ref):
            pass
        if office.status(ref) == "cancelled":
            office.orange.tasks.undo_cancel(ref)
        assert office.rests(ref, "planning"), step
        assert look(office, ref) == before, step
        assert (office.windows(ref), office.task(ref).attention) == (["worker"], None), step
        office.orange.tasks.cancel(ref)
        assert all(slot.state == "free" for slot in office.orange.pool.slots()), step
    assert seen.exists()
