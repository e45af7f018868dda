"""The app: one list of tasks, kept true by what happens on disk, and a screen that shows it.

A key press changes nothing here. It moves a task, files change, the watcher sees it, and the one reactive
`snapshot` is replaced: what is on the screen cannot disagree with the disk.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import events
from textual.reactive import var

from orange_tui.domain.errors import OrangeError
from orange_tui.notices.presence import Presence
from orange_tui.tui.background_work import BackgroundWork, give_threads, keep_running
from orange_tui.tui.board_keeper import BoardKeeper
from orange_tui.tui.commands.context import ListControls
from orange_tui.tui.commands.keys import keyless, keymap
from orange_tui.tui.commands.palette.palette import PALETTE
from orange_tui.tui.form_choices import FormChoices, read_form_choices
from orange_tui.tui.listing.columns import COLUMNS, chosen_columns
from orange_tui.tui.listing.scope import ProjectScope
from orange_tui.tui.listing.view_memory import ViewMemory
from orange_tui.tui.notices import Notices, PersonAtApp
from orange_tui.tui.preload import preload_screens
from orange_tui.tui.theme import THEMES, ThemedApp
from orange_tui.tui.typing_ahead import KeysInOrder
from orange_tui.tui.widgets.notice_place import PlacesNotices
from orange_tui.tui.widgets.shown_keys import ShowsKeys
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping
    from contextlib import AbstractContextManager

    from textual.screen import Screen
    from textual.theme import Theme

    from orange_tui.board.rows import Snapshot
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from orange_tui.tui.listing.columns import Column
    from orange_tui.tui.typing_ahead import Probe

_SWITCH_SECONDS = 0.001  # that a thread may keep the interpreter from the event loop; five times less than Python's own


class OrangeApp(ShowsKeys, PlacesNotices, ThemedApp):
    """Holds the services, the snapshot and the work under way; starts the loops; shows the dashboard.

    To its screens it is an `AppContext`.
    """

    TITLE = "Orange"
    ENABLE_COMMAND_PALETTE = True
    COMMANDS = PALETTE
    snapshot: var[Snapshot | None] = var(None)  # widgets that follow it draw themselves: the screen stays as it is

    def __init__(
        self,
        orange: Orange,
        project: str | None = None,
        *,
        is_chosen: bool = False,
        supervises: bool = True,
        on_ready: Callable[[], None] | None = None,
    ) -> None:
        super().__init__()
        self.orange = orange
        self.view = ViewMemory(orange.home, orange.log)
        self._scope = ProjectScope(self.view, project, is_chosen=is_chosen)
        self.columns: tuple[Column, ...] = COLUMNS
        self._whole: Snapshot | None = None
        self.work = BackgroundWork(self, orange.log, self._show_again, self.ask_trust, self._name_of)
        has_projects = os.path.exists(orange.home.projects_file)
        self._is_first_run = project is None and not orange.store.refs() and not has_projects
        self.drafts: dict[str, str] = {}
        self.files = orange.new_feed()
        self._board = BoardKeeper(orange.new_boards(self.files.index), self.files, orange.log, self._show)
        self._supervises = supervises  # where no other app or `orange serve` does
        self._on_ready = on_ready  # done in the background once the screen is there: the demo creates its tasks so
        self.is_demo = on_ready is not None
        self._choices: FormChoices | None = None
        self._first: Snapshot | None = None
        for theme in THEMES:
            self.register_theme(theme)
        self.set_reactive(OrangeApp.theme, "")  # TEXTUAL_THEME is there already, and nothing follows what is no change
        self.theme = self._known_theme = os.environ.get("TEXTUAL_THEME", "orange")
        self.key_overrides: Mapping[str, str] = {}
        self.notices = self._notices(bell=True, desktop=False)
        self.presence = Presence(orange.home)
        self._person = PersonAtApp(self, self.presence)
        self._typed = KeysInOrder(self, super().on_event)

    def read_first(self) -> None:
        """Read what there is to show before there is an event loop to hold up: then the first frame has it already."""
        self._choices = read_form_choices(self.orange)
        self.view.read()
        if not self._is_first_run:
            self._first = self._board.read_first()

    @property
    def choices(self) -> FormChoices:
        """Settings and what forms offer, as last read."""
        return self._choices or FormChoices()

    def _show_again(self) -> None:
        """What is shown beside the tasks has changed: keys, or work under way."""
        self.mutate_reactive(OrangeApp.snapshot)

    def _name_of(self, ref: TaskRef) -> str:
        """What people know a task by: its branch."""
        rows = self.snapshot.rows if self.snapshot is not None else ()
        return next((row.task.branch for row in rows if row.ref == ref and row.task is not None), ref.id)

    def _notices(self, *, bell: bool, desktop: bool) -> Notices:
        return Notices(self, self._notify_terminal, bell=bell, desktop=desktop)

    def get_default_screen(self) -> Screen[None]:
        """The first screen is the one to stay on: pushing it over an empty one would lay everything out twice."""
        if self._is_first_run:
            from orange_tui.tui.manage.welcome import WelcomeScreen

            self.add_styles_of_screens()
            return WelcomeScreen(self.orange)
        from orange_tui.tui.dashboard import Dashboard

        return Dashboard(self)

    def on_mount(self) -> None:
        give_threads()
        self.theme_changed_signal.subscribe(self, self._follow_theme)
        if self._choices is not None:
            self._show_first(self._choices)
        self._start(self._keep_board, "board")

    def _follow_theme(self, theme: Theme) -> None:
        """Remember what the person chooses; what the app begins with, nobody has chosen just now."""
        self.refresh(layout=True)
        if theme.name != self._known_theme:
            self._known_theme = theme.name
            self.remember(theme=theme.name)

    async def on_event(self, event: events.Event) -> None:
        """Note whoever presses something, whatever it does; keys take effect one after the other."""
        if isinstance(event, events.InputEvent):
            self._person.note(is_there=True)
        if isinstance(event, events.Key | events.Paste):
            await self._typed.take(event)
            self.notices_may_be_in_the_way()
        else:
            await super().on_event(event)

    async def on_keys_probe(self, probe: Probe) -> None:
        """Let the next key have its turn once the one before it has had its effect."""
        await self._typed.on_probe(probe)

    def on_app_focus(self) -> None:
        self._person.note(is_there=True)

    def on_app_blur(self) -> None:
        """Only some terminals tell: in the others, who presses no key for a while is away."""
        self._person.note(is_there=False)

    def _start_background(self) -> None:
        """What can wait until there is something on the screen."""
        self._person.note(is_there=True)
        sys.setswitchinterval(_SWITCH_SECONDS)
        self.add_styles_of_screens()
        self.run_worker(preload_screens, thread=True, group="begin", exit_on_error=False)
        self.run_worker(self.orange.use_libtmux, thread=True, group="begin", exit_on_error=False)
        if self._on_ready is not None:
            self.run_worker(self._on_ready, thread=True, group="begin", exit_on_error=False)
        if self._supervises:
            self._start(self._supervise, "supervisor")

    def _start(self, work: Callable[[], Coroutine[Any, Any, object]], group: str) -> None:
        """Begin what goes on for as long as the app; a function, so that nothing is left over if it never begins."""
        begin_work(self, partial(keep_running, self, self.orange.log, work), group=group)

    def _notify_terminal(self, text: str) -> None:
        """Have the terminal itself show a notice (OSC 9); one that does not know how shows nothing."""
        if self._driver is not None:
            self._driver.write(f"\x1b]9;{text}\x07")

    def _show_first(self, choices: FormChoices) -> None:
        self._apply_choices(None, choices)
        self._restore_view()
        if self._first is not None:
            self._show(self._first)

    def _apply_choices(self, before: FormChoices | None, now: FormChoices) -> None:
        """Go by other settings; ones that can't be read are reported once, and those before stay."""
        self._choices, problem = now, now.problem
        try:
            if now.settings is not None and (before is None or now.settings != before.settings):
                self.key_overrides = keymap(now.settings.texts("keys"))
                self.set_keymap(dict(self.key_overrides))
                self.columns = chosen_columns(now.settings.names("columns"))
                self.notices = self._notices(bell=now.settings.flag("bell"), desktop=now.settings.flag("desktop"))
                lost = " ".join(keyless(self.key_overrides))
                if lost:
                    self.run_worker(partial(self.orange.log.write, "info", lost), thread=True, exit_on_error=False)
                if before is not None:  # else nothing is shown yet, and there is no snapshot to speak of
                    self._show_again()
                    if lost:
                        self.notify(lost, markup=False)
        except OrangeError as found:
            problem = str(found)
        if problem is not None and (before is None or before != now):
            self.notify(problem, title="config.yml", severity="error", timeout=15, markup=False)

    def _tell_of_needs(self, before: Snapshot | None, now: Snapshot) -> None:
        """Tell once of each task that has come to need the person, in any project; before the start, it is no news."""
        if before is not None and before.complete and before.rows is not now.rows and now.needing:
            needing = {row.ref for row in before.rows if row.needs}
            self.notices.notify([row for row in now.rows if row.needs and row.ref not in needing], self.project)

    async def _keep_board(self) -> None:
        """The one refresh path: read everything once, then whatever changes."""
        if self._choices is None:
            await asyncio.to_thread(self.read_first)
            self._show_first(self.choices)
        if self._is_first_run:
            return
        await self._painted()
        self._start_background()
        self._start(self._board.measure, "board")
        self._start(self._follow_changes, "board")

    async def _follow_changes(self) -> None:
        is_read = False
        async for changed in self._board.changes():
            if not is_read:
                is_read = True
                gc.freeze()  # every task was read by now, and stays; only what comes is worth collecting
                gc.enable()
            if changed is None:
                self._apply_choices(self.choices, await asyncio.to_thread(read_form_choices, self.orange))

    async def _supervise(self) -> None:
        supervisor = await asyncio.to_thread(self.orange.new_supervisor, self.files)  # it takes a while to import
        await supervisor.run()

    def ask_trust(self, project: str, why: str, then: Callable[[], None] | None = None) -> None:
        """Ask whether the person trusts what a repository brings along; `then` is done once they do."""
        from orange_tui.tui.commands.trust import ask_trust

        begin_work(self, partial(ask_trust, self, self.orange, project, why, then), group="trust")

    def holding_keys(self) -> AbstractContextManager[None]:
        """Keep the keys that are pressed meanwhile for the screen that opens at its end; for some seconds at most."""
        return self._typed.holding()

    def dropping_keys(self) -> AbstractContextManager[None]:
        """Meanwhile what is typed is for a program that is given the terminal, and does nothing here."""
        return self._typed.dropping()

    def measure_branches(self) -> None:
        """Measure them again: they have moved, or what they are compared with has."""
        self._board.measure_branches()

    def _show(self, snapshot: Snapshot) -> None:
        before, self._whole = self._whole, snapshot
        self.snapshot = self._scope.narrow(snapshot)
        self._tell_of_needs(before, snapshot)

    @property
    def project(self) -> str | None:
        """The one project that is shown; None: all of them."""
        return self._scope.project

    def show_project(self, number: int) -> None:
        """Show all projects (0) or the one with this number, and say so where there is none."""
        problem = self._scope.choose(number, _names(self._whole))
        if problem is not None:
            self.notify(problem, markup=False)
        elif self._whole is not None:
            self.remember()
            self._show(self._whole)

    def action_command_palette(self) -> None:
        """Search the commands: they are the list's, so elsewhere nothing would be found."""
        if isinstance(self.screen, ListControls):
            super().action_command_palette()
        elif not self.screen.is_modal:
            self.notify("Commands are searched in the list of tasks, not here.", markup=False)

    def remember(self, **choices: object) -> None:
        """Have the next start show this, too."""
        self.view.note(**choices)
        self.run_worker(self.view.write, thread=True, group="view", exit_on_error=False)

    def _restore_view(self) -> None:
        """Show what was shown last: unless the command line, or the environment, says what."""
        theme = self.view.chosen("theme", self.available_themes)
        if theme is not None and "TEXTUAL_THEME" not in os.environ:
            self.theme = self._known_theme = theme
        self._scope.restore(_names(self._first))

    async def _painted(self) -> None:
        """Wait until what was just set can be seen."""
        seen = asyncio.Event()
        self.screen.call_after_refresh(seen.set)
        await seen.wait()


def _names(snapshot: Snapshot | None) -> list[str]:
    return [project.name for project in snapshot.projects] if snapshot is not None else []
