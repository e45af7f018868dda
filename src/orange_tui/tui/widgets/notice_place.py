"""Where notices are shown: at the bottom on the right, and at the top while the person works where they would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.app import App
from textual.geometry import Region
from textual.widget import Widget
from textual.widgets._toast import ToastRack  # its only name

if TYPE_CHECKING:
    from textual.geometry import Offset
    from textual.screen import Screen

_MAX_CELLS = 60  # that Textual gives a notice, of half the screen


@runtime_checkable
class HasWorkplace(Protocol):
    """A widget of which the person works at one place only."""

    @property
    def workplace(self) -> Region:
        """The lines that they work on, on the screen."""


@runtime_checkable
class _HasCursor(Protocol):
    """A box to write in, of one line or many; naming Textual's own would import it for the first screen."""

    @property
    def cursor_screen_offset(self) -> Offset:
        """Where the cursor is, on the screen."""


class PlacesNotices(App[str]):
    """The part of the app that keeps notices off what is being worked on, on every screen."""

    def _refresh_notifications(self) -> None:
        self.place_notices()
        super()._refresh_notifications()

    def notices_may_be_in_the_way(self) -> None:
        """A key was pressed: look again where the person works, once that is shown."""
        if self._notifications:
            self.call_after_refresh(self.place_notices)

    def place_notices(self) -> None:
        """Have them where they cover nothing of it."""
        for rack in self.screen.query_children(ToastRack) if self.screen_stack else ():
            rack.set_class(is_in_the_way(self.screen), "-top")


def is_in_the_way(screen: Screen[Any]) -> bool:
    """Whether the person works in that half of the screen in which notices are, and as far to the right."""
    work, (width, height) = _workplace(screen), screen.size
    return work.bottom > height // 2 and work.right > width - min(_MAX_CELLS, width // 2)


def _workplace(screen: Screen[Any]) -> Region:
    focused: object = screen.focused
    if isinstance(focused, HasWorkplace):
        return focused.workplace
    if isinstance(focused, Widget) and isinstance(focused, _HasCursor):
        return Region(focused.region.x, focused.cursor_screen_offset.y, focused.region.width, 1)
    return focused.region if isinstance(focused, Widget) else Region()
