"""A door with an agent behind it that does nothing, and everything that can be sent there."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from orange_tui.agents.door.protocol import DOOR_VARIABLE, WORDS, frame, join_words, take_frame
from orange_tui.agents.door.starting import behind_door, make_door
from support.driver import Result
from support.live_home import wait_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from support.driver import World

ANSWER = (b"o", b"e", b"x", b"r")


def request(*words: str) -> bytes:
    return frame(WORDS, join_words([word.encode() for word in words]))


class DoorWindow:
    """The window of a task, as far as a door needs one: the launcher with an agent that lives until it is told."""

    def __init__(self, world: World, root: Path, agent: Sequence[str] = ("cat",), name: str = "worker") -> None:
        self.world = world
        self.ref = world.task(status="doing")
        self.worktree = root / "worktree"
        self.worktree.mkdir(exist_ok=True)
        self.outside = root / "outside"  # where commands are carried out
        self.outside.mkdir(exist_ok=True)
        self.socket = os.path.join(make_door(str(root / "state"), name), "socket")
        names = {"ORANGE_TASK": self.ref.id, "ORANGE_TASK_FILE": str(world.file(self.ref)), "ORANGE_WINDOW": name}
        self.launcher = subprocess.Popen(
            behind_door(agent, os.path.dirname(self.socket), str(self.outside)),
            cwd=self.worktree,
            env={**os.environ, **names},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        wait_for(lambda: os.path.exists(self.socket) and self.is_listening())

    def is_listening(self) -> bool:
        try:
            self.connect().close()
        except ConnectionRefusedError:
            return False
        return True

    def connect(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(60)
        directory = os.open(os.path.dirname(self.socket), os.O_PATH)  # the path may be too long for a socket
        try:
            connection.connect(f"/proc/self/fd/{directory}/{os.path.basename(self.socket)}")
        except OSError:
            connection.close()
            raise
        finally:
            os.close(directory)
        return connection

    def ask(self, data: bytes) -> list[tuple[bytes, bytes]]:
        """Send bytes, and read all that comes back until the door closes the connection."""
        with self.connect() as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return answer(connection)

    def start(
        self, *words: str, stdin: bytes | None = None, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """`orange` behind the door, as the agent would run it, with whatever environment the agent chooses."""
        command = [os.path.join(os.path.dirname(sys.executable), "orange"), *words]
        home = {**os.environ, "ORANGE_HOME": "/nowhere", DOOR_VARIABLE: self.socket, **(environment or {})}
        given = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        child = subprocess.Popen(
            command, cwd=self.worktree, env=home, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        if stdin is not None and child.stdin is not None:
            child.stdin.write(stdin)
            child.stdin.close()
            child.stdin = None
        return child

    def orange(self, *words: str, stdin: bytes | None = None, environment: Mapping[str, str] | None = None) -> Result:
        child = self.start(*words, stdin=stdin, environment=environment)
        out, err = child.communicate(timeout=60)
        return Result(child.returncode, out.decode(), err.decode())

    def commands(self) -> list[int]:
        """The commands that are being carried out outside."""
        words = ["pgrep", "-P", str(self.launcher.pid)]
        found = subprocess.run(words, capture_output=True, text=True, check=False).stdout.split()
        return [int(pid) for pid in found if b"orange_tui.__main__" in _command_line(int(pid))]

    def open_files(self) -> set[str]:
        """What the launcher has open; what it closes meanwhile, it has not."""
        folder, found = f"/proc/{self.launcher.pid}/fd", set()
        for name in os.listdir(folder):
            with suppress(FileNotFoundError):
                found.add(os.readlink(os.path.join(folder, name)))
        return found

    def close(self) -> int:
        """The agent ends; returns the exit code of its launcher."""
        self.launcher.communicate(timeout=60)
        return self.launcher.returncode


def answer(connection: socket.socket) -> list[tuple[bytes, bytes]]:
    received = bytearray()
    try:
        while piece := connection.recv(65536):
            received += piece
    except ConnectionResetError:
        pass
    frames = []
    while found := take_frame(received, ANSWER, 2**32):
        frames.append(found)
    assert not received
    return frames


def _command_line(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""
