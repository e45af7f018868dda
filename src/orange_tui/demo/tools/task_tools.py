"""The demo agent's tools: TASK.md, git and the `orange` command, used as any agent uses them.

Nothing here goes behind Orange's back: sections are written into the real file the way editors do it, and every
move is asked for on the command line, where it may be refused.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys

from orange_tui.domain.errors import NotFound, OrangeError
from orange_tui.domain.records import record
from orange_tui.domain.text.sections import find_section, put_section
from orange_tui.domain.text.task_file import decode
from orange_tui.home.files import read_bytes
from orange_tui.outside.programs import run
from orange_tui.store.task_text import TaskText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from orange_tui.domain.task import Task
    from orange_tui.domain.text.task_file import TaskFile
    from orange_tui.outside.programs import Finished

_IDENTITY = {"NAME": "Orange demo agent", "EMAIL": "demo@orange.invalid"}
_TIMEOUT_SECONDS = 600.0  # a move may create a workspace


@record
class TaskTools:
    """One task's files and commands. With `replaces_link`, TASK.md is edited as `sed -i` would."""

    task_file: str
    directory: str
    environment: Mapping[str, str]
    replaces_link: bool = False

    def read(self) -> TaskFile:
        """TASK.md as it is now."""
        link = self._link
        if self.replaces_link and os.path.isfile(link) and not os.path.islink(link):
            return decode(read_bytes(link))
        return TaskText(os.path.dirname(self.task_file)).read_with_retry()

    @property
    def _link(self) -> str:
        return os.path.join(self.directory, "TASK.md")

    def task(self) -> Task:
        """The frontmatter as it is now."""
        return self.read().task

    def section(self, name: str) -> str:
        """The text of a section; empty if it does not exist."""
        found = find_section(self.read().body, name)
        return found.text.strip() if found else ""

    def write(self, name: str, content: str) -> None:
        """Put a section into TASK.md: added at the end, or in place of the one that is there."""
        file = self.read()
        body = put_section(file.body, name, content)
        if self.replaces_link:
            self._replace_link(file.with_body(body).encode())
        elif body.startswith(file.body):
            _append(self.task_file, body[len(file.body) :].encode())
        else:
            _overwrite(self.task_file, file.with_body(body).encode())

    def _replace_link(self, data: bytes) -> None:
        copy = f"{self._link}.sed"
        with open(copy, "wb") as file:
            file.write(data)
        os.replace(copy, self._link)

    def tamper(self, old: str, new: str) -> None:
        """Change TASK.md by hand in a way that is not allowed."""
        _overwrite(self.task_file, self.read().text.replace(old, new, 1).encode())

    @property
    def outcome_file(self) -> str:
        """Where the solo workflow's agent says how it went; the one in the worktree is a link to it."""
        return os.path.join(os.path.dirname(self.task_file), ".orange-outcome")

    def outcome(self) -> str | None:
        """The outcome that was written, if one was."""
        try:
            data = json.loads(read_bytes(self.outcome_file))
        except (NotFound, ValueError):
            return None
        return str(data.get("outcome")) if isinstance(data, dict) else None

    def write_outcome(self, outcome: str, reason: str | None = None) -> None:
        """Write the outcome file."""
        data = {"id": self.task().id, "outcome": outcome} | ({"reason": reason} if reason else {})
        with open(self.outcome_file, "w", encoding="utf-8") as file:
            file.write(f"{json.dumps(data)}\n")

    def orange(self, *words: str) -> Finished:
        """Run an `orange` command; a refusal is not an error here."""
        program = shutil.which("orange", path=self.environment.get("PATH"))
        command = [program] if program else [sys.executable, "-m", "orange_tui"]
        return run(
            [*command, *words],
            directory=self.directory,
            environment=self._environment,
            timeout=_TIMEOUT_SECONDS,
        )

    def git(self, *words: str) -> Finished:
        """Run git in the worktree; a failure is not an error here."""
        return run(["git", *words], directory=self.directory, environment=self._environment)

    @property
    def _environment(self) -> dict[str, str]:
        """The environment with a name to commit under, which a fresh machine does not have."""
        identity = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _IDENTITY.items()}
        task = os.path.basename(os.path.dirname(self.task_file))
        return {**self.environment, **identity, "GIT_TERMINAL_PROMPT": "0", "ORANGE_TASK": task}

    def commit(self, message: str, *paths: str) -> str:
        """Commit these files; returns the short name of the commit."""
        self._git_or_raise("add", "--", *paths)
        self._git_or_raise("-c", "commit.gpgsign=false", "commit", "--quiet", "-m", message, "--", *paths)
        return self._git_or_raise("rev-parse", "--short", "HEAD").strip()

    def base(self) -> str:
        """Where this branch left the default branch; where there is none, the first commit of all."""
        for ref in self._default_branches():
            found = self.git("merge-base", "HEAD", ref)
            if found.code == 0:
                return found.output.strip()
        return self._git_or_raise("rev-list", "--max-parents=0", "HEAD").split()[-1]

    def _default_branches(self) -> Iterator[str]:
        yield "origin/HEAD"
        listed = self.orange("project", "list", "--json")
        projects = json.loads(listed.output) if listed.code == 0 else []
        name = self.task().project
        for branch in [each["default_branch"] for each in projects if each.get("name") == name]:
            yield from (f"origin/{branch}", branch)

    def commits(self) -> str:
        """The messages of this branch's own commits, newest first."""
        return self._git_or_raise("log", "--format=%B", f"{self.base()}..HEAD")

    def _git_or_raise(self, *words: str) -> str:
        finished = self.git(*words)
        if finished.code != 0:
            raise OrangeError(f"git {words[0]} failed: {finished.message}")
        return finished.output

    def run_tests(self) -> str | None:
        """Run the repository's tests and summarize them; None if there are none we know how to run."""
        if not os.path.isdir(os.path.join(self.directory, "coffee")):
            return None
        words = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests", "-t", "."]
        finished = run(words, directory=self.directory, environment=self._environment)
        number = re.search(r"Ran (\d+) test", finished.errors)
        counted = f"{number[1] if number else 'no'} tests"
        return f"{counted}, all pass" if finished.code == 0 else f"{counted}, and they fail"


def find_task_tools(environment: Mapping[str, str], directory: str) -> TaskTools:
    """The task of this window: as the environment says, else the TASK.md that is linked here."""
    named = environment.get("ORANGE_TASK_FILE") or os.path.join(directory, "TASK.md")
    path = os.path.realpath(named)
    if not os.path.isfile(path):
        raise NotFound(f"There is no task here: {named} does not exist. Orange starts this agent in a task's window")
    return TaskTools(path, directory, dict(environment))


def _append(path: str, data: bytes) -> None:
    with open(path, "ab") as file:
        file.write(data)


def _overwrite(path: str, data: bytes) -> None:
    """In place, new text first and the old rest cut off after: no reader finds the file empty."""
    with open(path, "r+b") as file:
        file.write(data)
        file.truncate()
