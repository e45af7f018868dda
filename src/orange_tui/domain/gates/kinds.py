"""The kinds of gate. A new one is a class like these, and its name in `GATE_KINDS`."""

from __future__ import annotations

from orange_tui.domain.gates.gate import Gate
from orange_tui.domain.gates.outcome import OutcomeGate, ReportGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orange_tui.domain.gates.gate import Evidence
    from orange_tui.domain.text.yaml_nodes import Item


@record
class CommandGate(Gate):
    """A command that must succeed in the task's workspace. Whoever gives the evidence runs it."""

    command: str

    key = "command"

    @classmethod
    def read(cls, entries: Mapping[str, Item]) -> CommandGate:
        """`command: make test`."""
        return CommandGate(entries["command"].text() or "")

    def missing(self, evidence: Evidence) -> str | None:
        """Why the command does not succeed."""
        return evidence.command_failure(self.command)

    def description(self) -> str:
        """`make test` to succeed."""
        return f"`{self.command}` to succeed"


GATE_KINDS: Mapping[str, type[Gate]] = {kind.key: kind for kind in (SectionGate, OutcomeGate, ReportGate, CommandGate)}


def gate_from_data(data: Mapping[str, Any]) -> Gate:
    """The gate that `Gate.to_data` was asked of; data of another shape raises `KeyError` or `TypeError`."""
    values = dict(data)
    return GATE_KINDS[values.pop("kind")].from_data(values)
