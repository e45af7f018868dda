"""One round for the pull requests on a host: comments and checks become threads, answers are posted, rules applied.

The comments are read only where the poll has seen that something is new, where nobody knows whether an answer was
posted, and now and then while something is open: an edit does not always show.
"""

from __future__ import annotations

import os
import secrets
import time

from orange_tui.delivery.pr_review._answers import pending_answers, with_ids, with_posted
from orange_tui.delivery.pr_review._checks import merge_checks, outcomes, unexplained
from orange_tui.delivery.pr_review._comments import CONVERSATION, merge_comments
from orange_tui.delivery.pr_review._resolutions import RESOLVED, differing
from orange_tui.delivery.pr_review.memory import MemoryFile
from orange_tui.delivery.pr_review.rules import apply_rules
from orange_tui.delivery.pull_requests import why_not_of
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.pull_request import OPEN, RUNNING
from orange_tui.domain.records import record, replace
from orange_tui.domain.workflow import REVIEW_WORKFLOW
from orange_tui.home import clock
from orange_tui.home.locks import locked
from orange_tui.outside.forge.interface import ForgeUnavailable
from orange_tui.outside.forge.review_records import PullRequestReview
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.store.store import StoredTask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.delivery.pr_review._answers import PendingAnswer
    from orange_tui.delivery.pr_review._comments import Event
    from orange_tui.delivery.pr_review.memory import ReviewMemory
    from orange_tui.domain.pull_request import PullRequest
    from orange_tui.domain.review.thread import Thread
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.forge.interface import Address, Forge
    from orange_tui.store.store import TaskRef

REREAD_SECONDS = 600.0  # while something is open there
_PAUSE_SECONDS = 600.0  # after a forge has refused something of one task
_ID_BYTES = 8
_READ, _RULES = "read", "rules"  # what is left alone for a while after it has failed
_POSTED = "posted"  # in place of an address that a forge has not told


@record
class Followed:
    """A task's pull request, and what the poll has just seen of it."""

    ref: TaskRef
    forge: Forge
    address: Address
    now: PullRequest


class ReviewSync:
    """The rounds of one process; only the acting supervisor has one."""

    def __init__(self, tasks: Tasks) -> None:
        self._tasks = tasks
        self._read_at: dict[TaskRef, float] = {}
        self._paused: dict[tuple[TaskRef, str], tuple[float, str]] = {}  # until when, and why
        self._unanswered_at: dict[TaskRef, float] = {}  # when the forge did not answer: that one comes last
        self._own: set[tuple[str, str]] = set()  # projects, and the addresses that were found to be theirs

    def run(self, host: str, followed: Iterable[Followed]) -> dict[TaskRef, str]:
        """Everything there is to do about these; what went wrong, by task. `ForgeUnavailable` where nobody answers.

        Another process may still be at it in a thread that its supervisor has left behind: then it is its turn.
        """
        lock = os.path.join(self._tasks.engine.parts.home.root, ".reviews.lock")
        with locked(lock, what="the reviews of pull requests", wait=False) as is_free:
            return self._run(host, followed) if is_free else {}

    def _run(self, host: str, followed: Iterable[Followed]) -> dict[TaskRef, str]:
        open_ones = [each for each in followed if each.now.state == OPEN and self._may_follow(each)]
        reviews = self._read(host, [each for each in open_ones if self._wants_reading(each)])
        for each in sorted(open_ones, key=lambda each: self._unanswered_at.get(each.ref, 0.0)):
            try:
                self._serve(each, reviews.get(each.ref))
            except ForgeUnavailable:
                self._unanswered_at[each.ref] = time.monotonic()
                raise
        return {ref: sentence for (ref, what), (_, sentence) in self._paused.items() if self._is_paused(ref, what)}

    def _may_follow(self, each: Followed) -> bool:
        """An agent can write an address into its task's history: what is said elsewhere is nothing to us."""
        if self._is_paused(each.ref, _READ):
            return False
        key = (each.ref.project, each.now.url)
        project, stored = self._tasks.projects.find(each.ref.project), self._tasks.engine.store.read(each.ref)
        if not isinstance(stored, StoredTask) or stored.task.workflow == REVIEW_WORKFLOW:
            return False  # what others say about somebody else's work is between them
        reason = why_not_of(project, each.now.url) if project is not None and key not in self._own else None
        if reason is not None:
            self._pause(each.ref, _READ, f"its comments are not read: {reason}")
        elif project is not None:
            self._own.add(key)
        return reason is None and project is not None

    def _wants_reading(self, each: Followed) -> bool:
        try:
            threads = self._threads(each.ref).read()
        except OrangeError as problem:  # the comments in there are somebody's words: they are not written over
            self._pause(each.ref, _READ, str(problem))
            return False
        if each.now.mark != self._memory(each).read(each.now.url).mark:
            return True
        if any(each_id and not self._is_paused(each.ref, each_id) for each_id in _ids(threads)):
            return True  # was it posted?
        is_open = any(thread.remote and thread.state in {"draft", "open"} for thread in threads)
        return is_open and self._read_at.get(each.ref, 0.0) + REREAD_SECONDS < time.monotonic()

    def _read(self, host: str, followed: list[Followed]) -> dict[TaskRef, PullRequestReview]:
        found: dict[TaskRef, PullRequestReview] = {}
        for forge in dict.fromkeys(each.forge for each in followed):
            some = [each for each in followed if each.forge is forge]
            reviews = forge.read_reviews(host, list(dict.fromkeys(each.address for each in some)))
            for each in some:
                review = reviews[each.address]
                if isinstance(review, PullRequestReview):
                    found[each.ref] = review
                    self._read_at[each.ref] = time.monotonic()
        return found

    def _serve(self, each: Followed, review: PullRequestReview | None) -> None:
        """All there is to do about one task; what fails is tried again later, and keeps no other task.

        The steps build on each other: an answer is posted only where it is known whether it was posted before.
        """
        try:
            if review is not None:
                self._take_in(each, review)
            if not self._is_paused(each.ref, _READ):
                self._post_answers(each, was_read=review is not None)
                self._post_resolutions(each)
                self._apply_rules(each)
        except ForgeUnavailable:
            raise
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is told, and the others go on
            self._pause(each.ref, _READ, str(problem) if isinstance(problem, OrangeError) else repr(problem))

    def _is_paused(self, ref: TaskRef, what: str) -> bool:
        return self._paused.get((ref, what), (0.0, ""))[0] > time.monotonic()

    def _pause(self, ref: TaskRef, what: str, why: str) -> None:
        self._paused[ref, what] = (time.monotonic() + _PAUSE_SECONDS, why)

    def _apply_rules(self, each: Followed) -> None:
        if self._is_paused(each.ref, _RULES):
            return
        try:
            apply_rules(self._tasks, each.ref, each.now, self._memory(each))
        except Refused as problem:
            self._pause(each.ref, _RULES, str(problem))

    def _take_in(self, each: Followed, review: PullRequestReview) -> None:
        """What is new there becomes threads here: the threads first, then the events, then what was seen."""
        file, memory_file = self._threads(each.ref), self._memory(each)
        memory = memory_file.read(each.now.url)
        now, before = outcomes(review), file.read()
        seen = memory.seen if os.path.lexists(file.path) else ()  # it was moved away, and comes again
        failures = {
            outcome.remote: each.forge.read_failure(each.address.repository, outcome.check)
            for outcome in unexplained(before, now)
        }
        events: list[Event] = []
        left_out = [0]

        def merged(threads: tuple[Thread, ...]) -> tuple[Thread, ...]:
            said = merge_comments(threads, review, seen, memory.resolved, each.ref.id)
            checked = merge_checks(said.threads, now, failures, clock.now())
            events[:], left_out[0] = (*said.events, *checked.events), said.left_out
            return checked.threads

        if merged(before) != before:
            with self._tasks.engine.open(each.ref) as opened:
                if self._tasks.is_finished(opened.task):
                    return
                ids = {thread.remote: thread.id for thread in file.change(merged)}
                for kind, thread, details in events:
                    opened.record(kind, thread=thread.id or ids.get(thread.remote, ""), **details)
        self._remember(each, review, memory, review.left_out + left_out[0])

    def _remember(self, each: Followed, review: PullRequestReview, memory: ReviewMemory, left_out: int) -> None:
        seen = dict.fromkeys([*memory.seen, *(thread.key for thread in review.threads if not thread.is_resolved)])
        read = {thread.key: thread.is_resolved for thread in review.threads}
        if left_out > memory.left_out:
            words = f"{left_out} comments are too many, and are not among its threads: {each.now.url} has them"
            self._tasks.engine.log.write("warning", words, task=each.ref.id)
        self._memory(each).write(
            replace(
                memory,
                mark=each.now.mark,
                changes_requested=review.changes_requested,
                is_running=any(check.state == RUNNING for check in review.checks),
                left_out=left_out,
                seen=tuple(seen),
                resolved=tuple(key for key in dict.fromkeys([*memory.resolved, *read]) if read.get(key, True)),
            )
        )

    def _post_answers(self, each: Followed, *, was_read: bool) -> None:
        """Post what was not: an answer that may have been posted already only after its thread was read again.

        One that the forge does not take (the conversation is locked) keeps no other.
        """
        file = self._threads(each.ref)
        pending = pending_answers(file.read())
        in_doubt = {answer.id for answer in pending if answer.id and not was_read}
        if any(not answer.id for answer in pending):
            threads = file.change(lambda threads: with_ids(threads, lambda: secrets.token_hex(_ID_BYTES)))
            pending = pending_answers(threads)
        for answer in pending:
            if answer.id in in_doubt or self._is_paused(each.ref, answer.id):
                continue
            try:
                self._note_posted(each.ref, answer, self._post(each, answer))
            except ForgeUnavailable:
                raise
            except Refused as problem:
                self._pause(each.ref, answer.id, f"the answer to {answer.thread.id} was not posted: {problem}")

    def _post(self, each: Followed, answer: PendingAnswer) -> str:
        is_in_thread = not answer.thread.remote.startswith(CONVERSATION)
        text = answer.text(is_in_thread=is_in_thread)
        if is_in_thread:
            return each.forge.post_reply(each.address, answer.thread.remote, text)
        return each.forge.post_comment(each.address, text)

    def _note_posted(self, ref: TaskRef, answer: PendingAnswer, url: str) -> None:
        self._threads(ref).change(lambda threads: with_posted(threads, answer, url or _POSTED))

    def _post_resolutions(self, each: Followed) -> None:
        """Resolve there what was resolved here, and open it again likewise; what is refused keeps no other."""
        for thread in differing(self._threads(each.ref).read(), self._memory(each).read(each.now.url).resolved):
            if self._is_paused(each.ref, thread.remote):
                continue
            is_resolved = thread.state == RESOLVED
            try:
                each.forge.resolve_thread(each.address, thread.remote, is_resolved=is_resolved)
            except ForgeUnavailable:
                raise
            except Refused as problem:
                words = "resolved here, but not there" if is_resolved else "open here, but resolved there"
                self._pause(each.ref, thread.remote, f"{thread.id} is {words}: {problem}")
            else:
                self._note_resolved(each, thread.remote, is_resolved=is_resolved)

    def _note_resolved(self, each: Followed, key: str, *, is_resolved: bool) -> None:
        """What was done here is no news when it is read there."""
        memory = self._memory(each).read(each.now.url)
        others = tuple(known for known in memory.resolved if known != key)
        self._memory(each).write(replace(memory, resolved=(*others, key) if is_resolved else others))

    def _threads(self, ref: TaskRef) -> ThreadsFile:
        return ThreadsFile(self._tasks.engine.parts.home, ref.project, ref.id)

    def _memory(self, each: Followed) -> MemoryFile:
        return MemoryFile(self._tasks.engine.parts.home, each.ref.project, each.ref.id)


def _ids(threads: Iterable[Thread]) -> list[str]:
    return [answer.id for answer in pending_answers([*threads])]
