"""What every kind of gate has: its keys in a workflow file, what is missing, its description, and itself as JSON."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol, Self

    from orange_tui.domain.review.thread import Thread
    from orange_tui.domain.text.yaml_nodes import Item

    class Evidence(Protocol):
        """What a gate may look at. Each part is read only when a gate asks for it."""

        @property
        def task_id(self) -> str:
            """The task that wants to move."""

        @property
        def body(self) -> str:
            """TASK.md without its frontmatter."""

        def outcome(self) -> str | None:
            """The text of `.orange-outcome`."""

        def outcome_version(self) -> str:
            """What tells this `.orange-outcome` from one that is written later, be it with the same words."""

        def threads(self) -> Sequence[Thread]:
            """The comments on the task's code; raises where they cannot be read."""

        def command_failure(self, command: str) -> str | None:
            """Why a command fails in the task's workspace; None when it succeeds."""


class Gate:
    """What must be there before a move is allowed. A kind is a record that inherits this."""

    key = ""  # what asks for it in a workflow file
    meaning = ""  # what opens it, for the pages
    options: Mapping[str, str] = {}  # the other keys it may have there, and what they mean
    is_signal = False  # whether a signal can ask for it directly, without `has_artifact`
    is_in_body = False  # whether it looks at TASK.md, which keeps what earlier agents wrote
    runs_command = False  # whether to ask costs as much as its command takes

    @property
    def parts(self) -> tuple[Gate, ...]:
        """The gates that it is made of: itself, unless several must be open at once."""
        return (self,)

    @classmethod
    def read(cls, entries: Mapping[str, Item]) -> Gate:
        """The gate in these entries of a workflow file; what is wrong with them is reported to the items."""
        raise NotImplementedError

    def missing(self, evidence: Evidence) -> str | None:
        """What keeps the gate shut, with an example of what would open it; None when it is open."""
        raise NotImplementedError

    def artifact(self, evidence: Evidence) -> str | None:  # noqa: ARG002 - most kinds look at nothing that lasts
        """What it looks at, which must not take a task on from the same state again; None where it may."""
        return None

    def attention(self, evidence: Evidence) -> str | None:  # noqa: ARG002 - most kinds say nothing to the person
        """Why a person should look at a task that goes this way, in the words of the agent that opened the gate."""
        return None

    def description(self) -> str:
        """What it asks for, in a few words that follow "needs"."""
        raise NotImplementedError

    def to_data(self) -> dict[str, Any]:
        """The gate as JSON values, in which `gate_from_data` finds the kind again."""
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}
        return {"kind": self.key, **values}

    @classmethod
    def from_data(cls, values: Mapping[str, Any]) -> Self:
        """The gate with these values, as `to_data` gives them."""
        return cls(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def either(words: Sequence[str]) -> str:
    """`A, B or C`."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def with_example(problem: str, *lines: str) -> str:
    """What is missing, with lines to copy that would open the gate."""
    return f"{problem}. For example:" + "".join(f"\n  {line}" for line in lines)
