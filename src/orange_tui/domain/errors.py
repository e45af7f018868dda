"""What can go wrong, as sentences. Whatever reaches a person is one of these, never a traceback."""

from __future__ import annotations


class OrangeError(Exception):
    """Something a person or an agent must know: what, where, and what to do about it."""

    exit_code = 1


class Refused(OrangeError):
    """A rule, a gate or the present state says no. Nothing was changed."""


class Busy(Refused):
    """Another command is at work on this very task; the same may go through in a moment."""


class NotFound(OrangeError):
    """There is no such task, project, workflow or file."""


class UsageError(OrangeError):
    """The command was not understood."""

    exit_code = 2


class Unreadable(OrangeError):
    """A file that Orange does not understand, and therefore leaves alone."""

    def __init__(self, reason: str, *, line: int | None = None) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason = reason
        self.line = line


class NotSaved(OrangeError):
    """The disk did not take a write; the file is what it was before."""
