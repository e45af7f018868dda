"""What agents do as far as their screens tell, looked at now: all that are asked for in one call to tmux."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import replace
from orange_tui.outside.tmux.screens import read_screens
from orange_tui.sessions.agent_state import GOES_ON, LIMIT, AgentStatus, judge, look, most_urgent
from orange_tui.sessions.last_line import last_line
from orange_tui.sessions.liveness import ACTIVE, counted_windows
from orange_tui.sessions.runtime import Runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import State
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.sessions.liveness import Sessions
    from orange_tui.store.journal import Journal
    from orange_tui.store.store import Store, TaskRef

    # The harness of the agent that was started in a window, as the journal has it.
    HarnessOf = Callable[[Journal, str], Harness | None]


class AgentScreens:
    """The screens of one home's agents."""

    def __init__(self, sessions: Sessions, store: Store, harness_of: HarnessOf) -> None:
        self.sessions, self.store = sessions, store
        self._harness_of = harness_of
        self._harnesses: dict[tuple[str, str], Harness | None] = {}  # by task and start, which the journal tells once

    def look(self, panes: Iterable[tuple[TaskRef, Pane]]) -> dict[str, AgentStatus]:
        """What the screens of these windows show, by pane; one that is gone shows nothing."""
        harnesses = {pane.pane_id: self._harness(ref, pane) for ref, pane in panes}
        screens = read_screens(self.sessions.tmux, list(harnesses))
        found = {}
        for pane_id, screen in screens.items():
            harness = harnesses.get(pane_id)
            if harness is None:
                found[pane_id] = AgentStatus("unknown")
            else:
                status = look(harness, screen.title, screen.text)
                found[pane_id] = replace(status, last_line=last_line(harness, screen.text))
        return found

    def statuses(self, tasks: Sequence[tuple[TaskRef, Task, State | None]]) -> dict[TaskRef, AgentStatus]:
        """What the agents of these tasks do at this moment; a task without a live agent has none."""
        alive = [each for each in tasks if self.sessions.state(each[1], each[2]) == ACTIVE]
        windows: dict[TaskRef, list[Pane]] = {}
        for ref, task, state in alive:
            live = self.sessions.windows(task.id)
            names = counted_windows(task, state, live)
            windows[ref] = [pane for pane in live if pane.window in names]
        sights = self.look((ref, pane) for ref, panes in windows.items() for pane in panes)
        found = {}
        for ref, panes in windows.items():
            known = Runtime(self.store.state_directory(ref)).read()
            status = most_urgent(judge(known.get(pane.window, {}), sights.get(pane.pane_id)) for pane in panes)
            found[ref] = AgentStatus(LIMIT) if self._waits_for_limit(ref, panes, status) else status
        return found

    def _waits_for_limit(self, ref: TaskRef, panes: Sequence[Pane], status: AgentStatus) -> bool:
        """Whether an agent that shows nothing of it any more still waits for the end of its limit."""
        if status.state == LIMIT or status.state in GOES_ON:
            return False
        return not {pane.window for pane in panes}.isdisjoint(self.store.journal(ref).at_limit())

    def _harness(self, ref: TaskRef, pane: Pane) -> Harness | None:
        key = (ref.id, f"{pane.window} {pane.spawn}")
        if key not in self._harnesses:
            try:
                self._harnesses[key] = self._harness_of(self.store.journal(ref), pane.window)
            except OrangeError:
                return None  # its journal cannot be read, which its row says; the others are looked at all the same
        return self._harnesses[key]
