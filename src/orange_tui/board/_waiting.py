"""What a task waits for by itself: its agent's limit, a message's way to its agent, other tasks, a workspace."""

from __future__ import annotations

from orange_tui.board.rows import WAITS, needs_trust, waits_for_workspace
from orange_tui.store.subtasks import cycle_sentence, waiting_cycle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.board._board_task import BoardTask
    from orange_tui.board._limits import BoardLimits
    from orange_tui.board._workflows import BoardWorkflows
    from orange_tui.board.projects_and_pool import ProjectsAndPool
    from orange_tui.domain.task import Task
    from orange_tui.store.index import TaskIndex


class Waiting:
    """Says of the tasks of one board what each of them waits for."""

    def __init__(
        self, index: TaskIndex, workflows: BoardWorkflows, projects_and_pool: ProjectsAndPool, limits: BoardLimits
    ) -> None:
        self._index, self._workflows, self._projects_and_pool = index, workflows, projects_and_pool
        self._limits = limits

    def reason(self, known: BoardTask, task: Task) -> str | None:
        """What a task waits for, in a few words; None where it waits for nothing, or for a person."""
        limits = [self._limits.sentence(mark.harness, mark.account) for mark in known.entry.at_limit]
        if limits or known.has_message:
            return limits[0] if limits else "a message waits for the agent"
        state, is_in_first_state = self._workflows.state_of(task), self._workflows.is_in_first_state(task)
        goes_on = not is_in_first_state and state is not None and bool(state.auto or (state.rejoin and task.blocked_by))
        if not is_in_first_state and not goes_on:
            return None
        names = [name for blocker in task.blocked_by if (name := self._unfinished(blocker)) is not None]
        if names:
            return f"waits for {names[0]}" + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        pool = self._projects_and_pool.pool.get(task.project)
        limit = self.limit(known)
        if limit is not None or self.trust(known, task) is not None:
            return needs_trust(task.project) if limit is None else f"waits for {limit}"
        if goes_on:  # by itself, as soon as it can
            is_full = pool is not None and pool.used >= pool.size
            return WAITS if is_full and task.workspace is None else None
        return None if known.has_session else waits_for_workspace(known.entry.start, pool)

    def limit(self, known: BoardTask) -> str | None:
        """The limit that keeps a task from being started: as its journal has it, or it would go on by itself now."""
        task, start = known.task, known.entry.start
        if task is None or known.has_session:
            return None
        if start.waits and start.limit_of is not None:
            return self._limits.sentence(start.limit_of)
        is_kept = self.goes_on(task) and not start.is_held and task.harness is not None
        return self._limits.why_wait(str(task.harness)) if is_kept else None

    def goes_on(self, task: Task) -> bool:
        """Whether a task is in a state that Orange itself moves it on from."""
        state = self._workflows.state_of(task)
        return state is not None and state.auto is not None

    def cycle(self, task: Task) -> str | None:
        """Why a task will never start: what it waits for waits for it, and the person has to say what comes first."""
        if not task.blocked_by or not (self._workflows.is_in_first_state(task) or self.goes_on(task)):
            return None
        found = waiting_cycle(task.id, task.blocked_by, self._blockers)
        way_out = f"`orange task update {task.id} --blocked-by ''` lets it go first"
        return f"{cycle_sentence(found)}; {way_out}" if found else None

    def trust(self, known: BoardTask, task: Task) -> str | None:
        """What the person has to trust before a task can start."""
        is_waiting = known.entry.start.needs_trust is not None and not known.has_session
        is_to_start = self._workflows.is_in_first_state(task) or self.goes_on(task)
        return known.entry.start.needs_trust if is_waiting and is_to_start else None

    def _blockers(self, task_id: str) -> tuple[str, ...]:
        entry = self._index.find(task_id)
        return (
            () if entry is None or entry.task is None or self._workflows.is_done(entry.task) else entry.task.blocked_by
        )

    def _unfinished(self, blocker: str) -> str | None:
        """What to call a task that is waited for, unless it is done."""
        entry = self._index.find(blocker)
        if entry is None or entry.task is None:
            return blocker
        return None if self._workflows.is_done(entry.task) else entry.task.branch
