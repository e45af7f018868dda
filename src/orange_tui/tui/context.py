"""What an app shares with its screens, forms and commands. They are given this, and never know the app's class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, MutableMapping
    from contextlib import AbstractContextManager

    from orange_tui.board.rows import Snapshot
    from orange_tui.orange import Orange
    from orange_tui.store.feed import TaskFeed
    from orange_tui.tui.background_work import BackgroundWork
    from orange_tui.tui.form_choices import FormChoices
    from orange_tui.tui.listing.columns import Column
    from orange_tui.tui.listing.view_memory import ViewMemory


class AppContext(Protocol):
    """The parts of one home, what was last read of it, and the work that is under way in it."""

    @property
    def orange(self) -> Orange:
        """The services behind everything."""

    @property
    def project(self) -> str | None:
        """The one project that is shown; None: all of them."""

    @property
    def snapshot(self) -> Snapshot | None:
        """Every task as it is now; None until the first was read. `self.watch(self.app, "snapshot", …)` follows it."""

    @property
    def is_demo(self) -> bool:
        """Whether it is the demo, whose tasks come by themselves."""

    @property
    def choices(self) -> FormChoices:
        """What can be chosen in a form, and the person's settings."""

    @property
    def key_overrides(self) -> Mapping[str, str]:
        """The keys the person has chosen, by the name of their command."""

    @property
    def drafts(self) -> MutableMapping[str, str]:
        """Messages that were written and not sent, by the title of their dialog."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the list that the person has chosen."""

    @property
    def view(self) -> ViewMemory:
        """How the list was left the last time."""

    def remember(self, **choices: object) -> None:
        """Have the next start show this, too."""

    def show_project(self, number: int) -> None:
        """Show all projects (0) or the one with this number, and say so where there is none."""

    @property
    def work(self) -> BackgroundWork:
        """What is being done to which task, in threads."""

    @property
    def files(self) -> TaskFeed:
        """The one watch on the home's files."""

    def ask_trust(self, project: str, why: str, then: Callable[[], None] | None = None) -> None:
        """Ask whether the person trusts what a repository brings along; `then` is done once they do."""

    def holding_keys(self) -> AbstractContextManager[None]:
        """Keep the keys that are pressed meanwhile for the screen that opens at its end; for some seconds at most."""

    def dropping_keys(self) -> AbstractContextManager[None]:
        """Meanwhile what is typed is for a program that is given the terminal, and does nothing here."""

    def measure_branches(self) -> None:
        """Measure them again: they have moved, or what they are compared with has."""
