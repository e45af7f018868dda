"""A limit of an agent's account: how much of it is used, and until when nothing more is to be had."""

from __future__ import annotations

from orange_tui.domain.records import record

DEFAULT_ACCOUNT = "default"
_NEARLY_PERCENT = 90.0


@record
class Limit:
    """What is known of one account's tightest limit. Times are ISO 8601 in UTC."""

    harness: str
    account: str = DEFAULT_ACCOUNT
    window: str | None = None  # as the agent calls it: five_hour, seven_day
    used_percent: float | None = None
    resets_at: str | None = None  # None: nobody has said
    blocked_until: str | None = None  # None: it can be used. Without `resets_at` it is when to try again
    source: str = ""  # where that was read: a status line, a session file, a screen

    def is_blocked(self, now: str) -> bool:
        """Whether an agent started now would run into it."""
        return self.blocked_until is not None and now < self.blocked_until

    def is_nearly_used_up(self, now: str) -> bool:
        """Whether Orange itself should start nothing more until it begins anew."""
        has_begun_anew = self.resets_at is not None and self.resets_at <= now
        return self.used_percent is not None and self.used_percent > _NEARLY_PERCENT and not has_begun_anew
