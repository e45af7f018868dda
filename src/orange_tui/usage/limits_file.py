"""limits.json: the limits of the agents' accounts, for everybody who starts agents in this home.

`{harness: {account: {window, used_percent, resets_at, blocked_until, source, tries, tried_at, trial}}}`. It is the
engine's own; what it says of an agent was read from that agent, and is checked as all input is.
"""

from __future__ import annotations

import os
from datetime import datetime

from orange_tui.domain.records import record
from orange_tui.domain.usage.limit import Limit
from orange_tui.home import clock
from orange_tui.home.json_file import JsonFile, to_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.home.paths import Home

_TEXTS = ("window", "resets_at", "blocked_until", "source", "tried_at", "trial")


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

    def change(self, harness: str, account: str, work: Callable[[Limit], Limit]) -> Limit:
        """Replace what is known of one account by what `work` makes of it; keys of a newer Orange stay."""
        with self._file.changing_object() as content:
            accounts = content.get(harness)
            content[harness] = accounts = accounts if isinstance(accounts, dict) else {}
            stored = accounts.get(account)
            known = stored if isinstance(stored, dict) else {}
            limit = work(_limit(harness, account, known))
            numbers = {"used_percent": limit.used_percent, "tries": limit.tries}
            accounts[account] = {**known, **numbers, **{name: getattr(limit, name) for name in _TEXTS}}
            return limit

    @property
    def _file(self) -> JsonFile:
        return JsonFile(
            self.home.limits_file, os.path.join(self.home.root, ".limits.lock"), title="limits", disposable=True
        )


def _limit(harness: str, account: str, values: dict[str, object]) -> Limit:
    window, resets_at, blocked_until, source, tried_at, trial = (_text(values.get(name)) for name in _TEXTS)
    percent, tries = to_number(values.get("used_percent")), values.get("tries")
    count = tries if type(tries) is int and tries >= 0 else 0
    limit = Limit(harness, account, window, percent, resets_at, blocked_until, source or "", count, tried_at, trial)
    return limit.believed(datetime.fromisoformat(clock.now()))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
