"""Failed checks → threads: one for each check, which says what failed, where, and how to run it again.

What the last reply of ours says (`failed`, `passed`, or `default` for one that fails on the default branch as well, and
at which commit) is what the thread was told last: so nothing is told twice, and a check that fails again reopens it.
"""

from __future__ import annotations

from orange_tui.delivery.pr_review._answer_text import without_markup
from orange_tui.delivery.pr_review._comments import Merged, with_note
from orange_tui.domain.pull_request import FAILED, PASSED
from orange_tui.domain.records import record, replace
from orange_tui.domain.review.thread import Thread, ThreadReply, reopened, resolved
from orange_tui.domain.text.quoting import fenced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from orange_tui.delivery.pr_review._comments import Event
    from orange_tui.domain.pull_request import Check
    from orange_tui.outside.forge.review_records import CheckFailure, PullRequestReview

CHECKS = "checks"
MAX_CHECK_THREADS = 50
_DEFAULT = "default"
_SHORT_COMMIT = 10


@record
class CheckOutcome:
    """What a check says now, of which commit."""

    check: Check
    kind: str  # failed, passed or default
    head: str
    default_branch: str

    @property
    def remote(self) -> str:
        """The thread of this check."""
        return f"check:{self.check.name}"

    @property
    def note(self) -> str:
        """What a reply of ours has in place of a key."""
        return f"{self.kind}@{self.head}"

    def sentence(self) -> str:
        """The reply."""
        commit = self.head[:_SHORT_COMMIT]
        if self.kind == _DEFAULT:
            return (
                f"It fails on {self.default_branch or 'the default branch'} as well, so it need not be about this"
                " branch: it is not sent to the agent"
            )
        return f"It passed at {commit}" if self.kind == PASSED else f"It failed again, at {commit}"


def outcomes(review: PullRequestReview) -> list[CheckOutcome]:
    """What the checks say that are over."""
    red = {check.name for check in review.default_checks if check.state == FAILED}
    found = []
    for check in review.checks:
        if check.state in {FAILED, PASSED}:
            kind = _DEFAULT if check.state == FAILED and check.name in red else check.state
            found.append(CheckOutcome(check, kind, review.head, review.default_branch))
    return found


def unexplained(threads: Sequence[Thread], now: Sequence[CheckOutcome]) -> list[CheckOutcome]:
    """The failures of which the log must be read: those that no thread tells of yet."""
    commits = {thread.remote: thread.commit for thread in threads if thread.by == CHECKS}
    failed = [each for each in now if each.kind != PASSED and commits.get(each.remote) != each.head]
    known = [each for each in failed if each.remote in commits]
    new = [each for each in failed if each.remote not in commits]
    return known + new[: max(0, MAX_CHECK_THREADS - len(commits))]


def merge_checks(
    threads: Sequence[Thread], now: Sequence[CheckOutcome], failures: Mapping[str, CheckFailure], at: str
) -> Merged:
    """The threads with what the checks say; `failures` by the threads' `remote`."""
    known = {thread.remote: thread for thread in threads if thread.by == CHECKS}
    added: list[Thread] = []
    events: list[Event] = []
    places = MAX_CHECK_THREADS - len(known)
    for outcome in now:
        failure, thread = failures.get(outcome.remote), known.get(outcome.remote)
        if thread is not None:
            known[outcome.remote] = _updated(thread, outcome, failure, at, events)
        elif failure is not None and len(added) < places:
            made = _thread(outcome, failure, at)
            added.append(_told(made, outcome, at) if outcome.kind == _DEFAULT else made)
            events.append(("thread.added", made, {"path": "", "line": None, "by": CHECKS}))
    kept = [known[thread.remote] if thread.by == CHECKS else thread for thread in threads]
    return Merged((*kept, *added), tuple(events))


def _updated(
    thread: Thread, outcome: CheckOutcome, failure: CheckFailure | None, at: str, events: list[Event]
) -> Thread:
    """The thread after another outcome; it is left alone where it was told of this one."""
    notes = [reply.remote for reply in thread.replies if reply.by == CHECKS]
    last = notes[-1] if notes else f"{FAILED}@{thread.commit}"
    is_over = outcome.kind == PASSED and thread.state == "resolved"
    is_known = last == outcome.note or is_over or (outcome.kind == PASSED and last.startswith(f"{PASSED}@"))
    if is_known or (outcome.kind != PASSED and failure is None and thread.commit != outcome.head):
        return thread
    if failure is not None:
        text = _text(outcome, failure)
        thread = replace(thread, text=text, commit=outcome.head, url=outcome.check.url, at=at)
    before = thread.state
    thread = _told(thread, outcome, at)
    if thread.state != before:
        events.append((f"thread.{'reopened' if thread.state == 'open' else 'resolved'}", thread, {"by": CHECKS}))
    else:
        events.append(("thread.replied", thread, {"by": CHECKS, "state": None}))
    return thread


def _told(thread: Thread, outcome: CheckOutcome, at: str) -> Thread:
    """The thread with a reply that says what the check says, in the state that follows."""
    thread = with_note(thread, ThreadReply(CHECKS, outcome.sentence(), at, remote=outcome.note))
    if outcome.kind == FAILED:
        return reopened(thread) if thread.state != "open" else thread
    return resolved(thread) if thread.state != "resolved" else thread


def _thread(outcome: CheckOutcome, failure: CheckFailure, at: str) -> Thread:
    return Thread(
        id="",
        path="",
        line=None,
        end_line=None,
        quote="",
        commit=outcome.head or None,
        by=CHECKS,
        text=_text(outcome, failure),
        state="open",
        author=outcome.check.name,
        at=at,
        remote=outcome.remote,
        url=outcome.check.url,
    )


def _text(outcome: CheckOutcome, failure: CheckFailure) -> str:
    step = f', in the step "{failure.step}"' if failure.step else ""
    parts = [f'The check "{outcome.check.name}" failed at {outcome.head[:_SHORT_COMMIT]}{step}.']
    if failure.command:
        parts.append(f"It ran this command, which should show the same here:\n\n{fenced(failure.command)}")
    if failure.log:
        parts.append(f"The end of its log:\n\n{fenced(failure.log)}")
    else:
        parts.append(f"Its log cannot be read{f'; see {outcome.check.url}' if outcome.check.url else ''}.")
    if failure.rerun and not failure.command:
        parts.append(f"To run it again there: {failure.rerun}")
    return without_markup("\n\n".join(parts))
