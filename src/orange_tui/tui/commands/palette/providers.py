"""What the command palette finds: the commands of the one table, and tasks to go to.

Names of tasks are anybody's text, and Textual would read markup in what it is given: they go in as plain content.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Provider
from textual.content import Content
from textual.markup import escape

from orange_tui.domain.task import printable
from orange_tui.presentation.tasks import state_words
from orange_tui.tui.commands.context import ListControls
from orange_tui.tui.commands.keys import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.command import Hits
    from textual.fuzzy import Matcher

    from orange_tui.board.rows import TaskRow
    from orange_tui.tui.commands.context import KeyCommand

_MOST_TASKS = 50
_KEYS = 9  # of projects
_LESS = 0.5  # what cannot be used now comes after what can
_IN_HELP = 0.4  # what a command does counts less than a task's name: as much as that, and either could come first


class CommandSearch(Provider):
    """Every command by its name; one that can't be used now says why, when somebody looks for it."""

    async def discover(self) -> Hits:
        """Show what can be done now."""
        if not isinstance(self.screen, ListControls):
            return
        context = self.screen.command_context()
        for command in COMMANDS:
            if command.why_unavailable(context) is None:
                title = _title(command, context.shared.key_overrides)
                yield DiscoveryHit(Content(title), self._run(command), help=_help(command))

    async def search(self, query: str) -> Hits:
        """Find a command by its name or by what it does."""
        if not isinstance(self.screen, ListControls):
            return
        matcher, context = self.matcher(query), self.screen.command_context()
        for command in COMMANDS:
            title = _title(command, context.shared.key_overrides)
            score = max(matcher.match(title), matcher.match(command.help) * _IN_HELP)
            if score > 0:
                reason = command.why_unavailable(context)
                text = _help(command) if reason is None else escape(f"Not now: {reason}")
                rank = score if reason is None else score * _LESS
                yield Hit(rank, _marked(title, matcher), self._run(command), title, text)

    def _run(self, command: KeyCommand) -> partial[None]:
        assert isinstance(self.screen, ListControls)  # noqa: S101 - on others nothing is found
        return partial(self.screen.run_command, command)


class ProjectSearch(Provider):
    """The projects: choosing one shows its tasks alone."""

    async def search(self, query: str) -> Hits:
        """Find a project by its name, or all of them."""
        if not isinstance(self.screen, ListControls):
            return
        matcher, context = self.matcher(query), self.screen.command_context()
        names = [each.name for each in context.snapshot.projects] if context.snapshot is not None else []
        for number, name in enumerate(["all projects", *names]):
            title = printable(f"show {name}  {number}" if number <= _KEYS else f"show {name}")
            score = matcher.match(title)
            if score > 0:
                yield Hit(score, _marked(title, matcher), partial(context.shared.show_project, number), title)


class TaskSearch(Provider):
    """Tasks by branch, summary, status or id: choosing one goes there."""

    async def search(self, query: str) -> Hits:
        """Find tasks; a home may have many, so no more than a screenful or two."""
        if not isinstance(self.screen, ListControls):
            return
        matcher, found = self.matcher(query), 0
        snapshot = self.screen.command_context().snapshot
        for row in snapshot.rows if snapshot else ():
            title = _task_title(row)
            summary = printable(row.task.summary) if row.task is not None else (row.error or "")
            score = matcher.match(f"{title} {summary}") if found < _MOST_TASKS else 0
            if score > 0:
                found += 1
                go = partial(self.screen.go_to, row.ref)
                yield Hit(score * _LESS, _marked(title, matcher), go, title, escape(summary))


def _title(command: KeyCommand, overrides: Mapping[str, str]) -> str:
    return f"{command.title}  {command.shown_key(overrides)}".rstrip()


def _help(command: KeyCommand) -> str:
    return escape(command.help)


def _task_title(row: TaskRow) -> str:
    if row.task is None:
        return printable(f"{row.ref.project}/{row.ref.id}")
    return printable(f"→ {row.task.project}/{row.task.branch}  {state_words(row.task.status)}")


def _marked(text: str, matcher: Matcher) -> Content:
    """The text with what was found in it underlined; nothing in it is read as markup."""
    content = Content(text)
    score, offsets = matcher.fuzzy_search.match(matcher.query, text)
    for offset in offsets if score else ():
        content = content.stylize(matcher.match_style, offset, offset + 1)
    return content
