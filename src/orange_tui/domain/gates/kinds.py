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

MERGED = "merged"  # what `verify` can name


@record
class CommandGate(Gate):
    """A command that must succeed in the task's workspace. Whoever gives the evidence runs it.

    With `verify: merged` it is the result of the merge that it must succeed on, and the merge itself runs it.
    """

    command: str
    verify: str | None = None

    key = "command"
    options = ("verify",)

    @classmethod
    def read(cls, entries: Mapping[str, Item]) -> CommandGate:
        """`command: make test`, and perhaps `verify: merged`."""
        verify = entries["verify"].word((MERGED,)) if "verify" in entries else None
        return CommandGate(entries["command"].text() or "", verify)

    def missing(self, evidence: Evidence) -> str | None:
        """Why the command does not succeed."""
        return None if self.verify == MERGED else evidence.command_failure(self.command)

    def description(self) -> str:
        """`make test` to succeed."""
        return f"`{self.command}` to succeed" + (" on the merged result" if self.verify == MERGED else "")


GATE_KINDS: Mapping[str, type[Gate]] = {kind.key: kind for kind in (SectionGate, OutcomeGate, ReportGate, CommandGate)}


def gate_from_data(data: Mapping[str, Any]) -> Gate:
    """The gate that `Gate.to_data` was asked of; data of another shape raises `KeyError` or `TypeError`."""
    values = dict(data)
    return GATE_KINDS[values.pop("kind")].from_data(values)
