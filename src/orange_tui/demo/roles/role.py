"""What worker and reviewer share: they think, write TASK.md, ask Orange for moves, and react to a refusal."""

from __future__ import annotations

import time

from orange_tui.demo.roles.behaviours import requested_behaviour
from orange_tui.demo.tools.usage_log import UsageLog
from orange_tui.domain.records import replace
from orange_tui.home import clock

_LIMIT_THOUGHTS = 10  # how long a limit lasts: ten seconds, at the usual pace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.tools.task_tools import TaskTools
    from orange_tui.demo.tools.terminal import AgentTerminal


class Role:
    """One agent in one window."""

    name = "agent"
    reports_outcome = False

    def __init__(self, tools: TaskTools, terminal: AgentTerminal) -> None:
        task = tools.task()
        self.behaviour = requested_behaviour(tools.section("Context"), task.labels)
        self.tools = replace(tools, replaces_link=self.behaviour.has("replaces-link"))
        self.terminal = terminal
        self.uncertain = "nothing"
        self._usage = UsageLog(tools.environment)
        self.has_stopped = False  # with nothing handed in
        self._limit_ends_at: float | None = None  # where it has reached one, and was not told to go on since
        terminal.banner(self.name, f"{task.project}/{task.branch}", task.summary)
        for word in self.behaviour.unknown:
            terminal.say(f"I don't know how to be '{word}', so I'll just be good.")

    @property
    def resting_state(self) -> str:
        """What it waits for when its turn has ended, as its title says."""
        if self._limit_ends_at is not None:
            return "limit"
        return "asks" if self.tools.task().status == "clarification" else "idle"

    def reach_limit(self) -> None:
        """Have used up all there is for now."""
        self._limit_ends_at = time.time() + self.terminal.seconds_of(_LIMIT_THOUGHTS)
        self._say_limit(self._limit_ends_at)

    def is_at_limit(self) -> bool:
        """Whether there is still nothing to be had; then it says so, whatever it was told."""
        if self._limit_ends_at is not None and time.time() < self._limit_ends_at:
            self._say_limit(self._limit_ends_at)
            return True
        self._limit_ends_at = None
        return False

    def _say_limit(self, ends_at: float) -> None:
        self.terminal.show_error(f"You've hit your demo limit · resets {clock.at(int(ends_at * 1_000_000_000))}")

    def begin(self) -> None:
        """Do what the prompt asks."""
        raise NotImplementedError

    def receive(self, _message: str) -> None:
        """React to a message."""
        raise NotImplementedError

    def think(self, about: str) -> None:
        """Take the time that this agent needs for a thought, and what a thought costs."""
        self.terminal.think(about, self.behaviour.thoughts)
        self._usage.add_thought(about, self.behaviour.thoughts)

    def orange(self, *words: str) -> bool:
        """Run an `orange` command and show what it says; False when it was refused."""
        self.terminal.show_action(f"$ orange {' '.join(words)}")
        finished = self.tools.orange(*words)
        if finished.code != 0:
            self.terminal.show_error(finished.message)
            return False
        self.terminal.show_success(finished.output.strip())
        if finished.errors.strip():
            self.terminal.show_error(finished.errors)
        return True

    def move(self, target: str, section: str, content: str) -> bool:
        """Write what a move needs, then ask for the move; a hasty agent asks first and is refused."""
        if self.behaviour.has("hasty") and not self.tools.section(section):
            if self.orange("task", "update", "--status", target):
                return True
            self.terminal.say("Fair enough. I'll write it down first.")
        self.tools.write(section, content)
        self.terminal.show_action(f"TASK.md: wrote ## {section}")
        return self.orange("task", "update", "--status", target)

    def rename_branch(self, name: str) -> bool:
        """Give the branch another name; if that is taken, everything stays as it was."""
        before = self.tools.task().branch
        if self.tools.git("branch", "-m", before, name).code != 0:
            return False
        self.terminal.show_action(f"$ git branch -m {name}")
        if self.orange("task", "update", "--branch"):
            return True
        self.tools.git("branch", "-m", name, before)
        return False

    def leave_an_edit_uncommitted(self) -> None:
        """Begin an edit and do not commit it. Only a role that edits has anything to do here."""
