"""Sending a review to a forge: all comments of a task and a summary, as one review, exactly once.

What is about to be sent is journaled with a mark first, and the mark is in the review's text, where nobody sees it. A
command that was killed is run again: it looks for that mark on the forge before it posts anything. What was written
since then was not in that review, and is sent in another one.

A pull request that was pushed to meanwhile is fetched, and its lines are found again; then the person looks once more
before anything is sent.
"""

from __future__ import annotations

import os
from hashlib import sha256

from orange_tui.delivery.pr_review.markers import SENT_COMMENT, comment_name, marker
from orange_tui.delivery.review_pr import fetch_head, known_head, remember_head
from orange_tui.delivery.wording import counted
from orange_tui.domain.errors import Refused
from orange_tui.domain.pull_request import OPEN
from orange_tui.domain.records import record, replace
from orange_tui.domain.review.anchor import CodeLines, place
from orange_tui.domain.review.diff import parse_diff
from orange_tui.domain.review.thread import SIDES, check_text, sent
from orange_tui.home.files import make_directory
from orange_tui.home.locks import locked
from orange_tui.outside.forge.interface import ForgeUnavailable
from orange_tui.outside.forge.registry import find_pull_request
from orange_tui.outside.forge.review_records import NewReview, ReviewComment
from orange_tui.outside.git import SLOW_SECONDS, Repository, local, remote
from orange_tui.outside.git_guard.look import look_at_repository
from orange_tui.outside.git_worktree import worktree_of
from orange_tui.review.threads_file import ThreadsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from orange_tui.domain.review.diff import DiffFile
    from orange_tui.domain.review.thread import Thread
    from orange_tui.domain.task import Task
    from orange_tui.engine.tasks import Tasks
    from orange_tui.home.projects import Project
    from orange_tui.outside.forge.interface import Address, Forge
    from orange_tui.outside.forge.review_records import PullRequestDetails
    from orange_tui.outside.programs import Finished
    from orange_tui.store.journal import Event
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef

COMMENT, APPROVE, REQUEST_CHANGES = "comment", "approve", "request changes"
SENDING, SENT = "review.sending", "review.sent"
_OURS = ("person", "reviewer")  # whose comments are sent
_WAITING = ("draft", "open")  # a resolved one is taken back
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules", "-M")
_REFUSED_LINES = "HTTP 422"


@record
class SentReview:
    """A review that is on the forge: its address, and how many comments are on lines and in its text."""

    url: str
    verdict: str
    on_lines: int
    in_text: int

    def sentence(self) -> str:
        """What was sent, and where it is."""
        counts = f"{counted(self.on_lines, 'comment')} on lines"
        counts += f", {self.in_text} in its text" if self.in_text else ""
        return f"review sent ({self.verdict}), {counts}: {self.url}"


@record
class ReviewWords:
    """What a review says as a whole, its verdict, and the mark it is known by."""

    text: str
    verdict: str
    mark: str
    task: str


@record
class ReviewSender:
    """Sends the review of a task."""

    tasks: Tasks

    def send(self, ref: TaskRef, text: str, verdict: str = COMMENT) -> SentReview:
        """Send what there is to say, and end the task where its workflow says so; whoever else sends it waits."""
        directory = self.tasks.engine.store.home.task_state(ref.project, ref.id)
        make_directory(directory)
        with locked(os.path.join(directory, ".review.lock"), what=f"the review of {ref.id}"):
            return self._send(ref, text, verdict)

    def _send(self, ref: TaskRef, text: str, verdict: str) -> SentReview:
        forge, address, task = self._find(ref)
        text = check_text(text) if text.strip() else ""
        arrived = self._note_arrived(ref, forge, address)
        threads = self._unsent(ref)
        if arrived is not None and not threads and _says(arrived, text, verdict) and self._finish(ref):
            return SentReview(str(arrived.get("url")), verdict, 0, 0)
        details = forge.read_details(address)
        if details.state != OPEN:
            raise Refused(f"Pull request #{address.number} is {details.state}; nothing was sent")
        project = self.tasks.projects.get(task.project)
        self._must_be_current(project, task, address, details)
        if verdict != APPROVE and not text and not threads:
            raise Refused("There is nothing to send: comment on a line, or say something with it")
        words = ReviewWords(text, verdict, self._begin(ref, text, verdict, threads), task.id)
        review = _review(project, details, threads, words)
        url = _post(forge, address, review, threads, words)
        self._note_sent(ref, url)
        self._finish(ref)
        return SentReview(url, verdict, len(review.comments), len(threads) - len(review.comments))

    def _unsent(self, ref: TaskRef) -> list[Thread]:
        """The comments that are in no review yet."""
        found = self._threads(ref).read()
        return [each for each in found if each.by in _OURS and each.state in _WAITING and not each.remote]

    def _threads(self, ref: TaskRef) -> ThreadsFile:
        return ThreadsFile(self.tasks.engine.store.home, ref.project, ref.id)

    def _find(self, ref: TaskRef) -> tuple[Forge, Address, Task]:
        with self.tasks.engine.open(ref) as opened:
            task = opened.task
        place = find_pull_request(task.pr_url or "")
        if place is None:
            raise Refused(f"{task.id} has no pull request to review; `orange task review-pr URL` makes a task for one")
        if self.tasks.is_finished(task):
            raise Refused(
                f"{task.id} is {task.status}: its review is over. `orange task review-pr {task.pr_url}` begins one"
            )
        return *place, task

    def _must_be_current(self, project: Project, task: Task, address: Address, details: PullRequestDetails) -> None:
        """Bring new commits of the author's here, and have the person look at them before anything is sent."""
        git, name = Repository(project.path), local(task.branch)
        here, known = git.answer("rev-parse", "--verify", "--quiet", name), known_head(project, address)
        if here == details.head:
            return
        if here is not None and here != known:
            raise Refused(
                f"{task.branch} has commits of its own, which are not in the pull request; nothing was sent."
                f" Keep them on another branch, then `git reset --keep {known}` on this one"
            )
        fetch_head(project, address, details.head)
        worktree = self.tasks.engine.parts.pool.worktree(task.workspace) if task.workspace else None
        if worktree is None:
            words = ("update-ref", "-m", "orange: the author's new commits", name, details.head)
            done = git.ask(*words, here or "0" * len(details.head))
        else:
            done = _move_worktree(worktree_of(project.path, worktree).git, task.branch, details.head)
        if done.code != 0:
            raise Refused(f"The pull request has new commits, and something is in their way: {done.message}")
        remember_head(project, address, details.head)
        raise Refused(
            f"Pull request #{address.number} got other commits since you read it. They are in {task.branch} now, and"
            " nothing was sent: look at what is new, then send again"
        )

    def _begin(self, ref: TaskRef, text: str, verdict: str, threads: Sequence[Thread]) -> str:
        """Write down what is about to be sent; returns what this review is known by on the forge."""
        with self.tasks.engine.open(ref) as opened:
            mark = f"orange-review {opened.task.id}-{len(_review_events(opened, SENT)) + 1}"
            listed = {each.id: _digest(each.text) for each in threads}
            opened.record(SENDING, mark=mark, verdict=verdict, text=_digest(text), threads=listed)
        return mark

    def _note_arrived(self, ref: TaskRef, forge: Forge, address: Address) -> Event | None:
        """The last review that is on the forge, also one of which nobody knew whether it had arrived."""
        last = self._last(ref)
        if last is not None and last["type"] == SENDING:
            url = forge.find_review(address, str(last.get("mark")))
            if url is not None:
                self._note_sent(ref, url)
        return self._last(ref, SENT)

    def _last(self, ref: TaskRef, *kinds: str) -> Event | None:
        with self.tasks.engine.open(ref) as opened:
            return next(iter(reversed(_review_events(opened, *kinds))), None)

    def _note_sent(self, ref: TaskRef, url: str) -> None:
        """What was about to be sent is there: no draft any more, and in no other review."""
        with self.tasks.engine.open(ref) as opened:
            begun = _review_events(opened, SENDING)[-1]
            listed = _listed(begun)
            self._threads(ref).change(
                lambda found: [
                    _as_sent(each, ref.id) if listed.get(each.id) == _digest(each.text) else each for each in found
                ]
            )
            about = {name: begun.get(name) for name in ("verdict", "text", "threads")}
            opened.record(SENT, url=url, comments=len(listed), **about)

    def _finish(self, ref: TaskRef) -> bool:
        """End a task that was there to be reviewed, once its review is sent; False where sending ends nothing."""
        engine = self.tasks.engine
        with engine.open(ref) as opened:
            ends = engine.workflows.load(opened.task.workflow).ends_by_itself(opened.task.status)
            if ends:
                engine.transition(opened, ends[0], "engine")
        return bool(ends)


def _move_worktree(git: Repository, branch: str, commit: str) -> Finished:
    """Bring a worktree and its branch to a commit; what was changed in it stays, and commits on no branch too."""
    if git.current_branch() != branch:
        raise Refused(
            f"The pull request has new commits, and {git.path} is not on {branch}; nothing was sent."
            f" Keep what is there on a branch, then `git switch {branch}` in it, and send again"
        )
    return git.ask("reset", "--quiet", "--keep", commit)


def _review_events(opened: OpenTask, *kinds: str) -> list[Event]:
    return [event for event in opened.journal.events() if event["type"] in (kinds or (SENDING, SENT))]


def _as_sent(thread: Thread, task_id: str) -> Thread:
    """A comment that is on the forge: it is not sent again, and replies there are about it."""
    opened = sent(thread) if thread.state == "draft" else thread
    return opened if opened.remote else replace(opened, remote=f"{SENT_COMMENT}{comment_name(task_id, thread.id)}")


def _listed(event: Event) -> dict[str, object]:
    """The comments of a review, each with the digest of its words."""
    found = event.get("threads")
    return found if isinstance(found, dict) else {}


def _says(review: Event, text: str, verdict: str) -> bool:
    return (review.get("verdict"), review.get("text")) == (verdict, _digest(text))


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]


def _review(project: Project, details: PullRequestDetails, threads: Sequence[Thread], words: ReviewWords) -> NewReview:
    """The review as it is posted: comments on lines that are in the diff, all others in its text."""
    code = _code_in_diff(project, details)
    found = {each.id: comment for each in threads if (comment := _comment(each, code)) is not None}
    names = {each: marker(comment_name(words.task, each)) for each in found}  # they are known again as ours
    comments = {each: replace(comment, text=f"{comment.text}\n\n{names[each]}") for each, comment in found.items()}
    others = [each for each in threads if each.id not in comments]
    text = _text(words, others)
    return NewReview(details.head, words.verdict, text, tuple(comments.values()))


def _text(words: ReviewWords, threads: Iterable[Thread]) -> str:
    """The review's own text, and the comments that have no line there.

    The mark is for nobody's eyes, and stands first: a text that is too long is cut at its end.
    """
    listed = [f"**{each.place}**\n\n{each.text}" if each.path else each.text for each in threads]
    return "\n\n".join(part for part in (f"<!-- {words.mark} -->", words.text, *listed) if part)


def _post(forge: Forge, address: Address, review: NewReview, threads: Sequence[Thread], words: ReviewWords) -> str:
    """Post a review; where the forge does not take one of its lines after all, all comments go into its text."""
    try:
        return forge.submit_review(address, review)
    except ForgeUnavailable:
        raise
    except Refused as problem:
        if _REFUSED_LINES not in str(problem) or not review.comments:
            raise
        return forge.submit_review(address, replace(review, text=_text(words, threads), comments=()))


def _code_in_diff(project: Project, details: PullRequestDetails) -> dict[tuple[str, str], CodeLines]:
    """The lines that can be commented on, by path and side: those of the pull request's own diff."""
    git = Repository(project.path)
    if git.has_remote():
        git.fetch(details.base)  # what was merged there meanwhile is no part of it; offline, what is known must do
    known = (remote(details.base), local(details.base))
    base = next((name for name in known if git.answer("rev-parse", "--verify", "--quiet", name)), None)
    if base is None:
        return {}
    with look_at_repository(project.path) as looking:
        files = parse_diff(looking.must(*_DIFF, f"{base}...{details.head}", "--", timeout=SLOW_SECONDS))
    return {(file.path, side): _lines(file, side) for file in files for side in SIDES}


def _lines(file: DiffFile, side: str) -> CodeLines:
    """One side of a file's hunks: what was removed and what is unchanged, or what is there now."""
    sign, numbers, lines = ("-" if side == "old" else "+"), [], []
    for hunk in file.hunks:
        number = hunk.old_start if side == "old" else hunk.new_start
        for line in hunk.lines:
            if line[:1] in {sign, " "}:
                numbers.append(number)
                lines.append(line[1:])
                number += 1
    return CodeLines(lines, numbers)


def _comment(thread: Thread, code: Mapping[tuple[str, str], CodeLines]) -> ReviewComment | None:
    """A thread as a comment on lines of the diff; None where it is about none of them."""
    lines = code.get((thread.path, thread.side))
    if lines is None or thread.line is None or not thread.quote:
        return None
    found = place(thread.quote, thread.line, thread.end_line, lines)
    return ReviewComment(thread.path, found[0], found[1], thread.side, thread.text) if found is not None else None
