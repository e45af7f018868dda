"""Questions: each says what will happen to which work, in one sentence.

The safe answer is the default; where nothing can be lost, that is to do it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Label, Static, TextArea

from orange_tui.presentation import trust
from orange_tui.tui.review.thread_lines import who
from orange_tui.tui.review.writing import Autosave
from orange_tui.tui.typing_ahead import SeenFirst
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence

    from textual import events
    from textual.app import ComposeResult

    from orange_tui.domain.review.thread import Thread
    from orange_tui.outside.git_guard.brought import Brought
    from orange_tui.review.drafts import Drafts

WORDS = "words"  # what the words besides a review are kept as until they are sent
_PLACEHOLDER = "Some words besides, if you like"
_MOST_LISTED = 6
_AROUND_BROUGHT = 12  # lines of the question about trust besides what is brought along


class _YesOrNo(ModalScreen[bool]):
    """A question with two answers; Enter gives the one that has the focus."""

    BINDINGS = [("escape", "dismiss(False)", "No"), ("y", "dismiss(True)", "Yes"), ("n", "dismiss(False)", "No")]  # noqa: RUF012
    DEFAULT: ClassVar[str] = "no"

    def __init__(self, title: str, what_happens: str, yes: str) -> None:
        super().__init__()
        self._title, self._what_happens, self._yes = title, what_happens, yes

    def compose(self) -> ComposeResult:
        no_key, yes_key = ("⏎ or n", "y") if self.DEFAULT == "no" else ("n", "⏎ or y")
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(self._what_happens, classes="hint", markup=False)
            with Horizontal(classes="buttons"):
                yield Button(f"No ({no_key})", id="no", compact=True)
                yield Button(f"{self._yes} ({yes_key})", id="yes", compact=True)

    def on_mount(self) -> None:
        self.query_one(f"#{self.DEFAULT}").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class ConfirmDialog(_YesOrNo, SeenFirst):
    """Where something can be lost: Escape and Enter are no, unless the person has gone to yes."""


class ProceedDialog(_YesOrNo):
    """Where nothing can be lost, which is said: Enter is yes, Escape is no."""

    DEFAULT = "yes"


class TrustDialog(ModalScreen[bool], SeenFirst):
    """Shows what would run; `y` trusts it, as it is shown, and anything else leaves it for later."""

    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("escape", "dismiss(False)", "Not now"),
        ("n", "dismiss(False)", "Not now"),
        ("y", "dismiss(True)", "Trust"),
    ]

    def __init__(self, project: str, items: Sequence[Brought]) -> None:
        super().__init__()
        self._project, self._items = project, items

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog", id="trust"):
            yield Label(f"Trust what {self._project} brings along?", classes="title", markup=False)
            yield Static(trust.WHAT_IT_MEANS, classes="hint", markup=False)
            with VerticalScroll(id="brought", can_focus=True):
                yield Static("\n".join(trust.lines(self._items)), markup=False)
            with Horizontal(classes="buttons"):
                yield Button("Not now (⏎ or n)", id="no", compact=True)
                yield Button("Trust it (y)", id="yes", compact=True)

    def on_mount(self) -> None:
        self.query_one("#no").focus()

    def on_resize(self) -> None:
        """As much as there is room for; in cells, for of another unit Textual would leave the rest of it empty."""
        most = max(3, self.size.height * 9 // 10 - _AROUND_BROUGHT)
        self.query_one("#brought").set_styles(f"max-height: {most};")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")


class _WithBox:
    """A dialog with a box to write in: whoever has left it for a button, and types on, is back in it."""

    def on_key(self, event: events.Key) -> None:
        box = self.query_one(TextArea)  # type: ignore[attr-defined]
        if event.character is not None and event.is_printable and not box.has_focus:
            event.stop()
            box.focus()
            box.insert(event.character)


class MessageDialog(_WithBox, ModalScreen[str | None]):
    """A message to an agent, which may be prepared: what it is for stands above it, Ctrl+S sends it.

    What was written and not sent is there again the next time: Escape is pressed too easily.
    """

    BINDINGS = [("escape", "leave", "Cancel"), ("ctrl+s", "send", "Send")]  # noqa: RUF012

    def __init__(
        self, title: str, hint: str, send: str, *, drafts: MutableMapping[str, str], prepared: str = ""
    ) -> None:
        super().__init__()
        self._title, self._hint, self._send, self._prepared = title, hint, send, prepared
        self._drafts = drafts

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Static(self._hint, classes="hint", markup=False)
            yield from self.compose_context()
            draft = self._drafts.get(self._title, self._prepared)
            classes = "prepared" if self._prepared else ""
            yield TextArea(draft, classes=classes, id="text", tab_behavior="focus", compact=True)
            with Horizontal(classes="buttons"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button(f"{self._send} (ctrl+s)", id="yes", compact=True)

    def compose_context(self) -> ComposeResult:
        """What the message is about, above its box."""
        yield from ()

    def on_mount(self) -> None:
        """The cursor is in the box from the beginning."""
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.move_cursor(area.document.end)
        area.focus()

    def action_send(self) -> None:
        self._drafts.pop(self._title, None)
        self.dismiss(self.query_one(TextArea).text.strip() or None)

    def action_leave(self) -> None:
        text = self.query_one(TextArea).text
        if text == self._prepared:  # nobody's words yet, and the next time there may be others to prepare
            self._drafts.pop(self._title, None)
        else:
            self._drafts[self._title] = text
        self.dismiss(None)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            self.action_send()
        else:
            self.action_leave()


class SendDialog(_WithBox, ModalScreen[tuple[str, bool]]):
    """Ctrl+S sends everything, with or without words; Escape sends nothing, and what was written stays.

    The answer is what was written, and whether it is to be sent.
    """

    BINDINGS = [("escape", "leave", "Cancel"), ("ctrl+s", "send", "Send")]  # noqa: RUF012 - Textual's own way

    def __init__(self, branch: str, threads: Sequence[Thread], words: str, drafts: Drafts) -> None:
        super().__init__()
        self._branch, self._threads, self._words = branch, threads, words
        self._autosave = Autosave(lambda text: drafts.keep(WORDS, text), self._saved)

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(f"Send {self._branch} back", classes="title", markup=False)
            yield Static(what_happens(self._threads), classes="hint", markup=False, id="what")
            yield TextArea(self._words, id="text", tab_behavior="focus", compact=True, placeholder=_PLACEHOLDER)
            with Horizontal(classes="buttons"):
                yield Button("Cancel (esc)", id="no", compact=True)
                yield Button("Send back (ctrl+s)", id="yes", compact=True)

    def on_mount(self) -> None:
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.move_cursor(area.document.end)
        area.focus()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        self._autosave.typed(event.text_area.text)
        begin_work(self, self._autosave.run, group="autosave")

    def _saved(self, problem: str | None) -> None:
        if problem and self.is_mounted:
            self.query_one("#what", Static).update(f"Not saved: {problem}")

    async def on_unmount(self) -> None:
        await self._autosave.flush()

    async def action_send(self) -> None:
        text = self.query_one(TextArea).text.strip()
        if not text and not _going(self._threads):
            self.query_one("#what", Static).update("There is nothing to send yet: say what should change.")
            return
        await self._autosave.stop()
        self.dismiss((text, True))

    def action_leave(self) -> None:
        self.dismiss((self.query_one(TextArea).text, False))

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "yes":
            await self.action_send()
        else:
            self.action_leave()


def _going(threads: Sequence[Thread]) -> list[Thread]:
    return [thread for thread in threads if thread.state in {"draft", "open"}]


def _is_familiar(thread: Thread) -> bool:
    """Whether nothing of a stranger's is in it: that is listed first, for nobody else has read it yet."""
    return thread.by == "person" or (thread.state != "draft" and not any(reply.held for reply in thread.replies))


def _first_words(thread: Thread) -> str:
    """How a comment begins; of another's, whose it is: nobody should pass on a stranger's words as their own."""
    first = thread.text.strip().partition("\n")[0]
    held = dict.fromkeys(who(reply.by, reply.author) for reply in thread.replies if reply.held)
    along = f" ({', '.join(held)}'s reply goes along)" if held else ""
    return f"{first}{along}" if thread.by == "person" else f"{who(thread.by, thread.author)} says: {first}{along}"


def what_happens(threads: Sequence[Thread]) -> str:
    """What is sent, and what follows."""
    going = sorted(_going(threads), key=_is_familiar)
    drafts = sum(thread.state == "draft" for thread in going)
    if not going:
        return "There are no comments: your words go to the worker, and the task goes back to work."
    count = f"{drafts} comment{'s' if drafts != 1 else ''}" if drafts else ""
    still = len(going) - drafts
    again = f"{still} thread{'s' if still != 1 else ''} still open" if still else ""
    what = " and ".join(part for part in (count, again) if part)
    verb = "goes" if len(going) == 1 else "go"
    listed = [f"  {thread.place}: {_first_words(thread)}" for thread in going[:_MOST_LISTED]]
    more = [f"  and {len(going) - _MOST_LISTED} more"] if len(going) > _MOST_LISTED else []
    sentence = f"{what} {verb} to the worker as one message, and the task goes back to work."
    return "\n".join([sentence, *listed, *more])
