"""The limits of the agents' accounts: what was seen of them, who has to wait, and what a person is told.

What is seen was written by an agent, so it blocks its own account only, for a bounded time, and unblocks nothing:
that an account can be used again is known from an agent that Orange itself has let go on, and that works.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from orange_tui.agents.harnesses import Harnesses, login_directory
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.records import record, replace
from orange_tui.domain.usage.limit import DEFAULT_ACCOUNT, Limit
from orange_tui.domain.usage.reset_time import Said, from_iso, reset_time
from orange_tui.home import clock
from orange_tui.home.settings.config_file import read_settings
from orange_tui.home.time_zone import find_zone
from orange_tui.sessions.starts import record_limit_mark
from orange_tui.usage.limits_file import LimitsFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import tzinfo

    from orange_tui.domain.usage.limit import UsedWindow
    from orange_tui.home.paths import Home
    from orange_tui.store.open_task import OpenTask

_MANY_TRIES = 4  # after so many without an end in sight, a person is told
_SOON = timedelta(hours=20)  # until when a time of day says enough


class Limits:
    """The limits of one home."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self._harnesses = Harnesses(home)

    def all(self) -> list[Limit]:
        """Every limit that is known."""
        return LimitsFile(self.home).read()

    def find(self, harness: str, account: str | None = None) -> Limit | None:
        """What is known of an account's limit, the present one's if none is named."""
        known = [limit for limit in self.all() if limit.harness == harness]
        wanted = account or (self.account_of(harness) if known else None)
        return next((limit for limit in known if limit.account == wanted), None)

    def account_of(self, harness: str) -> str:
        """The account that an agent started from here would use."""
        try:
            return login_directory(self._harnesses.get(harness)) or DEFAULT_ACCOUNT
        except OrangeError:
            return DEFAULT_ACCOUNT  # an agent that is no more in harnesses.yml

    def blocked(self, harness: str, account: str | None = None) -> Limit | None:
        """The limit that an agent started now would run into."""
        limit = self.find(harness, account)
        return limit if limit is not None and limit.is_blocked(clock.now()) else None

    def sentence(self, harness: str, account: str | None = None) -> str:
        """What the row of an agent at its limit says: `claude's limit, until 03:30`."""
        limit = self.find(harness, account)
        if limit is None or limit.blocked_until is None:
            return f"{harness}'s limit"
        if limit.tried_at is not None or not limit.is_blocked(clock.now()):
            return f"{harness}'s limit, tried again now"
        end = limit.resets_at if limit.resets_at and limit.resets_at > clock.now() else None
        word = "until" if end is not None else "to be tried again at"
        return f"{harness}'s limit, {word} {self.local_time(end or limit.blocked_until)}"

    def why_wait(self, harness: str | None, task: str | None = None) -> str | None:
        """Why Orange itself starts no agent of this kind now: `claude's limit, until 03:30`; None where it may.

        A task whose turn it is to try whether the limit is over may.
        """
        limit = self.find(harness) if harness is not None else None
        if limit is None or limit.is_tried_by(task, clock.now()):
            return None
        if limit.is_blocked(clock.now()):
            return self.sentence(limit.harness)
        if limit.is_nearly_used_up(clock.now()):
            return f"{harness}'s limit, {limit.used_percent:.0f} % used, until {self.local_time(str(limit.resets_at))}"
        return None

    def see_limit(self, harness: str, account: str, text: str, said_at: str, source: str) -> Limit:
        """An agent says that it has reached its limit, in these words."""
        now = _now()
        at = min(from_iso(said_at) or now, now)
        end = from_iso(reset_time(text, Said(at, self._zone(), _zone_or_none)) or "")
        return self._change(harness, account, lambda known: known.reached(now, at, end, source))

    def see_use(self, harness: str, account: str, windows: Iterable[UsedWindow], source: str) -> None:
        """An agent says how much of its limits is used. It says so all the time: most of it is no news."""
        now, told = _now(), list(windows)
        known = self.find(harness, account) or Limit(harness, account)
        if known.used(now, told, source) != known:
            self._change(harness, account, lambda known: known.used(now, told, source))

    def is_due(self, limit: Limit) -> bool:
        """Whether a limit should be over by now, and nobody has tried it yet."""
        return limit.blocked_until is not None and not limit.is_blocked(clock.now())

    def begin_trial(self, harness: str, account: str, task: str) -> None:
        """One task's agent goes on now; for a while nobody else does."""
        self._change(harness, account, lambda known: known.tried(_now(), task))

    def end_trial(self, harness: str, account: str) -> None:
        """The agent whose turn it was has not gone on: the next one may try at once."""
        self._change(
            harness, account, lambda known: replace(known, tried_at=None, trial=None, blocked_until=clock.now())
        )

    def end(self, harness: str, account: str) -> None:
        """An agent that went on works: the limit is over, and what was used then counts no more."""
        self._change(harness, account, lambda known: Limit(known.harness, known.account))

    def _change(self, harness: str, account: str, work: Callable[[Limit], Limit]) -> Limit:
        return LimitsFile(self.home).change(harness, account, work)

    def local_time(self, stamp: str) -> str:
        """A time as the person's clock shows it, with its date where that is far away."""
        moment = from_iso(stamp)
        if moment is None:
            return "an unknown time"
        local = moment.astimezone(self._zone())
        is_soon = moment - _now() < _SOON
        return f"{local:%H:%M}" if is_soon else f"{local:%b} {local.day}, {local:%H:%M}"

    def _zone(self) -> tzinfo:
        try:
            return read_settings(self.home).time_zone()
        except OrangeError:
            return UTC  # config.yml or TZ is wrong, which is said elsewhere


@record
class Sighting:
    """An agent that says that it has reached its limit, in which words, and when."""

    window: str
    harness: str
    words: str
    said_at: str
    source: str


def record_limit(limits: Limits, opened: OpenTask, seen: Sighting) -> None:
    """Record that an agent has reached its limit, for its task and for all that use the same account."""
    limit = limits.see_limit(seen.harness, limits.account_of(seen.harness), seen.words, seen.said_at, seen.source)
    record_limit_mark(opened, seen.window, limit)
    if limit.resets_at is None and limit.tries >= _MANY_TRIES:
        opened.set_attention(still_at_limit(seen.harness))


def still_at_limit(harness: str) -> str:
    """What a person is told where nobody knows when a limit ends."""
    return f"{harness} has reached its limit and does not say when it ends; hand it over, or look at its session"


def _zone_or_none(name: str) -> tzinfo | None:
    try:
        return find_zone(name)
    except OrangeError:
        return None


def _now() -> datetime:
    return datetime.fromisoformat(clock.now())
