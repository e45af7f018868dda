"""Commands that must succeed: running one, and how it ended on which files, so that asking again costs nothing."""

from __future__ import annotations

import os
from contextlib import suppress

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.task import Task
    from orange_tui.home.paths import Home

_TIMEOUT_SECONDS = 600.0
_MAX_OUTPUT_CHARS = 4000


@record
class CommandResult:
    """How a command has ended: its exit code, and the end of what it printed."""

    code: int
    output: str


@record
class CommandResults:
    """How a task's commands have ended on which commit or tree, by its git name.

    The journal tells that as well, but a task's agents can write there.
    """

    path: str

    @classmethod
    def of(cls, home: Home, task: Task, kind: str = "") -> CommandResults:
        """The results in a task's workspace, or another kind of them."""
        return cls(os.path.join(home.root, ".cache", "gates", task.project, f"{task.id}{kind}.json"))

    def find(self, command: str, where: str | None) -> CommandResult | None:
        """How a command has ended there; None where it was not run."""
        found = self._file.read_object().get(command)
        if not isinstance(found, list) or list(map(type, found)) != [str, int, str] or found[0] != where:
            return None
        return CommandResult(found[1], found[2])

    def keep(self, command: str, where: str, result: CommandResult) -> None:
        """Remember how a command has ended."""
        with suppress(OrangeError):  # then it is run once more
            make_directory(os.path.dirname(self.path))
            with self._file.changing_object() as results:
                results[command] = [where, result.code, result.output]

    @property
    def _file(self) -> JsonFile:
        return JsonFile(self.path, f"{self.path}.lock", title="the results of commands", disposable=True)


def run_command(home: Home, command: str, directory: str, task: Task) -> CommandResult:
    """Run a workflow author's own command; its environment names the task, and no task text is in it."""
    from orange_tui.agents.sandbox.commands import confined
    from orange_tui.outside.programs import run

    environment = {**os.environ, "ORANGE_TASK": task.id}
    try:
        words = confined(home, task, directory, ["/bin/sh", "-c", command])
        finished = run(words, directory=directory, environment=environment, timeout=_TIMEOUT_SECONDS)
    except OrangeError as problem:
        return CommandResult(1, str(problem))
    return CommandResult(finished.code, (finished.output + finished.errors)[-_MAX_OUTPUT_CHARS:].strip())
