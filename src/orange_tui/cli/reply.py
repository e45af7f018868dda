"""What a command has to say, and how it is said: text for a person, JSON for a program."""

from __future__ import annotations

import sys
from contextlib import suppress

from orange_tui.domain.records import record
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.errors import OrangeError


@record
class Reply:
    """The result of a command: `notes` are what a person should know besides, on standard error."""

    text: str
    data: object = None  # a value, or a function that makes it: what nobody asked for need not be found out
    notes: tuple[str, ...] = ()
    code: int = 0


def send(reply: Reply, *, as_json: bool) -> int:
    """Print a reply; returns the exit code."""
    _print(_json(reply.data() if callable(reply.data) else reply.data) if as_json else reply.text, sys.stdout)
    for note in reply.notes:
        _print(f"orange: {safe(note)}", sys.stderr)
    return reply.code


def send_error(problem: OrangeError, *, as_json: bool) -> int:
    """Print why a command was refused; returns the exit code."""
    if as_json:
        with suppress(OSError):  # it may be what the problem is
            _print(_json({"error": str(problem)}), sys.stdout)
    _print(f"orange: {safe(str(problem))}", sys.stderr)
    return problem.exit_code


def safe(text: str) -> str:
    """Text whose lines a terminal shows and never obeys."""
    return "\n".join(printable(line.expandtabs()) for line in text.replace("\r\n", "\n").split("\n"))


def _json(data: object) -> str:
    import json

    # Indenting is for people, and makes the encoder ten times slower.
    return json.dumps(data, indent=2 if sys.stdout.isatty() else None, default=_plain)


def _plain(value: object) -> object:
    """Whatever YAML may have put into a field nobody knows."""
    return list(value) if isinstance(value, tuple | set | frozenset) else str(value)


def _print(text: str, stream: object) -> None:
    if text:
        print(text, file=stream, flush=True)  # type: ignore[call-overload]
