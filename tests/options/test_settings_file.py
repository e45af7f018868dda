"""config.yml is changed from a form as a careful person would do it: one value, in its place."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orange_tui.domain.errors import OrangeError, Refused, Unreadable
from orange_tui.domain.text import yaml_change, yaml_text
from orange_tui.home import files
from orange_tui.home.settings.config_file import read_settings
from orange_tui.home.settings.table import SETTINGS
from orange_tui.options import settings_file
from orange_tui.options.settings_file import change_settings, hidden_value, names_in, read_value, shown_value

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import World

MINE = """\
# Mine
bell: true   # I like it

failover:
  - codex # cheap
parallel: 4
"""


def config(world: World) -> Path:
    return world.root / "config.yml"


def test_settings_are_changed_in_place_and_the_file_stays_the_persons(world: World) -> None:
    config(world).write_text(MINE)
    config(world).chmod(0o600)
    change_settings(world.home, {"bell": "off", "parallel": "4", "budget": "2.50", "nudge": "", "desktop": "off"})
    assert config(world).read_text() == MINE.replace("bell: true ", "bell: false ") + "budget: 2.5\n"
    assert config(world).stat().st_mode & 0o777 == 0o600
    assert read_settings(world.home).amount("budget") == 2.5
    change_settings(world.home, {"keys": "merge: M, cancel: X", "failover": "claude, pi"})
    settings = read_settings(world.home)
    assert settings.texts("keys") == {"merge": "M", "cancel": "X"}
    assert settings.names("failover") == ["claude", "pi"]
    assert 'failover: ["claude", "pi"] # cheap\n' in config(world).read_text()


def test_first_setting_makes_a_private_file(world: World) -> None:
    before = os.umask(0)
    try:
        change_settings(world.home, {"bell": "off"})
    finally:
        os.umask(before)
    assert config(world).read_text() == "bell: false\n"
    assert config(world).stat().st_mode & 0o777 == 0o600


def test_link_to_a_file_elsewhere_stays_a_link(world: World, tmp_path: Path) -> None:
    (tmp_path / "dotfiles.yml").write_text("bell: true\n")
    config(world).symlink_to(tmp_path / "dotfiles.yml")
    change_settings(world.home, {"bell": "off"})
    assert config(world).is_symlink()
    assert (tmp_path / "dotfiles.yml").read_text() == "bell: false\n"


def test_what_another_program_writes_meanwhile_is_not_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    config(world).write_text("bell: true\n")
    lines = ["parallel: 7\n"]

    def set_value(text: str, key: str, value: object) -> str:
        if lines:
            with config(world).open("a") as file:
                file.write(lines.pop())
        return yaml_change.set_value(text, key, value)

    monkeypatch.setattr(settings_file, "set_value", set_value)
    change_settings(world.home, {"bell": "off"})
    assert config(world).read_text() == "bell: false\nparallel: 7\n"
    numbers = iter(range(100))
    config(world).write_text("bell: true\n")
    monkeypatch.setattr(
        settings_file, "set_value", lambda *_: config(world).write_text(f"# {next(numbers)}\n") and "bell: false\n"
    )
    with pytest.raises(Refused, match="written by another program again and again"):
        change_settings(world.home, {"bell": "off"})
    assert config(world).read_text().startswith("# ")


def test_what_an_editor_saves_at_the_last_moment_is_not_lost(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    config(world).write_text("bell: true\n")
    lines, sync, swap = ["parallel: 7\n", "nudge: 2\n"], os.fsync, files.exchange

    def save_and_sync(descriptor: int) -> None:
        if len(lines) > 1:
            config(world).write_text(config(world).read_text() + lines.pop(0))
        sync(descriptor)

    def save_and_swap(one: str, other: str) -> bool:
        if lines:
            config(world).write_text(config(world).read_text() + lines.pop(0))
        return swap(one, other)

    monkeypatch.setattr(os, "fsync", save_and_sync)
    monkeypatch.setattr(settings_file, "exchange", save_and_swap)
    change_settings(world.home, {"bell": "off"})
    assert config(world).read_text() == "bell: false\nparallel: 7\nnudge: 2\n"
    assert not list(world.root.glob("config.yml?*"))


def test_file_that_is_too_long_is_never_cut(world: World) -> None:
    text = "bell: true\n" + "# a line of mine\n" * 61_000
    config(world).write_text(text)
    assert 1_000_001 < len(text) < yaml_text.MAX_BYTES
    change_settings(world.home, {"bell": "off"})
    assert config(world).read_text() == text.replace("true", "false")
    config(world).write_text(text + text)
    with pytest.raises(Unreadable, match="is longer than"):
        change_settings(world.home, {"bell": "off"})
    assert config(world).read_text() == text + text


@pytest.mark.parametrize(
    ("text", "name", "value", "why"),
    [
        (MINE, "max_attempts", "0", "max_attempts: 0 is not enough; it must be 1 or more"),
        (MINE, "parallel", "many", "parallel: 'many' is not a number"),
        (MINE, "timezone", "Nowhere/At_all", "timezone: "),
        (MINE, "keys", "merge: [", "keys: 'merge: \\[' is not a list of names with their values"),
        (MINE, "prices", "gpt: {input: 1}", "config.yml:.*the price has no `output`"),
        ("{bell: true}\n", "parallel", "3", "config.yml: `desktop` can't be changed there .* change it by hand"),
        ("bell: true\nnonsense: 1\n", "bell", "off", "config.yml:2: there is no setting 'nonsense'"),
        ("bell: [\n", "bell", "off", "config.yml:.*this is not YAML"),
    ],
)
def test_what_is_refused_changes_not_a_byte(world: World, text: str, name: str, value: str, why: str) -> None:
    config(world).write_text(text)
    with pytest.raises(OrangeError, match=why):
        change_settings(world.home, {"desktop": "on", name: value})
    assert config(world).read_text() == text


def test_file_that_is_not_text_is_refused(world: World) -> None:
    config(world).write_bytes(b"bell: \xff\n")
    with pytest.raises(Unreadable, match="is not UTF-8"):
        change_settings(world.home, {"bell": "off"})


def test_addresses_may_have_commas_and_names_need_none() -> None:
    assert names_in("codex,claude, pi") == ["codex", "claude", "pi"]
    assert names_in("mailto://me?to=a,b, ntfy://x") == ["mailto://me?to=a,b", "ntfy://x"]


def test_of_a_secret_address_only_the_service_is_shown() -> None:
    assert hidden_value("ntfy://token, mailto://me:pass@x?to=a,b") == "ntfy://…, mailto://…"
    assert hidden_value("https://hooks.example/T0/secret") == "https://…"
    assert hidden_value("half-typed") == "…"
    assert {name for name, each in SETTINGS.items() if each.is_secret} == {"notify", "webhook"}


_TEXTS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=12)
_BY_KIND: dict[type, st.SearchStrategy[object]] = {
    bool: st.booleans(),
    int: st.integers(0, 10**6),
    float: st.integers(0, 10**9).map(lambda cents: cents / 100),
    str: _TEXTS,
    list: st.lists(st.sampled_from(["codex", "claude", "ntfy://a,b"])),
    dict: st.dictionaries(
        _TEXTS, st.one_of(_TEXTS, st.dictionaries(_TEXTS, st.integers(0, 9), max_size=2)), max_size=3
    ),
}


@given(st.data(), st.sampled_from(sorted(SETTINGS)))
def test_value_that_is_shown_reads_as_the_same_value(data: st.DataObject, name: str) -> None:
    value = data.draw(_BY_KIND[SETTINGS[name].kind])
    assert read_value(name, shown_value(value)) == value or value in ([], {})
