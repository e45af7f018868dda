"""An agent's copy of a login file and the person's own are kept the same, whatever the agent puts in its place."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.door.logins import Login, end_all, pass_all_on

if TYPE_CHECKING:
    from collections.abc import Callable

OLD, NEW, OTHER = '{"token": 1}', '{"token": 2}', '{"token": 3}'


class Pair:
    """The two files, and whoever keeps them the same."""

    def __init__(self, root: Path) -> None:
        self.inside, self.outside = root / "inside.json", root / "outside.json"
        for path in (self.inside, self.outside):
            path.write_text(OLD)
        self.logins = [Login(str(self.inside), str(self.outside))]

    def passed_on(self) -> tuple[str, str]:
        pass_all_on(self.logins)
        return self.inside.read_text(), self.outside.read_text()


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


def replace(path: Path, text: str) -> None:
    """As Codex writes its own."""
    new = path.with_suffix(".tmp")
    new.write_text(text)
    new.replace(path)


def test_new_tokens_go_out_and_come_in(pair: Pair) -> None:
    assert pair.passed_on() == (OLD, OLD)
    replace(pair.inside, NEW)
    assert pair.passed_on() == (NEW, NEW)
    assert pair.outside.stat().st_mode & 0o777 == 0o600
    replace(pair.outside, OTHER)
    assert pair.passed_on() == (OTHER, OTHER)


def test_a_login_of_the_persons_counts_for_more_than_one_of_the_agents(pair: Pair) -> None:
    replace(pair.inside, NEW)
    replace(pair.outside, OTHER)
    assert pair.passed_on() == (OTHER, OTHER)


@pytest.mark.parametrize("text", ["", '{"token": ', "[1]", "x" * 1_000_001])
def test_what_is_no_whole_login_is_not_passed_on(pair: Pair, text: str) -> None:
    pair.inside.write_text(text)
    assert pair.passed_on() == (text, OLD)
    replace(pair.inside, NEW)
    assert pair.passed_on() == (NEW, NEW)


@pytest.mark.parametrize(
    "put",
    [
        lambda path: path.symlink_to("/etc/passwd"),
        lambda path: path.symlink_to(path.parent / "secret.json"),
        Path.mkdir,
        os.mkfifo,
        lambda path: None,
    ],
)
def test_what_an_agent_puts_in_the_place_of_its_login_is_neither_followed_nor_waited_for(
    pair: Pair, put: Callable[[Path], None]
) -> None:
    (pair.inside.parent / "secret.json").write_text(NEW)
    pair.inside.unlink()
    put(pair.inside)
    pass_all_on(pair.logins)
    assert pair.outside.read_text() == OLD
    replace(pair.outside, OTHER)
    pass_all_on(pair.logins)
    end_all(pair.logins)
    assert (pair.outside.read_text(), (pair.inside.parent / "secret.json").read_text()) == (OTHER, NEW)


def test_a_person_who_has_logged_out_stays_so(pair: Pair) -> None:
    pair.outside.unlink()
    replace(pair.inside, NEW)
    pass_all_on(pair.logins)
    assert not pair.outside.exists()


def test_at_the_end_the_last_change_is_kept_and_no_copy(pair: Pair) -> None:
    replace(pair.inside, NEW)
    end_all(pair.logins)
    assert (pair.outside.read_text(), pair.inside.exists()) == (NEW, False)
    assert sorted(path.name for path in pair.outside.parent.iterdir()) == ["outside.json"]
