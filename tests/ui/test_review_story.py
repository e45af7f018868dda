"""A review from beginning to end: sent back in one batch, answered, only what is new, viewed, merged, the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.review.thread import Thread, ThreadReply
from orange_tui.review.comments import TaskComments
from orange_tui.review.drafts import Drafts
from orange_tui.review.viewed_file import ViewedFile
from orange_tui.store.store import StoredTask
from orange_tui.tui.dashboard import Dashboard
from orange_tui.tui.review.comment_box import CommentBox
from orange_tui.tui.screens.review import ReviewScreen
from support.stage import WORK, Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef
    from support.stage import Scene


def threads(stage: Stage, ref: TaskRef) -> tuple[Thread, ...]:
    return Drafts(stage.orange.store, ref).file.read()


def stored(stage: Stage, ref: TaskRef) -> StoredTask:
    found = stage.orange.store.read(ref)
    assert isinstance(found, StoredTask)
    return found


def reviewing(stage: Stage, *more: dict[str, str]) -> TaskRef:
    """A task in review, with work to look at, and perhaps others. No agent of that name can be started."""
    ref, *_ = stage.tasks({"branch": "login-fix", "status": "reviewing", "harness": "nobody"}, *more)
    stage.work("login-fix", files=WORK)
    return ref


async def open_review(scene: Scene) -> ReviewScreen:
    await scene.press("D")
    await scene.until(lambda: isinstance(scene.app.screen, ReviewScreen) and scene.app.screen.code is not None)
    await scene.sees("viewed")
    assert isinstance(scene.app.screen, ReviewScreen)
    return scene.app.screen


async def comment(scene: Scene, text: str) -> None:
    await scene.press("c")
    await scene.until(lambda: scene.app.screen.query_one(CommentBox).is_open)
    await scene.press(*text, "ctrl+s")
    await scene.sees(f"┃ {text}")


async def leave(scene: Scene) -> None:
    await scene.press("escape")
    await scene.until(lambda: isinstance(scene.app.screen, Dashboard))


@story
async def test_all_drafts_are_sent_in_one_batch_and_answers_appear_as_they_come(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((120, 40)) as scene:
        await open_review(scene)
        await scene.press("n", "j")
        await comment(scene, "First.")
        await scene.press("j", "j", "j")
        await comment(scene, "Second.")
        await scene.press("r")
        await scene.sees("Send login-fix back", "2 comments go to the worker as one message", "auth/login.py:1: First.")
        await scene.press(*"Please.", "escape")
        await scene.press("r")
        await scene.sees("Please.")
        await scene.press("ctrl+s")
        await scene.until(lambda: stored(stage, ref).task.status == "working")
        assert [each.state for each in threads(stage, ref)] == ["open", "open"]
        assert "Please." in stored(stage, ref).body
        await scene.until(lambda: Drafts(stage.orange.store, ref).unfinished() == {})
        await scene.sees("2 threads open")
        with stage.orange.store.open(ref) as opened:
            answer = ThreadReply("agent", "[b]Done[/b]", state="fixed", commit="a" * 40, author="worker")
            TaskComments(stage.orange.home, opened).answer("t1", answer)
        await scene.sees("fixed in aaaaaaaaaa", "[b]Done[/b]", "1 thread open")
        await scene.press("r")
        await scene.until(lambda: any("sent back" in told for told in scene.told()))


@story
async def test_the_person_answers_in_a_thread_resolves_and_reopens_it(stage: Stage) -> None:
    ref = reviewing(stage)
    sent = Drafts(stage.orange.store, ref)
    async with stage.open((100, 30)) as scene:
        await open_review(scene)
        await scene.press("n", "j")
        await comment(scene, "First.")
        sent.file.change(lambda all_: [type(each)(**{**each.__dict__, "state": "open"}) for each in all_])
        with stage.orange.store.open(ref) as opened:
            opened.record("test")
        await scene.sees("● open · you · t1")
        await scene.press("a")
        await scene.sees("Answer t1 on auth/login.py:1")
        await scene.press(*"half", "escape")
        await scene.sees("✎ your answer, not sent yet: half")
        await scene.press("a", *" whole", "ctrl+s")
        await scene.until(lambda: [each.text for each in threads(stage, ref)[0].replies] == ["half whole"])
        await scene.sees("↳ you · says", "half whole")
        await scene.until(lambda: sent.unfinished() == {})
        await scene.press("x")
        await scene.until(lambda: threads(stage, ref)[0].state == "resolved")
        await scene.sees("· resolved · you · t1  First.")
        assert "half whole" not in scene.text
        await scene.press("enter")
        await scene.sees("half whole")
        await scene.press("x")
        await scene.until(lambda: threads(stage, ref)[0].state == "open")


@story
async def test_answer_that_could_not_be_sent_is_sent_by_nothing_but_the_key_for_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = reviewing(stage)
    drafts = Drafts(stage.orange.store, ref)
    drafts.file.change(lambda _none: [Thread("", "", None, None, "", None, "person", "Why?", "open")])

    def full(*_given: object) -> None:
        raise OrangeError("threads.json was not saved")

    async with stage.open((100, 30)) as scene:
        await open_review(scene)
        await scene.sees("Why?")
        await scene.press("t", "a")
        await scene.sees("Answer t1")
        with monkeypatch.context() as patch:
            patch.setattr(Drafts, "reply", full)
            await scene.press(*"half", "ctrl+s")
            await scene.sees("Not saved: threads.json was not saved")
        await scene.press(*" whole")
        await scene.until(lambda: drafts.unfinished() == {"reply t1": "half whole"})
        assert threads(stage, ref)[0].replies == ()
        await scene.press("ctrl+s")
        await scene.until(lambda: [each.text for each in threads(stage, ref)[0].replies] == ["half whole"])
        await scene.until(lambda: drafts.unfinished() == {})


@story
async def test_what_was_viewed_folds_and_only_what_is_new_is_shown_after_a_force_push(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((120, 40)) as scene:
        await open_review(scene)
        await scene.sees("viewed 0/3")
        await scene.press("i")
        await scene.says("You have not looked at it before: all of it is new")
        await scene.press("v")
        await scene.sees("viewed 1/3", "auth/login.py  modified  +6 −3  ✓ viewed")
        assert "def login" not in scene.text
        await scene.until(lambda: bool(_viewed(stage, ref).read().marks))
        await leave(scene)
        await scene.until(lambda: bool(_viewed(stage, ref).read().looked_at))
        stage._git("checkout", "--quiet", "login-fix")
        (stage.root / "coffee" / "auth" / "state.py").write_text("signed = None\n")
        stage._git("commit", "--quiet", "--all", "--amend", "--message=other")
        stage._git("checkout", "--quiet", "main")
        await open_review(scene)
        await scene.sees("viewed 1/3", "since you looked")
        await scene.press("i")
        await scene.sees("only what is new", "signed = None", "1/1 auth/state.py")
        await scene.press("i")
        await scene.sees("auth/old.py")


@story
async def test_what_the_worker_changes_after_the_batch_is_new_on_the_same_screen(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((120, 40)) as scene:
        await open_review(scene)
        await scene.press("n", "j")
        await comment(scene, "First.")
        await scene.press("r")
        await scene.sees("Send login-fix back")
        await scene.press("ctrl+s")
        await scene.sees("1 thread open")
        await scene.until(lambda: any(told.startswith("Sent") for told in scene.told()))
        _force_push(stage, stored(stage, ref).task.workspace)
        await scene.sees("since you looked")
        await scene.press("i")
        await scene.sees("only what is new", "signed = None", "1/1 auth/state.py")


@story
async def test_what_the_worker_changes_while_the_person_is_about_to_send_is_new(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((120, 40)) as scene:
        screen = await open_review(scene)
        await scene.press("n", "j")
        await comment(scene, "First.")
        await scene.press("r")
        await scene.sees("Send login-fix back")
        before = screen.code
        _force_push(stage)
        await scene.until(lambda: screen.code is not before)
        await scene.press("ctrl+s")
        await scene.until(lambda: bool(_viewed(stage, ref).read().looked_at))
        await scene.sees("since you looked")


def _force_push(stage: Stage, workspace: str | None = None) -> None:
    """The branch has one file in another form, in a commit that took the place of the first."""
    where = stage.root / "home" / "workspaces" / workspace if workspace else stage.root / "coffee"
    if workspace is None:
        stage._git("checkout", "--quiet", "login-fix")
    (where / "auth" / "state.py").write_text("signed = None\n")
    stage._git("-C", str(where), "commit", "--quiet", "--all", "--amend", "--message=other")
    if workspace is None:
        stage._git("checkout", "--quiet", "main")


def _viewed(stage: Stage, ref: TaskRef) -> ViewedFile:
    return ViewedFile(stage.orange.home, ref.project, ref.id)


@story
async def test_the_branch_is_gone_during_a_review_and_what_was_read_and_written_stays(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((120, 40)) as scene:
        screen = await open_review(scene)
        await scene.press("n", "j")
        await comment(scene, "Kept.")
        (stage.root / "coffee").rename(stage.root / "away")
        screen._read()
        await scene.sees("not read again", "┃ Kept.", "from auth.state import signed")
        (stage.root / "away").rename(stage.root / "coffee")
        screen._read()
        await scene.until(lambda: "not read again" not in scene.text)
    assert [each.text for each in threads(stage, ref)] == ["Kept."]


@story
async def test_after_a_merge_the_next_task_in_review_is_shown(stage: Stage) -> None:
    reviewing(stage, {"branch": "csv-export", "status": "reviewing"})
    stage.work("csv-export", files={"export.py": "rows = 1\n"})
    async with stage.open((120, 40)) as scene:
        await open_review(scene)
        await scene.press("m")
        await scene.sees("Merge login-fix")
        await scene.press("y")
        await scene.sees("coffee/csv-export", "rows = 1")
        assert isinstance(scene.app.screen, ReviewScreen)
        await leave(scene)
        await scene.until(lambda: scene.selected == "csv-export")
        await scene.press("f", "f", "k", "D")


@story
async def test_a_finished_task_says_why_nothing_can_be_said_or_sent(stage: Stage) -> None:
    stage.tasks({"branch": "login-fix", "status": "done"})
    stage.work("login-fix", files=WORK)
    async with stage.open((100, 30)) as scene:
        await open_review(scene)
        for key, reason in (("c", "It is finished"), ("r", "Can't be sent back"), ("m", "Can't be merged")):
            await scene.press(key)
            await scene.until(lambda reason=reason: any(reason in told for told in scene.told()))  # type: ignore[misc]
        await scene.press("question_mark")
        await scene.sees("Help: review", "Comment on the line, the range or the file", "It is finished")
