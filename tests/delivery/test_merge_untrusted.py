"""A merge runs as the person: what an agent has written into the repository meanwhile does not run with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.merge_world import House


@pytest.fixture
def ref(house: House) -> TaskRef:
    return house.task(files={"tea": "green\n", ".gitattributes": "* merge=evil filter=evil\n"})


def write_hook(house: House, trap: Path, *names: str) -> None:
    """An agent writes hooks; nobody has seen them."""
    folder = house.main / ".git/hooks"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(f"#!/bin/sh\ntouch {trap}\n")
        (folder / name).chmod(0o755)


def test_hooks_written_meanwhile_do_not_run_at_a_merge(house: House, ref: TaskRef, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    write_hook(house, trap, "post-merge", "reference-transaction", "post-checkout", "post-index-change", "pre-commit")
    house.merge(ref)
    assert not trap.exists()
    assert house.is_merged(ref)


def test_a_push_with_a_new_pre_push_is_refused_and_nothing_has_changed(
    house: House, ref: TaskRef, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    write_hook(house, trap, "pre-push")
    before = house.everything(ref)
    said = house.refused(ref)
    assert "the hook pre-push, which you have not seen" in said
    assert "orange project trust" in said
    assert house.everything(ref) == before
    assert not trap.exists()
    house.trust()
    house.merge(ref)
    assert house.is_merged(ref)
    assert trap.exists()


@pytest.mark.parametrize("setting", ["merge.evil.driver", "filter.evil.smudge", "credential.helper", "core.sshCommand"])
def test_a_setting_made_meanwhile_stops_the_merge_before_it_begins(
    house: House, ref: TaskRef, tmp_path: Path, setting: str
) -> None:
    trap = tmp_path / "trap"
    house.git("config", setting, f"touch {trap}; false")
    before = house.everything(ref)
    assert setting.lower() in house.refused(ref).lower()
    assert house.everything(ref) == before
    assert not trap.exists()
    house.git("config", "--unset", setting)
    house.merge(ref)
    assert house.is_merged(ref)


def test_an_orange_file_that_a_merge_brings_is_asked_about_before_the_next_task(house: House) -> None:
    house.merge(house.task(files={".orange.yml": "setup: touch ../ran\n"}))
    project, trust = house.orange.projects.get("coffee"), house.orange.trust
    assert [each.name for each in trust.untrusted(project)] == [".orange.yml: setup"]
