"""A limit of an agent's account: how much of it is used, until when nothing more is to be had, and who tries again.

What agents say of it blocks their account for a bounded time, and never unblocks it: it is over when an agent that was
let go on works. Where nobody says when it ends, it is tried again after pauses that grow.
"""

from __future__ import annotations

from datetime import timedelta

from orange_tui.domain.records import record, replace
from orange_tui.domain.usage.reset_time import from_iso, utc_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

DEFAULT_ACCOUNT = "default"
_NEARLY_PERCENT, _ALL_PERCENT = 90.0, 100.0
_LONGEST_BLOCK = timedelta(days=8)  # the longest limits are those of a week
_ROUNDED_MARGIN, _EXACT_MARGIN = timedelta(seconds=30), timedelta(seconds=1)  # clocks differ; agents round to minutes
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(minutes=5), timedelta(hours=2)
_MAX_DOUBLINGS = 10
_TRIAL = timedelta(minutes=2)  # for which nobody else starts while one tries; a killed Orange holds up nobody longer


@record
class UsedWindow:
    """How much of one of its limits an account has used, as the agent says."""

    name: str  # as the agent calls it: five_hour, seven_day, primary
    used_percent: float
    resets_at: str | None  # ISO 8601 in UTC


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
    tries: int = 0  # how often an agent has tried to go on since it was reached
    tried_at: str | None = None  # when one began to try; None once that one has said that the limit goes on
    trial: str | None = None  # the task whose agent tries

    def is_blocked(self, now: str) -> bool:
        """Whether an agent started now would run into it."""
        return self.blocked_until is not None and now < self.blocked_until

    def is_nearly_used_up(self, now: str) -> bool:
        """Whether Orange itself should start nothing more until it begins anew."""
        counts = self.resets_at is not None and now < self.resets_at  # without its end, nobody knows how long
        return self.used_percent is not None and self.used_percent > _NEARLY_PERCENT and counts

    def believed(self, now: datetime) -> Limit:
        """What may be believed of what is written down: a time that nobody can have said is none.

        So an account is blocked for a bounded time, also after a clock was set back or somebody has edited the file;
        where that time is nonsense, one agent tries.
        """
        names = ("resets_at", "blocked_until", "tried_at")
        times = {name: _possible_time(getattr(self, name), now) for name in names}
        if self.blocked_until is not None and times["blocked_until"] is None:
            times["blocked_until"] = utc_text(now)
        return replace(self, **times)

    def reached(self, now: datetime, said_at: datetime, end: datetime | None, source: str) -> Limit:
        """What is known once an agent has said that it has reached its limit, and when that ends.

        What was said before the last try is over, and changes nothing.
        """
        if self.tried_at is not None and utc_text(said_at) < self.tried_at:
            return self
        is_known_blocked = self.is_blocked(utc_text(now)) and self.tried_at is None
        end = min(end, now + _LONGEST_BLOCK) if end is not None else None
        if end is not None and end + _margin(end) > now:
            until, resets_at = utc_text(end + _margin(end)), utc_text(end)
            if is_known_blocked and self.resets_at is not None and self.blocked_until is not None:
                until, resets_at = max(until, self.blocked_until), max(resets_at, self.resets_at)
        elif is_known_blocked:
            return self  # others have seen it, and know as much
        elif end is not None and not self.tries:
            until, resets_at = utc_text(end + _margin(end)), utc_text(end)  # it has ended while nobody looked
        else:
            until, resets_at = utc_text(now + _pause(self.tries)), None
        return replace(self, resets_at=resets_at, blocked_until=until, source=source, tried_at=None, trial=None)

    def used(self, now: datetime, windows: list[UsedWindow], source: str) -> Limit:
        """What is known once an agent has said how much is used: the fullest window counts until it begins anew."""
        stamp, latest = utc_text(now), utc_text(now + _LONGEST_BLOCK)
        told = [each for each in windows if each.resets_at is not None and stamp < each.resets_at <= latest]
        if not told:
            return self  # without its end, nobody knows how long it counts
        fullest = max(told, key=lambda each: each.used_percent)
        percent, is_known = min(fullest.used_percent, _ALL_PERCENT), self.resets_at is not None
        if self.is_blocked(stamp):
            end = from_iso(str(fullest.resets_at)) if percent >= _ALL_PERCENT and not is_known else None
            return self if end is None or self.tried_at is not None else self.reached(now, now, end, source)
        if is_known and stamp < str(self.resets_at) and percent < (self.used_percent or 0):
            return self
        return replace(self, window=fullest.name, used_percent=percent, resets_at=fullest.resets_at, source=source)

    def tried(self, now: datetime, task: str) -> Limit:
        """What is known once one agent goes on: nobody else starts until it works, or says that the limit goes on."""
        until = utc_text(now + _TRIAL)
        return replace(self, tries=self.tries + 1, tried_at=utc_text(now), blocked_until=until, trial=task)

    def is_tried_by(self, task: str | None, now: str) -> bool:
        """Whether it is this task's turn to try."""
        return self.trial is not None and self.trial == task and self.is_blocked(now)


def _possible_time(stamp: str | None, now: datetime) -> str | None:
    """A time as all of them are written; None where it is none, or too far away."""
    moment = from_iso(stamp) if stamp is not None else None
    is_possible = moment is not None and moment <= now + _LONGEST_BLOCK + _ROUNDED_MARGIN
    return utc_text(moment) if moment is not None and is_possible else None


def _margin(end: datetime) -> timedelta:
    """How long after its end a limit is tried again: a while where it may be rounded."""
    return _EXACT_MARGIN if end.second or end.microsecond else _ROUNDED_MARGIN


def _pause(tries: int) -> timedelta:
    return min(_FIRST_PAUSE * (1 << min(tries, _MAX_DOUBLINGS)), _LONGEST_PAUSE)
