"""What belongs to the engine stays as the engine left it, whoever writes what into TASK.md; the rest is everybody's."""

from __future__ import annotations

import json
import os
import stat
import time
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.task import ENGINE_FIELDS, FIELDS
from orange_tui.home import clock
from orange_tui.store.store import BrokenTask
from support.driver import transition

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.store.store import TaskRef
    from support.driver import Cli, World

FORGED = {name: 7 if FIELDS[name].kind in {"number", "dollars"} else "forged" for name in ENGINE_FIELDS}


def moved_task(world: World) -> TaskRef:
    """A task that has been about, so that its journal says more than one thing."""
    ref = world.task(body="\n## Notes\nkeep me\n")
    transition(world.orange, ref, "doing", "agent")
    return ref


def set_line(world: World, ref: TaskRef, name: str, line: str) -> None:
    lines = world.file(ref).read_text().splitlines(keepends=True)
    world.file(ref).write_text("".join(line if found.startswith(f"{name}:") else found for found in lines))


def tampered(world: World, ref: TaskRef) -> list[list[str]]:
    return [list(event["fields"]) for event in world.history(ref) if event["type"] == "task.tampered"]


@pytest.mark.parametrize("updated_at", ["as it was", "stale", "gone"])
@pytest.mark.parametrize("removed", [False, True])
@pytest.mark.parametrize("name", [name for name in ENGINE_FIELDS if name not in {"id", "project"}])
def test_engine_field_changed_by_hand_is_restored_recorded_once_and_shown(
    world: World, name: str, removed: bool, updated_at: str
) -> None:
    ref = moved_task(world)
    before = world.read(ref)
    if updated_at != "as it was":
        set_line(world, ref, "updated_at", "" if updated_at == "gone" else f'updated_at: "{before.created_at}"\n')
    set_line(world, ref, name, "" if removed else f"{name}: {json.dumps(FORGED[name])}\n")
    told = world.stored(ref)
    assert told.task.engine_fields() == before.engine_fields()  # a reader never believes it
    world.touch(ref)
    world.touch(ref)
    now = world.read(ref)
    assert now.engine_fields() == before.engine_fields()
    assert world.body(ref) == "\n## Notes\nkeep me\n"
    looks_old = removed and updated_at != "as it was" and name in {"status", "review_round"}
    if told.tampered and not looks_old:
        assert tampered(world, ref) == [[name]]
        assert name in (now.attention or "")
        assert f"{name}: " in world.file(ref).read_text()
    else:
        assert tampered(world, ref) == []


def test_the_directory_says_what_a_task_is_called_whatever_its_file_says(world: World) -> None:
    ref = moved_task(world)
    world.edit(ref, f"id: {ref.id}", "id: ../../etc")
    world.edit(ref, "project: coffee", "project: tea")
    assert (world.read(ref).id, world.read(ref).project) == (ref.id, "coffee")
    world.orange.tasks.update(ref, summary="Brew two")
    assert f"id: {ref.id}\nproject: coffee\n" in world.file(ref).read_text()


def test_a_forged_status_moves_nothing_while_no_orange_runs(world: World, cli: Cli) -> None:
    ref = moved_task(world)
    world.edit(ref, "status: doing", "status: done")
    [row] = cli.ok("task", "list", "--all", "--json").json()
    assert row["status"] == "doing"
    assert "status was changed by hand" in row["attention"]
    assert tampered(world, ref) == [["status"]]
    assert "status: doing" in world.file(ref).read_text()


def test_show_restores_a_forged_field(world: World, cli: Cli) -> None:
    ref = moved_task(world)
    world.edit(ref, "review_round: 1", "review_round: 0")
    assert cli.ok("task", "show", ref.id, "--json").json()["review_round"] == 1
    assert tampered(world, ref) == [["review_round"]]


def test_real_move_does_not_carry_a_forged_field_along(world: World) -> None:
    ref = moved_task(world)
    world.edit(ref, "review_round: 1", "review_round: 0")
    transition(world.orange, ref, "todo", "agent")
    assert (world.read(ref).status, world.read(ref).review_round) == ("todo", 1)


def test_agent_that_saves_an_old_copy_is_not_reported_as_tampering(world: World) -> None:
    """Its editor had the file open while the task moved on: the engine's fields and the new summary come back."""
    ref = world.task()
    copy = world.file(ref).read_text()
    world.orange.tasks.update(ref, status="doing", summary="Brew two")
    world.file(ref).write_text(copy + "\n## Notes\nfrom my editor\n")
    world.touch(ref)
    now = world.read(ref)
    assert (now.status, now.summary, now.labels, now.attention) == ("doing", "Brew two", ("seen",), None)
    assert "from my editor" in world.body(ref)
    assert tampered(world, ref) == []


def test_person_edits_a_field_of_theirs_and_the_change_counts(world: World) -> None:
    ref = moved_task(world)
    world.edit(ref, "summary: ", 'summary: "By hand" # ')
    world.edit(ref, 'labels: ["seen"]', "labels: [urgent, hot]")
    world.edit(ref, "blocked_by: []", "blocked_by: [abc]")
    world.edit(ref, "---\nid", "---\nnote: mine\nid")
    transition(world.orange, ref, "todo", "agent")
    now = world.read(ref)
    assert (now.summary, now.labels, now.blocked_by, now.extra["note"]) == (
        "By hand",
        ("urgent", "hot"),
        ("abc",),
        "mine",
    )
    assert tampered(world, ref) == []
    assert world.file(ref).read_text().startswith("---\nnote: mine\nid")


def adopted(world: World, text: str = "---\nid: first\nstatus: doing\nworkflow: steps\nown: 1\n---\nbody\n") -> TaskRef:
    directory = world.root / "tasks/coffee/abc23"
    directory.mkdir(parents=True)
    (directory / "TASK.md").write_text(text)
    return world.orange.store.find("abc23")


def test_a_task_without_history_is_taken_as_it_stands_at_its_first_change_and_not_when_read(
    world: World, cli: Cli
) -> None:
    ref = adopted(world)
    before = world.contents(ref)
    assert cli.ok("task", "list", "--all", "--json").json()[0]["status"] == "doing"
    cli.ok("task", "show", ref.id)
    assert world.contents(ref) == before
    cli.no("task", "update", ref.id, "--status", "checked")
    assert world.contents(ref) == before
    cli.ok("task", "update", ref.id, "--status", "todo")
    assert world.types(ref) == ["task.adopted", "transition.started", "status.changed"]
    assert world.history(ref)[0]["engine"]["status"] == "doing"
    assert (world.read(ref).extra["own"], world.body(ref)) == (1, "body\n")


def test_an_adopted_task_without_status_or_workflow_has_its_projects(world: World) -> None:
    ref = adopted(world, "---\nsummary: old\n---\n")
    now = world.read(ref)
    assert (now.status, now.workflow, now.branch, now.blocked_by) == ("todo", "steps", "orange-tasks/abc23", ())


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data + b'{"type": "status.chan',
        lambda data: data + b"\x00" * 500,
        lambda data: data.rstrip(b"\n"),
        lambda data: b"garbage\n\n[1]\n\xff\xfe\n" + data + b'"text"\nnull\n{"type": 7}\n{}\n',
        lambda data: data + b'{"type": "transition.started"}\n{"type": "hook.done", "index": "x"}\n',
        lambda data: data + b'{"type": "x", "engine": {"status": "done"}}\n{"type": "x", "changes": [1]}\n',
        lambda data: data + b"[" * 100_000 + b"\n",
    ],
    ids=["torn", "zeros", "no newline", "garbage", "half an event", "half a word", "deep"],
)
def test_a_damaged_history_says_what_it_can_and_goes_on(world: World, damage: Callable[[bytes], bytes]) -> None:
    ref = moved_task(world)
    path = world.history_file(ref)
    path.write_bytes(damage(path.read_bytes()))
    assert world.read(ref).status == "doing"
    transition(world.orange, ref, "todo", "agent")
    assert world.types(ref)[-2:] == ["transition.started", "status.changed"]
    assert path.read_bytes().endswith(b"\n")
    for line in path.read_bytes().splitlines()[-2:]:
        assert json.loads(line)["type"]
    assert world.read(ref).status == "todo"


def test_a_long_torn_line_is_cut_off_whole(world: World) -> None:
    ref = moved_task(world)
    path = world.history_file(ref)
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"type": "' + b"x" * 50_000)
    world.orange.tasks.update(ref, summary="Brew two")
    assert path.read_bytes().startswith(whole + b'{"type": "task.updated"')


def test_code_in_the_frontmatter_is_text_and_never_run(world: World) -> None:
    ref = adopted(world, "---js\nrequire('fs').writeFileSync('/tmp/owned', '')\n---\nbody\n")
    assert isinstance(world.orange.store.read(ref), BrokenTask)
    ref = adopted_as(world, "!!python/object/apply:os.system ['touch owned']")
    assert isinstance(world.orange.store.read(ref), BrokenTask)
    assert not os.path.exists("owned")


def adopted_as(world: World, summary: str) -> TaskRef:
    world.file(world.orange.store.find("abc23")).write_text(f"---\nstatus: doing\nsummary: {summary}\n---\n")
    return world.orange.store.find("abc23")


def test_an_unquoted_date_is_a_text_like_any_other(world: World) -> None:
    """One of them emptied the first Orange's whole list."""
    ref = adopted(world, "---\nstatus: doing\nworkflow: steps\nsummary: 2024-05-01\ncreated_at: 2024-05-01\n---\n")
    assert (world.read(ref).summary, world.read(ref).created_at) == ("2024-05-01", "2024-05-01")
    transition(world.orange, ref, "todo", "agent")
    assert stat.S_ISREG(world.file(ref).stat().st_mode)
    assert world.read(ref).summary == "2024-05-01"


def test_line_of_sixty_megabytes_in_the_history_is_passed_over_quickly(world: World) -> None:
    ref = world.task()
    path = world.history_file(ref)
    with path.open("ab") as file:
        file.write(b'{"type": "' + b"x" * 60_000_000)  # without its end, as it is being written
    started = time.process_time()
    transition(world.orange, ref, "doing", "agent")
    world.touch(ref)
    assert time.process_time() - started < 15  # over a minute, when it was joined piece by piece
    assert world.read(ref).status == "doing"
    assert world.types(ref)[-1] == "status.changed"
    assert path.stat().st_size > 60_000_000  # whoever wrote it can still find it


def test_task_without_history_has_no_workspace_or_address_that_orange_would_not_have_given_it(world: World) -> None:
    ref = world.task(workspace="coffee--1", pr_url="https://example.org/pull/1", branch="brew")
    (world.history_file(ref)).unlink()
    for old, new in (
        ("coffee--1", "../elsewhere"),
        ("https://example.org/pull/1", "file:///bin/sh"),
        ("brew", "--all"),
    ):
        world.edit(ref, old, json.dumps(new).strip('"'))
    elsewhere = world.root / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "TASK.md").write_text("mine")
    transition(world.orange, ref, "doing", "agent")
    task = world.read(ref)
    assert (task.status, task.workspace, task.pr_url, task.branch) == ("doing", None, None, f"orange-tasks/{ref.id}")
    assert (elsewhere / "TASK.md").read_text() == "mine"


def test_command_killed_after_the_clock_was_set_back_is_no_tampering(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = world.task()
    monkeypatch.setattr(clock, "now", lambda: "2020-01-01T00:00:00.000000Z")
    before = world.file(ref).read_text()
    with world.orange.store.open(ref) as opened:
        opened.change("hook.done", {"review_round": 1, "summary": "Brew two"})
    world.file(ref).write_text(before)  # killed before TASK.md was replaced
    world.touch(ref)
    assert tampered(world, ref) == []
    assert (world.read(ref).review_round, world.read(ref).summary) == (1, "Brew two")
