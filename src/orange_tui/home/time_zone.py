"""The person's time zone: what config.yml says, else TZ, else the machine's own."""

from __future__ import annotations

import os

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.task import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import tzinfo

    from orange_tui.home.paths import Home

_MACHINES = "/etc/localtime"


def check_zone(name: str) -> str:
    """A zone's name, if there is such a zone."""
    if name:
        zone(name)
    return name


def zone(name: str) -> tzinfo:
    """The zone of a name, as in the IANA list."""
    from datetime import UTC
    from zoneinfo import ZoneInfo

    if name in {"UTC", "Etc/UTC"}:
        return UTC  # also on a machine that has no list of zones
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # a directory, a path, nothing at all
        raise Refused(f"'{printable(name)}' is not a time zone; write one such as Europe/Berlin or UTC") from None


def persons_zone(home: Home) -> tzinfo:
    """The zone that cron expressions are meant in."""
    from orange_tui.home.settings import read_settings

    chosen = read_settings(home).text("timezone")
    if chosen:
        return zone(chosen)
    from_environment = os.environ.get("TZ")
    if from_environment is None:
        return _machines_zone()
    name = from_environment.removeprefix(":")
    try:
        return _from_file(name) if name.startswith("/") else zone(name or "UTC")
    except OrangeError:
        raise Refused(
            f"TZ is '{printable(name)}', which names no time zone; set `timezone:` in config.yml, such as Europe/Berlin"
        ) from None


def _machines_zone() -> tzinfo:
    from datetime import UTC

    real = os.path.realpath(_MACHINES)
    name = real.partition("/zoneinfo/")[2]
    if name:
        return zone(name)
    return _from_file(_MACHINES) if os.path.exists(_MACHINES) else UTC


def _from_file(path: str) -> tzinfo:
    from zoneinfo import ZoneInfo

    try:
        with open(path, "rb") as file:
            return ZoneInfo.from_file(file, key=path.partition("/zoneinfo/")[2] or "local")
    except (OSError, ValueError):
        raise Refused(f"{path} is not a time zone") from None
