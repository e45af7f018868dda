"""The open questions of one task: a file and a named pipe for each, in the directory state, which no agent is granted.

The process that asks holds the pipe open for reading, so a question whose pipe nobody reads is asked by nobody any
more, however its process ended: there is no number of a process to compare, and nothing to time out. The answer comes
through the same pipe, and waiting for it costs nothing.
"""

from __future__ import annotations

import errno
import json
import os
from contextlib import suppress

from orange_tui.domain.approvals.question import MAX_CHARACTERS, read_question
from orange_tui.domain.errors import NotSaved, OrangeError
from orange_tui.domain.records import record
from orange_tui.home.files import make_directory, not_saved, read_bytes, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.approvals.question import Question

ELSEWHERE = "elsewhere"  # the decision that the agent's own dialog is to be answered
_QUESTION, _PIPE = ".json", ".pipe"
_MAX_BYTES = 8 * MAX_CHARACTERS  # a character of JSON in JSON
_MAX_OPEN = 50  # of one task: more than a person could mean to answer


@record
class QuestionFiles:
    """The questions in one directory, that of a task."""

    directory: str

    def publish(self, question: Question) -> int:
        """Write a question down, open from now on; returns its pipe, which is to be read until there is an answer."""
        make_directory(self.directory)
        if len(self._ids()) >= _MAX_OPEN:
            raise NotSaved(f"{self.directory} has {_MAX_OPEN} questions already")
        path = self._path(question.id, _PIPE)
        try:
            os.mkfifo(path, 0o600)
            pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)  # both ends: no writer that goes ends it
        except OSError as problem:
            raise not_saved(path, problem) from None
        data = json.dumps(question.as_json()).encode()
        try:
            replace_file(self._path(question.id, _QUESTION), data, durable=False, follow=False)
        except OrangeError:
            self.remove(question.id)
            os.close(pipe)
            raise
        return pipe

    def open_questions(self) -> list[Question]:
        """Those whose process still waits, oldest first."""
        found = [question for each in self._ids() if (question := self.find(each)) is not None]
        return sorted((each for each in found if self.is_asked(each.id)), key=lambda each: (each.asked_at, each.id))

    def abandoned(self) -> list[str]:
        """The ids of those whose process has ended without a word."""
        return [each for each in self._ids() if not self.is_asked(each)]

    def find(self, question_id: str) -> Question | None:
        """A question, whether anybody still waits for its answer or not."""
        try:
            found = json.loads(read_bytes(self._path(question_id, _QUESTION), max_bytes=_MAX_BYTES))
        except (OrangeError, ValueError, RecursionError):
            return None
        question = read_question(found)
        return question if question is not None and question.id == question_id else None

    def is_asked(self, question_id: str) -> bool:
        """Whether the process that asks still waits."""
        try:
            os.close(self._open_pipe(question_id))
        except OSError:
            return False
        return True

    def leave(self, question_id: str) -> None:
        """Leave a question to the agent's own dialog; from now on nobody can answer it here."""
        self.send(question_id, {"decision": ELSEWHERE})
        self.remove(question_id)

    def send(self, question_id: str, answer: Mapping[str, str]) -> bool:
        """Give the process that asks its answer; False where nobody waits for it. The first one counts."""
        try:
            pipe = self._open_pipe(question_id)
        except OSError:
            return False
        try:
            os.write(pipe, json.dumps(answer).encode() + b"\n")  # the pipe has room, and takes it at once
        except OSError:
            return False
        finally:
            os.close(pipe)
        return True

    def _open_pipe(self, question_id: str) -> int:
        """The pipe for writing; an OSError where nobody reads it, or there is none."""
        path = self._path(question_id, _PIPE)
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        if os.path.samestat(os.fstat(pipe), os.lstat(path)):
            return pipe
        os.close(pipe)
        raise OSError(errno.ENXIO, "replaced meanwhile")

    def remove(self, question_id: str) -> None:
        """Forget a question: the one that is asked goes first, so that nobody sees one without its pipe."""
        for kind in (_QUESTION, _PIPE):
            with suppress(FileNotFoundError):
                os.unlink(self._path(question_id, kind))

    def _ids(self) -> list[str]:
        try:
            names = os.listdir(self.directory)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [name.removesuffix(_QUESTION) for name in names if name.endswith(_QUESTION)]

    def _path(self, question_id: str, kind: str) -> str:
        return os.path.join(self.directory, f"{question_id}{kind}")
