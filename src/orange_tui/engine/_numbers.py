"""Numbers about a task that no field has, for the `when` of a workflow: worked out when one is compared."""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.domain.usage.totals import TaskUsage
from orange_tui.domain.workflow import ATTEMPTS_LEFT, AUTO_FIX, CONTEXT, COST, MAX_ATTEMPTS, OWN_COMMITS, TOKENS
from orange_tui.outside.git import Repository, local, remote
from orange_tui.usage.usage_file import UsageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.conditions import Condition
    from orange_tui.domain.task import Task
    from orange_tui.engine.parts import HomeParts


@record
class Measure:
    """A number that was worked out; of one that is not all known, as much as is: it can only be more.

    A guard holds only where it does for certain, so that nothing passes it because of what nobody knows. Where one of
    several cases has to be chosen, what is known decides, as it does for a budget.
    """

    known: float
    missing: str = ""  # what is not known

    def __str__(self) -> str:
        return f"not known ({self.missing}), at least {self.known:g}" if self.missing else f"{self.known:.15g}"

    def satisfies(self, when: Condition) -> bool:
        """Whether a condition holds for certain."""
        return when.holds_from(self.known) if self.missing else when.holds(self.known)


def _attempts_left(parts: HomeParts, task: Task) -> Measure:
    """How many attempts the settings leave a task."""
    return Measure(parts.projects.setting(MAX_ATTEMPTS, task.project) - task.number("attempts"))


def _own_commits(parts: HomeParts, task: Task) -> Measure:
    """How many commits a task's branch has that the default branch has not, neither here nor on the remote."""
    project = parts.projects.get(task.project)
    repository = Repository(project.path)
    default = (local(project.default_branch), remote(project.default_branch))
    found = repository.refs(local(task.branch), *default)
    if local(task.branch) not in found:
        return Measure(0)
    known = [name for name in default if name in found]
    return Measure(int(repository.must("rev-list", "--count", local(task.branch), "--not", *known)))


def _cost(parts: HomeParts, task: Task) -> Measure:
    """The dollars that its agents have used."""
    usage = _usage(parts, task)
    if usage is None:
        return Measure(0, "no agent has told yet")
    total = usage.total()
    return Measure(total.cost, f"the price of {', '.join(total.unpriced)}" if total.unpriced else "")


def _tokens(parts: HomeParts, task: Task) -> Measure:
    """The tokens that its agents have used, of whatever kind."""
    usage = _usage(parts, task)
    return Measure(0, "no agent has told yet") if usage is None else Measure(usage.total().tokens)


def _context(parts: HomeParts, task: Task) -> Measure:
    """How full the memory of its last agent is, in percent."""
    usage = _usage(parts, task)
    percent = usage.context_percent if usage is not None else None
    if usage is not None and not usage.rows and percent is None:
        return Measure(0)
    return Measure(0, "its agent has not told") if percent is None else Measure(percent)


def _auto_fix(parts: HomeParts, task: Task) -> Measure:
    """Whether what a pull request's reviewers and checks say goes back to the agent by itself: 1, else 0."""
    return Measure(int(parts.projects.auto_fix(task.project)))


def _usage(parts: HomeParts, task: Task) -> TaskUsage | None:
    """What its agents have used; None where nobody can tell. Before the first one was started, that is nothing."""
    found = UsageFile(parts.home.task_state(task.project, task.id)).read()
    if found is not None:
        return found
    was_started = parts.store.journal(parts.store.ref_of(task)).last("agent.spawned") is not None
    return None if was_started else TaskUsage()


_NUMBERS = {
    ATTEMPTS_LEFT: _attempts_left,
    OWN_COMMITS: _own_commits,
    COST: _cost,
    TOKENS: _tokens,
    CONTEXT: _context,
    AUTO_FIX: _auto_fix,
}


def measure(parts: HomeParts, task: Task, field: str) -> Measure:
    """A number that a `when` compares and no field has."""
    return _NUMBERS[field](parts, task)
