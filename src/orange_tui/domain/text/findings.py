"""What is wrong with a workflow file, gathered so that its author sees everything at once."""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from orange_tui.domain.errors import Unreadable

_LONGEST_WORD = 60
_MOST_NAMES = 20
_MOST_CANDIDATES = 200  # looking for a similar word compares with each of them


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
    """Problems and warnings as they turn up, in whatever order the checks run."""

    def __init__(self, file: str) -> None:
        self._file = printable(file)
        self._problems: list[Problem] = []
        self._warnings: list[Problem] = []

    def add_problem(self, line: int, what: str, fix: str) -> None:
        """Something that keeps the workflow from being used."""
        self._problems.append(Problem(self._file, line, printable(what), printable(fix)))

    def add_unreadable(self, fault: Unreadable, line: int) -> None:
        """A reader's refusal, which says what is wrong and, after a semicolon, the way out."""
        what, _, fix = fault.reason.rpartition("; ")
        self.add_problem(fault.line or line, what or fix, fix if what else "correct that, and check the file again")

    def add_warning(self, line: int, what: str, fix: str) -> None:
        """Something that is probably not what the author meant."""
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
    """A word from the file in a message: shown as such, and never a page of it."""
    return f"'{text[:_LONGEST_WORD]}…'" if len(text) > _LONGEST_WORD else f"'{text}'"


def listed(names: Collection[str]) -> str:
    """Names for a message, the first few of very many."""
    shown = [name[:_LONGEST_WORD] for name in names][:_MOST_NAMES]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def suggest(word: str, allowed: Collection[str]) -> str:
    """The way out of a wrong word: the one that was probably meant, and all there are."""
    everything = f"use one of: {listed(allowed)}" if allowed else "there is none to use here"
    meant = _similar(word, allowed)
    return f"did you mean {quoted(meant)}? Otherwise {everything}" if meant else everything


def _similar(word: str, allowed: Collection[str]) -> str | None:
    if len(word) > _LONGEST_WORD or len(allowed) > _MOST_CANDIDATES:
        return None
    import difflib

    return next(iter(difflib.get_close_matches(word, allowed, n=1)), None)
