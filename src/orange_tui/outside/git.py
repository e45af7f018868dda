"""A git repository, through the git program: it alone knows credentials, hooks and filters.

It is run without prompts and with a timeout, so it never waits for a person and always comes to an end.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import pairwise

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.outside.git_guard import gate, locks
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.outside.programs import Finished

REMOTE = "origin"
SLOW_SECONDS = 600.0  # for what goes over a network or through every file
# For the author of a commit that a person has not made, where git knows nobody.
ORANGE_IDENTITY = {
    "GIT_AUTHOR_NAME": "Orange",
    "GIT_AUTHOR_EMAIL": "orange@localhost",
    "GIT_COMMITTER_NAME": "Orange",
    "GIT_COMMITTER_EMAIL": "orange@localhost",
}

# A git hook that runs us has these set; they would make us work on its repository, index and work tree.
_CALLER_VARIABLES = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)
_REF_FORMAT = "--format=%(refname)%00%(objectname)%00%(worktreepath)"


@record
class Ref:
    """A branch or another name for a commit; `worktree` is where it is checked out, if it is."""

    name: str
    commit: str
    worktree: str | None


_MOST_RETRIES = 20
_RETRY_SECONDS = 0.05
# So that git writes down what HEAD leaves, whatever the repository says.
_LOGGED = ("core.logAllRefUpdates=true",)


def _is_worth_a_retry(finished: Finished) -> bool:
    """Git fails before it begins while another git is making a worktree of the same repository."""
    return finished.code != 0 and "failed to read" in finished.errors and "commondir" in finished.errors


@record
class Repository:
    """A git repository or one of its worktrees; with a git directory, `.git` at the path is not asked for it.

    `is_ours` says of a git directory that we have made it ourselves, with nothing in it that could run.
    """

    path: str
    git_directory: str | None = None
    is_ours: bool = False

    def ask(
        self,
        *words: str,
        timeout: float = 60.0,
        extra: Mapping[str, str] | None = None,
        settings: tuple[str, ...] = (),
        stdin: str | None = None,
        exact: bool = False,
    ) -> Finished:
        """Run git here and return how it ended; `settings` are configuration for this one run.

        What the repository itself would have git run (hooks, filters) runs only if the person has trusted it.
        With `exact`, names of files that are no text come back as Python has them elsewhere.
        """
        guarding = () if self.is_ours else gate.settings_for(self.path, self.git_directory, words)
        guarded = {} if self.is_ours else gate.variables_for(self.path, self.git_directory, words)
        configured = [word for setting in (*guarding, *settings) for word in ("-c", setting)]
        environment = environment_for_git() | self._place() | dict(extra or {}) | dict(guarded)
        command = ["git", "-C", self.path, *configured, *words]
        given = None if stdin is None else stdin.encode(errors="surrogateescape")
        undecodable = "surrogateescape" if exact else "replace"

        def attempt() -> Finished:
            note, was_killed = locks.begin(self.path, self.git_directory, words[0]), True
            try:
                finished = run(command, environment=environment, stdin=given, timeout=timeout, undecodable=undecodable)
                was_killed = finished.code < 0
                return finished
            finally:
                locks.end(note, was_killed=was_killed)

        finished = attempt()
        for _ in range(_MOST_RETRIES):
            if not _is_worth_a_retry(finished):
                break
            locks.clear(self.path, self.git_directory)
            time.sleep(_RETRY_SECONDS)
            finished = attempt()
        return finished

    def _place(self) -> dict[str, str]:
        """Where git is to work; without the path, a worktree's own settings could lead it to other files.

        Only where there are such settings: whatever a hook runs elsewhere would be led here by it.
        """
        if self.git_directory is None:
            return {}
        has_settings = not self.is_ours and os.path.lexists(os.path.join(self.git_directory, "config.worktree"))
        return {"GIT_DIR": self.git_directory, **({"GIT_WORK_TREE": self.path} if has_settings else {})}

    def answer(self, *words: str, extra: Mapping[str, str] | None = None) -> str | None:
        """The one line that git prints, or None when it fails or prints nothing."""
        finished = self.ask(*words, extra=extra)
        return finished.output.strip() or None if finished.code == 0 else None

    def must(
        self,
        *words: str,
        timeout: float = 60.0,
        extra: Mapping[str, str] | None = None,
        settings: tuple[str, ...] = (),
        stdin: str | None = None,
        exact: bool = False,
    ) -> str:
        """Run git here and return its output; a failure is refused in git's own words."""
        finished = self.ask(*words, timeout=timeout, extra=extra, settings=settings, stdin=stdin, exact=exact)
        if finished.code != 0:
            raise Refused(f"git {words[0]}: {finished.message or f'ended with {finished.code}'}")
        return finished.output

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
        """The branch that is checked out; None when HEAD is detached, as in the middle of a rebase.

        Git's own short name would be another one where a tag is called the same.
        """
        return _name_below(local(""), self.answer("symbolic-ref", "--quiet", "HEAD"))

    def default_branch(self) -> str:
        """What the remote calls its default, else the branch that is checked out, else main."""
        of_remote = _name_below(remote(""), self.answer("symbolic-ref", "--quiet", remote("HEAD")))
        return of_remote or self.current_branch() or "main"

    def has_branch(self, name: str) -> bool:
        """Whether there is a local branch of that name."""
        return self.ask("show-ref", "--verify", "--quiet", local(name)).code == 0

    def refs(self, *names: str) -> dict[str, Ref]:
        """Which of these full names exist, and where they are checked out: one question for all of them."""
        found = {}
        for line in self.must("for-each-ref", _REF_FORMAT, *names).splitlines():
            name, commit, worktree = line.split("\0")
            if name in names:  # a name also stands for all those below it
                found[name] = Ref(name, commit, worktree or None)
        return found

    def has_remote(self) -> bool:
        """Whether there is a remote to fetch from and push to: read off the configuration, or else git is asked."""
        named = _names_remote(os.path.join(self.path, ".git", "config"))
        return self.ask("config", "--get", f"remote.{REMOTE}.url").code == 0 if named is None else named

    def fetch(self, *branches: str, timeout: float = SLOW_SECONDS) -> str | None:
        """Bring our copies of these remote branches up to date; returns why that was not possible.

        With a star at the end, a branch that the remote does not have is no error; single-branch and shallow clones
        fetch it all the same. Nothing is pruned: what the remote has deleted may be the last copy.
        """
        specs = [f"+{local(branch)}*:{remote(branch)}*" for branch in branches]
        try:
            done = self.ask("fetch", "--quiet", "--no-auto-maintenance", REMOTE, *specs, timeout=timeout)
        except Refused as problem:
            return str(problem)
        return None if done.code == 0 else done.message or f"git fetch ended with {done.code}"

    def switch(self, name: str) -> None:
        """Check a branch out; git refuses where that would lose something, an ignored file too, and so do we."""
        words = ("switch", "--quiet", "--no-overwrite-ignore", "--", name)
        self.must(*words, timeout=SLOW_SECONDS, settings=_LOGGED)

    def switch_to_commit(self, commit: str) -> None:
        """Check a commit out without a branch, with the same care."""
        words = ("switch", "--quiet", "--no-overwrite-ignore", "--detach", commit)
        self.must(*words, timeout=SLOW_SECONDS, settings=_LOGGED)

    def rename_current_branch(self, name: str, *, known_as: str | None = None) -> None:
        """Give the checked-out branch another name, so that its commits have one at every moment.

        `git branch -m` deletes the old name before it writes the new one. Refused where it is not `known_as` by now.
        """
        before, tip = self.current_branch(), self.head()
        if before is None:
            raise Refused("No branch is checked out, so there is none to be renamed")
        if known_as is not None and before != known_as:
            raise Refused(f"{before} is checked out by now, and not {known_as}, so nothing was renamed")
        if f"{name}/".startswith(f"{before}/") or before.startswith(f"{name}/"):  # the two cannot be there at once
            self._rename_in_two_steps(before, name)
            return
        if tip is not None:
            self.must("branch", "--copy", "--", before, name)
        self.must("symbolic-ref", "-m", f"orange: renamed {before} to {name}", "HEAD", local(name), settings=_LOGGED)
        if tip is not None:
            self.ask("update-ref", "-d", local(before), tip)  # unless somebody has moved it meanwhile
            self.ask("config", "--remove-section", f"branch.{before}")

    def _rename_in_two_steps(self, before: str, name: str) -> None:
        between = f"{before.replace('/', '-')}-renamed"
        self.rename_current_branch(between, known_as=before)
        try:
            self.rename_current_branch(name, known_as=between)
        except BaseException:
            with suppress(Refused):
                self.rename_current_branch(before, known_as=between)
            raise

    def leave_branch(self, name: str) -> None:
        """Go on with a new branch at the commit that is checked out; the one that is checked out stays as it is."""
        if self.head() is not None:
            self.must("branch", "--no-track", "--", name, "HEAD")
        self.must("symbolic-ref", "-m", f"orange: went on as {name}", "HEAD", local(name), settings=_LOGGED)

    def return_to_branch(self, name: str, *, known_as: str) -> None:
        """Undo that: the new branch, which is `known_as`, goes if nobody has moved it meanwhile."""
        tip = self.head()
        self.must("symbolic-ref", "-m", f"orange: back to {name}", "HEAD", local(name), settings=_LOGGED)
        if tip is not None and tip == self.head():
            self.ask("update-ref", "-d", local(known_as), tip)


def _names_remote(path: str) -> bool | None:
    """Whether a configuration file gives the remote an address; None where that cannot be told by its plain lines."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.strip() for line in file]
    except OSError:
        return None
    title = f'[remote "{REMOTE}"]'
    if any(line.startswith("url = ") and above == title for above, line in pairwise(lines)):
        return True
    may_be_told_elsewhere = any(
        word in line.lower() for line in lines for word in ("remote", "include", "worktreeconfig")
    )
    return None if may_be_told_elsewhere else False


def environment_for_git() -> dict[str, str]:
    """Our environment without the caller's repository; git prompts for nothing and takes no lock to read."""
    kept = {name: value for name, value in os.environ.items() if name not in _CALLER_VARIABLES}
    return {**kept, "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def _name_below(place: str, full_name: str | None) -> str | None:
    return full_name.removeprefix(place) if full_name is not None and full_name.startswith(place) else None


def local(branch: str) -> str:
    """The full name of a local branch."""
    return f"refs/heads/{branch}"


def remote(branch: str) -> str:
    """The full name of our copy of a remote branch."""
    return f"refs/remotes/{REMOTE}/{branch}"


# A setting: a clone of a single branch would neither follow another one nor notice that the remote has taken it.
FETCH_EVERY_BRANCH = f"remote.{REMOTE}.fetch=+{local('*')}:{remote('*')}"
