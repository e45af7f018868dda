"""A person has looked at the work and wants changes: what they say goes into TASK.md, and the worker is told."""

from __future__ import annotations

from contextlib import contextmanager

from orange_tui.domain.errors import Refused
from orange_tui.domain.text.sections import demote_headings, find_section, put_section
from orange_tui.domain.workflow import send_back_target
from orange_tui.home import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.engine.engine import Moved
    from orange_tui.orange import Orange
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_SECTION = "Feedback"
_MOST_FILES = 50  # in a list for an agent; git will tell it the rest


def request_changes(orange: Orange, ref: TaskRef, text: str) -> Moved:
    """Send a task back with these words. All that can be refused is, before a word is written."""
    if not text.strip():
        raise Refused("What should be changed? There is nothing to tell the agent")
    with orange.engine.open(ref) as opened:
        target = _where_to(orange.workflows.load(opened.task.workflow), opened.task)
        return orange.engine.transition(opened, target, "person", around=_written_down(opened, text))


@contextmanager
def _written_down(opened: OpenTask, text: str) -> Iterator[None]:
    """The words are in TASK.md before the task is moved: the worker who is told of them finds them."""
    opened.edit_body("changes.requested", lambda body: with_feedback(body, text))
    yield


def request_to_resolve(base: str, files: tuple[str, ...], *, hand_in: bool) -> str:
    """What to tell an agent whose branch would not merge; `hand_in` where the task goes back to it with that."""
    listed = [f"- {name}" for name in files[:_MOST_FILES]]
    if len(files) > _MOST_FILES:
        listed.append(f"- and {len(files) - _MOST_FILES} more")
    why = f"This branch would not merge into {base} any more. Both sides have changed:"
    what = f"Please merge {base} into this branch, or rebase this branch onto it."
    how = "Resolve the conflicts so that what both sides wanted is still there, run the tests, commit,"
    then = "and hand it in again." if hand_in else "and go on."
    return "\n".join((why, "", *listed, "", f"{what} {how} {then}"))


def tell_worker(orange: Orange, ref: TaskRef, text: str) -> bool:
    """Where a task cannot be sent back, tell its worker; False when the message has to wait until it can be taken."""
    from orange_tui.sessions.liveness import WORKER

    return orange.agents.answer(ref, text, window=WORKER)


def with_feedback(body: str, text: str) -> str:
    """The body with these words under ## Feedback, dated, below what was said before.

    What was killed between the words and the move is asked for again: then the words are there already.
    """
    said = demote_headings(text).strip()
    earlier = find_section(body, _SECTION)
    before = earlier.text.strip() if earlier else ""
    if before == said or before.endswith(f"\n\n{said}"):
        return body
    date, _, time = clock.now().partition("T")
    parts = (before, f"**{date} {time[:5]} UTC**", said)
    return put_section(body, _SECTION, "\n\n".join(part for part in parts if part))


def _where_to(workflow: Workflow, task: Task) -> str:
    target = send_back_target(workflow, task.status)
    if target is None:
        raise Refused(
            f"{task.id} is {task.status}: in {workflow.name} no changes can be asked for there."
            f" `orange task answer {task.id} …` sends a live agent a message"
        )
    return target
