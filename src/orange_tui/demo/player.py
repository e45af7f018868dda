"""What worker and reviewer have in common: they think, write, ask Orange, and react to a refusal."""

from __future__ import annotations

from orange_tui.demo.variants import behaviour_of
from orange_tui.domain.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.desk import Desk
    from orange_tui.demo.screen import Screen
    from orange_tui.demo.variants import Moment


class Player:
    """One agent in one window."""

    role = "agent"
    is_by_outcome = False

    def __init__(self, desk: Desk, screen: Screen) -> None:
        task = desk.task()
        self.behaviour = behaviour_of(desk.section("Context"), task.labels)
        self.desk = replace(desk, replaces_link=self.behaviour.has("replaces-link"))
        self.screen = screen
        self.uncertain = "nothing"
        screen.banner(self.role, f"{task.project}/{task.branch}", task.summary)
        for word in self.behaviour.unknown:
            screen.say(f"I don't know how to be '{word}', so I'll just be good.")

    def begin(self) -> None:
        """Do what the prompt asks."""
        raise NotImplementedError

    def hear(self, _message: str) -> None:
        """React to a message."""
        raise NotImplementedError

    def think(self, about: str) -> None:
        """Take a moment."""
        self.screen.think(about, self.behaviour.thoughts)

    def act(self, moment: Moment) -> bool:
        """Whatever is special at that moment; True when the turn ends with it."""
        return any(act(self) for act in self.behaviour.acts(moment))

    def orange(self, *words: str) -> bool:
        """Run an `orange` command and show what it says; False when it was refused."""
        self.screen.does(f"$ orange {' '.join(words)}")
        finished = self.desk.orange(*words)
        if finished.code != 0:
            self.screen.fails(finished.message)
            return False
        self.screen.succeeds(finished.output.strip())
        if finished.errors.strip():
            self.screen.fails(finished.errors)
        return True

    def move(self, target: str, section: str, content: str) -> bool:
        """Write what a move needs, then ask for it; a hasty one asks first, and learns."""
        if self.behaviour.has("hasty") and not self.desk.section(section):
            if self.orange("task", "update", "--status", target):
                return True
            self.screen.say("Fair enough. I'll write it down first.")
        self.desk.write(section, content)
        self.screen.does(f"TASK.md: wrote ## {section}")
        return self.orange("task", "update", "--status", target)

    def rename_branch(self, name: str) -> bool:
        """Give the branch a better name; one that is taken leaves everything as it was."""
        before = self.desk.task().branch
        if self.desk.git("branch", "-m", before, name).code != 0:
            return False
        self.screen.does(f"$ git branch -m {name}")
        if self.orange("task", "update", "--branch"):
            return True
        self.desk.git("branch", "-m", name, before)
        return False

    def leave_an_edit_uncommitted(self) -> None:
        """Begin something and do not finish it. Only those who edit have anything to leave."""
