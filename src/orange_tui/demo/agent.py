"""The demo harness's agent: `python -m orange_tui.demo.agent PROMPT`, in a task's window and worktree.

It does its part, then waits for messages until it is told `exit`, its input ends, or its window is closed.
"""

from __future__ import annotations

import os
import signal
import sys

from orange_tui.agents.launch import CHAT_VARIABLE
from orange_tui.demo.brief import is_reviewer
from orange_tui.demo.chat import converse
from orange_tui.demo.desk import find_desk
from orange_tui.demo.inbox import Inbox
from orange_tui.demo.reviewer import Reviewer
from orange_tui.demo.screen import open_screen
from orange_tui.demo.worker import Worker
from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.demo.player import Player
    from orange_tui.demo.screen import Screen

_INTERRUPTED = 130
_FAREWELLS = ("exit", "quit", "/exit", "/quit")


def main(argv: Sequence[str] | None = None) -> int:
    """Play one agent; returns the exit code."""
    prompt = "\n".join(sys.argv[1:] if argv is None else argv)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _end)
    screen = open_screen()
    try:
        with Inbox(sys.stdin.fileno()) as inbox:
            project = os.environ.get(CHAT_VARIABLE)
            return converse(project, screen, inbox) if project else _play(prompt, screen, inbox)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OrangeError as problem:
        screen.fails(str(problem))
        return 1
    finally:
        screen.close()


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _play(prompt: str, screen: Screen, inbox: Inbox) -> int:
    player = _player(prompt, screen)
    _turn(player, None, screen)
    while True:
        screen.title("asks" if player.desk.task().status == "clarification" else "idle")
        screen.input_line("")
        message = inbox.next(screen.input_line)
        if message is None or message.lower() in _FAREWELLS:
            screen.hears(message or "(the end)")
            return 0
        screen.hears(message)
        _turn(player, message, screen)


def _player(prompt: str, screen: Screen) -> Player:
    desk = find_desk(os.environ, os.getcwd())
    return Reviewer(desk, screen) if is_reviewer(prompt, os.environ) else Worker(desk, screen, prompt)


def _turn(player: Player, message: str | None, screen: Screen) -> None:
    """One turn; what goes wrong in it is said, and the agent is still there."""
    screen.title("busy")
    try:
        player.begin() if message is None else player.hear(message)
    except OrangeError as problem:
        screen.fails(str(problem))


if __name__ == "__main__":
    sys.exit(main())
