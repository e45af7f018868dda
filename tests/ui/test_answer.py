"""Answering with what the agent says in sight, also on a small screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.live import opened
from support.stage import story

if TYPE_CHECKING:
    from support.live_home import LiveHome

PAINTED = "seq 1 99; printf '\\033[31mHot\\033[0m or [bold]cold[/]\\033]0;title\\007?\\n'; exec cat"


@story
async def test_the_agents_last_lines_are_above_the_box_in_colour_and_follow_it_while_one_writes(
    live_home: LiveHome,
) -> None:
    live_home.harness(orders=PAINTED)
    ref = live_home.create("fix/tea", harness="recorder")
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    async with opened(live_home, (80, 24)) as scene:
        await scene.press("a")
        await scene.sees("Answer fix/tea", "Hot or [bold]cold[/]?", "Send (ctrl+s)", "99")
        strips = scene.app.screen._compositor.render_strips()
        (style,) = [part.style for strip in strips for part in strip if part.text == "Hot"]
        assert style is not None
        assert style.color is not None
        red, green, blue = style.color.get_truecolor()
        assert red > max(green, blue)
        await scene.press(*"Co", "tab", *"ld")  # who has left the box for a button, and types on, is back in it
        live_home.orange.tmux.paste(pane, "still thinking")
        live_home.orange.tmux.press(pane, "Enter")
        await scene.sees("still thinking", "Cold")
        await scene.press("ctrl+s")
        await scene.until(lambda: "Answer fix/tea" not in scene.text)
        await scene.until(lambda: "Cold" in (live_home.orange.tmux.screen(pane.pane_id) or ""))
