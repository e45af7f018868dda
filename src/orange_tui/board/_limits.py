"""What a row says of a limit: `claude's limit, until 03:30`. limits.json is read only where a task is at one."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.usage.limits import Limits


class BoardLimits:
    """The sentences about limits, each worked out once in a refresh: an account may have forty tasks at its limit."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._said: dict[str, str] = {}

    def refresh(self) -> None:
        """Read them anew, when they are asked for."""
        self._said = {}

    def sentence(self, harness: str) -> str:
        """What is known of an agent's limit."""
        if harness not in self._said:
            self._said[harness] = self._limits.why_wait(harness) or self._limits.sentence(harness)
        return self._said[harness]
