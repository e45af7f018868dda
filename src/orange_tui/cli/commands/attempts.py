"""`orange task retry` and `orange task unblock`."""

from __future__ import annotations

from orange_tui.autopilot import attempts
from orange_tui.cli.commands.tasks import moved_reply
from orange_tui.cli.reply import Reply
from orange_tui.cli.where import the_task
from orange_tui.domain.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange


def retry(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task retry`."""
    moved = attempts.retry(orange.engine, the_task(parsed, orange))
    return moved_reply(moved.task, moved, orange)


def unblock(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task unblock`."""
    if parsed.flag("all"):
        return _unblock_all(orange, parsed.text("project"))
    if parsed.text("id") is None:
        raise UsageError("Which task? Give its id, or --all for every blocked one")
    moved = attempts.unblock(orange.engine, the_task(parsed, orange))
    return moved_reply(moved.task, moved, orange)


def _unblock_all(orange: Orange, project: str | None) -> Reply:
    results = attempts.unblock_all(orange.engine, project)
    done = [ref.id for ref, problem in results if problem is None]
    failed = {ref.id: problem for ref, problem in results if problem is not None}
    text = f"{', '.join(done)}  unblocked" if done else "" if failed else "Nothing is blocked"
    notes = tuple(f"{task} stays blocked: {problem}" for task, problem in failed.items())
    return Reply(text, {"unblocked": done, "failed": failed}, notes, code=1 if failed else 0)
