"""What an agent may do with `orange`: checked once, for every command, before it runs.

Where ORANGE_TASK is set, an agent types the commands. It works on that task, reads the others, and leaves the rest to
the person. Which command is which stands in the table (`CommandSpec.agents_may`, `Option.persons`). What came through
a door is a confined agent's, and is carried out by somebody who is not confined: that must open nothing, and read or
write no file that the agent names.
"""

from __future__ import annotations

import os

from orange_tui.agents.door.protocol import CONFINED_VARIABLE
from orange_tui.cli.targets import target_project
from orange_tui.domain.errors import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange


def check_permission(parsed: Parsed, orange: Orange) -> None:
    """Refuse an agent what only a person may do."""
    own, allowed = os.environ.get("ORANGE_TASK"), parsed.command.agents_may
    if allowed == "use it" or (not is_confined() and (not own or allowed == "use it unconfined")):
        return
    command = f"`{parsed.command.name}`"
    for option in parsed.command.options:
        if option.persons and parsed.values[option.key] is not None:
            raise Refused(f"{command} {option.name} is for a person, and this is the window of an agent, {own}'s")
    if allowed == "use it on their own task":
        if not is_own_task(parsed.text("id"), parsed.text("project"), orange):
            raise Refused(f"{command} may only change {own} here, the task of this window; other tasks can be read")
    elif allowed == "create subtasks":
        _check_subtask(parsed, orange)
    else:
        raise Refused(f"{command} is for a person, and this is the window of an agent, the one of {own}")


def _check_subtask(parsed: Parsed, orange: Orange) -> None:
    command, own, parent = f"`{parsed.command.name}`", os.environ.get("ORANGE_TASK"), parsed.text("parent")
    if is_reviewers_window():
        raise Refused(
            f"{command} is for a worker, and this is the window of a reviewer; write into ## Review what is to be done"
        )
    if parent is None or not is_own_task(parent, None, orange):
        raise Refused(f"{command} may only create subtasks of {own} here, the task of this window: --parent {own}")
    project = orange.store.find(parent).project
    if target_project(parsed, orange).name != project:  # whose agents may be confined otherwise
        raise Refused(f"{command} may only create subtasks in {project} here, the project of {own}")


def is_confined() -> bool:
    """Whether this command came through the door of a confined agent."""
    return bool(os.environ.get(CONFINED_VARIABLE))


def is_reviewers_window() -> bool:
    """Whether a reviewer types this command; what it reads may be a stranger's, and it may do less than a worker."""
    return os.environ.get("ORANGE_WINDOW", "").startswith("review-")


def is_own_task(name: str | None, project: str | None, orange: Orange) -> bool:
    """Whether a name means the task of this window; no name does, and so does every name where there is none."""
    own = os.environ.get("ORANGE_TASK")
    if not own:
        return not is_confined()
    if name is None or name == own:
        return True
    return orange.store.find(name, project) == orange.store.find(own)
