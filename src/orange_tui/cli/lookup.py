"""What a shell offers while somebody types: words from the command table, names from disk."""

from __future__ import annotations

from contextlib import suppress

from orange_tui.cli.completion import candidates
from orange_tui.cli.completion import script as script_for
from orange_tui.cli.reply import Reply
from orange_tui.cli.table.root import COMMANDS
from orange_tui.domain.errors import OrangeError
from orange_tui.store.store import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange


def complete(words: Sequence[str], orange: Orange) -> str:
    """The candidates for the last word, one a line."""
    return "\n".join(candidates(list(words), COMMANDS, lambda kind: _names(kind, orange)))


def script(parsed: Parsed, _orange: Orange) -> Reply:
    """`orange completion SHELL`."""
    return Reply(script_for(parsed.needed("shell")).rstrip("\n"))


def _names(kind: str, orange: Orange) -> Iterable[str]:
    try:
        return _SOURCES[kind](orange) if kind in _SOURCES else ()
    except OrangeError:
        return ()  # a broken file is no reason to disturb somebody who is typing


def _tasks(orange: Orange) -> list[str]:
    return [f"{found.ref.id}\t{found.task.summary}" for found in readable(orange.store.read_all())]


def _branches(orange: Orange) -> list[str]:
    return [found.task.branch for found in readable(orange.store.read_all())]


def _statuses(orange: Orange) -> list[str]:
    states: set[str] = set()
    for name in orange.workflows.names():
        with suppress(OrangeError):  # one broken workflow hides its own states only
            states.update(orange.workflows.load(name).states)
    return sorted(states)


_SOURCES: Mapping[str, Callable[[Orange], Iterable[str]]] = {
    "task": _tasks,
    "branch": _branches,
    "status": _statuses,
    "project": lambda orange: [project.name for project in orange.projects.all()],
    "workflow": lambda orange: orange.workflows.names(),
    "job": lambda orange: [f"{job.id}\t{job.summary}" for job in orange.jobs.file.all()],
    "harness": lambda orange: orange.services.harnesses.names(),
}
