"""Reading in the preview: by keys in every tab, at the width there is, and taking text along with the mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.sessions import pane_sizes
from orange_tui.tui.widgets.preview import Preview
from orange_tui.tui.widgets.strip_view import StripView
from support.live import opened
from support.live_home import started
from support.stage import Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.outside.tmux.server import Pane
    from support.live_home import LiveHome
    from support.person import Terminal
    from support.stage import Scene

LINES = "".join(f"line {number}\n" for number in range(99))


def top(scene: Scene) -> int:
    return int(scene.app.screen.query_one("#view", StripView).scroll_offset.y)


@story
async def test_keys_scroll_every_tab_while_the_cursor_of_the_list_stays(stage: Stage) -> None:
    stage.work("login-fix", files={"notes.txt": LINES})
    ref = stage.task(branch="login-fix", summary="Long", status="working", body="\n\n".join(LINES.splitlines()))
    stage.task(5, branch="other", status="pending")
    for number in range(40):
        stage.orange.tasks.update(ref, summary=f"Summary {number}")
    async with stage.open() as scene:
        await scene.press("g")
        assert scene.selected == "login-fix"
        preview = scene.app.screen.query_one(Preview)
        for tab, seen in (("Task", "line 1"), ("Diff", "notes.txt  added"), ("History", "summary is now")):
            while preview.tab.name != tab:
                await scene.press("tab")
            await scene.sees(seen)
            await scene.until(lambda: scene.app.screen.query_one("#view", StripView).max_scroll_y > 3)
            for down, up in (("shift+down", "shift+up"), ("ctrl+e", "ctrl+y"), ("pagedown", "pageup")):
                await scene.press(down)
                await scene.until(lambda: top(scene) > 0)
                await scene.press(up)
                await scene.until(lambda: top(scene) == 0)
        assert scene.selected == "login-fix"
        await scene.resize(80, 24)
        await scene.press("right")
        await scene.sees("⇧↑ ⇧↓ scroll", "esc list")


@story
async def test_text_is_selected_with_the_mouse_and_copied_in_the_preview_a_page_and_a_dialog(stage: Stage) -> None:
    stage.task(branch="login-fix", summary="Fix [bold]it[/]", status="working", body="One [b]two[/] three\n\nfour\n")
    async with stage.open() as scene:
        await scene.sees("One [b]two[/] three", "four")
        (line,) = [y for y, text in enumerate(scene.text.splitlines()) if "One [b]two" in text]
        y = line - scene.app.screen.query_one("#view").region.y
        await scene.drag("#view", (5, y), (14, y))
        await scene.press("ctrl+c")
        assert scene.app.clipboard == "[b]two[/]"
        await scene.drag("#view", (5, y), (4, y + 2))
        await scene.press("ctrl+c")
        assert scene.app.clipboard == "[b]two[/] three\n\nfour"
        await scene.press("j")  # the keys are still the list's
        await scene.press("v")
        await scene.sees("TASK.md · login-fix")
        await scene.drag("#page", (1, 0), (7, 0))
        await scene.press("ctrl+c")
        assert scene.app.clipboard == "Fix [bo"
        await scene.press("escape", "x")
        await scene.sees("Cancel login-fix?")
        await scene.drag(".hint", (0, 0), (10, 0))
        await scene.press("ctrl+c")
        assert scene.app.clipboard == "Its session"
        await scene.press("escape", "escape", "ctrl+c")
        await scene.says("Press ctrl+q to quit; agents keep running.")


def size(live_home: LiveHome, pane: Pane) -> tuple[int, int]:
    frame = live_home.orange.tmux.frame(pane.pane_id)
    assert frame is not None
    return frame.width, frame.height


@story
async def test_a_session_is_shown_at_the_width_there_is_and_attached_at_that_of_the_terminal(
    live_home: LiveHome, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    resized: list[tuple[int, int]] = []
    fit = pane_sizes.fit_window
    monkeypatch.setattr(
        pane_sizes,
        "fit_window",
        lambda tmux, pane, *how: (resized.append(how), fit(tmux, pane, *how)),  # type: ignore[func-returns-value]
    )
    long = f"begin-{'0123456789' * 12}-end"
    live_home.harness(orders=f"echo {long}; exec cat")
    ref = live_home.create("fix/tea", harness="recorder")
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    async with opened(live_home, (120, 36)) as scene:
        await scene.press("tab")
        await scene.sees("begin-", "-end")  # in several lines: nothing is cut off
        view = scene.app.screen.query_one("#view", StripView)
        small = view.size.width - 3, view.size.height
        assert (size(live_home, pane), resized) == (small, [small])
        await scene.press("w", "tab")
        await scene.until(lambda: size(live_home, pane)[0] > 100)
        await scene.press("escape")
        await scene.until(lambda: size(live_home, pane) == small)
        terminal.type(f"env -u TMUX tmux -L {live_home.socket} attach")
        await scene.until(lambda: size(live_home, pane)[0] == 120)
        await scene.sees("›")  # what is cut off now, says so
        count = len(resized)
        live_home.tmux.cmd("detach-client", "-s", pane.session_id)  # no key, which could come too soon
        await scene.until(lambda: size(live_home, pane) == small)
        assert len(resized) == count + 1


@story
async def test_a_session_fits_again_though_nobody_saw_that_a_person_was_attached_meanwhile(
    live_home: LiveHome, terminal: Terminal
) -> None:
    ref = started(live_home, "fix/tea")
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    async with opened(live_home, (120, 36)) as scene:
        await scene.press("tab")
        await scene.until(lambda: size(live_home, pane)[0] < 120)
        small = size(live_home, pane)
        await scene.press("shift+tab")
        preview = scene.app.screen.query_one(Preview)
        await scene.until(lambda: preview.tab.name != "Session")
        terminal.type(f"env -u TMUX tmux -L {live_home.socket} attach")
        await scene.until(lambda: size(live_home, pane)[0] == 120)
        live_home.tmux.cmd("detach-client", "-s", pane.session_id)
        await scene.until(lambda: not live_home.orange.sessions.last_key_at(pane))
        assert size(live_home, pane)[0] == 120
        await scene.press("tab")
        await scene.until(lambda: size(live_home, pane) == small)
