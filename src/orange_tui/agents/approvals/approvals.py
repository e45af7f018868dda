"""A person's answers: to the question that was shown and no other, once, in the journal before the agent hears it."""

from __future__ import annotations

import hashlib
import os

from orange_tui.agents.approvals.question_files import ELSEWHERE, QuestionFiles
from orange_tui.agents.approvals.rules_file import RulesFile, real_path_of
from orange_tui.domain.approvals.rule import rule_for
from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record
from orange_tui.home import clock
from orange_tui.sessions.runtime import Runtime
from orange_tui.store.store import TaskRef

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from orange_tui.domain.approvals.question import Question
    from orange_tui.domain.approvals.rule import Rule
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import Store

ALLOWED, FOR_THIS_TASK, DENIED = "allowed", "allowed for this task", "denied"
_GONE = "{} no longer asks that: it was answered elsewhere, or the agent went on. Nothing was answered now"
_MAX_WORDS = 4000
_ONE_MOMENT_SECONDS = 1.0
_JOURNALED_CHARACTERS = 4000


@record
class Decision:
    """What a person says to a question; `words` go to the agent with a no."""

    kind: str
    words: str = ""

    def checked(self) -> Decision:
        """The same, where the words fit."""
        if len(self.words) > _MAX_WORDS:
            raise Refused(
                f"That is over {_MAX_WORDS:,} characters; deny it, and send the rest with `orange task answer`"
            )
        return self


@record
class Approvals:
    """The questions of one home's agents."""

    store: Store

    def questions(self, ref: TaskRef) -> list[Question]:
        """What a task's agents wait to be allowed now, oldest first."""
        return self.files(ref).open_questions()

    def rules(self, ref: TaskRef) -> list[Rule]:
        """What a person has allowed for a task."""
        return self.rules_file(ref).read()

    def everywhere(self, project: str | None = None) -> list[tuple[TaskRef, Question]]:
        """The open questions of all tasks, or of one project's."""
        state = self.store.home.state
        projects = [project] if project is not None else _folders(state)
        refs = [TaskRef(name, task) for name in projects for task in _folders(os.path.join(state, name))]
        return self.of_tasks(refs)

    def of_tasks(self, refs: Iterable[TaskRef]) -> list[tuple[TaskRef, Question]]:
        """The open questions of these tasks, oldest first."""
        found = [(ref, question) for ref in refs for question in self.questions(ref)]
        return sorted(found, key=lambda each: (each[1].asked_at, each[0].id))

    def answer(self, ref: TaskRef, question: Question, decision: Decision) -> None:
        """Answer a question, as it was shown. Refused where it is not open any more: another one is never answered."""
        decision.checked()
        files = self.files(ref)
        with self.store.open(ref) as opened:
            if files.find(question.id) != question or not files.is_asked(question.id):
                raise Refused(_GONE.format(ref.id))
            words = {"words": decision.words} if decision.words else {}
            journal_answer(opened, question, "person", decision.kind, **words)
            if decision.kind == FOR_THIS_TASK:
                self.rules_file(ref).add(rule_for(question, real_path_of(question)))
            is_heard = files.send(question.id, {"decision": decision.kind, **words})
            files.remove(question.id)
        self.note(ref, question.window, "busy")
        if not is_heard:
            raise Refused(_GONE.format(ref.id))

    def leave_to_dialog(self, ref: TaskRef) -> None:
        """Have agents that hold their own dialog back show it: somebody comes to their windows."""
        for question in self.questions(ref):
            if self._runtime(ref).window(question.window).get("held"):
                self.files(ref).leave(question.id)

    def settle(self, ref: TaskRef, window: str, past: str | None) -> None:
        """Forget what nobody asks any more. `past`: the question whose dialog is not on the window's screen any longer.

        Its process hears of it, and ends.
        """
        files = self.files(ref)
        for question_id in files.abandoned():
            question = files.find(question_id)
            if question is not None:
                with self.store.open(ref, wait=False) as opened:
                    journal_answer(opened, question, "window", ELSEWHERE)
            files.remove(question_id)
        if past is not None:
            files.leave(past)
        elif not any(question.window == window for question in self.questions(ref)):
            self.note(ref, window, None)

    def withdraw_before(self, ref: TaskRef, question: Question) -> None:
        """Withdraw what an agent asked before, where that it asks something else shows that it was answered.

        Claude does not tell its hook that somebody has said yes on its screen. Questions of one moment may be open
        together all the same.
        """
        for earlier in self.questions(ref):
            if earlier.is_past_with(question) and _seconds_between(earlier, question) >= _ONE_MOMENT_SECONDS:
                self.files(ref).leave(earlier.id)

    def note(self, ref: TaskRef, window: str, otherwise: str | None) -> None:
        """Tell the board what a window asks now; where that is nothing, what its agent does."""
        mine = [question for question in self.questions(ref) if question.window == window]
        runtime = self._runtime(ref)
        if mine:
            runtime.update(window, state="permission", asks=mine[0].line(), question=mine[0].id, event_at=clock.now())
        elif otherwise is not None or runtime.window(window).get("question"):
            values = {"question": None, "held": None, "asks": None}
            runtime.update(window, **values, state=otherwise, event_at=clock.now() if otherwise else None)

    def hold(self, ref: TaskRef, window: str) -> None:
        """Say that a window's agent shows nothing of its question until it is answered here."""
        self._runtime(ref).update(window, held=True)

    def files(self, ref: TaskRef) -> QuestionFiles:
        """Where the questions of a task are."""
        return QuestionFiles(os.path.join(self._state(ref), "approvals"))

    def rules_file(self, ref: TaskRef) -> RulesFile:
        """Where what is allowed for a task is."""
        return RulesFile(self._state(ref))

    def _state(self, ref: TaskRef) -> str:
        return self.store.state_directory(ref)

    def _runtime(self, ref: TaskRef) -> Runtime:
        return Runtime(self._state(ref))


def journal_answer(opened: OpenTask, question: Question, by: str, decision: str, **more: str) -> None:
    """Record an answer, and what it is an answer to."""
    about = {"question": question.id, "window": question.window, "by": by, "decision": decision}
    opened.record("approval.answered", **about, **what_is_asked(question), **more)


def what_is_asked(question: Question) -> dict[str, object]:
    """A question for the journal: all of it, or how it begins with its length and a checksum of the whole."""
    text = question.full_text()
    if len(text) <= _JOURNALED_CHARACTERS:
        return {"tool": question.tool, "what": text}
    checksum = hashlib.sha256(question.given.encode()).hexdigest()
    return {"tool": question.tool, "what": text[:_JOURNALED_CHARACTERS], "characters": len(text), "sha256": checksum}


def _seconds_between(earlier: Question, later: Question) -> float:
    moments = [clock.in_seconds(each.asked_at) or 0.0 for each in (earlier, later)]
    return moments[1] - moments[0]


def _folders(path: str) -> list[str]:
    try:
        return [name for name in os.listdir(path) if not name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
