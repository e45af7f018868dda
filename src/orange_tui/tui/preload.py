"""Loads, in a thread, what the keys will need: the first press of each would otherwise wait for its modules."""

from __future__ import annotations

from importlib import import_module

SCREEN_MODULES = (
    "drawing.markdown.page",
    "drawing.diff_view",
    "drawing.history",
    "screens.dialogs",
    "session.answer",
    "session.copy_menu",
    "session.hand_edit",
    "screens.page",
    "screens.workspace",
    "screens.review",
    "forms.task_form",
    "commands.table.help_page",
    "commands.palette.providers",
    "drawing.workflow_map",
    "screens.saved_work",
    "manage.jobs",
    "screens.usage",
    "forms.job_form",
    "forms.hand_over_form",
    "manage.move",
    "manage.projects",
    "manage.workspaces",
    "manage.workflow_page",
    "manage.doctor",
    "forms.change_task_form",
    "forms.project_form",
    "forms.settings_form",
)


def preload_screens() -> None:
    """Import every screen and what draws the previews."""
    for name in SCREEN_MODULES:
        import_module(f"orange_tui.tui.{name}")
