"""Claude Code's settings for one start: what it may read and edit, and a status line of ours.

The task's directory is given here, not by `--add-dir`: since 2.1.326 that opens a dialog whose first answer is "No,
exit". Rules that allow its files are not enough, as they leave a write through the link in the worktree to be asked.

The status line hears of cost and limits as nothing else does. It stores what Claude Code tells it in the task's
directory (`STATUS_VARIABLE`) and passes it on to the status line the person has, if any, whose output stays as it is.
It runs several times a second while the agent works, so it is a line for the shell that Claude Code starts anyway: no
Python, and two short-lived processes.
"""

from __future__ import annotations

import json
import os

from orange_tui.agents.harnesses import agent_path
from orange_tui.domain.errors import OrangeError
from orange_tui.home.files import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from orange_tui.domain.harnesses.harness import Harness

STATUS_VARIABLE = "ORANGE_STATUS_FILE"  # in the environment of an agent: where to store what its status line is told
_MAX_BYTES = 1_000_000
# Replaced in one step: whoever reads it meanwhile has the one before. A full disk must not take the person's line away.
# With `-C` nothing is written through a link; what is in the way, left by a kill, is gone the next time.
_STORE = (
    f'status=$(cat); [ -z "${STATUS_VARIABLE}" ] || (umask 077; set -C; {{ printf %s "$status"'
    f' >"${STATUS_VARIABLE}.new" && mv -f "${STATUS_VARIABLE}.new" "${STATUS_VARIABLE}"; }}'
    f' || rm -f "${STATUS_VARIABLE}.new") 2>/dev/null'
)


def claude_settings(harness: Harness, worktree: str, task_directory: str) -> str:
    """The settings as JSON. That it goes on by itself after a limit is switched off: Orange does that, one by one."""
    own = _persons_status_line(harness, worktree)
    command = own.get("command")
    # In a subshell, with line breaks: it may end with a comment, and it must not end ours.
    shown = f" | (\n{command}\n)" if command else " >/dev/null"
    line = {**own, "type": "command", "command": f"{_STORE}; printf '%s\\n' \"$status\"{shown}"}
    directories = list(dict.fromkeys((task_directory, os.path.realpath(task_directory))))
    permissions = {"additionalDirectories": directories}
    return json.dumps({"autoContinueAtUsageLimit": False, "permissions": permissions, "statusLine": line})


def _persons_status_line(harness: Harness, worktree: str) -> dict[str, Any]:
    """The status line that Claude Code would have without ours; the settings in the worktree come before the user's."""
    project = os.path.join(worktree, ".claude")
    user = agent_path("${CLAUDE_CONFIG_DIR:-~/.claude}", {**os.environ, **harness.environment})
    files = ((project, "settings.local.json"), (project, "settings.json"), (user, "settings.json"))
    for folder, name in files:
        found = _read(os.path.join(folder, name)).get("statusLine")
        if isinstance(found, dict) and isinstance(found.get("command"), str):
            return found
    return {}


def _read(path: str) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path, max_bytes=_MAX_BYTES))
    except (OrangeError, ValueError, RecursionError):
        return {}  # Claude Code does without it, too
    return found if isinstance(found, dict) else {}
