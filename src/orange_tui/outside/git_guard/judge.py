"""Who says what the person trusts in a repository: git is run below everything that knows a home.

`assemble` puts the judge of its home here. Without one, as in a test of git alone, nothing is trusted. It is a module
of its own because it is on the way of every command, and imports nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Judge = Callable[[str], Collection[str]]  # what is trusted in a repository, by its git directory


def _nothing(_repository: str) -> Collection[str]:
    return ()


class _Present:
    """Whose word counts in this process."""

    judge: Judge = staticmethod(_nothing)


def use_judge(judge: Judge | None) -> None:
    """Have this one say what the person trusts, from now on."""
    _Present.judge = staticmethod(judge or _nothing)


def trusted_in(repository: str) -> Collection[str]:
    """The digests of what the person trusts in a repository, by its git directory."""
    return _Present.judge(repository)
