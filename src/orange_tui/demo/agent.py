"""The demo harness's agent: `python -m orange_tui.demo.agent PROMPT`, in a task's window and worktree.

It plays its role, then waits for messages until it is told `exit`, its input ends, or its window is closed.
"""

from __future__ import annotations

import os
import signal
import sys

from orange_tui.demo.roles.instructions import is_reviewer
from orange_tui.demo.roles.orchestrator import talk
from orange_tui.demo.roles.reviewer import Reviewer
from orange_tui.demo.roles.worker import Worker
from orange_tui.demo.tools.inbox import Inbox, is_farewell
from orange_tui.demo.tools.task_tools import find_task_tools
from orange_tui.demo.tools.terminal import open_terminal
from orange_tui.domain.errors import OrangeError
from orange_tui.home.paths import CHAT_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from orange_tui.demo.roles.role import Role
    from orange_tui.demo.tools.terminal import AgentTerminal

_INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Play one agent; returns the exit code."""
    prompt = "\n".join(sys.argv[1:] if argv is None else argv)
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _end)
    terminal = open_terminal()
    try:
        with Inbox(sys.stdin.fileno()) as inbox:
            project = os.environ.get(CHAT_VARIABLE)
            return talk(project, terminal, inbox) if project else _play(prompt, terminal, inbox)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OrangeError as problem:
        terminal.show_error(str(problem))
        return 1
    finally:
        terminal.close()


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _play(prompt: str, terminal: AgentTerminal, inbox: Inbox) -> int:
    role = _role(prompt, terminal)
    _turn(role, None, terminal)
    while True:
        terminal.set_title(role.resting_state)
        terminal.input_line("")
        message = inbox.next(terminal.input_line)
        if message is None or is_farewell(message):
            terminal.show_message(message or "(the end)")
            return 0
        terminal.show_message(message)
        _turn(role, message, terminal)


def _role(prompt: str, terminal: AgentTerminal) -> Role:
    tools = find_task_tools(os.environ, os.getcwd())
    return Reviewer(tools, terminal) if is_reviewer(prompt, os.environ) else Worker(tools, terminal, prompt)


def _turn(role: Role, message: str | None, terminal: AgentTerminal) -> None:
    """One turn; an error in it is shown, and the agent keeps running."""
    terminal.set_title("busy")
    try:
        if message is None:
            role.begin()
        elif not role.is_at_limit():
            role.receive(message)
    except OrangeError as problem:
        terminal.show_error(str(problem))


if __name__ == "__main__":
    sys.exit(main())
