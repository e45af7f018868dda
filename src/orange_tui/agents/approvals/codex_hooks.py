"""Codex's permission hook, given on its command line and trusted there for that run: the person's settings stay theirs.

Codex runs a hook only if the hash of its definition is known to be trusted, and shows a dialog at its start for one
that is not, which would stop an unattended agent. How it makes the hash is its own business and may change: so a
version of Codex that has not been seen yet is asked once whether it would trust ours. Where it would not, there is
none, and its own dialog is answered on its screen.
"""

from __future__ import annotations

import json
import os

from orange_tui.domain.errors import OrangeError
from orange_tui.home.files import make_directory, read_signature
from orange_tui.home.json_file import JsonFile
from orange_tui.outside.programs import run_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.harnesses.harness import Harness

NO_HOOKS = "hooks.state={}"  # changes nothing, and keeps the command line's shape
_PLACE = "/<session-flags>/config.toml:permission_request:0:0"
# It holds its own dialog back meanwhile; that is shown at once when somebody attaches, or no Orange is there any more.
_ASK_SECONDS = 86_400
_MESSAGE = "Waiting for your answer in Orange: A there, or `orange task approve`"
_ANSWER_SECONDS = 15.0
_QUESTIONS = (
    {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "orange", "title": "Orange", "version": "1"}}},
    {"method": "initialized"},
    {"id": 2, "method": "hooks/list", "params": {"cwds": ["/"]}},
)
_ANSWER_MARK = b'"hooks":'


def codex_hooks(harness: Harness, home: str, orange: str) -> str:
    """The value for `-c`: our hook with its hash, or nothing."""
    if "{codex_hooks}" not in harness.reduced:
        return NO_HOOKS
    value = _hooks(_command(orange))
    return value if _is_trusted(harness.binary, home, value) else NO_HOOKS


def _command(orange: str) -> str:
    quoted = "'" + orange.replace("'", "'\"'\"'") + "'"
    return f"{quoted} task ask --agent codex - 2>/dev/null || :"


def _hooks(command: str) -> str:
    hook = {"type": "command", "command": command, "timeout": _ASK_SECONDS, "statusMessage": _MESSAGE}
    identity = {"event_name": "permission_request", "hooks": [{**hook, "async": False}]}
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = _digest(text)
    # A JSON string is a TOML string, too.
    words = ",".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in hook.items())
    state = f'{{"{_PLACE}"={{trusted_hash="sha256:{digest}"}}}}'
    return f"hooks={{PermissionRequest=[{{hooks=[{{{words}}}]}}],state={state}}}"


def _digest(text: str) -> str:
    from hashlib import sha256  # it takes as long as a git, and the other agents need none

    return sha256(text.encode(errors="surrogateescape")).hexdigest()


def _is_trusted(binary: str, home: str, value: str) -> bool:
    """Whether this Codex would run it; what it said is kept for as long as its program is the same."""
    import shutil

    program = shutil.which(binary)
    if program is None:
        return False
    asked = _digest(repr((program, read_signature(os.path.realpath(program)), value)))
    try:
        make_directory(os.path.join(home, ".cache"))
        path = os.path.join(home, ".cache", "codex-hooks.json")
        cache = JsonFile(path, f"{path}.lock", title="codex-hooks.json", disposable=True, lock_timeout=60.0)
        with cache.changing_object() as known:
            if known.get("asked") != asked:
                known["asked"], known["trusted"] = asked, _ask(program, value)
            return known["trusted"] is True
    except OrangeError:
        return False


def _ask(program: str, value: str) -> bool:
    sent = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in _QUESTIONS).encode()
    line = run_until([program, "-c", value, "app-server"], sent, _ANSWER_MARK, timeout=_ANSWER_SECONDS)
    try:
        places = json.loads(line or "")["result"]["data"]
        hooks = [hook for place in places for hook in place["hooks"] if hook["key"] == _PLACE]
        return [hook["trustStatus"] for hook in hooks] == ["trusted"]
    except (ValueError, KeyError, TypeError):
        return False
