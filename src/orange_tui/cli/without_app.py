"""`orange` alone, as long as there is no app: the tasks, and where to go from there."""

from __future__ import annotations

from orange_tui.cli.reply import Reply
from orange_tui.cli.task_table import table
from orange_tui.cli.where import here, named_project

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.grammar import Parsed
    from orange_tui.services.orange import Orange


def run(parsed: Parsed, orange: Orange) -> Reply:
    """The task list of the scope that was asked for."""
    project = named_project(parsed, orange)
    if project is None and not parsed.flag("all"):
        project = orange.projects.containing(here())
    tasks = orange.tasks.in_order(orange.store.read_all(project.name if project else None))
    note = "The full-screen app is not in this version yet; `orange --help` shows what is"
    return Reply(table(tasks, orange), notes=(note,))
