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
from orange_tui.tui.commands.keys import COMMANDS, key_name
from orange_tui.tui.screens.dashboard import Dashboard

if TYPE_CHECKING:
    from textual.command import Hits
    from textual.fuzzy import Matcher

    from orange_tui.board.rows import TaskRow
    from orange_tui.tui.commands.keys import Command

_MOST_TASKS = 50
_LESS = 0.5  # what cannot be used now comes after what can
_IN_HELP = 0.4  # what a command does counts less than a task's name: as much as that, and either could come first


class CommandSearch(Provider):
    """Every command by its name; one that cannot be used now says why, when somebody looks for it."""

    async def discover(self) -> Hits:
        """Show what can be done now."""
        for command in _commands(self.screen):
            if _why_not(self.screen, command) is None:
                yield DiscoveryHit(Content(_title(self.screen, command)), self._run(command), help=_help(command))

    async def search(self, query: str) -> Hits:
        """Find a command by its name or by what it does."""
        matcher = self.matcher(query)
        for command in _commands(self.screen):
            title = _title(self.screen, command)
            score = max(matcher.match(title), matcher.match(command.help) * _IN_HELP)
            reason = _why_not(self.screen, command)
            if score > 0:
                said = _help(command) if reason is None else escape(f"Not now: {reason}")
                rank = score if reason is None else score * _LESS
                yield Hit(rank, _marked(title, matcher), self._run(command), title, said)

    def _run(self, command: Command) -> partial[None]:
        assert isinstance(self.screen, Dashboard)  # noqa: S101 - on others nothing is found
        return partial(self.screen.action_do, command.name)


class TaskSearch(Provider):
    """Tasks by branch, summary, status or id: choosing one goes there."""

    async def search(self, query: str) -> Hits:
        """Find tasks; the list of a home may be long, so no more than a screenful or two."""
        if not isinstance(self.screen, Dashboard):
            return
        matcher, found = self.matcher(query), 0
        for row in self.screen.app.snapshot.rows if self.screen.app.snapshot else ():
            title = _task_title(row)
            summary = printable(row.task.summary) if row.task is not None else (row.error or "")
            score = matcher.match(f"{title} {summary}") if found < _MOST_TASKS else 0
            if score > 0:
                found += 1
                go = partial(self.screen.go_to, row.ref)
                yield Hit(score * _LESS, _marked(title, matcher), go, title, escape(summary))


def _commands(screen: object) -> tuple[Command, ...]:
    return COMMANDS if isinstance(screen, Dashboard) else ()


def _why_not(screen: object, command: Command) -> str | None:
    if command.why_not is None or not isinstance(screen, Dashboard):
        return None
    return command.why_not(screen, screen.row) if screen.row is not None else "There is no task here"


def _title(screen: object, command: Command) -> str:
    keys = screen.app.other_keys if isinstance(screen, Dashboard) else {}
    return f"{command.title}  {key_name(command, keys)}".rstrip()


def _help(command: Command) -> str:
    return escape(command.help)


def _task_title(row: TaskRow) -> str:
    if row.task is None:
        return printable(f"{row.ref.project}/{row.ref.id}")
    return printable(f"→ {row.task.project}/{row.task.branch}  {row.task.status}")


def _marked(text: str, matcher: Matcher) -> Content:
    """The text with what was found in it underlined; nothing in it is read as markup."""
    content = Content(text)
    score, offsets = matcher.fuzzy_search.match(matcher.query, text)
    for offset in offsets if score else ():
        content = content.stylize(matcher.match_style, offset, offset + 1)
    return content
