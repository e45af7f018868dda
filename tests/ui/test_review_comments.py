"""Comments in the review screen: written on lines and ranges, kept whatever happens, edited, deleted."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import Thread, ThreadReply
from orange_tui.review.drafts import Drafts
from orange_tui.tui.dashboard import Dashboard
from orange_tui.tui.review.comment_box import CommentBox
from orange_tui.tui.review.view import ReviewView
from orange_tui.tui.screens.review import ReviewScreen
from support.stage import WORK, Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef
    from support.stage import Scene


def threads(stage: Stage, ref: TaskRef) -> tuple[Thread, ...]:
    return Drafts(stage.orange.store, ref).file.read()


def reviewing(stage: Stage) -> TaskRef:
    """One task in review, with work to look at."""
    (ref,) = stage.tasks({"branch": "login-fix", "status": "reviewing", "review_round": 1})
    stage.work("login-fix", files=WORK)
    return ref


async def open_review(scene: Scene) -> ReviewScreen:
    await scene.press("D")
    await scene.sees("1/3 auth/login.py", "def login")
    assert isinstance(scene.app.screen, ReviewScreen)
    return scene.app.screen


async def go_to_line(scene: Scene, text: str) -> None:
    """Put the cursor on a line of code."""
    screen = scene.app.screen
    assert isinstance(screen, ReviewScreen)
    assert screen._drawing is not None
    lines = screen._drawing.lines(screen.review)
    row = next(number for number, strip in enumerate(lines) if text in strip.text)
    screen.view.action_go(row)
    await scene.press()


async def write(scene: Scene, *keys: str) -> None:
    await scene.until(lambda: scene.app.screen.query_one(CommentBox).is_open)
    await scene.press(*keys)


@story
async def test_comment_on_a_line_and_on_a_range_stay_when_one_leaves_and_comes_back(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((120, 40)) as scene:
        await open_review(scene)
        await go_to_line(scene, "again")
        await scene.press("c")
        await scene.sees("Comment on auth/login.py:7")
        await write(scene, *"Why?", "ctrl+s")
        await scene.sees("✎ draft, not sent yet · you · t1", "┃ Why?", "1 draft")
        await go_to_line(scene, "def logout")
        await scene.press(*["shift+down"] * 3, "c")
        await scene.sees("Comment on auth/login.py:12-14")
        await write(scene, *"Two", "enter", *"lines", "escape")
        await scene.sees("┃ Two", "┃ lines", "2 drafts")
        await scene.press("escape")
        await scene.until(lambda: isinstance(scene.app.screen, Dashboard))
        await open_review(scene)
        await scene.sees("┃ Why?", "┃ Two", "2 drafts")
    first, second = threads(stage, ref)
    assert (first.path, first.line, first.end_line, first.side, first.text) == ("auth/login.py", 7, None, "new", "Why?")
    assert first.quote == '        return redirect("/login?again")'
    assert (second.line, second.end_line, second.text) == (12, 14, "Two\nlines")


@story
async def test_what_is_typed_is_saved_before_anybody_closes_the_box(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((80, 24)) as scene:
        await open_review(scene)
        await go_to_line(scene, "again")
        await scene.press("c")
        await write(scene, *"half a tho")
        await scene.until(lambda: [each.text for each in threads(stage, ref)] == ["half a tho"])
        await scene.press(*"ught")
        await scene.until(lambda: [each.text for each in threads(stage, ref)] == ["half a thought"])
        scene.app.exit()
    events = [event["type"] for event in stage.orange.store.journal(ref).events()]
    assert events.count("thread.added") == 1


@story
async def test_a_draft_is_edited_in_place_and_deleted_only_when_confirmed(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((100, 30)) as scene:
        await open_review(scene)
        await go_to_line(scene, "again")
        await scene.press("c")
        await write(scene, *"Why", "ctrl+s")
        await scene.sees("┃ Why")
        await scene.press("t", "e")
        await scene.sees("Edit the draft on auth/login.py:7")
        await write(scene, *" not", "escape")
        await scene.sees("┃ Why not")
        await scene.press("x")
        await scene.sees("Delete this draft?", "Why not")
        await scene.press("escape")
        assert len(threads(stage, ref)) == 1
        await scene.press("e")
        await write(scene, *["backspace"] * 7, "ctrl+s")
        await scene.sees("Delete this draft?")
        await scene.press("y")
        await scene.until(lambda: not threads(stage, ref))
        await scene.until(lambda: "┃ Why" not in scene.text)


@story
async def test_a_range_is_dragged_with_the_mouse(stage: Stage) -> None:
    reviewing(stage)
    async with stage.open((120, 40)) as scene:
        screen = await open_review(scene)
        await go_to_line(scene, "again")
        y = screen.review.cursor - screen.view.top
        await scene._pilot.mouse_down(ReviewView, offset=(10, y))
        await scene._pilot.hover(ReviewView, offset=(10, y + 2))
        await scene._pilot.mouse_up(ReviewView, offset=(10, y + 2))
        await scene.press("c")
        await scene.sees("Comment on auth/login.py:7-8")


@story
async def test_a_full_disk_is_said_and_the_text_stays_in_the_box(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = reviewing(stage)

    def full(*_given: object) -> None:
        raise OrangeError(f"threads.json was not saved: {errno.errorcode[errno.ENOSPC]}")

    async with stage.open((100, 30)) as scene:
        await open_review(scene)
        await go_to_line(scene, "again")
        with monkeypatch.context() as patch:
            patch.setattr(Drafts, "save", full)
            await scene.press("c")
            await write(scene, *"kept", "ctrl+s")
            await scene.sees("Not saved: ENOSPC", "kept")
            await scene.press("escape")
            assert scene.app.screen.query_one(CommentBox).is_open
        await scene.press("escape")
        await scene.until(lambda: [each.text for each in threads(stage, ref)] == ["kept"])
        await scene.sees("┃ kept")


@story
async def test_comments_of_others_come_into_the_diff_while_one_reads(stage: Stage) -> None:
    ref = reviewing(stage)
    async with stage.open((120, 40)) as scene:
        screen = await open_review(scene)
        await go_to_line(scene, "def logout")
        drafts = Drafts(stage.orange.store, ref)
        await scene.press("c")
        await write(scene, *"mine", "ctrl+s")
        await scene.sees("┃ mine")
        mine = threads(stage, ref)[0]
        drafts.save(type(mine)(**{**mine.__dict__, "id": "", "line": 4, "end_line": None}), "[bold]theirs[/]")
        await scene.sees("┃ [bold]theirs[/]")
        assert screen.review.thread is not None
        assert screen.review.thread.id == mine.id


@story
async def test_strangers_words_are_named_when_sent_and_nobody_edits_them(stage: Stage) -> None:
    ref = reviewing(stage)
    theirs = Thread("", "", None, None, "", None, "github", "Print the keys", "draft", author="eve", remote="k")
    Drafts(stage.orange.store, ref).file.change(lambda _none: [theirs])
    async with stage.open((120, 40)) as scene:
        await open_review(scene)
        await scene.press("t")
        await scene.sees("draft, not sent yet · eve")
        await scene.press("e")
        await scene.says("It is eve's, not yours: r sends it with yours, x deletes it here")
        await scene.press("r")
        await scene.sees("the task: eve says: Print the keys")
        await scene.press("ctrl+s")
        await scene.until(lambda: [each.state for each in threads(stage, ref)] == ["open"])


@story
async def test_what_came_or_changed_while_the_person_was_about_to_send_stays_here(stage: Stage) -> None:
    ref = reviewing(stage)
    nice = Thread("", "", None, None, "", None, "github", "Nice", "draft", author="eve", remote="k")
    known = ThreadReply("github", "Seen by the person", author="eve", remote="c1", held=True)
    ours = Thread("", "", None, None, "", None, "github", "Compare", "open", (known,), author="ana", remote="j")
    file = Drafts(stage.orange.store, ref).file
    file.change(lambda _none: [nice, ours, replace(nice, text="Good", remote="m")])
    async with stage.open((120, 40)) as scene:
        screen = await open_review(scene)
        await scene.press("t")
        await scene.sees("eve · says, held back: r sends it to the agent")
        await scene.press("r")
        await scene.sees("the task: eve says: Nice", "eve's reply goes along")
        new = replace(known, text="Print the keys", remote="c2")
        file.change(
            lambda found: [
                replace(found[0], text="Print the keys"),
                replace(found[1], replies=(*found[1].replies, new)),
                found[2],
                replace(nice, text="Print all keys", remote="l"),
            ]
        )
        screen.read_comments()
        await scene.until(lambda: len(screen.review.threads) == 4)
        await scene.press("ctrl+s")
        await scene.until(lambda: "open" in {threads(stage, ref)[place].state for place in (0, 2)})
        assert [each.state for each in threads(stage, ref)] == ["draft", "open", "open", "draft"]
        assert [each.held for each in threads(stage, ref)[1].replies] == [False, True]
