"""Questions to git, asked of the git program."""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.process import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.outside.process import Finished


@record
class Repository:
    """A git repository or one of its worktrees."""

    path: str

    def ask(self, *words: str) -> Finished:
        """Run git here, whatever comes of it."""
        return run(["git", "-C", self.path, *words])

    def answer(self, *words: str) -> str | None:
        """What git says on one line, or None when it says no."""
        finished = self.ask(*words)
        return finished.output.strip() or None if finished.code == 0 else None

    def top_level(self) -> str:
        """The root of the working tree."""
        top = self.answer("rev-parse", "--show-toplevel")
        if top is None:
            raise Refused(f"{self.path} is not in a git repository; `git init` makes one")
        return top

    def head(self) -> str | None:
        """The commit that is checked out."""
        return self.answer("rev-parse", "--verify", "--quiet", "HEAD")

    def current_branch(self) -> str | None:
        """The branch that is checked out; None when HEAD is detached, as in the middle of a rebase."""
        return self.answer("symbolic-ref", "--quiet", "--short", "HEAD")

    def default_branch(self) -> str:
        """What the remote calls its default, else the branch that is checked out, else main."""
        remote = self.answer("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
        if remote is not None:
            return remote.removeprefix("origin/")
        return self.current_branch() or "main"

    def has_branch(self, name: str) -> bool:
        """Whether there is a local branch of that name."""
        return self.ask("show-ref", "--verify", "--quiet", f"refs/heads/{name}").code == 0

    def switch(self, name: str) -> None:
        """Check a branch out; git refuses where that would lose something, and so do we."""
        self._must("switch", "--", name)

    def rename_current_branch(self, name: str) -> None:
        """Give the checked-out branch another name."""
        self._must("branch", "-m", "--", name)

    def _must(self, *words: str) -> None:
        finished = self.ask(*words)
        if finished.code != 0:
            raise Refused(f"git {words[0]}: {finished.message}")
