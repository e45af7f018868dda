"""The first screen of somebody who has nothing yet: what this is, what is missing, and where to begin."""

from __future__ import annotations

import asyncio
import os
import shutil
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Input, Static

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.task import printable
from orange_tui.presentation.program import program_words
from orange_tui.tui.drawing.labels import shorten_home
from orange_tui.tui.theme import palette_for
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.orange import Orange
    from orange_tui.tui.drawing.palette import Palette

DEMO, PROJECT = "demo", "project "  # what the app is left for; the second is followed by the project's name
_PLACEHOLDER = "its path, such as ~/code/app; Enter registers it, esc closes this"


class WelcomeScreen(Screen[None]):
    """Nothing is registered: have a repository registered, or show the demo."""

    AUTO_FOCUS = ""  # letters are keys here, until the line for a path is open
    BINDINGS = [  # noqa: RUF012 - Textual's own way
        ("r", "register", "Register"),
        ("d", "demo", "Demo"),
        ("enter", "demo", "Demo"),
        ("h,H", "doctor", "Check-up"),
        ("q", "leave", "Quit"),
        ("escape", "back", "Back"),
    ]

    def __init__(self, orange: Orange) -> None:
        super().__init__()
        self._orange = orange
        self._is_registering = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="welcome"):
            yield Static(welcome_text(self._orange, palette_for(self.app)))
            yield Input(id="welcome-path", placeholder=_PLACEHOLDER, compact=True)
            yield Static("", id="problem", markup=False)

    def action_register(self) -> None:
        """Open the line for a path."""
        path = self.query_one("#welcome-path", Input)
        path.display = True
        self.set_focus(path)

    def on_input_changed(self) -> None:
        self._show_problem("")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Register what was typed: then the app begins anew, with that project; what is wrong with it is said."""
        if not self._is_registering:
            self._is_registering = True
            begin_work(self, partial(self._register, event.value.strip()))

    async def _register(self, path: str) -> None:
        try:
            name = await asyncio.to_thread(_registered, self._orange, path)
        except OrangeError as problem:
            self._show_problem(printable(str(problem)))
        else:
            self.app.exit(f"{PROJECT}{name}")
        finally:
            self._is_registering = False

    def _show_problem(self, problem: str) -> None:
        self.query_one("#problem", Static).update(problem)

    def action_demo(self) -> None:
        self.app.exit(DEMO)

    def action_doctor(self) -> None:
        """The check-up says how to get an agent."""
        from orange_tui.tui.manage.doctor import DoctorScreen

        self.app.push_screen(DoctorScreen(self._orange))

    def action_back(self) -> None:
        """Away from the line for a path; what was typed there stays. Where it is not open: away."""
        path = self.query_one("#welcome-path", Input)
        if not path.display:
            self.action_leave()
        path.display = False
        self._show_problem("")
        self.set_focus(None)

    def action_leave(self) -> None:
        self.app.exit()


def _registered(orange: Orange, path: str) -> str:
    """Register the repository that contains a path, as typed; returns the project's name."""
    from orange_tui.domain.errors import Refused
    from orange_tui.home.registration import register

    if not path or "\0" in path:
        raise Refused("Type the path of a git repository, such as ~/code/app")
    return register(orange.projects, os.path.abspath(os.path.expanduser(path))).name


def welcome_text(orange: Orange, palette: Palette) -> Text:
    """What there is to say, with what this machine has and lacks."""
    text = Text()
    text.append("🍊 Orange\n\n", style=palette.title)
    text.append("Run several coding agents at once, each in its own worktree, and lose none of their work.\n\n")
    for name in ("git", "tmux"):
        found = shutil.which(name)
        mark, style = ("✓", palette.good) if found else ("✗", palette.bad)
        way = "" if found else f"   apt-get install {name}, or brew install {name}"
        text.append(f"  {mark} ", style=style)
        text.append(f"{name}{way}\n")
    program = shorten_home(program_words())
    _add_agents(text, orange, palette)
    text.append("\n")
    for key, what in (
        ("r", "Register one of your git repositories, and begin"),
        ("d", "Watch a demo: seven tasks with scripted agents, no API key needed"),
        ("h", "Check-up: what is installed, what is missing and how to get it"),
        ("q", "Quit"),
    ):
        text.append(f"  {key}", style=palette.accent)
        text.append(f"   {what}\n")
    text.append("\nIn a repository, this command does the same as r: ", style=palette.dim)
    text.append(program, style=palette.accent)
    return text


def _add_agents(text: Text, orange: Orange, palette: Palette) -> None:
    harnesses = orange.harnesses
    installed = [name for name in harnesses.names() if name != "demo" and harnesses.installed(name)]
    if installed:
        text.append("  ✓ ", style=palette.good)
        text.append(f"{', '.join(installed)}\n")
        return
    text.append("  · ", style=palette.warning)
    text.append("no coding agent yet; h says how to get one\n")
