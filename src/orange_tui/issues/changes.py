"""What a round with the forge has changed, here or there: for the log, the command line and programs."""

from __future__ import annotations

from orange_tui.domain.records import record

# Words for programs (`orange issue sync --json`).
CREATED, UPDATED, CANCELLED, MARKED = "created", "updated", "cancelled", "marked"
COMMENTED, LABELLED, PROBLEM = "commented", "labelled", "problem"


@record
class IssueChange:
    """One thing that was done, or could not be: `kind` is a word for programs, `sentence` is for people."""

    kind: str
    sentence: str
    issue: int
    task: str | None = None

    @property
    def is_problem(self) -> bool:
        """Whether it could not be done."""
        return self.kind == PROBLEM

    def as_json(self) -> dict[str, object]:
        """For `--json`."""
        return {"did": self.kind, "issue": self.issue, "task": self.task, "sentence": self.sentence}
