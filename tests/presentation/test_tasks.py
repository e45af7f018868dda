"""Ages in one unit, as lists of tasks show them."""

from __future__ import annotations

import pytest

from orange_tui.home import clock
from orange_tui.presentation.tasks import age


@pytest.mark.parametrize(
    ("stamp", "in_the_app", "on_the_command_line"),
    [
        ("2026-03-10T12:00:00.500000Z", "now", "now"),
        ("2026-03-10T11:59:18.000000Z", "now", "42s"),
        ("2026-03-10T11:55:00.000000Z", "5m", "5m"),
        ("2026-03-10T09:00:00.000000Z", "3h", "3h"),
        ("2026-03-08T09:00:00", "2d", "2d"),
        ("2026-03-10T13:00:00+01:00", "now", "now"),
        ("2027-01-01T00:00:00.000000Z", "now", "now"),
        ("yesterday", "", ""),
    ],
)
def test_age_is_one_number_and_one_unit(
    stamp: str, in_the_app: str, on_the_command_line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: "2026-03-10T12:00:00.700000Z")
    assert age(stamp) == in_the_app
    assert age(stamp, with_seconds=True) == on_the_command_line
