"""What can be set of a project: as an option of a command, and in a form, from one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.usage.budget import parse_budget
from orange_tui.options.project_options import PROJECT_OPTIONS
from orange_tui.options.projects import check_removable, remove_project, update_project, what_stays
from orange_tui.options.settings_file import shown_value
from support.driver import transition
from support.git import git

if TYPE_CHECKING:
    from pathlib import Path

    from support.driver import World

SAMPLES = {
    "default-branch": ("trunk",),
    "workflow": ("solo",),
    "pool-size": ("3",),
    "parallel": ("0",),
    "max-attempts": ("2",),
    "stuck-timeout": ("60",),
    "budget": ("2.5",),
    "failover": ("codex", "claude"),
    "ports": ("2",),
    "run": ("make serve",),
    "sandbox": ("reviewers",),
    "sandbox-read": ("/srv/data",),
    "sandbox-write": ("/srv/out",),
    "auto-fix": ("on",),
    "issues": ("on",),
    "issue-author": ("@me", "ana"),
    "issue-label": ("good first issue",),
}


@pytest.fixture
def tea(world: World, repository: Path) -> World:
    git(repository, "branch", "trunk")
    world.project("tea", str(repository))
    return world


def test_everything_that_can_be_set_is_shown_as_it_was_given(tea: World) -> None:
    assert list(SAMPLES) == [option.name for option in PROJECT_OPTIONS]
    project = update_project(tea.orange.engine.parts, "tea", SAMPLES)
    shown = {option.name: shown_value(project.entry[option.key]) for option in PROJECT_OPTIONS}
    assert shown == {name: ", ".join(texts) for name, texts in SAMPLES.items()}


def test_emptied_option_is_as_if_nobody_had_set_it_or_none_at_all(tea: World) -> None:
    before = tea.orange.projects.get("tea").entry
    parts = tea.orange.engine.parts
    update_project(parts, "tea", SAMPLES)
    required = {"default-branch", "workflow"}
    emptied = update_project(parts, "tea", {name: ("",) for name in SAMPLES if name not in required}).entry
    lists: dict[str, list[str]] = {
        "failover": [],
        "sandbox_read": [],
        "sandbox_write": [],
        "issue_authors": [],
        "issue_labels": [],
    }
    assert emptied == {**before, **lists, "default_branch": "trunk", "workflow": "solo"}
    for name in required:
        with pytest.raises(OrangeError, match=r"branch|workflow"):
            update_project(parts, "tea", {name: ("",)})


def test_project_that_is_removed_says_what_stays_and_unfinished_work_keeps_it(tea: World) -> None:
    tasks, project = tea.orange.tasks, tea.orange.projects.get("tea")
    assert "and all else of it stay" in what_stays(tasks, project)
    ref = tea.task(project="tea")
    with pytest.raises(Refused, match=f"unfinished tasks: {ref.id}"):
        check_removable(tasks, project)
    text = tea.file(ref).read_text()
    tea.file(ref).write_text("torn")
    with pytest.raises(Refused, match=f"tasks that can't be read: {ref.id}"):
        remove_project(tasks, "tea")
    tea.file(ref).write_text(text)
    transition(tea.orange, ref, "done", "force")
    assert "the files of its 1 finished task stay" in what_stays(tasks, project)
    remove_project(tasks, "tea")
    assert tea.orange.projects.find("tea") is None
    assert tea.file(ref).exists()


def test_number_of_dollars_reads_as_it_is_shown() -> None:
    for text in ("0", "5", "2.5", "0.75"):
        assert shown_value(parse_budget(text)) == text
