"""What the rows of the context are read from."""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.home.log import Log
    from orange_tui.home.projects import Projects
    from orange_tui.home.workflows import Workflows
    from orange_tui.store.journal import Journal
    from orange_tui.store.store import Store


@record
class ContextSources:
    """One task, and the parts of its home that the rows read; `directory` is where its agent works."""

    task: Task
    body: str
    journal: Journal
    directory: str
    store: Store
    projects: Projects
    workflows: Workflows
    log: Log
