"""Whether the person is at the app is known from a file that ends with the app, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from orange_tui.home.paths import Home
from orange_tui.notices.presence import Presence, last_seen_at_app

if TYPE_CHECKING:
    from pathlib import Path

APP = """\
import sys, time
from orange_tui.home.paths import Home
from orange_tui.notices.presence import Presence
presence = Presence(Home(sys.argv[1]))
presence.note(is_there=True)
print("there", flush=True)
time.sleep(600)
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(str(tmp_path))


def left(home: Home) -> list[str]:
    return [name for name in os.listdir(home.state) if name.startswith(".present.")]


def test_without_an_app_nobody_is_there(home: Home) -> None:
    assert last_seen_at_app(home) == 0


def test_key_is_seen_until_the_person_looks_elsewhere_or_leaves(home: Home) -> None:
    presence = Presence(home)
    presence.note(is_there=True)
    assert abs(time.time() - last_seen_at_app(home)) < 60
    presence.note(is_there=False)
    assert last_seen_at_app(home) == 0
    presence.note(is_there=True)
    assert last_seen_at_app(home) > 0
    presence.end()
    assert last_seen_at_app(home) == 0
    assert left(home) == []


def test_of_two_apps_the_later_key_counts(home: Home) -> None:
    here, elsewhere = Presence(home), Presence(home)
    here.note(is_there=True)
    elsewhere.note(is_there=False)
    assert last_seen_at_app(home) > 0
    here.end()
    elsewhere.end()


def test_app_that_is_killed_is_not_there_and_leaves_nothing(home: Home) -> None:
    app = subprocess.Popen([sys.executable, "-c", APP, home.root], stdout=subprocess.PIPE, text=True)
    assert app.stdout is not None
    with app.stdout:
        assert app.stdout.readline() == "there\n"
        assert last_seen_at_app(home) > 0
        os.kill(app.pid, signal.SIGKILL)
        app.wait()
    assert len(left(home)) == 1
    assert last_seen_at_app(home) == 0
    assert left(home) == []


def test_time_that_is_still_to_come_tells_nothing(home: Home) -> None:
    presence = Presence(home)
    presence.note(is_there=True)
    (name,) = left(home)
    os.utime(os.path.join(home.state, name), (time.time() + 10_000, time.time() + 10_000))
    assert last_seen_at_app(home) == 0
    presence.end()
