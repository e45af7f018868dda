"""Whether a task's agent is alive, as far as tmux and its launcher can tell.

A window that is gone is `dead`, unless the tmux server it ran in is gone too, with everything in it: then it is
`lost`, which is nobody's crash. An agent that ended by itself has left a note: its session may have been the last
one, and with that tmux ends too, which must not be taken for a server that was killed.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError
from orange_tui.home.files import read_end
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State, Workflow
    from orange_tui.outside.tmux.server import Pane, Tmux
    from orange_tui.store.journal import Event, Journal
    from orange_tui.store.store import Store

ACTIVE, DEAD, LOST, NONE = "active", "dead", "lost", "none"
WORKER = "worker"
RUN = "run"  # the window of the project's own command: no agent's, and its end is no agent's death
_MAX_NOTE_BYTES = 100


class Sessions:
    """All sessions of one home, and the one judge of who is alive; one call to tmux answers for all of them."""

    def __init__(self, tmux: Tmux, root: str, store: Store) -> None:
        self.tmux = tmux
        self._root = root
        self._store = store
        self._panes: list[Pane] | None = None

    def panes(self, *, fresh: bool = False) -> list[Pane]:
        """Every live window of this home's agents."""
        return agents_among(self.every_pane(fresh=fresh))

    def every_pane(self, *, fresh: bool = False) -> list[Pane]:
        """The same with the windows in which projects' own commands run."""
        panes = self._panes
        if panes is None or fresh:
            panes = [pane for pane in self.tmux.panes() if pane.home == self._root]
            self._panes = panes  # another thread may put an older answer there at any time
        return panes

    def last_key_at(self, pane: Pane) -> int:
        """When a person who looks at a window's session came or last pressed a key there; 0 where nobody looks."""
        words = ("display-message", "-p", "-t", pane.session_id, "#{?session_attached,#{session_activity},0}")
        found = self.tmux.ask(*words).output.strip()
        return int(found) if found.isdecimal() else 0

    def last_key(self) -> int:
        """The same for all sessions of this home that somebody looks at; 0 also where tmux does not answer."""
        try:
            own = {pane.session_id for pane in self.panes()}
            found = self.tmux.ask("list-clients", "-F", "#{session_id} #{session_activity}").output if own else ""
        except OrangeError:
            return 0
        times = (line.split() for line in found.splitlines())
        return max((int(each[1]) for each in times if each[0] in own and each[1].isdecimal()), default=0)

    def forget_panes(self) -> None:
        """Ask tmux anew the next time: a window was opened or closed."""
        self._panes = None

    def end_sessions(self, panes: Sequence[Pane]) -> None:
        """End the whole sessions that these windows are in, and wait until nothing of the windows runs any more."""
        _leave(panes)
        sessions = {pane.session_id: pane for pane in panes}
        beside = [pane for pane in self.every_pane() if pane.session_id in sessions and pane not in panes]
        for pane in sessions.values():
            self.tmux.kill_session(pane)
        self._wait_for_end([*panes, *beside])

    def end_window(self, pane: Pane) -> None:
        """End one window, and wait until nothing of it runs any more."""
        _leave([pane])
        self.tmux.kill_window(pane)
        self._wait_for_end([pane])

    def _wait_for_end(self, panes: Sequence[Pane]) -> None:
        from orange_tui.outside.processes import end_sessions

        end_sessions([pane.pid for pane in panes])
        self.forget_panes()

    def every_window(self, task_id: str) -> list[Pane]:
        """The live windows of one task, also that of its project's own command."""
        return [pane for pane in self.every_pane(fresh=True) if pane.task == task_id]

    def windows(self, task_id: str, *, fresh: bool = False) -> list[Pane]:
        """The live windows of one task's agents."""
        return [pane for pane in self.panes(fresh=fresh) if pane.task == task_id]

    def window(self, task_id: str, name: str, *, fresh: bool = True) -> Pane | None:
        """One live window of a task."""
        return find_window(self.windows(task_id, fresh=fresh), name)

    def agent(self, task: Task, state: State | None, *, fresh: bool = False) -> Pane | None:
        """The live window that this state asks for, if there is one."""
        return _agent_among(self.windows(task.id, fresh=fresh), task, state)

    def state(self, task: Task, state: State | None, *, fresh: bool = False) -> str:
        """`active`, `dead`, `lost`, or `none` for a task that has no session."""
        if task.tmux_session is None:
            return NONE
        found = self.judge(task, state, self._windows(task.id, fresh=fresh))
        if found == DEAD and not fresh:  # it may have been started since tmux was asked for all of them
            found = self.judge(task, state, self._windows(task.id, fresh=True))
        return found

    def _windows(self, task_id: str, *, fresh: bool) -> list[Pane] | None:
        try:
            return self.windows(task_id, fresh=fresh)
        except OrangeError:
            return None

    def judge(self, task: Task, state: State | None, windows: Sequence[Pane] | None, earlier: str | None = None) -> str:
        """The same from a task's live windows (None: tmux cannot be asked) and an earlier verdict on the same task."""
        if task.tmux_session is None:
            return NONE
        if windows is None:
            return LOST
        if _agent_among(windows, task, state) is not None:
            return ACTIVE
        if earlier in {DEAD, LOST}:
            return earlier  # how it ended was looked up then
        if self._is_server_gone(task, state):
            return LOST
        return ACTIVE if self._is_moving(task) else DEAD

    def _is_server_gone(self, task: Task, state: State | None) -> bool:
        """Whether the agent went down with its tmux server; one that ended by itself before has left a note."""
        from orange_tui.outside.processes import is_tmux_server

        ref = self._store.ref_of(task)
        journal = self._store.journal(ref)
        window = agent_window(task, state, journal)
        if exit_code(self._store.state_directory(ref), window) is not None:
            return False
        spawned = last_start(journal, window) or last_start(journal)
        server = str(spawned.get("server")) if spawned is not None else ""
        return server not in {pane.server for pane in self.every_pane()} and not is_tmux_server(
            server.partition(".")[0]
        )

    def _is_moving(self, task: Task) -> bool:
        """Whether a move that may open the missing window is under way, or has ended since the task was read."""
        ref = self._store.ref_of(task)
        try:
            if self._store.journal(ref).unfinished() is not None:
                return True
            now = self._store.read(ref)
        except OrangeError:
            return False
        return isinstance(now, StoredTask) and _place(now.task) != _place(task)


def _place(task: Task) -> tuple[str, int]:
    """What says which window a task's agent is in."""
    return task.status, task.review_round


def _leave(panes: Sequence[Pane]) -> None:
    """Go on elsewhere if we run in a window that is about to be ended, or for an agent that ends its own commands."""
    from orange_tui.outside.processes import is_inside
    from orange_tui.outside.programs import continue_in_new_session

    if panes and (os.environ.get("ORANGE_WINDOW") or is_inside([pane.pid for pane in panes])):
        continue_in_new_session()


def _agent_among(windows: Sequence[Pane], task: Task, state: State | None) -> Pane | None:
    wanted = required_window(task, state)
    return next((pane for pane in windows if wanted in {None, pane.window}), None)


def counted_windows(task: Task, state: State | None, windows: Sequence[Pane]) -> list[str]:
    """The windows whose agents count in this state: the one that it asks for, else all that are alive."""
    required = required_window(task, state)
    return [required] if required is not None else [pane.window for pane in windows]


def agents_among(windows: Sequence[Pane]) -> list[Pane]:
    """The windows of agents: that of the project's own command is none."""
    return [pane for pane in windows if pane.window != RUN]


def find_window(windows: Sequence[Pane], name: str) -> Pane | None:
    """The window of that name."""
    return next((pane for pane in windows if pane.window == name), None)


def required_window(task: Task, state: State | None) -> str | None:
    """The window that must be alive; None where any will do."""
    if state is None or state.agent is None or state.agent == NONE:
        return None
    return WORKER if state.agent == WORKER else review_window(task)


def agent_window(task: Task, state: State | None, journal: Journal) -> str:
    """The window whose agent it is that a task has or lost: where any will do, the one that was started last."""
    required = required_window(task, state)
    if required is not None:
        return required
    started = last_start(journal)
    return str(started.get("window")) if started is not None else WORKER


def last_start(journal: Journal, window: str | None = None) -> Event | None:
    """The last time that an agent was started: in this window, or in any."""
    starts = (event for event in journal.backwards() if event["type"] == "agent.spawned")
    return next((event for event in starts if window in {None, event.get("window")}), None)


def is_worker(window: str) -> bool:
    """Whether a window is a worker's, of whatever round."""
    return window == WORKER or window.startswith(f"{WORKER}-")


def find_worker(windows: Sequence[Pane]) -> Pane | None:
    """The worker's window."""
    return next((pane for pane in windows if is_worker(pane.window)), None)


def new_window(task: Task, workflow: Workflow, role: str) -> str:
    """The window for an agent that is started: the one its state asks for.

    Where any will do, every round has windows of its own: worker, review-1, worker-2, review-2 and so on. A worker may
    go on in a state that asks for the window `worker`: where there is one, it is there from the beginning.
    """
    state = workflow.states.get(task.status)
    if state is not None and state.agent == WORKER:
        return WORKER
    if role == "review":
        return review_window(task)
    is_asked_for = any(each.agent == WORKER for each in workflow.states.values())
    return WORKER if is_asked_for or not task.review_round else f"{WORKER}-{task.review_round + 1}"


def review_window(task: Task) -> str:
    """The window of the present review round."""
    return f"review-{task.review_round}"


def exit_code(state_directory: str, window: str) -> str | None:
    """What a window's launcher noted when its agent ended; nothing, if the window was closed over its head."""
    note = read_end(os.path.join(state_directory, "logs", f"{window}.exit"), _MAX_NOTE_BYTES)
    return note.decode(errors="replace").strip() or None
