"""Evidence for a gate, without a task on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.records import record

if TYPE_CHECKING:
    from orange_tui.domain.review.thread import Thread


@record
class Written:
    """What the agent of task `a1` has written, and which commands succeed in its workspace."""

    body: str = ""
    outcome_text: str | None = None
    succeeding: tuple[str, ...] = ()
    task_id: str = "a1"
    review: tuple[Thread, ...] = ()

    def outcome(self) -> str | None:
        return self.outcome_text

    def outcome_version(self) -> str:
        return "1"

    def threads(self) -> tuple[Thread, ...]:
        return self.review

    def command_failure(self, command: str) -> str | None:
        return None if command in self.succeeding else f"`{command}` fails"
