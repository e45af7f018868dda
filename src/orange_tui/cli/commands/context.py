"""`orange task context`: what an agent is told about a task, for people who wonder and agents who forgot."""

from __future__ import annotations

from orange_tui.cli.commands.tasks import read_task
from orange_tui.cli.reply import Reply, safe
from orange_tui.cli.where import the_task
from orange_tui.context import enrichment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange


def context(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task context`."""
    found = read_task(the_task(parsed, orange), orange)
    directory = enrichment.directory_of(orange.services, found.task)
    journal = orange.store.journal(found.ref)
    scene = enrichment.Scene(orange.services, found.task, found.body, journal, directory)
    parts = enrichment.parts(scene)
    return Reply(safe(enrichment.as_markdown(parts)), [part.as_json() for part in parts])
