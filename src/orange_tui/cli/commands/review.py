"""The `task` commands of a review: comments on lines, their answers, and sending work back with them."""

from __future__ import annotations

import os

from orange_tui.cli.commands.tasks import task_reply, text_or_stdin
from orange_tui.cli.permissions import is_reviewers_window
from orange_tui.cli.reply import Reply, printable_text
from orange_tui.cli.targets import find_task, target_task
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import replace
from orange_tui.domain.review.thread import AGENT, Thread, ThreadReply, check_text, for_agents
from orange_tui.domain.review.thread_json import thread_as_json
from orange_tui.domain.workflow import REVIEW_WORKFLOW
from orange_tui.home import clock
from orange_tui.review.comments import TaskComments
from orange_tui.review.quotes import parse_place, task_code
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef

_OUTSIDE = ("github", "checks")  # what they say is quoted: an agent reads it, and it is no order to that


def comment(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task comment`: a draft of the person's, or what a reviewer says."""
    by, author = _commenter()
    text = check_text(text_or_stdin(parsed.required("text")))
    with orange.engine.open(target_task(parsed, orange)) as opened:
        code = task_code(orange.home, orange.projects, opened.task)
        place = parse_place(code.inside(parsed.required("place")))
        commit, quote = code.head(), code.quote(place)
        state = "draft" if by == "person" else "open"
        new = Thread("", place.path, place.line, place.end_line, quote, commit, by, text, state, author=author)
        made = TaskComments(orange.home, opened).add(replace(new, at=clock.now()))
    way = "send-review" if opened.task.workflow == REVIEW_WORKFLOW else "request-changes"
    hint = f"; send it with: orange task {way} {opened.task.id}" if state == "draft" else ""
    return Reply(printable_text(f"{made.id}  {made.state}  {made.place}{hint}"), thread_as_json(made))


def _commenter() -> tuple[str, str]:
    """Who comments here: the person, or the reviewer whose window this is. A worker answers instead."""
    if not os.environ.get("ORANGE_TASK"):
        return "person", ""
    if not is_reviewers_window():
        raise Refused(
            "Comments are for the reviewer and the person; this is the window of a worker."
            " Answer theirs with `orange task reply`, and put what you have to say into ## Handoff of TASK.md"
        )
    return "reviewer", os.environ["ORANGE_WINDOW"]


def threads(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task threads`."""
    from orange_tui.branches.task_threads import relocated_threads

    ref = target_task(parsed, orange)
    stored = orange.store.read(ref)
    found = relocated_threads(orange.engine.parts, ref, stored.task if isinstance(stored, StoredTask) else None)
    readable = _for_reader(found)
    shown = [thread for thread in readable if thread.state == "open"] if parsed.flag("open") else readable
    nothing = f"{ref.id} has no {'open ' if parsed.flag('open') else ''}threads"
    text = "\n\n".join(map(_thread_text, shown)) or nothing
    return Reply(printable_text(text), lambda: [thread_as_json(thread) for thread in shown])


def _for_reader(found: Sequence[Thread]) -> Sequence[Thread]:
    """All of it for the person; for an agent, whose window this is, what it may know of."""
    return for_agents(found) if os.environ.get("ORANGE_TASK") else found


def _thread_text(thread: Thread) -> str:
    author = f" ({thread.author})" if thread.author else ""
    outdated = "  outdated" if thread.outdated else ""
    lines = [f"{thread.id}  {thread.state}{outdated}  {thread.place}  {thread.by}{author}"]
    lines += [f"      | {line}" for line in thread.quote.split("\n")] if thread.quote else []
    said = "    > " if thread.by in _OUTSIDE else "    "
    lines += [f"{said}{line}" for line in thread.text.split("\n")]
    for reply in thread.replies:
        state = f", {reply.state}" if reply.state else ""
        commit = f" in {reply.commit[:10]}" if reply.commit else ""
        held = ", not sent to the agent" if reply.held else ""
        lines += [f"    ↳ {reply.author or reply.by}{state}{commit}{held}:"]
        said = "      > " if reply.by in _OUTSIDE else "      "
        lines += [f"{said}{line}" for line in reply.text.split("\n")]
    return "\n".join(lines)


def reply(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task reply`."""
    text = check_text(text_or_stdin(parsed.required("text")))
    state = "fixed" if parsed.flag("fixed") else "declined" if parsed.flag("declined") else None
    with orange.engine.open(_replying_to(parsed, orange)) as opened:
        given = parsed.text("commit")
        commit = task_code(orange.home, orange.projects, opened.task).check_commit(given) if given else None
        by, author = _answerer(opened.task.id)
        answer = ThreadReply(by, text, clock.now(), state, commit, author)
        made = TaskComments(orange.home, opened).answer(parsed.required("thread"), answer)
    (told,) = _for_reader([made])
    return Reply(f"{made.id}  {made.state}", thread_as_json(told), _what_is_left(made, answer, opened.task.id))


def _what_is_left(thread: Thread, answer: ThreadReply, task_id: str) -> tuple[str, ...]:
    """What words alone have not done: an agent's leave a thread open, and the person's do not open one again."""
    if answer.state is not None:
        return ()
    if thread.state == "open":
        return (f"{thread.id} is still open: words alone do not answer it; add --fixed or --declined",)
    back = f"`orange task reopen {task_id} {thread.id}` asks for another answer"
    return (f"{thread.id} stays {thread.state}; {back}",) if answer.by == "person" else ()


def _replying_to(parsed: Parsed, orange: Orange) -> TaskRef:
    name = parsed.text("task")
    if name is not None:
        return find_task(name, parsed.text("project"), orange)
    return target_task(replace(parsed, values={**parsed.values, "id": None}), orange)


def _answerer(task_id: str) -> tuple[str, str]:
    """Who answers here: the person, the reviewer or the worker; of another task, with its name."""
    own, window = os.environ.get("ORANGE_TASK"), os.environ.get("ORANGE_WINDOW", "")
    if not own:
        return "person", ""
    by = "reviewer" if own == task_id and is_reviewers_window() else AGENT
    return by, printable_text(window if own == task_id else f"{own}/{window}")[:100]


def resolve(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task resolve`."""
    return _changed(parsed, orange, lambda comments, ids: comments.resolve(ids))


def reopen(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task reopen`."""
    return _changed(parsed, orange, lambda comments, ids: comments.reopen(ids))


def _changed(
    parsed: Parsed, orange: Orange, change: Callable[[TaskComments, Sequence[str]], Sequence[Thread]]
) -> Reply:
    with orange.engine.open(target_task(parsed, orange)) as opened:
        made = change(TaskComments(orange.home, opened), parsed.texts("threads"))
    text = "\n".join(f"{thread.id}  {thread.state}  {thread.place}" for thread in made)
    return Reply(printable_text(text), [thread_as_json(thread) for thread in made])


def request_changes(parsed: Parsed, orange: Orange) -> Reply:
    """`orange task request-changes`."""
    from orange_tui.delivery import feedback

    ref = target_task(parsed, orange)
    moved = feedback.request_changes(orange.engine, ref, text_or_stdin(parsed.text("text")))
    threads = ThreadsFile(orange.home, ref.project, ref.id).read()
    left = sum((each.state == "draft") + sum(reply.held for reply in each.replies) for each in threads)
    what = "1 comment of people" if left == 1 else f"{left} comments of people"
    note = f"{what} who may not write to the repository: not sent; D in the app shows them, and r there sends them"
    return task_reply(moved.task, moved, orange, (note,) if left else ())
