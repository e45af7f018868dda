"""What an agent is told about its task besides the prompt: nine rows, each with a limit, each left out when empty.

All of it is other people's text. It is quoted so that no line of it can pose as one of the rows, or as Orange.
"""

from __future__ import annotations

import os

from orange_tui.context import project_rows as project
from orange_tui.context import task_rows as task
from orange_tui.domain.errors import OrangeError, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.text.quoting import cut, fenced, plain
from orange_tui.domain.text.sections import close_open_blocks, demote_headings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.task import Task
    from orange_tui.engine.services import Services
    from orange_tui.store.journal import Journal

_MARKDOWN, _TEXT, _DIFF = "markdown", "text", "diff"


@record
class Scene:
    """What the rows are made from; `directory` is where the agent works."""

    services: Services
    task: Task
    body: str
    journal: Journal
    directory: str


@record
class Row:
    """One row of the table: its heading, the most characters it may have, how it is quoted, and where it comes from."""

    title: str
    most: int
    kind: str
    text: Callable[[Scene], str]


ROWS = (
    Row("The task", 12_000, _MARKDOWN, task.task_text),
    Row("The task it is a part of, and its own parts", 8_000, _MARKDOWN, task.family_text),
    Row("What was tried before", 4_000, _TEXT, task.attempts_text),
    Row("The last error", 4_000, _TEXT, task.error_text),
    Row("The last comments on the GitHub issue", 10_000, _TEXT, project.comments_text),
    Row("The project's instructions", 12_000, _MARKDOWN, project.instructions_text),
    Row("The skills that were selected", 16_000, _MARKDOWN, project.skills_text),
    Row("The repository's files", project.MOST_TREE, _TEXT, project.tree_text),
    Row("Uncommitted changes of the last attempt", 12_000, _DIFF, project.diff_text),
)


@record
class Part:
    """A row that has something to say: its text as it goes into the prompt, and how many characters were cut."""

    title: str
    text: str
    cut: int

    def as_json(self) -> dict[str, object]:
        """The part for a program."""
        return {"title": self.title, "text": self.text, "cut": self.cut}


def parts(scene: Scene) -> list[Part]:
    """Every row that has something to say, in the order of the table."""
    return [part for part in (_part(row, scene) for row in ROWS) if part is not None]


def enriched(services: Services, task: Task, body: str, journal: Journal, directory: str) -> str:
    """All of it as Markdown, for a prompt."""
    return as_markdown(parts(Scene(services, task, body, journal, directory)))


def as_markdown(found: list[Part]) -> str:
    """The parts under their headings."""
    return "\n\n".join(f"## {part.title}\n\n{part.text}" for part in found)


def directory_of(services: Services, task: Task) -> str:
    """Where a task's agent works: in its worktree, or else in the project itself."""
    worktree = services.pool.worktree(task.workspace) if task.workspace else None
    if worktree is not None and os.path.isdir(worktree):
        return worktree
    return services.projects.get(task.project).path


def _part(row: Row, scene: Scene) -> Part | None:
    try:
        found = row.text(scene)
    except OrangeError as problem:
        return Part(row.title, f"(This could not be read: {' '.join(plain(str(problem)).split())})", 0)
    text, left_out = cut(plain(found).strip("\n"), row.most)
    if not text.strip():
        return None
    note = f"\n\n(Cut here: {left_out:,} characters more.)" if left_out else ""
    return Part(row.title, _quoted(text, row.kind) + note, left_out)


def _quoted(text: str, kind: str) -> str:
    """Markdown keeps its look, with its headings further down; anything else, and what is too odd, is fenced."""
    if kind == _MARKDOWN:
        try:
            return demote_headings(close_open_blocks(text)).strip("\n")
        except Unreadable:
            return fenced(text)
    return fenced(text, kind)
