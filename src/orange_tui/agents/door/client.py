"""`orange` in a confined agent's window: its words go out through the door, and what comes back is printed.

It imports next to nothing, since a whole Python is started outside as well, and touches no file of the home: in a
sandbox there is none. `_socket` is what `socket` is made of; that one would take as long as Python itself.
"""

from __future__ import annotations

import _socket
import os
import sys

from orange_tui.agents.door.protocol import (
    ERRORS,
    EXIT_CODE,
    INPUT,
    MAX_REQUEST_BYTES,
    OUTPUT,
    REFUSAL,
    WORDS,
    ProtocolError,
    frame,
    join_words,
    take_frame,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ANSWER = (OUTPUT, ERRORS, EXIT_CODE, REFUSAL)
_MAX_REPORT_BYTES = 1_000_000
_MAX_FRAME_BYTES = 2**32
_PIECE_BYTES = 65536
_REFUSED, _INTERRUPTED = 1, 130
_GONE = "The door of this window is gone ({}), so no `orange` command works here: its launcher has ended. A person can"
_GONE += " restart this agent with `orange task restart`"
_CUT_OFF = "The door of this window closed before the answer came. A command that had begun is finished all the same:"
_CUT_OFF += " look at the task before you repeat it"


def run_through_door(door: str, words: Sequence[str]) -> int:
    """Have a command line carried out outside; returns its exit code."""
    try:
        return _run(door, words)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError:  # `orange task list | head`: nobody reads the rest, which is not an error
        return 0


def _run(door: str, words: Sequence[str]) -> int:
    request = _request(words)
    if len(request) > MAX_REQUEST_BYTES:
        return _refuse(f"That is more than {MAX_REQUEST_BYTES:,} bytes, and too much for one command", words)
    try:
        connection = _connect(door)
    except OSError as problem:
        return _refuse(_GONE.format(problem.strerror or problem), words)
    return _answer(connection, request, words)


def _request(words: Sequence[str]) -> bytes:
    given = _standard_input(words)
    sent = frame(WORDS, join_words([os.fsencode(word) for word in words]))
    return sent if given is None else frame(INPUT, given) + sent


def _standard_input(words: Sequence[str]) -> bytes | None:
    """What the command is to read: all of it for a dash, a hook's report if it is not among the words, else nothing.

    Nothing else is taken from there: it may be meant for whoever runs next.
    """
    if "-" in words:
        return sys.stdin.buffer.read(MAX_REQUEST_BYTES + 1) if sys.stdin is not None else b""
    if list(words[:2]) == ["task", "event"] and not any(word.startswith("{") for word in words):
        from orange_tui.agents.door.piped_input import read_piped

        return read_piped(_MAX_REPORT_BYTES)
    return None


def _connect(door: str) -> _socket.socket:
    """Connect from within the socket's directory: the path of a socket may have no more than 107 bytes."""
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    os.chdir(os.path.dirname(door) or ".")
    connection.connect(os.path.basename(door))
    return connection


def _answer(connection: _socket.socket, request: bytes, words: Sequence[str]) -> int:
    try:  # noqa: SIM105 - contextlib takes longer than all of this
        connection.sendall(request)
    except OSError:
        pass  # it was refused before all of it was there: the answer says why
    for kind, data in _frames(connection):
        if kind == OUTPUT:
            _write(1, data)
        elif kind == ERRORS:
            _write(2, data)
        elif kind == EXIT_CODE:
            return int.from_bytes(data, "big")
        else:
            return _refuse(data.decode(errors="replace"), words)
    return _refuse(_CUT_OFF, words)


def _frames(connection: _socket.socket) -> Iterator[tuple[bytes, bytes]]:
    """The frames of an answer; they end where the connection does."""
    received = bytearray()
    while True:
        try:
            piece = connection.recv(_PIECE_BYTES)
        except OSError:
            return
        received += piece
        try:
            while found := take_frame(received, _ANSWER, _MAX_FRAME_BYTES):
                yield found
        except ProtocolError:
            return
        if not piece:
            return


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _refuse(sentence: str, words: Sequence[str]) -> int:
    """Say why nothing came of it, in the way that every command does."""
    if "--json" in words:
        import json

        _write(1, f"{json.dumps({'error': sentence})}\n".encode())
    _write(2, f"orange: {sentence}\n".encode())
    return _REFUSED
