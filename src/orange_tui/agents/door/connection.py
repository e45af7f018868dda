"""One client at a door: the request it sends, the command that comes of it, and the answer on its way back.

Nothing here ever waits. Who is slow keeps what is theirs for a while and then loses it; the command goes on.
"""

from __future__ import annotations

import os
import select

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
    split_words,
    take_frame,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from orange_tui.outside.children import Command

_REQUEST_SECONDS = 10.0  # for all of a request to arrive
_STALL_SECONDS = 60.0  # for a client to read on
_PIECE_BYTES = 65536
_MAX_UNSENT_BYTES = 4 * _PIECE_BYTES  # of an answer; then the command waits for its client
_MAX_LEFT_PIECES = 16  # in the pipe of a command that has ended: more than one holds
_KILLED = "The command was killed. The next command on this task finishes what it had begun"


class Connection:
    """A client's connection, from its first byte to the last one of its answer."""

    def __init__(self, client: int, now: float) -> None:
        os.set_blocking(client, False)
        self.pid: int | None = None  # of the command, while it runs
        self.deadline: float | None = now + _REQUEST_SECONDS
        self._client: int | None = client
        self._received = bytearray()
        self._input = b""
        self._input_pipe: int | None = None  # the command's
        self._printed: dict[int, bytes] = {}  # the pipes that it prints to, and the kinds of frames they become
        self._unsent = bytearray()  # of the answer
        self._is_answered = False

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be done here."""
        return self.pid is None and self._client is None

    def interests(self) -> Iterator[tuple[int, int]]:
        """What to watch: descriptors, and what they are to become ready for."""
        if self._client is not None:
            reading = select.POLLIN if self.pid is None and not self._is_answered else 0
            yield self._client, reading | (select.POLLOUT if self._unsent else 0)  # that it is gone is told always
        if self._input_pipe is not None:
            yield self._input_pipe, select.POLLOUT
        if len(self._unsent) < _MAX_UNSENT_BYTES:
            yield from ((pipe, select.POLLIN) for pipe in self._printed)

    def handle(self, descriptor: int, events: int, now: float) -> list[bytes] | None:
        """Do what a descriptor is ready for; returns the words of a request that is complete by that."""
        if descriptor == self._input_pipe:
            self._feed()
        elif descriptor in self._printed:
            self._pass_on(descriptor, now)
        elif descriptor == self._client and events & select.POLLIN:
            return self._receive(now)
        elif descriptor == self._client and events & select.POLLOUT:
            self._send(now)
        elif descriptor == self._client:
            self.lose_client()
        return None

    def _receive(self, now: float) -> list[bytes] | None:
        piece = _read(self._client)
        if not piece:
            self.lose_client()  # before it had said all: nothing comes of it
            return None
        self._received += piece
        try:
            return self._take_words()
        except ProtocolError as problem:
            self.refuse(f"This was not understood: {problem}", now)
            return None

    def _take_words(self) -> list[bytes] | None:
        while found := take_frame(self._received, (INPUT, WORDS), MAX_REQUEST_BYTES - len(self._input)):
            kind, data = found
            if kind == WORDS:
                return split_words(data)
            if self._input:
                raise ProtocolError("it has two standard inputs")
            self._input = data
        return None

    def start(self, command: Command) -> None:
        """The request is carried out by this command, whatever becomes of the client."""
        self.pid, self.deadline = command.pid, None
        self._input_pipe, self._printed = command.input, {command.output: OUTPUT, command.errors: ERRORS}
        self._feed()

    def finish(self, status: int, now: float) -> None:
        """The command has ended. What it printed last is in its pipes, even if somebody else has them open still."""
        self.pid = None
        for pipe in list(self._printed):
            for _ in range(_MAX_LEFT_PIECES):
                if pipe not in self._printed or not self._pass_on(pipe, now):
                    break
            self._close_printed(pipe)
        self._input = b""
        self._feed()
        if os.WIFSIGNALED(status):
            self.refuse(_KILLED, now)
        else:
            self._answer(frame(EXIT_CODE, bytes([os.waitstatus_to_exitcode(status)])), now, is_last=True)

    def refuse(self, sentence: str, now: float) -> None:
        """Answer that nothing comes of it, and why."""
        self._answer(frame(REFUSAL, sentence.encode()), now, is_last=True)

    def expire(self, now: float) -> None:
        """The time is up that the client had for its request, or to read on."""
        if self.pid is None and not self._is_answered:
            self.refuse(f"This was not all here within {_REQUEST_SECONDS:g} s", now)
        else:
            self.lose_client()

    def lose_client(self) -> None:
        """Go on without the client, which is gone or too slow; a command that waits for it alone can tell by its pipes.

        So does a permission hook: it need not ask any more.
        """
        if self._client is not None:
            os.close(self._client)
        self._client, self.deadline = None, None
        self._unsent.clear()
        for pipe in list(self._printed):
            self._close_printed(pipe)

    def _answer(self, data: bytes, now: float, *, is_last: bool = False) -> None:
        self._is_answered = self._is_answered or is_last
        self._unsent += data if self._client is not None else b""
        self._send(now)

    def _send(self, now: float) -> None:
        """Send as much as the client takes; when it has all of its answer, it is done with."""
        if self._client is None:
            return
        try:
            sent = os.write(self._client, self._unsent)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.lose_client()
            return
        del self._unsent[:sent]
        if sent or self.deadline is None:
            self.deadline = now + _STALL_SECONDS
        if not self._unsent:
            self.deadline = None
            if self._is_answered:
                self.lose_client()

    def _pass_on(self, pipe: int, now: float) -> bool:
        """Pass on what the command has printed; returns whether there was anything."""
        piece = _read(pipe)
        if piece:
            self._answer(frame(self._printed[pipe], piece), now)
        elif piece is not None:
            self._close_printed(pipe)
        return bool(piece)

    def _close_printed(self, pipe: int) -> None:
        if self._printed.pop(pipe, None) is not None:
            os.close(pipe)

    def _feed(self) -> None:
        """Give the command its standard input, and the end of it."""
        if self._input_pipe is None:
            return
        try:
            self._input = self._input[os.write(self._input_pipe, self._input) :] if self._input else b""
        except BlockingIOError:
            return
        except OSError:  # it does not want it
            self._input = b""
        if not self._input:
            os.close(self._input_pipe)
            self._input_pipe = None


def _read(descriptor: int | None) -> bytes | None:
    """What there is to be read: nothing at the end, None where more may come."""
    try:
        return os.read(descriptor, _PIECE_BYTES) if descriptor is not None else b""
    except BlockingIOError:
        return None
    except OSError:
        return b""
