"""Orange's extension for opencode, run by Node, with a stand-in for opencode that says what happens there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orange_tui.home.paths import shipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from support.asking import AskingHome

STAND_IN = Path(__file__).with_suffix(".mjs")


class Opencode:
    """An opencode in a task's window. `knows`: whether it takes words with a refusal, as newer ones do."""

    def __init__(
        self, asking: AskingHome, *, knows: str = "words", environment: Mapping[str, str] | None = None
    ) -> None:
        words = ["node", str(STAND_IN), f"{shipped('extensions')}/opencode.js", "/w", knows]
        known = {"ORANGE_HOME": asking.home.root, "ORANGE_TASK": asking.ref.id, "ORANGE_WINDOW": "worker"}
        path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
        given = {**os.environ, "PATH": path, **known, **(environment or {})}
        pipe = subprocess.PIPE
        # In a session of its own: a signal to all of its group is no test's end.
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env=given, start_new_session=True)

    def calls(self, call: str, tool: str, **given: Any) -> dict[str, str]:
        """The agent uses a tool; returns how that is called in what is asked about it."""
        about = {"tool": tool, "sessionID": "ses_1", "callID": call}
        self._tell({"hook": "tool.execute.before", "input": about, "output": {"args": given}})
        return {"messageID": "msg_1", "callID": call}

    def asks(self, permission_id: str, permission: str, **more: Any) -> None:
        """Opencode opens its dialog."""
        self._tell(_asked(permission_id, permission=permission, **more))

    def asks_to_run(self, permission_id: str, command: str) -> None:
        """The usual question: to run a command."""
        self.asks(permission_id, "bash", tool=self.calls(f"call {permission_id}", "bash", command=command))

    def is_answered_there(self, permission_id: str) -> None:
        """Somebody answers in opencode's own dialog."""
        self._tell(_replied(permission_id))

    def asks_and_is_answered_at_once(self, permission_id: str) -> None:
        """Both before anything else happens, as by a rule of opencode's own."""
        self._tell(_asked(permission_id, permission="bash"), _replied(permission_id))

    def hears(self) -> dict[str, str]:
        """The next thing that the extension asks of it."""
        assert self._process.stdout is not None
        found: dict[str, str] = json.loads(self._process.stdout.readline())
        return found

    def ends(self) -> list[str]:
        """It is closed in good order; returns what the extension has asked of it meanwhile."""
        asked = self._process.communicate(timeout=60)[0].splitlines()
        assert self._process.returncode == 0
        return asked

    def kill(self) -> None:
        """It is killed, or it has ended already."""
        self._process.kill()
        self._process.communicate()

    def _tell(self, *happens: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(happens) + "\n")
        self._process.stdin.flush()


def _asked(permission_id: str, **more: Any) -> dict[str, Any]:
    return _event(
        "permission.asked", {"id": permission_id, "sessionID": "ses_1", "patterns": ["*"], "metadata": {}, **more}
    )


def _replied(permission_id: str) -> dict[str, Any]:
    return _event("permission.replied", {"sessionID": "ses_1", "requestID": permission_id, "reply": "once"})


def _event(kind: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"hook": "event", "input": {"event": {"type": kind, "properties": properties}}}
