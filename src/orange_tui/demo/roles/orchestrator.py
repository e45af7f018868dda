"""The demo agent as an orchestrator: it creates a task when it is told `create: …`."""

from __future__ import annotations

import re

from orange_tui.demo.tools.inbox import is_farewell
from orange_tui.domain.errors import OrangeError
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.tools.inbox import Inbox
    from orange_tui.demo.tools.terminal import AgentTerminal

_CREATE = re.compile(r"create:\s*(\S.*)", re.IGNORECASE | re.DOTALL)
_GREETING = "I am only a demo. Tell me `create: what to do`, and I create a task for it; `exit` ends this."
_MAX_BRANCH = 40
_COMMAND_TIMEOUT_SECONDS = 600.0  # starting a task may create a workspace


def talk(project: str, terminal: AgentTerminal, inbox: Inbox) -> int:
    """Answer messages until the person ends the conversation or the input ends; returns the exit code."""
    terminal.banner("orchestrator", project, "What would you like done?")
    terminal.say(_GREETING)
    while True:
        terminal.set_title("idle")
        terminal.input_line("")
        message = inbox.next(terminal.input_line)
        terminal.show_message(message or "(the end)")
        if message is None or is_farewell(message):
            return 0
        terminal.set_title("busy")
        wanted = _CREATE.match(message)
        if wanted is None:
            terminal.say(_GREETING)
        else:
            _create(project, " ".join(wanted[1].split()), terminal)


def _create(project: str, summary: str, terminal: AgentTerminal) -> None:
    """Create a task the way any agent does: with the `orange` command."""
    branch = re.sub(r"[^a-z0-9]+", "-", summary.lower())[:_MAX_BRANCH].strip("-") or "demo-task"
    words = ["orange", "task", "create", branch, summary, "--harness", "demo", "--project", project]
    terminal.show_action(f"$ {' '.join(words)}")
    try:
        finished = run(words, timeout=_COMMAND_TIMEOUT_SECONDS)
    except OrangeError as problem:
        terminal.show_error(str(problem))
        return
    if finished.code == 0:
        terminal.show_success(finished.output.strip())
    else:
        terminal.show_error(finished.message)
