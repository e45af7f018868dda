"""The budget of a task: what it is, what was used of it, and whether Orange itself may go on without the person.

A budget is a person's word to Orange, so it binds Orange alone: what it would start, on its own or because an agent
asked for it, goes through `check_start`, and what it would tell an agent through `why_not`. What a person starts or
sends goes its way. It is the task's (`--budget`), else its project's, else the one in config.yml; 0 is none.
"""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.usage.budget import BEGINNING, use_of_budget
from orange_tui.usage.usage_file import UsageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.task import Task
    from orange_tui.domain.usage.budget import BudgetUse
    from orange_tui.home.projects import Projects
    from orange_tui.store.open_task import OpenTask

BUDGET_REACHED = "budget.reached"
START, MESSAGE, NOTHING = "start", "message", "nothing"  # what waits for a larger budget
_PERSONS = frozenset({"person", "force"})  # in whose name a person acts
_BEGINNINGS = frozenset({"transition.started", "agent.spawned"})  # what was told before these was about something else


def budget_of(task: Task, default: Callable[[str], float]) -> float | None:
    """The dollars that a task may use; None where nobody has said. `default` is what its project has for each task."""
    own = task.budget if task.budget is not None else default(task.project)
    return own or None


def budget_use(projects: Projects, task: Task, default: Callable[[str], float] | None = None) -> BudgetUse | None:
    """How much of its budget a task has used; None where it has none. Without a budget, no usage is read."""
    budget = budget_of(task, default or projects.budget)
    if budget is None:
        return None
    return use_of_budget(budget, UsageFile(projects.home.task_state(task.project, task.id)).read())


def why_not(projects: Projects, task: Task) -> str | None:
    """Why Orange itself starts nothing more for a task, in a sentence with the way out; None where it may."""
    used = budget_use(projects, task)
    if used is None or not used.is_reached:
        return None
    return f"{used.sentence()}; `orange task update {task.id} --budget` raises it"


def ask_for_more(projects: Projects, opened: OpenTask, waits: str) -> bool:
    """Whether something has to wait for a larger budget: then the person is asked, once."""
    reason = why_not(projects, opened.task)
    if reason is None:
        return False
    if record_reached(projects, opened, waits) and BEGINNING not in (opened.task.attention or ""):
        opened.set_attention(opened.task.attention_and(reason))
    return True


def tell_if_reached(projects: Projects, opened: OpenTask) -> None:
    """Ask the person when agents at work have used up the budget, once for each; they are not stopped."""
    budget = budget_of(opened.task, projects.budget)
    told = (event for event in opened.journal.backwards() if event["type"] == BUDGET_REACHED)
    if not any(event.get("budget") == budget for event in told):
        ask_for_more(projects, opened, NOTHING)


def is_persons(by: str) -> bool:
    """Whether what is done in this name is a person's own decision."""
    return by in _PERSONS


def check_start(projects: Projects, opened: OpenTask, by: str) -> None:
    """Refuse the start of an agent that no person has asked for, where the budget is used up: it waits for more.

    Whoever calls this tells the person: a refusal becomes the task's attention.
    """
    if is_persons(by):
        return
    reason = why_not(projects, opened.task)
    if reason is not None:
        record_reached(projects, opened, START)
        raise Refused(reason)


def record_reached(projects: Projects, opened: OpenTask, waits: str) -> bool:
    """Note in the journal, once, that something waits for a larger budget; says whether that is news."""
    budget = budget_of(opened.task, projects.budget)
    for event in opened.journal.backwards():
        if event["type"] in _BEGINNINGS:
            break
        if event["type"] == BUDGET_REACHED and (event.get("waits"), event.get("budget")) == (waits, budget):
            return False
    opened.record(BUDGET_REACHED, waits=waits, budget=budget)
    return True


def start_waits(opened: OpenTask) -> bool:
    """Whether an agent was not started for the budget's sake, and nothing has happened to the task since."""
    for event in opened.journal.backwards():
        if event["type"] in _BEGINNINGS:
            return False
        if event["type"] == BUDGET_REACHED and event.get("waits") == START:
            return True
    return False
