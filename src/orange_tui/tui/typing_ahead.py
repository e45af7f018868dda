"""What is typed ahead reaches what it was meant for: keys take effect one after the other.

Textual hands every key at once to whatever has the focus, and opens a screen some time after the key for it. So the
letters that followed that key in one burst were lost, or acted on the list below. Here a key waits until all that the
one before it has set off is done: its action has run, a screen that it opened is there, and the focus is where it will
be. That is found out by a `Probe` that goes the way of a key, from what has the focus up to the app: whatever was
begun before is done before it arrives.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from textual import events
from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from textual.app import App
    from textual.dom import DOMNode

    Typed = events.Key | events.Paste

_LOOK_SECONDS = 1.0  # between two looks at whether a key is still on its way
_MOST_LOOKS = 5  # after that the next one is let through all the same: nobody waits for ever


class SeenFirst:
    """A screen that asks for a decision: what was typed before it could be read is no answer to it, and is dropped."""


class Probe(Message, namespace="keys"):
    """Goes the way of a key, behind it."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class KeysInOrder:
    """Delivers keys and pastes, each once the one before it has had its effect."""

    def __init__(self, app: App[Any], deliver: Callable[[events.Event], Awaitable[None]]) -> None:
        self._app, self._deliver = app, deliver
        self._waiting: deque[tuple[Typed, DOMNode]] = deque()  # each with the screen it was typed at
        self._current: Typed | None = None  # the one that is taking effect
        self._is_action = False  # it has come back to the app, which looks for its action there
        self._probes = 0
        self._place: tuple[object, object] = (None, None)  # the screen and the focus when the last probe was sent
        self._sent_to: DOMNode = app  # where that began its way
        self._holders = 0
        self._is_dropping = False
        self._is_timed = False
        self._watched = 0  # the last probe when the time began to run
        self._looks = 0  # how often nothing had come of it since

    async def take(self, event: Typed) -> None:
        """A key or a paste from the terminal, or a key on its way back from whoever did not use it."""
        if event.is_forwarded:
            self._is_action = self._is_action or event is self._current
            await self._deliver(event)
        elif self._is_dropping and _is_for_another(event):
            return
        elif self._current is None and not self._holders:
            await self._begin(event)
        else:
            self._waiting.append((event, self._app.screen))
            self._watch()

    async def on_probe(self, probe: Probe) -> None:
        """A probe has come back: the next key has its turn, or one more is sent where something has changed."""
        if probe.number != self._probes or self._current is None or self._is_closing:
            return
        if self._is_action or self._place != self._place_now():
            self._is_action = False
            self._send_probe()
            return
        self._current = None
        await self._go_on()

    @contextmanager
    def holding(self) -> Iterator[None]:
        """Keep keys for a screen that opens once something was read; some seconds later they are let through."""
        self._holders += 1
        self._watch()
        try:
            yield
        finally:
            self._holders = max(0, self._holders - 1)
            if self._current is None and not self._holders and self._waiting:
                self._app.call_later(self._settle)

    @contextmanager
    def dropping(self) -> Iterator[None]:
        """While the terminal is given to another program: what is typed is meant for that, and not for the list."""
        self._is_dropping = True
        try:
            yield
        finally:
            self._is_dropping = False

    async def _begin(self, event: Typed) -> None:
        if self._is_letter_in_text(event):  # nothing comes of it but that
            await self._deliver(event)
            return
        self._current, self._is_action = event, False
        await self._deliver(event)
        if not self._is_closing:
            self._send_probe()

    def _is_letter_in_text(self, event: Typed) -> bool:
        field = self._app.focused
        if not isinstance(event, events.Key) or not event.is_printable or field is None:
            return False
        return field.check_consume_key(event.key, event.character)

    def _settle(self) -> None:
        """Look again whether all has been done, as after a key."""
        if self._current is None and self._waiting and not self._is_closing:
            self._current = self._waiting[0][0]
            self._send_probe()

    async def _go_on(self) -> None:
        while self._waiting and self._current is None and not self._holders:
            event, typed_at = self._waiting.popleft()
            is_dropped = self._is_dropping and _is_for_another(event)
            if not is_dropped and (typed_at is self._app.screen or not isinstance(self._app.screen, SeenFirst)):
                await self._begin(event)

    @property
    def _is_closing(self) -> bool:
        return not self._app.screen_stack

    def _place_now(self) -> tuple[object, object]:
        return self._app.screen, self._app.focused

    def _send_probe(self) -> None:
        self._probes += 1
        self._place = self._place_now()
        self._sent_to = self._app.focused or self._app.screen
        if not self._sent_to.post_message(Probe(self._probes)):
            self._sent_to = self._app  # what had the focus is about to go
            self._app.post_message(Probe(self._probes))

    def _watch(self) -> None:
        """A screen that is closed takes what is on its way through it along: keys must not wait for that."""
        if not self._is_timed:
            self._is_timed = True
            self._watched = self._probes
            self._app.set_timer(_LOOK_SECONDS, self._lose_patience)

    async def _lose_patience(self) -> None:
        self._is_timed = False
        if self._is_closing:
            return
        is_stuck = self._probes == self._watched and (self._current is not None or self._holders > 0)
        self._looks = self._looks + 1 if is_stuck else 0
        if is_stuck and (self._is_lost() or self._looks >= _MOST_LOOKS):
            self._holders, self._current, self._looks = 0, None, 0
        await self._go_on()
        if self._waiting:
            self._watch()

    def _is_lost(self) -> bool:
        """Whether the last probe can never come back. On a busy machine it may only be slow, as may a file be read."""
        return not self._holders and not self._sent_to.is_attached


def _is_for_another(event: Typed) -> bool:
    """Whether it is what one types to a program; with Ctrl one can leave even if that never opens."""
    return isinstance(event, events.Paste) or event.is_printable or event.key == "enter"
