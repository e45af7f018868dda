"""The first screen of somebody who has nothing yet: what this is, what is missing, and a way to see it work."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from rich.text import Text
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from orange_tui.tui.theme import palette_for

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from orange_tui.orange import Orange
    from orange_tui.tui.drawing.palette import Palette


class WelcomeScreen(Screen[None]):
    """Nothing is registered: offer the demo, and say how to start for real."""

    BINDINGS = [("d", "demo", "Demo"), ("enter", "demo", "Demo"), ("q", "leave", "Quit"), ("escape", "leave", "Quit")]  # noqa: RUF012

    def __init__(self, orange: Orange) -> None:
        super().__init__()
        self._orange = orange

    def compose(self) -> ComposeResult:
        with Vertical(classes="welcome"):
            yield Static(welcome_text(self._orange, palette_for(self.app)))

    def action_demo(self) -> None:
        self.app.exit("demo")

    def action_leave(self) -> None:
        self.app.exit()


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
    _add_agents(text, orange, palette)
    text.append("\n  d", style=palette.accent)
    text.append("   Watch a demo: seven tasks with scripted agents, no API key needed\n")
    text.append("  q", style=palette.accent)
    text.append("   Quit\n\n")
    text.append("To start for real, quit, go to one of your git repositories, and run ", style=palette.dim)
    text.append("orange", style=palette.accent)
    text.append(".", style=palette.dim)
    return text


def _add_agents(text: Text, orange: Orange, palette: Palette) -> None:
    harnesses = orange.harnesses
    installed = [name for name in harnesses.names() if name != "demo" and harnesses.installed(name)]
    if installed:
        text.append("  ✓ ", style=palette.good)
        text.append(f"{', '.join(installed)}\n")
        return
    text.append("  · ", style=palette.warning)
    text.append("no coding agent yet; `orange doctor` says how to get one\n")
