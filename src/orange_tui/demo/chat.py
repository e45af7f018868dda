"""The demo agent as an orchestrator: it says what it is, and makes a task when told `create: …`."""

from __future__ import annotations

import re

from orange_tui.domain.errors import OrangeError
from orange_tui.outside.programs import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.demo.inbox import Inbox
    from orange_tui.demo.screen import Screen

_CREATE = re.compile(r"create:\s*(\S.*)", re.IGNORECASE | re.DOTALL)
_HELLO = "I am only a demo. Tell me `create: what is to be done`, and I make a task of it; `exit` ends this."
_FAREWELLS = ("exit", "quit", "/exit", "/quit")
_LONGEST_BRANCH = 40
_LONGEST_COMMAND = 600.0  # a task that starts may set a whole workspace up


def converse(project: str, screen: Screen, inbox: Inbox) -> int:
    """Talk until the person says so, or there is nobody to talk to any more."""
    screen.banner("orchestrator", project, "What would you like done?")
    screen.say(_HELLO)
    while True:
        screen.title("idle")
        screen.input_line("")
        message = inbox.next(screen.input_line)
        screen.hears(message or "(the end)")
        if message is None or message.lower() in _FAREWELLS:
            return 0
        screen.title("busy")
        wanted = _CREATE.match(message)
        if wanted is None:
            screen.say(_HELLO)
        else:
            _create(project, " ".join(wanted[1].split()), screen)


def _create(project: str, summary: str, screen: Screen) -> None:
    """A task, made as any agent makes one: on the command line."""
    branch = re.sub(r"[^a-z0-9]+", "-", summary.lower())[:_LONGEST_BRANCH].strip("-") or "demo-task"
    words = ["orange", "task", "create", branch, summary, "--harness", "demo", "--project", project]
    screen.does(f"$ {' '.join(words)}")
    try:
        finished = run(words, timeout=_LONGEST_COMMAND)
    except OrangeError as problem:
        screen.fails(str(problem))
        return
    if finished.code == 0:
        screen.succeeds(finished.output.strip())
    else:
        screen.fails(finished.message)
