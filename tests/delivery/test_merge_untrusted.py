"""A merge runs as the person: what an agent has written into the repository meanwhile does not run with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.merge_world import MergeWorld


@pytest.fixture
def ref(merge_world: MergeWorld) -> TaskRef:
    return merge_world.task(files={"tea": "green\n", ".gitattributes": "* merge=evil filter=evil\n"})


def write_hook(merge_world: MergeWorld, trap: Path, *names: str) -> None:
    """An agent writes hooks; nobody has seen them."""
    folder = merge_world.main / ".git/hooks"
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(f"#!/bin/sh\ntouch {trap}\n")
        (folder / name).chmod(0o755)


def test_hooks_written_meanwhile_do_not_run_at_a_merge(merge_world: MergeWorld, ref: TaskRef, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    write_hook(
        merge_world, trap, "post-merge", "reference-transaction", "post-checkout", "post-index-change", "pre-commit"
    )
    merge_world.merge(ref)
    assert not trap.exists()
    assert merge_world.is_merged(ref)


def test_a_push_with_a_new_pre_push_is_refused_and_nothing_has_changed(
    merge_world: MergeWorld, ref: TaskRef, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    write_hook(merge_world, trap, "pre-push")
    before = merge_world.everything(ref)
    said = merge_world.refused(ref)
    assert "the hook pre-push, which you have not seen" in said
    assert "orange project trust" in said
    assert merge_world.everything(ref) == before
    assert not trap.exists()
    merge_world.trust()
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)
    assert trap.exists()


@pytest.mark.parametrize("setting", ["merge.evil.driver", "filter.evil.smudge", "credential.helper", "core.sshCommand"])
def test_a_setting_made_meanwhile_stops_the_merge_before_it_begins(
    merge_world: MergeWorld, ref: TaskRef, tmp_path: Path, setting: str
) -> None:
    trap = tmp_path / "trap"
    merge_world.git("config", setting, f"touch {trap}; false")
    before = merge_world.everything(ref)
    assert setting.lower() in merge_world.refused(ref).lower()
    assert merge_world.everything(ref) == before
    assert not trap.exists()
    merge_world.git("config", "--unset", setting)
    merge_world.merge(ref)
    assert merge_world.is_merged(ref)


def test_an_orange_file_that_a_merge_brings_is_asked_about_before_the_next_task(merge_world: MergeWorld) -> None:
    merge_world.merge(merge_world.task(files={".orange.yml": "setup: touch ../ran\n"}))
    project, trust = merge_world.orange.projects.get("coffee"), merge_world.orange.trust
    assert [each.name for each in trust.untrusted(project)] == [".orange.yml: setup"]
