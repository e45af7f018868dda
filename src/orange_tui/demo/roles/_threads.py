"""How the demo agent answers comments: it changes the code at the commented line, or says why not.

A real agent would understand what is asked for. This one knows the mistakes that it makes on purpose and how to mend
each, knows one line that it is right to defend, and leaves a note in the code for everything else.
"""

from __future__ import annotations

import json

from orange_tui.demo.tools import changes, comments
from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.roles._committer import Committer
    from orange_tui.demo.tools.comments import Comment


def answer_threads(role: Committer) -> None:
    """Answer every open thread, one after the other, as they were written."""
    for comment in _open_threads(role):
        role.think(f"Reading {comment.id}")
        role.terminal.say(f"{comment.id}: {comment.text}")
        _answer(role, comment)


def _open_threads(role: Committer) -> list[Comment]:
    listed = role.tools.orange("task", "threads", "--open", "--json")
    if listed.code != 0:
        raise OrangeError(f"The threads could not be read: {listed.message}")
    return [comments.from_json(each) for each in json.loads(listed.output)]


def _answer(role: Committer, comment: Comment) -> None:
    reason = comments.why_not(comment)
    if reason is not None:
        role.orange("task", "reply", comment.id, reason, "--declined")
        return
    plan = role.plan()
    step, said = comments.plan_answer(role.tools, comment, plan)
    if step is not None and step.key not in changes.committed_steps(role.tools):
        role.commit(step, plan)
    commit = role.tools.git("rev-parse", "--short", "HEAD").output.strip()
    role.orange("task", "reply", comment.id, said, "--fixed", "--commit", commit)
