"""The rows of the context: nine sections, each with a limit, each left out when empty.

All of it is other people's text. It is quoted so that no line of it can pose as one of the headings, or as Orange.
"""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError, Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.text.quoting import fenced, plain, truncate
from orange_tui.domain.text.sections import close_open_blocks, demote_headings
from orange_tui.prompt_context import _project_rows as project_rows
from orange_tui.prompt_context import _task_rows as task_rows
from orange_tui.prompt_context._sources import ContextSources

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.domain.task import Task
    from orange_tui.home.log import Log
    from orange_tui.home.projects import Projects
    from orange_tui.home.workflows import Workflows
    from orange_tui.store.store import Store
    from orange_tui.workspaces.pool import Pool

_MARKDOWN, _TEXT, _DIFF = "markdown", "text", "diff"


@record
class ContextRow:
    """One row of the table: its heading, its limit, how its text is quoted, and the function that reads it."""

    title: str
    max_characters: int
    kind: str
    read: Callable[[ContextSources], str]


ROWS = (
    ContextRow("The task", 12_000, _MARKDOWN, task_rows.task_text),
    ContextRow("The task it is a part of, and its own parts", 8_000, _MARKDOWN, task_rows.subtasks_text),
    ContextRow("What was tried before", 4_000, _TEXT, task_rows.attempts_text),
    ContextRow("The last error", 4_000, _TEXT, task_rows.error_text),
    ContextRow("The last comments on the GitHub issue", 10_000, _TEXT, project_rows.comments_text),
    ContextRow("The project's instructions", 12_000, _MARKDOWN, project_rows.instructions_text),
    ContextRow("The skills that were selected", 16_000, _MARKDOWN, project_rows.skills_text),
    ContextRow("The repository's files", project_rows.MAX_TREE_CHARACTERS, _TEXT, project_rows.tree_text),
    ContextRow("Uncommitted changes of the last attempt", 12_000, _DIFF, project_rows.diff_text),
)


@record
class ContextSection:
    """A row with text in it, quoted as it goes into the prompt, and how many characters were cut off."""

    title: str
    text: str
    cut: int

    def as_json(self) -> dict[str, object]:
        """The section for a program."""
        return {"title": self.title, "text": self.text, "cut": self.cut}


@record
class ContextReader:
    """Reads the context of the tasks of a home."""

    store: Store
    projects: Projects
    workflows: Workflows
    pool: Pool
    log: Log

    def read(self, task: Task, body: str) -> list[ContextSection]:
        """The sections about a task that have any text, in the order of the table."""
        journal = self.store.journal(self.store.ref_of(task))
        directory = self._work_directory(task)
        return read_sections(
            ContextSources(task, body, journal, directory, self.store, self.projects, self.workflows, self.log)
        )

    def _work_directory(self, task: Task) -> str:
        """Where a task's agent works: in its worktree, or else in the project itself."""
        worktree = self.pool.worktree(task.workspace) if task.workspace else None
        if worktree is not None and os.path.isdir(worktree):
            return worktree
        return self.projects.get(task.project).path


def read_sections(sources: ContextSources) -> list[ContextSection]:
    """Every row that has any text, in the order of the table."""
    return [section for section in (_read_row(row, sources) for row in ROWS) if section is not None]


def as_markdown(sections: list[ContextSection]) -> str:
    """The sections under their headings, for a prompt."""
    return "\n\n".join(f"## {section.title}\n\n{section.text}" for section in sections)


def _read_row(row: ContextRow, sources: ContextSources) -> ContextSection | None:
    try:
        found = row.read(sources)
    except OrangeError as problem:
        return ContextSection(row.title, f"(This could not be read: {' '.join(plain(str(problem)).split())})", 0)
    text, left_out = truncate(plain(found).strip("\n"), row.max_characters)
    if not text.strip():
        return None
    note = f"\n\n(Cut here: {left_out:,} characters more.)" if left_out else ""
    return ContextSection(row.title, _quoted(text, row.kind) + note, left_out)


def _quoted(text: str, kind: str) -> str:
    """Markdown keeps its look, with its headings demoted; anything else, or what cannot be parsed, is fenced."""
    if kind == _MARKDOWN:
        try:
            return demote_headings(close_open_blocks(text)).strip("\n")
        except Unreadable:
            return fenced(text)
    return fenced(text, kind)
