"""What a person can change of a task: each is an option of `orange task update` and a field of the app's form.

Agents run that command all day, so nothing is imported here that takes time.
"""

from __future__ import annotations

from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Actor
    from orange_tui.engine.engine import Moved
    from orange_tui.engine.tasks import Tasks
    from orange_tui.store.store import TaskRef

    Kind = Literal["harness", "task"]


@record
class TaskOption:
    """One thing about how a task is done; an empty value takes back what was set."""

    name: str  # of the option, without its dashes
    field: str  # in TASK.md
    title: str  # in a form
    value: str  # what help calls its value
    meaning: str  # a sentence, without its full stop
    repeat: bool = False
    complete: Kind | None = None
    persons: bool = True  # not for agents, who may use the command otherwise


TASK_OPTIONS = (
    TaskOption(
        "label",
        "labels",
        "labels",
        "L",
        "A label for the task; those given replace those it has",
        repeat=True,
        persons=False,
    ),
    TaskOption(
        "harness", "harness", "agent", "H", "The agent that does the work from its next start on", complete="harness"
    ),
    TaskOption("review-harness", "review_harness", "reviewer", "H", "The agent that reviews it", complete="harness"),
    TaskOption("model", "model", "model", "M", "The model, as the agent's own --model takes it"),
    TaskOption("effort", "effort", "effort", "L", "How hard the agent should think, in its own words (such as high)"),
    TaskOption("review-effort", "review_effort", "review effort", "L", "The same for the reviewer"),
    TaskOption(
        "blocked-by",
        "blocked_by",
        "blocked by",
        "ID",
        "Wait until that task is done; those given replace those it has",
        repeat=True,
        complete="task",
    ),
    TaskOption(
        "budget",
        "budget",
        "budget",
        "USD",
        "How many dollars its agents may use in all before you are asked; 0 for no limit",
    ),
)


@record
class TaskChanges:
    """What is to change. `options` are those of the table, by name: texts, and tuples of them where one may repeat."""

    status: str | None = None
    summary: str | None = None
    branch: str | None = None  # another one: checked out where it exists, else the present one is renamed
    follows_branch: bool = False  # or the one that is checked out
    options: Mapping[str, object] = {}


def update_task(
    tasks: Tasks, ref: TaskRef, wanted: TaskChanges, *, directory: str, actor: Actor
) -> tuple[Task, Moved | None]:
    """Change a task: all that is wanted, or nothing where one part of it is refused.

    `directory` is where a task without a workspace looks for the branch that is checked out.
    """
    status, summary, options = wanted.status, wanted.summary, read_options(wanted.options)
    if wanted.branch is None and not wanted.follows_branch:
        return tasks.update(ref, status=status, summary=summary, options=options, actor=actor)
    from orange_tui.branches.rename import update_with_branch

    return update_with_branch(
        tasks, ref, wanted.branch, directory, status=status, summary=summary, options=options, actor=actor
    )


def read_options(given: Mapping[str, object]) -> dict[str, object]:
    """What was given, by the field it is in; the engine checks the rest."""
    found = {option.field: given[option.name] for option in TASK_OPTIONS if option.name in given}
    return found | ({"budget": read_budget(str(given["budget"]))} if "budget" in given else {})


def read_budget(text: str | None) -> float | None:
    """The dollars that were given; an empty text is as if nobody had said."""
    if not text:
        return None
    from orange_tui.domain.usage.budget import parse_budget

    return parse_budget(text)


def next_start_note(task: Task, fields: Mapping[str, object]) -> str | None:
    """That an agent which is at work goes on as it is, where it may be at work."""
    changed = sorted(fields.keys() & {"harness", "model", "effort"})
    if not changed or task.tmux_session is None:
        return None
    return f"{', '.join(changed)}: from the next start of its agent on; the one at work goes on as it is"
