"""A task with its windows, of which tmux's part is played here, and supervisors that look after it one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.outside.tmux.server import Pane
from orange_tui.sessions.liveness import Sessions
from orange_tui.sessions.starts import StartDetails, record_start
from orange_tui.supervisor.exits.rules import ExitRules

if TYPE_CHECKING:
    from typing import Any

    import pytest

    from orange_tui.domain.task import Task
    from orange_tui.store.store import TaskRef
    from support.driver import World

PLAN, HANDOFF = "\n## Plan\n\nAPPROACH: simple\n", "\n## Handoff\n\nDONE: all of it\n"

# Reviewers are not started again by themselves here; otherwise as in `default`.
PAIR = """\
name: pair
states:
  todo: {agent: none}
  planning: {agent: worker, respawn_prompt: go}
  working: {agent: worker, respawn_prompt: go}
  review: {agent: reviewer, respawn_prompt: go}
  waiting: {agent: worker, respawn_prompt: go}
  stuck: {agent: worker, respawn_prompt: go}
  done: {terminal: true}
initial: {todo: {}}
transitions:
  - {from: todo, to: planning, hooks: [{action: spawn_agent, prompt: go}]}
  - {from: planning, to: working, gate: {section: "## Plan", required: true}}
  - from: working
    to: review
    gate: {section: "## Handoff", required: true}
    hooks: [{action: spawn_reviewer, prompt: go}]
  - {from: review, to: working}
  - {from: review, to: waiting}
  - {from: waiting, to: working}
  - {from: [planning, working, review], to: stuck, by: engine, hooks: [{action: spawn_agent, prompt: go}]}
  - {from: [waiting, stuck], to: done}
exit_monitoring:
  rules:
    - {status: planning, has_artifact: {section: "## Plan", required: true}, then: working}
    - {status: planning, no_artifact: true, action: crash, stuck_after: 2}
    - {status: working, has_artifact: {section: "## Handoff", required: true}, then: review}
    - {status: working, no_artifact: true, action: crash, stuck_after: 2}
    - {status: review, no_artifact: true, action: crash, stuck_after: 2}
    - {status: waiting, action: mark_dead}
    - {status: stuck, action: mark_dead}
prompts: {go: Begin}
"""


class WatchedTask:
    """A task of the workflow `pair`, its windows, and who looks after it."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        world.workflow("pair", PAIR)
        self.world = world
        self.ref: TaskRef = world.task(workflow="pair", status="todo", tmux_session="coffee/brew")
        self._new_server("77.1")
        monkeypatch.setattr(Sessions, "every_pane", lambda _, fresh=False: list(self._panes))
        self.move("planning")
        self.start("worker")

    def _new_server(self, server: str) -> None:
        """Another tmux, in which somebody else's agent is at work."""
        self._server = server
        self._panes = [self._pane("other", "worker", 99)]

    def lose_tmux(self) -> None:
        self._new_server("78.2")

    def _pane(self, task: str, window: str, pid: int) -> Pane:
        home = self.world.home.root
        return Pane("$1", f"@{pid}", f"%{pid}", pid, home, task, window, "", "coffee/brew", self._server, "")

    @property
    def task(self) -> Task:
        return self.world.read(self.ref)

    def start(self, window: str) -> None:
        pane = self._pane(self.ref.id, window, len(self.world.history(self.ref)))
        self._panes.append(pane)
        with self.world.orange.engine.open(self.ref) as opened:
            record_start(opened, pane, StartDetails("demo", None, None))

    def die(self, *windows: str) -> None:
        self._panes = [pane for pane in self._panes if pane.task == "other" or pane.window not in windows]

    def move(self, status: str) -> None:
        self.world.orange.tasks.update(self.ref, status=status, actor="person")

    def review(self) -> None:
        """The worker hands in, and a reviewer begins."""
        self.move("review")
        self.start(f"review-{self.task.review_round}")

    def review_begins(self) -> WatchedTask:
        """The worker has planned, worked and handed in."""
        self.write(PLAN)
        self.move("working")
        self.write(HANDOFF)
        self.review()
        return self

    def write(self, text: str) -> None:
        self.world.write_body(self.ref, text)

    def look(self, times: int = 3) -> None:
        """Supervisors come and go, and each looks once."""
        for _ in range(times):
            orange = assemble(Home(self.world.home.root), self.world.orange.engine.actions)
            ExitRules(orange.tasks, orange.agents).check(self.ref)

    def told(self, *kinds: str) -> list[tuple[Any, Any, Any]]:
        """The ends of agents in the journal: what, whose, and in which state."""
        wanted = kinds or ("agent.crashed", "agent.died", "session.lost")
        found = [event for event in self.world.history(self.ref) if event["type"] in wanted]
        return [(event["type"], event.get("window"), event.get("status")) for event in found]
