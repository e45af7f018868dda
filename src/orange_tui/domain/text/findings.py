"""Problems and warnings in a person's file, collected so that its author sees all of them at once."""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.domain.errors import Unreadable

_MAX_WORD_CHARACTERS = 60
_MAX_NAMES = 20
_MAX_CANDIDATES = 200  # a similar word is looked for in each of them


@record
class Problem:
    """One thing to change in the file: where, what, and the way out."""

    file: str
    line: int
    what: str
    fix: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}; {self.fix}"


class Findings:
    """Problems and warnings, in whatever order the checks find them."""

    def __init__(self, file: str) -> None:
        self._file = printable(file)
        self._problems: list[Problem] = []
        self._warnings: list[Problem] = []

    def add_problem(self, line: int, what: str, fix: str) -> None:
        """A mistake that keeps the file from being used."""
        self._problems.append(Problem(self._file, line, printable(what), printable(fix)))

    def add_unreadable(self, error: Unreadable, line: int) -> None:
        """A parser's error, which says what is wrong and, after a semicolon, the way out."""
        what, _, fix = error.reason.rpartition("; ")
        self.add_problem(error.line or line, what or fix, fix if what else "correct it and check the file again")

    def add_warning(self, line: int, what: str, fix: str) -> None:
        """Something that the author probably did not mean."""
        self._warnings.append(Problem(self._file, line, printable(what), printable(fix)))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """In the order of the file."""
        return tuple(sorted(self._problems, key=lambda problem: problem.line))

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """In the order of the file."""
        return tuple(sorted(self._warnings, key=lambda problem: problem.line))


def quoted(text: str) -> str:
    """A word from the file in quotes, shortened if it is long."""
    return f"'{text[:_MAX_WORD_CHARACTERS]}…'" if len(text) > _MAX_WORD_CHARACTERS else f"'{text}'"


def listed(names: Collection[str]) -> str:
    """Names for a message, at most the first twenty."""
    shown = [name[:_MAX_WORD_CHARACTERS] for name in names][:_MAX_NAMES]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def suggest(word: str, allowed: Collection[str]) -> str:
    """The way out of a wrong word: the one that was probably meant, and all that are allowed."""
    choices = f"use one of: {listed(allowed)}" if allowed else "there is none to use here"
    meant = _similar(word, allowed)
    return f"did you mean {quoted(meant)}? Otherwise {choices}" if meant else choices


def _similar(word: str, allowed: Collection[str]) -> str | None:
    if len(word) > _MAX_WORD_CHARACTERS or len(allowed) > _MAX_CANDIDATES:
        return None
    import difflib

    return next(iter(difflib.get_close_matches(word, allowed, n=1)), None)
