"""limits.json: the limits of the agents' accounts, for everybody who starts agents in this home.

`{harness: {account: {window, used_percent, resets_at, blocked_until, source}}}`. It is the engine's own; what it
says of an agent was read from that agent, and is checked as all input is.
"""

from __future__ import annotations

import os

from orange_tui.domain.records import record
from orange_tui.domain.usage.limit import Limit
from orange_tui.home.json_file import JsonFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.home.paths import Home

_TEXTS = ("window", "resets_at", "blocked_until", "source")


@record
class LimitsFile:
    """The limits of one home."""

    home: Home

    def read(self) -> list[Limit]:
        """Every limit that is known."""
        content = self._file.read_object()
        return [
            _limit(harness, account, values)
            for harness, accounts in content.items()
            for account, values in (accounts.items() if isinstance(accounts, dict) else ())
            if isinstance(values, dict)
        ]

    def put(self, limit: Limit) -> None:
        """Replace what is known of one account."""
        with self._file.changing_object() as content:
            accounts = content.setdefault(limit.harness, {})
            values = {"used_percent": limit.used_percent, **{name: getattr(limit, name) for name in _TEXTS}}
            accounts[limit.account] = {**accounts.get(limit.account, {}), **values}

    @property
    def _file(self) -> JsonFile:
        path = os.path.join(self.home.root, "limits.json")
        return JsonFile(path, os.path.join(self.home.root, ".limits.lock"), title="limits", disposable=True)


def _limit(harness: str, account: str, values: dict[str, object]) -> Limit:
    window, resets_at, blocked_until, source = (_text(values.get(name)) for name in _TEXTS)
    used = values.get("used_percent")
    percent = float(used) if isinstance(used, int | float) else None
    return Limit(harness, account, window, percent, resets_at, blocked_until, source or "")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
