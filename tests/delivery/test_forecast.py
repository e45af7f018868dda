"""What the person is told before a merge: how much it brings, how, where to, and what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.delivery.merging.forecast import MergeForecast, forecast
from orange_tui.delivery.merging.summary import read_summary
from orange_tui.domain.review.diff import parse_diff
from orange_tui.domain.review.hunks import fingerprints
from orange_tui.domain.review.thread import Thread
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.review.viewed_file import ViewedFile
from support.merge_world import MENU, MergeWorld

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli


def look(merge_world: MergeWorld, ref: TaskRef) -> MergeForecast:
    """The forecast, after making sure that looking has changed nothing."""
    before = merge_world.everything(ref)
    found = forecast(merge_world.orange.tasks, ref)
    assert merge_world.everything(ref) == before
    return found


def test_a_merge_is_foretold_in_one_line_and_says_the_same_when_it_is_done(merge_world: MergeWorld, cli: Cli) -> None:
    ref = merge_world.task(files={"tea": "green\nblack\n", "menu": MENU.replace("mocha", "matcha")})
    found = look(merge_world, ref)
    assert str(found.summary) == "1 commit, 2 files, +3 −1 into main"
    assert (found.strategy, found.impossible, found.problem) == ("ff", (), None)
    assert found.warnings == ("2 of 2 changes not marked as viewed (D, then v)",)
    assert found.destination == f"pushed to origin, {merge_world.remote}"
    said = cli.ok("task", "merge", ref.id).out
    tip = merge_world.tip()[:10]
    assert said == f"{ref.id}  reviewing → done  merged as {tip}: 1 commit, 2 files, +3 −1 into main, pushed\n"


def test_a_merge_tells_of_comments_that_were_never_sent(merge_world: MergeWorld, cli: Cli) -> None:
    ref = merge_world.task()

    drafts = [Thread("", "", None, None, "", None, by, "Why?", "draft") for by in ("person", "person", "github")]
    ThreadsFile(merge_world.orange.home, ref.project, ref.id).change(lambda _: drafts)
    merged = cli.ok("task", "merge", ref.id)
    assert merged.err.count("\n") == 1
    assert f"2 comments of yours were never sent to the agent; `orange task threads {ref.id}`" in merged.err


def test_the_command_tells_what_was_merged_in_json_also_of_a_squash(merge_world: MergeWorld, cli: Cli) -> None:
    ref = merge_world.task()
    merged = cli.ok("task", "merge", ref.id, "--strategy", "squash", "--json").json()["merged"]
    assert merged == {"into": "main", "commits": 1, "files": 1, "added": 1, "removed": 0}


def test_a_branch_that_is_behind_cannot_be_fast_forwarded_and_says_why(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    merge_world.write(merge_world.main, {"cups": "12\n"})
    found = look(merge_world, ref)
    assert found.strategy == "merge"
    assert found.why_not("ff") == "feat/tea is 1 commit behind main, so it cannot be fast-forwarded"
    assert found.why_not("squash") is None


def test_without_a_remote_it_says_that_it_stays_here(merge_world: MergeWorld) -> None:
    merge_world.git("remote", "remove", "origin")
    assert look(merge_world, merge_world.task()).destination == "no remote: it stays here"


def test_a_password_in_the_address_of_the_remote_is_not_shown(merge_world: MergeWorld) -> None:
    merge_world.git("remote", "set-url", "origin", "https://me:secret@example.org/coffee.git")
    assert look(merge_world, merge_world.task()).destination == "pushed to origin, https://example.org/coffee.git"


def test_what_would_refuse_the_merge_is_said_before(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={"menu": MENU.replace("filter", "tea")})
    (merge_world.main / "menu").write_text("half a thought\n")
    assert "with changes in menu" in (look(merge_world, ref).problem or "")
    merge_world.git("checkout", "-q", "menu")
    merge_world.write(merge_world.main, {"menu": MENU.replace("filter", "cocoa")})
    assert "conflicts with main in menu" in (look(merge_world, ref).problem or "")
    merge_world.elsewhere({"cups": "12\n"})
    merge_world.git("fetch", "-q")
    assert "main has diverged from origin/main" in (look(merge_world, ref).problem or "")


def test_what_is_unanswered_or_not_sent_is_said_before(merge_world: MergeWorld) -> None:
    ref = merge_world.task()
    comments = (Thread("", "tea", 1, 1, "green", None, "person", "Why?", state) for state in ("open", "draft", "open"))
    file = ThreadsFile(merge_world.orange.home, ref.project, ref.id)
    file.change(lambda before: (*before, *comments))
    assert look(merge_world, ref).warnings == (
        "2 threads open",
        "1 draft not sent: r sends the comments back with the task",
        "1 of 1 change not marked as viewed (D, then v)",
    )
    files = parse_diff(merge_world.git("diff", "main...feat/tea"))
    marks = [mark for file in files for hunk in fingerprints(file) for mark in hunk]
    ViewedFile(merge_world.orange.home, ref.project, ref.id).mark(marks, viewed=True)
    assert len(look(merge_world, ref).warnings) == 2
    with open(file.path, "w") as text:
        text.write("{")
    assert "threads" in look(merge_world, ref).warnings[0]


def test_a_task_without_commits_says_that_there_is_nothing_to_merge(merge_world: MergeWorld) -> None:
    found = look(merge_world, merge_world.task(files={}))
    assert (found.summary, found.strategy) == (None, None)
    assert found.warnings == ("Nothing to merge: it has no commits",)


def test_looking_runs_nothing_that_an_agent_has_configured(merge_world: MergeWorld) -> None:
    ref = merge_world.task(files={"menu": MENU.replace("filter", "tea"), ".gitattributes": "* merge=evil diff=evil\n"})
    merge_world.write(
        merge_world.main, {"menu": MENU.replace("mocha", "latte"), ".gitattributes": "* merge=evil diff=evil\n"}
    )
    ran = merge_world.root / "ran"
    for name in ("merge.evil.driver", "diff.evil.textconv", "diff.evil.command", "core.fsmonitor"):
        merge_world.git("config", name, f"touch {ran}; false")
    assert forecast(merge_world.orange.tasks, ref).summary is not None
    assert not ran.exists()


def test_renamed_binary_and_strangely_named_files_are_counted(merge_world: MergeWorld) -> None:
    files = {"a\tb": "1\n2\n", "recipe": "x\n" * 40}
    base = merge_world.write(merge_world.main, files)
    merge_world.git("mv", "recipe", "re\tci\tpe")
    (merge_world.main / "picture").write_bytes(b"\0\1\2")
    (merge_world.main / "a\tb").write_text("1\n")
    head = merge_world.write(merge_world.main, {"cups": "12\n"})
    found = read_summary(str(merge_world.main), "main", base, head)
    assert str(found) == "1 commit, 4 files, +1 −1 into main"


def test_commits_that_are_not_there_bring_nothing_that_could_be_told(merge_world: MergeWorld) -> None:
    assert read_summary(str(merge_world.main), "main", "0" * 40, merge_world.tip()) is None
