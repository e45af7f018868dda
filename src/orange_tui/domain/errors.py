"""The errors of Orange. Whatever reaches a person is one of these, with a sentence, never a traceback."""

from __future__ import annotations


class OrangeError(Exception):
    """Something a person or an agent must know: what, where, and what to do about it."""

    exit_code = 1


class Refused(OrangeError):
    """A rule, a gate or the present state says no. Nothing was changed."""


class Busy(Refused):
    """Another command is working on this task; the same command may succeed in a moment."""


class CannotTell(Refused):
    """Whoever would know does not answer now: whether something is so is open, and nothing follows from it."""


class NoWorkspace(Refused):
    """Every workspace of the project is taken, of as many as there were then."""

    def __init__(self, reason: str, pool_size: int) -> None:
        super().__init__(reason)
        self.pool_size = pool_size


class AtLimit(Refused):
    """The agent has reached its limit, or nearly: Orange itself starts none until it begins anew."""

    def __init__(self, reason: str, harness: str) -> None:
        super().__init__(reason)
        self.harness = harness


class NoAgent(Refused):
    """The agent that is to do it is not installed, or none is: a person has to install it, or to name another."""


class Untrusted(Refused):
    """Something that a repository brings along would run, and the person has not seen it, or not as it is now."""

    def __init__(self, reason: str, where: str) -> None:
        super().__init__(reason)
        self.where = where


class NotFound(OrangeError):
    """There is no such task, project, workflow or file."""


class UsageError(OrangeError):
    """The command was not understood."""

    exit_code = 2


class Unreadable(OrangeError):
    """A file that Orange cannot read, and therefore never rewrites."""

    def __init__(self, reason: str, *, line: int | None = None) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason = reason
        self.line = line


class NotSaved(OrangeError):
    """A file could not be written, for example because the disk is full; its old content is unchanged."""
