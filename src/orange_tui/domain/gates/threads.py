"""The gate on threads: it is shut while a comment waits for an answer."""

from __future__ import annotations

from orange_tui.domain.errors import OrangeError
from orange_tui.domain.gates.gate import Gate, with_example
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.gates.gate import Evidence
    from orange_tui.domain.text.yaml_nodes import Item

_MAX_NAMED = 5


@record
class ThreadsGate(Gate):
    """Every thread of the task's review is answered, as fixed or declined, or resolved."""

    threads: str

    key = "threads"
    meaning = "`answered`: no comment on the task's code waits for an answer."

    @classmethod
    def read(cls, entries: Mapping[str, Item]) -> ThreadsGate:
        """`threads: answered`."""
        return ThreadsGate(entries["threads"].word(("answered",)) or "")

    def missing(self, evidence: Evidence) -> str | None:
        """Which threads are open, and how to answer one."""
        try:
            found = [thread for thread in evidence.threads() if thread.state == "open"]
        except OrangeError as problem:  # nobody can tell whether one is open
            return str(problem)
        if not found:
            return None
        named = ", ".join(f"{thread.id} {thread.place}" for thread in found[:_MAX_NAMED])
        more = f" and {len(found) - _MAX_NAMED} more" if len(found) > _MAX_NAMED else ""
        many = "1 thread is" if len(found) == 1 else f"{len(found)} threads are"
        return with_example(
            f"{many} open, and each needs an answer: {named}{more}",
            f"orange task threads {evidence.task_id} --open",
            f'orange task reply {found[0].id} "what you did" --fixed',
            f'orange task reply {found[0].id} "why not" --declined',
        )

    def description(self) -> str:
        """What must be answered."""
        return "every thread answered"
