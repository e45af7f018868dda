"""Loads, in a thread, what the keys will need: the first press of each would otherwise wait for its modules."""

from __future__ import annotations

from importlib import import_module

_LATER = (
    "widgets.preview",
    "markdown",
    "diff_view",
    "history",
    "screens.commands",
    "screens.dialogs",
    "screens.pages",
    "screens.workspace",
    "screens.create",
    "screens.diff",
    "screens.help",
    "command_search",
    "workflow_map",
    "screens.projects",
    "screens.saved",
    "screens.schedule",
    "screens.new_job",
)


def load_screens() -> None:
    """Import every screen and what draws the previews."""
    for name in _LATER:
        import_module(f"orange_tui.tui.{name}")
