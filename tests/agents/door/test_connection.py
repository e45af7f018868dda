"""One client, at whatever pace: nobody is waited for, and what was printed arrives whole or not at all."""

from __future__ import annotations

import os
import select
import socket
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.door.connection import Connection
from orange_tui.outside.children import Command
from support.door import answer, request

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Meeting:
    """A connection, the client at its other end, and a clock that only the test moves."""

    def __init__(self, directory: Path) -> None:
        self.client, other = socket.socketpair(socket.AF_UNIX)
        self.client.settimeout(60)
        self.now = 100.0
        self.directory = str(directory)
        self.connection = Connection(other.detach(), self.now)

    def run(self, script: str) -> None:
        """The request becomes a command, which ends by itself."""
        self.connection.start(Command([b"sh", b"-c", script.encode()], dict(os.environb), self.directory))

    def turn(self) -> list[bytes] | None:
        """Do all that can be done now; returns a request that is complete."""
        while True:
            poll = select.poll()
            for descriptor, events in self.connection.interests():
                poll.register(descriptor, events)
            ready = poll.poll(0)
            if not ready:
                return None
            for descriptor, events in ready:
                words = self.connection.handle(descriptor, events, self.now)
                if words is not None:
                    return words

    def reap(self) -> None:
        assert self.connection.pid is not None
        _, status = os.waitpid(self.connection.pid, 0)
        self.connection.finish(status, self.now)

    def end(self) -> None:
        self.client.close()
        self.turn()
        if self.connection.pid is not None:
            self.reap()
        assert self.connection.is_over


@pytest.fixture
def meeting(tmp_path: Path) -> Iterator[Meeting]:
    meeting = Meeting(tmp_path)
    yield meeting
    meeting.end()


def test_request_is_taken_when_all_of_it_is_there(meeting: Meeting) -> None:
    sent = request("task", "update", "--summary", "")
    for at in range(len(sent)):
        assert meeting.turn() is None
        meeting.client.sendall(sent[at : at + 1])
    assert meeting.turn() == [b"task", b"update", b"--summary", b""]


def test_client_that_does_not_say_all_in_time_is_told_so(meeting: Meeting) -> None:
    meeting.client.sendall(request("task", "list")[:-1])
    meeting.turn()
    assert meeting.connection.deadline == 110.0
    meeting.connection.expire(110.0)
    assert answer(meeting.client) == [(b"r", b"This was not all here within 10 s")]
    assert meeting.connection.is_over


def test_all_that_a_command_printed_arrives_in_order_with_its_exit_code(meeting: Meeting) -> None:
    meeting.run("echo one; echo two >&2; exit 3")
    meeting.reap()
    assert answer(meeting.client) == [(b"o", b"one\n"), (b"e", b"two\n"), (b"x", b"\3")]


def test_command_is_done_with_even_if_what_it_started_holds_its_pipes(meeting: Meeting) -> None:
    meeting.run("echo one; (sleep 1000 & echo $! >pid)")
    meeting.reap()
    assert answer(meeting.client) == [(b"o", b"one\n"), (b"x", b"\0")]
    with open(os.path.join(meeting.directory, "pid")) as file:
        os.kill(int(file.read()), 9)


def test_command_waits_for_a_client_that_reads_slowly_and_it_gets_everything(meeting: Meeting) -> None:
    meeting.run("yes tea | head -c 3000000")
    received = 0
    meeting.client.setblocking(False)
    while meeting.connection.pid is not None or not meeting.connection.is_over:
        meeting.turn()
        assert len(meeting.connection._unsent) < 500_000
        try:
            received += len(meeting.client.recv(65536))
        except BlockingIOError:
            if os.waitid(os.P_PID, meeting.connection.pid or 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                meeting.reap()
    while piece := meeting.client.recv(65536):
        received += len(piece)
    assert received > 3_000_000


def test_client_that_reads_nothing_is_given_up_and_the_command_ends(meeting: Meeting) -> None:
    meeting.run("trap '' PIPE; yes tea | head -c 3000000; echo done >done")
    while meeting.connection.deadline is None:
        meeting.turn()
    assert meeting.connection.deadline == meeting.now + 60
    meeting.connection.expire(meeting.now + 60)
    meeting.reap()
    assert os.path.exists(os.path.join(meeting.directory, "done"))
    assert meeting.connection.is_over
