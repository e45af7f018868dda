"""What worker and reviewer share: they think, write TASK.md, ask Orange for moves, and react to a refusal."""

from __future__ import annotations

from orange_tui.demo.roles.behaviours import requested_behaviour
from orange_tui.domain.records import replace

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
        terminal.banner(self.name, f"{task.project}/{task.branch}", task.summary)
        for word in self.behaviour.unknown:
            terminal.say(f"I don't know how to be '{word}', so I'll just be good.")

    def begin(self) -> None:
        """Do what the prompt asks."""
        raise NotImplementedError

    def receive(self, _message: str) -> None:
        """React to a message."""
        raise NotImplementedError

    def think(self, about: str) -> None:
        """Take the time that this agent needs for a thought."""
        self.terminal.think(about, self.behaviour.thoughts)

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
