"""Frames that nobody sees are not drawn: a headless terminal throws them away, and drawing is half the time of a story.

A story that reads the screen has it drawn anew, whole. How many frames there would have been is counted, so that who
waits for words on the screen need not read it all the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._compositor import Compositor
from textual._context import visible_screen_stack

if TYPE_CHECKING:
    from rich.console import RenderableType
    from textual.screen import Screen

_draw = Compositor.render_update


class Frames:
    """How many there were in this process, and whether somebody wants to have them."""

    count = 0
    wanted = False


def _render_update(
    compositor: Compositor,
    full: bool = False,
    screen_stack: list[Screen[object]] | None = None,
    simplify: bool = False,
) -> RenderableType | None:
    if full or Frames.wanted:
        return _draw(compositor, full=full, screen_stack=screen_stack, simplify=simplify)
    Frames.count += bool(compositor._dirty_regions)
    visible_screen_stack.set([] if screen_stack is None else screen_stack)
    compositor._dirty_regions.clear()
    return None


Compositor.render_update = _render_update  # type: ignore[method-assign,assignment]
