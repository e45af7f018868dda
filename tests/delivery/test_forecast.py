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
from support.merge_world import MENU, House

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef
    from support.driver import Cli


def look(house: House, ref: TaskRef) -> MergeForecast:
    """The forecast, after making sure that looking has changed nothing."""
    before = house.everything(ref)
    found = forecast(house.orange.tasks, ref)
    assert house.everything(ref) == before
    return found


def test_a_merge_is_foretold_in_one_line_and_says_the_same_when_it_is_done(house: House, cli: Cli) -> None:
    ref = house.task(files={"tea": "green\nblack\n", "menu": MENU.replace("mocha", "matcha")})
    found = look(house, ref)
    assert str(found.summary) == "1 commit, 2 files, +3 −1 into main"
    assert (found.strategy, found.impossible, found.problem) == ("ff", (), None)
    assert found.warnings == ("2 of 2 changes not marked as viewed (D, then v)",)
    assert found.destination == f"pushed to origin, {house.remote}"
    said = cli.ok("task", "merge", ref.id).out
    tip = house.tip()[:10]
    assert said == f"{ref.id}  reviewing → done  merged as {tip}: 1 commit, 2 files, +3 −1 into main, pushed\n"


def test_a_merge_tells_of_comments_that_were_never_sent(house: House, cli: Cli) -> None:
    ref = house.task()

    drafts = [Thread("", "", None, None, "", None, by, "Why?", "draft") for by in ("person", "person", "github")]
    ThreadsFile(house.orange.home, ref.project, ref.id).change(lambda _: drafts)
    merged = cli.ok("task", "merge", ref.id)
    assert merged.err.count("\n") == 1
    assert f"2 comments of yours were never sent to the agent; `orange task threads {ref.id}`" in merged.err


def test_the_command_tells_what_was_merged_in_json_also_of_a_squash(house: House, cli: Cli) -> None:
    ref = house.task()
    merged = cli.ok("task", "merge", ref.id, "--strategy", "squash", "--json").json()["merged"]
    assert merged == {"into": "main", "commits": 1, "files": 1, "added": 1, "removed": 0}


def test_a_branch_that_is_behind_cannot_be_fast_forwarded_and_says_why(house: House) -> None:
    ref = house.task()
    house.write(house.main, {"cups": "12\n"})
    found = look(house, ref)
    assert found.strategy == "merge"
    assert found.why_not("ff") == "feat/tea is 1 commit behind main, so it cannot be fast-forwarded"
    assert found.why_not("squash") is None


def test_without_a_remote_it_says_that_it_stays_here(house: House) -> None:
    house.git("remote", "remove", "origin")
    assert look(house, house.task()).destination == "no remote: it stays here"


def test_a_password_in_the_address_of_the_remote_is_not_shown(house: House) -> None:
    house.git("remote", "set-url", "origin", "https://me:secret@example.org/coffee.git")
    assert look(house, house.task()).destination == "pushed to origin, https://example.org/coffee.git"


def test_what_would_refuse_the_merge_is_said_before(house: House) -> None:
    ref = house.task(files={"menu": MENU.replace("filter", "tea")})
    (house.main / "menu").write_text("half a thought\n")
    assert "with changes in menu" in (look(house, ref).problem or "")
    house.git("checkout", "-q", "menu")
    house.write(house.main, {"menu": MENU.replace("filter", "cocoa")})
    assert "conflicts with main in menu" in (look(house, ref).problem or "")
    house.elsewhere({"cups": "12\n"})
    house.git("fetch", "-q")
    assert "main has diverged from origin/main" in (look(house, ref).problem or "")


def test_what_is_unanswered_or_not_sent_is_said_before(house: House) -> None:
    ref = house.task()
    comments = (Thread("", "tea", 1, 1, "green", None, "person", "Why?", state) for state in ("open", "draft", "open"))
    file = ThreadsFile(house.orange.home, ref.project, ref.id)
    file.change(lambda before: (*before, *comments))
    assert look(house, ref).warnings == (
        "2 threads open",
        "1 draft not sent: r sends the comments back with the task",
        "1 of 1 change not marked as viewed (D, then v)",
    )
    files = parse_diff(house.git("diff", "main...feat/tea"))
    marks = [mark for file in files for hunk in fingerprints(file) for mark in hunk]
    ViewedFile(house.orange.home, ref.project, ref.id).mark(marks, viewed=True)
    assert len(look(house, ref).warnings) == 2
    with open(file.path, "w") as text:
        text.write("{")
    assert "threads" in look(house, ref).warnings[0]


def test_a_task_without_commits_says_that_there_is_nothing_to_merge(house: House) -> None:
    found = look(house, house.task(files={}))
    assert (found.summary, found.strategy) == (None, None)
    assert found.warnings == ("Nothing to merge: it has no commits",)


def test_looking_runs_nothing_that_an_agent_has_configured(house: House) -> None:
    ref = house.task(files={"menu": MENU.replace("filter", "tea"), ".gitattributes": "* merge=evil diff=evil\n"})
    house.write(house.main, {"menu": MENU.replace("mocha", "latte"), ".gitattributes": "* merge=evil diff=evil\n"})
    ran = house.root / "ran"
    for name in ("merge.evil.driver", "diff.evil.textconv", "diff.evil.command", "core.fsmonitor"):
        house.git("config", name, f"touch {ran}; false")
    assert forecast(house.orange.tasks, ref).summary is not None
    assert not ran.exists()


def test_renamed_binary_and_strangely_named_files_are_counted(house: House) -> None:
    files = {"a\tb": "1\n2\n", "recipe": "x\n" * 40}
    base = house.write(house.main, files)
    house.git("mv", "recipe", "re\tci\tpe")
    (house.main / "picture").write_bytes(b"\0\1\2")
    (house.main / "a\tb").write_text("1\n")
    head = house.write(house.main, {"cups": "12\n"})
    found = read_summary(str(house.main), "main", base, head)
    assert str(found) == "1 commit, 4 files, +1 −1 into main"


def test_commits_that_are_not_there_bring_nothing_that_could_be_told(house: House) -> None:
    assert read_summary(str(house.main), "main", "0" * 40, house.tip()) is None
