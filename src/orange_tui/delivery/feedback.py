"""A person wants changes: comments and feedback go out as one batch, and the task goes back to work.

The drafts become open threads, the batch goes into TASK.md, the task moves, and the worker is told, in that order. A
command that was killed in between is run again: what is open or written by then is not sent or written twice.
"""

from __future__ import annotations

from contextlib import contextmanager

from orange_tui.branches.task_threads import relocated_threads
from orange_tui.domain.errors import Refused
from orange_tui.domain.review.thread import check_text, released, sent
from orange_tui.domain.text.quoting import fenced
from orange_tui.domain.text.sections import demote_headings, find_section, put_section
from orange_tui.domain.workflow import send_back_target
from orange_tui.home import clock
from orange_tui.review.batch import open_batch
from orange_tui.review.threads_file import ThreadsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from orange_tui.domain.review.thread import Thread
    from orange_tui.domain.task import Task
    from orange_tui.domain.workflow import Workflow
    from orange_tui.engine.engine import Engine, Moved
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

_SECTION = "Feedback"
_MAX_FILES = 50  # in a list for an agent; git tells it the rest


def request_changes(engine: Engine, ref: TaskRef, text: str, shown: Iterable[Thread] = ()) -> Moved:
    """Send a task back with the drafts and this text. Everything that can be refused is refused before it is written.

    Threads that are open already go along: they wait for an answer as well, and so does what was reopened. What
    strangers on the web have said goes along only where the person was shown it, word for word.
    """
    known = {thread.id: thread for thread in shown}

    def sent_ones(threads: tuple[Thread, ...]) -> tuple[Thread, ...]:
        return tuple(_as_sent(each, known.get(each.id)) for each in threads)

    words = check_text(text) if text.strip() else ""
    with engine.open(ref) as opened:
        file = ThreadsFile(engine.parts.home, ref.project, ref.id)
        batch = open_batch(ref.id, sent_ones(relocated_threads(engine.parts, ref, opened.task)))
        if not words and not batch:
            raise Refused("The feedback is empty: comment on lines, or say what should change")
        target = _state_before(engine.workflows.load(opened.task.workflow), opened.task)
        whole = "\n\n".join(part for part in (words, fenced(batch) if batch else "") if part)
        return engine.transition(opened, target, "person", around=_batch_sent(opened, file, whole, sent_ones))


@contextmanager
def _batch_sent(
    opened: OpenTask, file: ThreadsFile, text: str, send: Callable[[tuple[Thread, ...]], tuple[Thread, ...]]
) -> Iterator[None]:
    """The threads are open and the feedback in TASK.md before the task is moved: the worker who is told finds both."""
    threads = file.read()
    if send(threads) != threads:
        threads = file.change(send)
    ids = [thread.id for thread in threads if thread.state == "open"]
    opened.edit_body("changes.requested", lambda body: with_feedback(body, text), threads=ids)
    yield


def _as_sent(thread: Thread, shown: Thread | None) -> Thread:
    is_shown = shown is not None and shown.text == thread.text
    if thread.state == "draft" and (thread.by == "person" or is_shown):
        thread = sent(thread)
    return released(thread, shown) if shown is not None and thread.state == "open" else thread


def request_to_resolve(base: str, files: tuple[str, ...], *, hand_in: bool) -> str:
    """The feedback for an agent whose branch has conflicts; `hand_in` where the task goes back to it with that."""
    listed = [f"- {name}" for name in files[:_MAX_FILES]]
    if len(files) > _MAX_FILES:
        listed.append(f"- and {len(files) - _MAX_FILES} more")
    why = f"This branch no longer merges into {base}. Both sides have changed:"
    what = f"Please merge {base} into this branch, or rebase this branch onto it."
    how = "Resolve the conflicts so that what both sides wanted is still there, run the tests, commit,"
    then = "and hand it in again." if hand_in else "and go on."
    return "\n".join((why, "", *listed, "", f"{what} {how} {then}"))


def with_feedback(body: str, text: str) -> str:
    """The body with this text under ## Feedback, dated, below earlier feedback.

    A command that was killed between writing and moving is run again: then the text is there already.
    """
    feedback = demote_headings(text).strip()
    earlier = find_section(body, _SECTION)
    before = earlier.text.strip() if earlier else ""
    if before == feedback or before.endswith(f"\n\n{feedback}"):
        return body
    date, _, time = clock.now().partition("T")
    parts = (before, f"**{date} {time[:5]} UTC**", feedback)
    return put_section(body, _SECTION, "\n\n".join(part for part in parts if part))


def _state_before(workflow: Workflow, task: Task) -> str:
    target = send_back_target(workflow, task.status)
    if target is None:
        raise Refused(
            f"{task.id} is {task.status}: changes can't be requested there (workflow {workflow.name})."
            f" `orange task answer {task.id} …` sends its agent a message"
        )
    return target
