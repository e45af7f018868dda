"""config.yml: what is refused when it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import Unreadable
from orange_tui.home.settings.config_file import read_settings

if TYPE_CHECKING:
    from support.driver import World


@pytest.mark.parametrize(
    "address", ["ntfy", "ftp://example.org", "https://", "http://host:port/", "https://exämple.org", "http://a b/"]
)
def test_webhook_that_is_no_web_address_is_refused_with_its_line(world: World, address: str) -> None:
    (world.root / "config.yml").write_text(f"bell: false\nwebhook: {address}\n")
    with pytest.raises(Unreadable, match=r"config\.yml:2: webhook: .* is not a web address"):
        read_settings(world.home)


def test_webhook_that_is_a_web_address_or_empty_is_read(world: World) -> None:
    for address in ("https://example.org:8443/hook?a=b", "http://127.0.0.1/", ""):
        (world.root / "config.yml").write_text(f'webhook: "{address}"\n')
        assert read_settings(world.home).text("webhook") == address


def test_project_has_the_number_it_says_itself_else_that_of_the_settings(world: World) -> None:
    projects = world.orange.projects
    assert [projects.setting(name, "coffee") for name in ("max_attempts", "stuck_timeout")] == [5, 1800]
    (world.root / "config.yml").write_text("max_attempts: 3\nstuck_timeout: 60\n")
    projects.update("coffee", {"max_attempts": 2})
    assert [projects.setting(name, "coffee") for name in ("max_attempts", "stuck_timeout")] == [2, 60]


@pytest.mark.parametrize("line", ["max_attempts: 0", "stuck_timeout: -5", "max_attempts: often", "nudge: -1"])
def test_number_that_makes_no_sense_is_refused_with_its_line(world: World, line: str) -> None:
    (world.root / "config.yml").write_text(f"{line}\n")
    with pytest.raises(Unreadable, match=r"config\.yml:1: '?(max_attempts|stuck_timeout|nudge)"):
        read_settings(world.home)


def test_sandbox_of_a_project_is_what_it_says_itself_else_that_of_the_settings(world: World) -> None:
    projects = world.orange.projects
    assert projects.sandbox("coffee") == "off"
    (world.root / "config.yml").write_text("sandbox: reviewers\n")
    assert projects.sandbox("coffee") == "reviewers"
    projects.update("coffee", {"sandbox": "all"})
    assert projects.sandbox("coffee") == "all"
    (world.root / "config.yml").write_text("sandbox: off\n")  # false, to YAML
    assert read_settings(world.home).text("sandbox") == "off"


@pytest.mark.parametrize("mode", ["on", "true", "some"])
def test_sandbox_that_is_none_of_the_three_is_refused(world: World, mode: str) -> None:
    (world.root / "config.yml").write_text(f"sandbox: {mode}\n")
    with pytest.raises(Unreadable, match=r"config\.yml:1: sandbox: .* must be off, reviewers or all"):
        read_settings(world.home)


@pytest.mark.parametrize("key", ["x", "enter", "F13", "ctrl+c", "ctrl+m", "ctrl+", "shift+a", "F9 {}", "''"])
def test_key_that_would_be_needed_otherwise_is_refused_as_the_way_back(world: World, key: str) -> None:
    (world.root / "config.yml").write_text(f"back_key: {key}\n")
    with pytest.raises(Unreadable, match=r"config\.yml:1: back_key: .* can't be it; it is a key from F1 to F12"):
        read_settings(world.home)
