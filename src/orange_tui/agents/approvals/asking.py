"""The side that asks: the process of an agent's permission hook, which waits until a person has answered.

Whatever goes wrong, it prints nothing: the agent then has its own dialog answered, as if there were no Orange. It stops
asking as soon as nobody would hear the answer: when the agent ends it, or has closed what it prints to.
"""

from __future__ import annotations

import json
import os
import select
import signal
import time

from orange_tui.agents.approvals.approvals import ALLOWED, DENIED, FOR_THIS_TASK, journal_answer
from orange_tui.agents.approvals.approvals import what_is_asked as _what
from orange_tui.agents.approvals.question_files import ELSEWHERE
from orange_tui.domain.errors import Busy, OrangeError
from orange_tui.domain.records import record
from orange_tui.home.locks import locked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from orange_tui.agents.approvals.approvals import Approvals
    from orange_tui.domain.approvals.question import Question
    from orange_tui.store.store import TaskRef

_STANDARD_OUTPUT = 1
_LOOK_SECONDS = 3.0  # how often an agent that holds its dialog back looks whether there is still somebody to answer
_MAX_ANSWER_BYTES = 65536
_END_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
_NO_WORDS = "The person denied this."


class _Ended(Exception):
    """The agent wants no answer any more."""


@record
class Asker:
    """Asks one question for one task. `holds`: the agent shows no dialog of its own before this has ended."""

    approvals: Approvals
    ref: TaskRef
    holds: bool

    def ask(self, question: Question) -> dict[str, object] | None:
        """Wait for the answer, in the words of the agent's hook; None: its own dialog is to be answered."""
        for number in _END_SIGNALS:
            signal.signal(number, _end)
        try:
            return _as_hook_answer(self._allowed_before(question) or self._wait(question))
        except (_Ended, OrangeError):
            return None

    def _allowed_before(self, question: Question) -> dict[str, str] | None:
        rule = self.approvals.rules_file(self.ref).find(question)
        if rule is None:
            return None
        with self.approvals.store.open(self.ref) as opened:
            journal_answer(opened, question, "rule", ALLOWED)
        self.approvals.note(self.ref, question.window, "busy")  # that it asks was reported before
        return {"decision": ALLOWED}

    def _wait(self, question: Question) -> dict[str, str]:
        if self.holds and not self._has_listener():
            raise _Ended
        pipe = self.approvals.files(self.ref).publish(question)
        answer: dict[str, str] = {}
        try:
            self.approvals.withdraw_before(self.ref, question)
            if self.holds:
                self.approvals.hold(self.ref, question.window)
            self.approvals.note(self.ref, question.window, None)
            with self.approvals.store.open(self.ref) as opened:
                opened.record("approval.asked", question=question.id, window=question.window, **_what(question))
            answer = self._read_answer(pipe)
        finally:
            self._finish(question, answer)
        return answer

    def _read_answer(self, pipe: int) -> dict[str, str]:
        """The first answer; who holds the agent's dialog back gives up where nobody acts for this home any more."""
        poll = select.poll()
        poll.register(pipe, select.POLLIN)
        poll.register(_STANDARD_OUTPUT, 0)  # tells only that nobody reads it any more
        received = b""
        while b"\n" not in received:
            ready = dict(poll.poll(_LOOK_SECONDS * 1000 if self.holds else None))
            if pipe in ready:
                received += os.read(pipe, _MAX_ANSWER_BYTES)
            elif ready or not self._has_listener():
                raise _Ended
        found: dict[str, str] = json.loads(received.partition(b"\n")[0])
        return found

    def _has_listener(self) -> bool:
        """Whether an app or `orange serve` acts for this home: its lock ends with its process."""
        lock = os.path.join(self.approvals.store.home.root, ".supervisor.lock")
        with locked(lock, what="the supervisor", wait=False) as is_free:
            return not is_free

    def _finish(self, question: Question, answer: dict[str, str]) -> None:
        """Leave nothing behind; what nobody has answered here was answered elsewhere, or given up."""
        for number in _END_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        files = self.approvals.files(self.ref)
        is_answered = answer.get("decision") in {ALLOWED, FOR_THIS_TASK, DENIED}
        if not is_answered and (answer or files.find(question.id) is not None):
            self._journal_end(question)
        files.remove(question.id)
        self.approvals.note(self.ref, question.window, "busy" if is_answered else None)

    def _journal_end(self, question: Question) -> None:
        for _ in range(20):
            try:
                with self.approvals.store.open(self.ref, wait=False) as opened:
                    journal_answer(opened, question, "window", ELSEWHERE)
            except Busy:
                time.sleep(0.05)
            else:
                return


def _as_hook_answer(answer: dict[str, str]) -> dict[str, object] | None:
    """The answer as claude and codex take it; both have the same words for it."""
    decision = answer.get("decision")
    if decision in {ALLOWED, FOR_THIS_TASK}:
        said: dict[str, str] = {"behavior": "allow"}
    elif decision == DENIED:
        said = {"behavior": "deny", "message": answer.get("words") or _NO_WORDS}
    else:
        return None
    return {"hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": said}}


def _end(_number: int, _frame: FrameType | None) -> None:
    raise _Ended
