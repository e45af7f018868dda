"""The base of the forms for tasks to come: their workflow, and their agent, which a router may choose."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from orange_tui.tui.form_choices import routing_workflows
from orange_tui.tui.forms._fields import agent_choices
from orange_tui.tui.forms._form import Form
from orange_tui.tui.workers import begin_work

if TYPE_CHECKING:
    from textual.widgets import Select

    from orange_tui.tui.context import AppContext


class NewWorkForm(Form):
    """A form with the fields `workflow` and `harness`."""

    KEEPS_DRAFT = True

    def __init__(self, shared: AppContext) -> None:
        super().__init__(shared)
        self._routing: frozenset[str] = frozenset()
        self._offers_router = False

    def on_mount(self) -> None:
        begin_work(self, self._read_routing, group="routing")

    async def _read_routing(self) -> None:
        self._routing = await asyncio.to_thread(routing_workflows, self.shared.orange)
        self._offer_agents()

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id in {"project", "workflow"}:
            self._offer_agents()

    def workflow_name(self) -> str | None:
        """The workflow that the work would have: the one that is chosen, else the project's."""
        projects = self.shared.snapshot.projects if self.shared.snapshot else ()
        own = (project.workflow for project in projects if project.name == self.project)
        return self.choice("workflow") or next(own, None)

    @property
    def has_router(self) -> bool:
        """Whether the workflow leaves it to a router who does the work."""
        return self.workflow_name() in self._routing

    def _offer_agents(self) -> None:
        """Offer the router, and choose it, where the workflow has one; else an agent must be named."""
        offers_router = self.has_router
        if offers_router == self._offers_router:
            return
        self._offers_router = offers_router
        self.offer("harness", agent_choices(self.shared, router=offers_router))
