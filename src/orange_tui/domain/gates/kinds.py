"""The kinds of gate. A new one is a class like these, and its name in `GATE_KINDS`."""

from __future__ import annotations

from orange_tui.domain.gates.gate import Gate
from orange_tui.domain.gates.outcome import OutcomeGate, ReportGate
from orange_tui.domain.gates.section import SectionGate
from orange_tui.domain.gates.threads import ThreadsGate
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from orange_tui.domain.gates.gate import Evidence
    from orange_tui.domain.text.yaml_nodes import Item

MERGED = "merged"  # what `verify` can name
_COMMAND_OPTIONS: Mapping[str, str] = {
    "verify": "`merged`: it runs on the result of the merge, before anything is pushed.",
}


@record
class CommandGate(Gate):
    """A command that must succeed in the task's workspace. Whoever gives the evidence runs it.

    With `verify: merged` it is the result of the merge that it must succeed on, and the merge itself runs it.
    """

    command: str
    verify: str | None = None

    key = "command"
    meaning = "The command succeeds in the task's worktree; the result counts until there is another commit."
    options = _COMMAND_OPTIONS
    runs_command = True

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


@record
class AllGates(Gate):
    """Several gates of one move, all of which must be open. A command is run only when the others are."""

    gates: tuple[Gate, ...]

    key = "all"

    @property
    def parts(self) -> tuple[Gate, ...]:
        """Each of them."""
        return self.gates

    def missing(self, evidence: Evidence) -> str | None:
        """What each of them lacks."""
        quick = [gate.missing(evidence) for gate in self.gates if not gate.runs_command]
        lacking = [missing for missing in quick if missing is not None]
        if not lacking:
            slow = (gate.missing(evidence) for gate in self.gates if gate.runs_command)
            lacking = [missing for missing in slow if missing is not None]
        return "\nAlso: ".join(lacking) or None

    def artifact(self, evidence: Evidence) -> str | None:
        """What the first of them looks at that lasts."""
        found = (gate.artifact(evidence) for gate in self.gates)
        return next((each for each in found if each is not None), None)

    def attention(self, evidence: Evidence) -> str | None:
        """What the agent says in the first of them that asks it."""
        return next(filter(None, (gate.attention(evidence) for gate in self.gates)), None)

    def description(self) -> str:
        """All of what they ask for."""
        return " and ".join(gate.description() for gate in self.gates)

    def to_data(self) -> dict[str, Any]:
        """The gates as JSON values."""
        return {"kind": self.key, "gates": [gate.to_data() for gate in self.gates]}


GATE_KINDS: Mapping[str, type[Gate]] = {
    kind.key: kind for kind in (SectionGate, OutcomeGate, ReportGate, ThreadsGate, CommandGate)
}


def gate_from_data(data: Mapping[str, Any]) -> Gate:
    """The gate that `Gate.to_data` was asked of; data of another shape raises `KeyError` or `TypeError`."""
    values = dict(data)
    if values["kind"] == AllGates.key:
        return AllGates(tuple(map(gate_from_data, values["gates"])))
    return GATE_KINDS[values.pop("kind")].from_data(values)
