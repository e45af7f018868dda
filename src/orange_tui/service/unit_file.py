"""The files that tell a system of the service: a unit for systemd, a property list for launchd. Text in, text out.

Each ends with the checksum of all before it: one whose checksum is another was edited, or is not ours.
"""

from __future__ import annotations

import re
from hashlib import sha256

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_PLAIN_PATH = re.compile(r"/[A-Za-z0-9/._+-]+")
_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", '"': '\\"'}
_MARK = "written by `orange service install`; sha256"
_FIRST_SURROGATE = 0xDC00  # how Python writes the bytes of a path that are no text
_UNIT = """\
[Unit]
Description=Orange: looks after your coding agents
StartLimitIntervalSec=300
StartLimitBurst=10

[Service]
Type=exec
ExecStart={command}
{environment}
Restart=on-failure
RestartSec=5
# Agents live in tmux, which this service may have started: its end must not be theirs.
KillMode=process
OOMPolicy=continue

[Install]
WantedBy=default.target
"""


@record
class ServiceSpec:
    """What the service runs: a program by its absolute path, its words, and its environment."""

    name: str
    program: str
    words: tuple[str, ...]
    environment: Mapping[str, str]


@record
class ServiceStatus:
    """What a system's manager says of the service, and what is wrong with it."""

    is_running: bool
    since: str
    problems: tuple[str, ...]


def systemd_unit(spec: ServiceSpec) -> str:
    """The unit."""
    words = [spec.program, *spec.words]
    if _PLAIN_PATH.fullmatch(spec.program) is None:  # as an argument, every path is possible
        words = ["/bin/sh", "-c", 'exec "$0" "$@"', *words]
    variables = (f"{name}={value}" for name, value in sorted(spec.environment.items()))
    text = _UNIT.format(
        command=" ".join([words[0], *(f'"{_escape(word).replace("$", "$$")}"' for word in words[1:])]),
        environment="\n".join(f'Environment="{_escape(each)}"' for each in variables),
    )
    return f"{text}\n# {_MARK} {_checksum(text)}\n"


def _escape(value: str) -> str:
    """A value as systemd reads it between double quotes; `%` would begin a specifier."""
    return "".join(_escape_one(character) for character in value).replace("%", "%%")


def _escape_one(character: str) -> str:
    code = ord(character)
    if character in _ESCAPES:
        return _ESCAPES[character]
    if _FIRST_SURROGATE <= code <= _FIRST_SURROGATE + 0xFF:
        return f"\\x{code - _FIRST_SURROGATE:02x}"
    return f"\\x{code:02x}" if code < 0x20 or code == 0x7F else character  # noqa: PLR2004 - control characters


def launchd_list(spec: ServiceSpec) -> str:
    """The property list. `AbandonProcessGroup`: tmux, and so the agents, outlive the service."""
    import plistlib

    content = {
        "Label": spec.name,
        "ProgramArguments": [spec.program, *spec.words],
        "EnvironmentVariables": dict(sorted(spec.environment.items())),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "AbandonProcessGroup": True,
        "ProcessType": "Background",
    }
    try:
        text = plistlib.dumps(content, sort_keys=False).decode()
    except ValueError:
        raise Refused("launchd cannot be told of this home or PATH: a name in it has control characters") from None
    return f"{text}<!-- {_MARK} {_checksum(text)} -->\n"


def is_unedited(text: str) -> bool:
    """Whether such a file is as it was written by Orange, of whichever version."""
    before, mark, rest = text.rpartition(_MARK)
    found = re.fullmatch(r" ([0-9a-f]{64})(?: -->)?\n", rest)
    content = before.removesuffix("\n# ").removesuffix("<!-- ")
    return bool(mark) and found is not None and found[1] == _checksum(content)


def _checksum(text: str) -> str:
    return sha256(text.encode(errors="surrogateescape")).hexdigest()
