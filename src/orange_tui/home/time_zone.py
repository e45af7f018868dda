"""The person's time zone: what config.yml says, else TZ, else the machine's own."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.task import printable
from orange_tui.home import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import date, tzinfo

_MACHINE_ZONE = "/etc/localtime"


def find_zone(name: str) -> tzinfo:
    """The zone of that name in the IANA list; a name that is not in it is refused."""
    from datetime import UTC
    from zoneinfo import ZoneInfo

    if name in {"UTC", "Etc/UTC"}:
        return UTC  # also on a machine that has no list of zones
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # a directory, a path, nothing at all
        raise Refused(f"'{printable(name)}' is not a time zone; write one such as Europe/Berlin or UTC") from None


def local_zone(setting: str) -> tzinfo:
    """The zone that cron expressions are meant in; `setting` is `timezone` of config.yml, which may be empty."""
    if setting:
        return find_zone(setting)
    from_environment = os.environ.get("TZ")
    if from_environment is None:
        return _machine_zone()
    name = from_environment.removeprefix(":")
    try:
        return _zone_in_file(name) if name.startswith("/") else find_zone(name or "UTC")
    except OrangeError:
        raise Refused(
            f"TZ is '{printable(name)}', which is not a time zone; set `timezone` in config.yml, such as Europe/Berlin"
        ) from None


def today(zone: tzinfo | None) -> date:
    """The day that it is now in a zone; None is the system's."""
    from datetime import datetime

    return datetime.fromisoformat(clock.now()).astimezone(zone).date()


def _machine_zone() -> tzinfo:
    from datetime import UTC

    name = os.path.realpath(_MACHINE_ZONE).partition("/zoneinfo/")[2]
    if name:
        return find_zone(name)
    return _zone_in_file(_MACHINE_ZONE) if os.path.exists(_MACHINE_ZONE) else UTC


def _zone_in_file(path: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    try:
        with open(path, "rb") as file:
            return ZoneInfo.from_file(file, key=path.partition("/zoneinfo/")[2] or "local")
    except (OSError, ValueError):
        raise Refused(f"{path} is not a time zone") from None
