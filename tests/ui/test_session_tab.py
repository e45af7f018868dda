"""The session tab: the agent's screen as it is, while somebody looks at it, and back to its beginning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.outside.tmux.server import Tmux
from orange_tui.tui.widgets.strip_view import StripView
from support.live import opened
from support.stage import Scene, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.outside.tmux.server import Frame
    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome


class Calls:
    """How often tmux was asked what a window shows."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        frame = Tmux.frame

        def counted(tmux: Tmux, pane_id: str, **how: Any) -> Frame | None:
            self.count += 1
            return frame(tmux, pane_id, **how)

        monkeypatch.setattr(Tmux, "frame", counted)


def agent(live_home: LiveHome, orders: str) -> TaskRef:
    live_home.harness(orders=orders)
    return live_home.create("fix/tea", harness="recorder")


def says(live_home: LiveHome, ref: TaskRef, text: str) -> None:
    """The agent prints something: it repeats what it is told."""
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    live_home.orange.tmux.paste(pane, text)
    live_home.orange.tmux.press(pane, "Enter")


@story
async def test_session_tab_follows_what_the_agent_prints(live_home: LiveHome) -> None:
    ref = agent(live_home, "seq 1 200; exec cat")
    async with opened(live_home) as scene:
        await scene.press("tab")
        await scene.sees("200")
        says(live_home, ref, "fresh milk")
        await scene.sees("fresh milk")


@story
async def test_session_tab_reads_nothing_from_tmux_while_hidden(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent(live_home, "echo hello; exec cat")
    async with opened(live_home) as scene:
        await scene.sees("Brew fix/tea")
        calls = Calls(monkeypatch)
        await frames(scene)
        assert calls.count == 0
        await scene.press("tab")
        await scene.sees("hello")
        assert calls.count > 0
        await scene.press("question_mark")
        await scene.sees("Anywhere")
        await frames(scene)
        before = calls.count
        await frames(scene)
        assert calls.count == before
        await scene.press("escape")
        await scene.until(lambda: calls.count > before)
        await scene.press("tab")
        await scene.sees("No changes yet")
        before = calls.count
        await frames(scene)
        assert calls.count == before


async def frames(scene: Scene) -> None:
    """As long as three looks at a live session would take."""
    ticks: list[None] = []
    timer = scene.app.set_interval(0.2, lambda: ticks.append(None))
    await scene.until(lambda: len(ticks) > 2)
    timer.stop()


@story
async def test_page_up_scrolls_the_session_to_its_start_and_at_its_end_it_follows_again(live_home: LiveHome) -> None:
    ref = agent(live_home, "for n in $(seq 1 400); do echo line-$n-; done; exec cat")
    async with opened(live_home) as scene:
        await scene.press("tab")
        await scene.sees("line-400-")
        for _ in range(20):
            await scene.press("pageup")
            await scene.until(lambda: not scene.app.screen.query_one(StripView).is_at_end)
        await scene.press(*["pageup"] * 3)
        await scene.sees("line-1-")
        says(live_home, ref, "fresh milk")
        live_home.orange.tasks.update(ref, summary="The list changes")  # and what is read stays where it is
        await scene.sees("The list changes", "line-1-")
        await scene.press(*["pagedown"] * 30)
        await scene.sees("fresh milk")
        says(live_home, ref, "more of it")
        await scene.sees("more of it")


@story
async def test_keys_work_while_an_agent_prints_five_megabytes(live_home: LiveHome) -> None:
    ref = agent(live_home, "yes '\033[31mred\033[0m milk' | head -c 5000000; echo the-end; exec cat")
    async with opened(live_home) as scene:
        await scene.press("tab")
        await scene.sees("the-end")
        await scene.press("pageup", "tab", "tab", "tab")
        await scene.sees("Brew fix/tea")
    logs = live_home.root / "home" / "state" / "coffee" / ref.id / "logs"
    assert all(path.stat().st_size <= 4_000_000 for path in logs.glob("*.log"))


@story
async def test_session_tab_shows_colours_and_leaves_markup_as_text(live_home: LiveHome) -> None:
    agent(live_home, "printf '\\033[31mred\\033[0m [bold]x[/] [@click=app.quit]y[/]\\033]0;title\\007\\n'; exec cat")
    async with opened(live_home) as scene:
        await scene.press("tab")
        await scene.sees("red [bold]x[/] [@click=app.quit]y[/]")
        strips = scene.app.screen._compositor.render_strips()
        (style,) = [part.style for strip in strips for part in strip if part.text == "red"]
        assert style is not None
        assert style.color is not None
        red, green, blue = style.color.get_truecolor()
        assert red > max(green, blue)


@story
async def test_session_tab_survives_a_tmux_server_that_dies(live_home: LiveHome) -> None:
    agent(live_home, "echo hello; exec cat")
    async with opened(live_home, supervises=True) as scene:
        await scene.press("tab")
        await scene.sees("hello")
        live_home.tmux.kill()
        await scene.sees("No live session", "⚡")
        await scene.press("j", "k", "tab")
        await scene.sees("No changes yet")
