"""A workflow while it is being read: what was found so far, with the lines that later checks report."""

from __future__ import annotations

from orange_tui.domain.conditions import parse_condition
from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.text.findings import quoted, suggest
from orange_tui.domain.workflow import WORKED_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.domain.conditions import Condition
    from orange_tui.domain.text.findings import Findings
    from orange_tui.domain.text.yaml_nodes import Item
    from orange_tui.domain.workflow import EventRule, ExitRule, Hook, Signal, State, Transition


@record
class DraftMove:
    """A transition and its line; `is_complete` is false where `when` or `by` could not be read."""

    transition: Transition
    line: int
    is_complete: bool = True


@record
class Guard:
    """A condition and the value it was read from; which fields there are is known only at the end."""

    condition: Condition
    item: Item


class Draft:
    """What was read from a file so far."""

    def __init__(self, findings: Findings, extra_actions: Collection[str]) -> None:
        self.findings = findings
        self.extra_actions = extra_actions
        self.name = ""
        self.version = 1
        self.poll_interval = 30
        self.states: dict[str, State] = {}
        self.state_lines: dict[str, int] = {}
        self.prompts: dict[str, str] = {}
        self.prompts_known = True
        self.initial: dict[str, tuple[Hook, ...]] | None = None
        self.initial_lines: dict[str, int] = {}
        self.moves: list[DraftMove] = []
        self.rules: list[tuple[ExitRule, int]] = []
        self.signals: list[tuple[Signal, int]] = []
        self.event_rules: list[tuple[EventRule, int]] = []
        self.guards: list[Guard] = []
        self.number_fields: set[str] = {"review_round", "crash_count", "error_repeats", *WORKED_OUT}

    def state(self, item: Item | None) -> str | None:
        """The state that a value names; one that does not exist is reported."""
        name = item.text() if item else None
        if item is None or name is None or name in self.states:
            return name
        if self.states:  # a file without any states already has that problem
            item.add_problem(f"names the state {quoted(name)}, which does not exist", suggest(name, self.states))
        return None

    def states_named(self, item: Item | None) -> list[str]:
        """The states of a value that may be one or a list."""
        if item is None:
            return []
        named = [self.state(entry) for entry in item.one_or_more(item.name)]
        return list(dict.fromkeys(name for name in named if name is not None))

    def prompt(self, item: Item) -> str | None:
        """The prompt that a value names; one that does not exist is reported."""
        name = item.text()
        if name is not None and self.prompts_known and name not in self.prompts:
            fix = f"add it to `prompts`, or {suggest(name, self.prompts)}"
            item.add_problem(f"names the prompt {quoted(name)}, which does not exist", fix)
        return name

    def condition(self, item: Item | None) -> Condition | None:
        """A `when`, if there is one and it can be read."""
        text = item.text() if item else None
        if item is None or text is None:
            return None
        try:
            condition = parse_condition(text)
        except Unreadable:
            item.add_problem(
                f"{quoted(text)} is not a comparison",
                "write a field, an operator (< > <= >= == !=) and a whole number, such as `review_round < 2`",
            )
            return None
        self.guards.append(Guard(condition, item))
        return condition
