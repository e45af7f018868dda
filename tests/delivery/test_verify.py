"""Checks of the merged result: before anything is pushed or moved, in a place of ours, and gone afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from orange_tui.delivery.merging.forecast import forecast
from orange_tui.delivery.merging.half_moves import finish_half_moves
from orange_tui.outside.processes import processes_in
from support.killing import dies_at
from support.live_home import wait_for
from support.merge_world import MENU, MergeWorld

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.store.store import TaskRef
    from support.driver import Cli

CHECKED = """\
name: checked
states: {{ordered: {{}}, baking: {{}}, tasting: {{}}, sold: {{terminal: true}}}}
initial: {{ordered: {{}}, tasting: {{}}}}
transitions:
  - {{from: ordered, to: baking}}
  - {{from: baking, to: tasting, gate: {{command: "test ! -e burnt"}}}}
  - {{from: tasting, to: sold, by: person{gate}}}
"""
MERGED_GATE = ', gate: {{command: "{command}", verify: merged}}'


def task(merge_world: MergeWorld, command: str | None, branch: str = "feat/tea", **more: object) -> TaskRef:
    """A task whose workflow wants this command to succeed on what is merged, or has no such gate."""
    folder = merge_world.root / "home" / "workflows"
    folder.mkdir(exist_ok=True)
    gate = MERGED_GATE.format(command=command) if command is not None else ""
    (folder / "checked.yml").write_text(CHECKED.format(gate=gate))
    return merge_world.task(branch, workflow="checked", status="tasting", **more)  # type: ignore[arg-type]


def trials(merge_world: MergeWorld) -> list[Path]:
    """What there is of worktrees besides those that it began with: on disk, and for git."""
    found = list((merge_world.root / "home/.cache/trials/coffee").glob("*"))
    listed = [line for line in merge_world.git("worktree", "list", "--porcelain").splitlines() if "trials" in line]
    return [*found, *map(type(merge_world.root), listed)]


def test_the_command_sees_the_merged_files_before_anything_is_pushed(merge_world: MergeWorld, cli: Cli) -> None:
    log = merge_world.root / "log"
    before = merge_world.tip()
    seen = (
        f"git -C {merge_world.main} rev-parse main > {log}; ls >> {log}; git rev-parse --is-inside-work-tree >> {log}"
    )
    ref = task(merge_world, seen)
    tip = merge_world.write(merge_world.main, {"cups": "12\n"})
    reply = cli.ok("task", "merge", ref.id, "--json").json()
    assert (reply["strategy"], reply["checks"], before != tip) == ("merge", [seen], True)
    assert log.read_text().split() == [tip, "cups", "menu", "tea", "true"]
    assert merge_world.status(ref) == "sold"
    assert merge_world.there() == merge_world.tip()
    assert trials(merge_world) == []


def test_a_command_that_fails_leaves_everything_as_it_was_and_says_why(merge_world: MergeWorld) -> None:
    ref = task(merge_world, "echo tea and cups do not go together; exit 3")
    merge_world.write(merge_world.main, {"cups": "12\n"})
    why = merge_world.refused(ref)
    assert "failed on the result of merging feat/tea into main (exit code 3), so nothing was merged" in why
    assert why.endswith("tea and cups do not go together")
    assert merge_world.events(ref, "merge.started") == []
    assert "tea and cups" in merge_world.events(ref, "merge.failed")[-1]["reason"]
    assert trials(merge_world) == []


def test_a_success_is_remembered_for_the_merged_tree_and_a_failure_is_not(merge_world: MergeWorld) -> None:
    log = merge_world.root / "log"
    ref = task(merge_world, f"echo run >> {log}; test -e {merge_world.root}/well")
    merge_world.refused(ref)
    merge_world.refused(ref)
    (merge_world.root / "well").touch()
    merge_world.hook(merge_world.remote, "hooks/pre-receive", "exit 1")
    assert "rejected" in merge_world.refused(ref)
    assert "rejected" in merge_world.refused(ref)
    assert log.read_text() == "run\n" * 3
    merge_world.write(merge_world.main, {"cups": "12\n"})
    (merge_world.remote / "hooks/pre-receive").unlink()
    merge_world.merge(ref)
    assert log.read_text() == "run\n" * 4


def test_what_was_not_checked_is_not_merged(merge_world: MergeWorld) -> None:
    """Somebody commits to the branch while the checks run."""
    more = f"cd {merge_world.branches} && git switch -q feat/tea && touch milk && git add milk && git commit -q -m milk"
    ref = task(merge_world, f"env -u GIT_DIR sh -c '{more}'")
    before = merge_world.tip(), merge_world.there()
    with pytest.raises(Exception, match="got new commits while the checks ran"):
        merge_world.merge(ref)
    assert (merge_world.tip(), merge_world.there(), merge_world.status(ref)) == (*before, "tasting")


def test_checks_are_not_run_for_a_merge_that_would_be_refused_anyway(merge_world: MergeWorld) -> None:
    log = merge_world.root / "log"
    ref = task(merge_world, f"touch {log}", files={"menu": MENU.replace("filter", "tea")})
    (merge_world.main / "menu").write_text("half a thought\n")
    assert "with changes in menu" in merge_world.refused(ref)
    merge_world.git("checkout", "-q", "menu")
    merge_world.write(merge_world.main, {"menu": MENU.replace("filter", "cocoa")})
    assert "conflicts with main" in merge_world.refused(ref)
    assert not log.exists()


def test_asked_for_every_command_gate_is_run_on_the_merged_result(merge_world: MergeWorld, cli: Cli) -> None:
    ref = task(merge_world, None)
    merge_world.write(merge_world.main, {"burnt": "black\n"})
    assert "`test ! -e burnt` failed on the result" in cli.no("task", "merge", ref.id, "--verify")
    assert "1 commit" in cli.ok("task", "merge", ref.id).out
    plain = merge_world.task("feat/milk", {"milk": "oat\n"}, workflow="minimal")
    assert "has no command gate" in cli.no("task", "merge", plain.id, "--verify")


def test_a_gate_that_asks_for_more_than_the_command_is_held_on_the_merged_result_too(merge_world: MergeWorld) -> None:
    ref = task(merge_world, 'exit 3", threads: "answered')
    assert "failed on the result" in merge_world.refused(ref)


def test_the_projects_set_up_is_there_for_the_checks(merge_world: MergeWorld) -> None:
    merge_world.orange.projects.update("coffee", {"copy": [".env"], "setup": "echo ready > deps.log"})
    (merge_world.main / ".env").write_text("KEY=1\n")
    ref = task(merge_world, "grep -q KEY .env && grep -q ready deps.log")
    assert merge_world.merge(ref).checks


def test_the_forecast_names_the_checks(merge_world: MergeWorld) -> None:
    ref = task(merge_world, None)
    found = forecast(merge_world.orange.tasks, ref)
    assert (found.checks, found.must_check) == (("test ! -e burnt",), False)
    other = task(merge_world, "make taste", "feat/milk", files={"milk": "oat\n"})
    found = forecast(merge_world.orange.tasks, other)
    assert (found.checks, found.must_check) == (("make taste",), True)


def test_killed_at_any_step_nothing_has_changed_or_all_is_merged_and_no_trial_is_left(merge_world: MergeWorld) -> None:
    ref = task(merge_world, "test -e cups && test -e tea")
    base = merge_world.write(merge_world.main, {"cups": "12\n"})
    merge_world.git("push", "-q")
    for step in range(1, 100):
        shutil.rmtree(merge_world.root / "home/.cache/gates", ignore_errors=True)  # each time the check is run
        dies_at(step, lambda: merge_world.merge(ref))
        assert merge_world.tip() in {base, merge_world.there()}, step
        assert merge_world.git("status", "--porcelain") == "", step
        if merge_world.status(ref) == "sold":
            break
        assert merge_world.there() == base or merge_world.events(ref, "merge.started"), step
        list(finish_half_moves(merge_world.orange.tasks))
        assert trials(merge_world) == [], step
    assert step > 12, "nothing was watched"
    assert merge_world.git("rev-list", "--first-parent", "--count", f"{base}..main") == "1"


def test_a_trial_in_which_a_killed_merge_left_something_running_stays_until_that_has_ended(
    merge_world: MergeWorld,
) -> None:
    log = merge_world.root / "log"
    ref = task(merge_world, f"test -e {log} || {{ touch {log}; exec sleep 1000; }}")
    code = "import sys; from orange_tui.__main__ import main; main()"
    environment = {**os.environ, "ORANGE_HOME": str(merge_world.root / "home")}
    words = [sys.executable, "-c", code, "task", "merge", ref.id]
    merging = subprocess.Popen(words, env=environment, cwd=merge_world.main)
    wait_for(log.exists)
    merging.kill()
    merging.wait()
    (left,) = {path for path in trials(merge_world) if path.is_absolute()}
    sleeping = processes_in(str(left))
    assert merge_world.merge(ref).commit == merge_world.tip()
    assert left.is_dir()
    for process in sleeping:
        with suppress(ProcessLookupError):  # a `touch` may have been seen
            os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: not processes_in(str(left)))
    list(finish_half_moves(merge_world.orange.tasks))
    assert trials(merge_world) == []


def test_whoever_merges_while_another_merge_is_checked_is_told_that_it_waits(merge_world: MergeWorld) -> None:
    log, go = merge_world.root / "log", merge_world.root / "go"
    slow, quick = (
        task(merge_world, f"touch {log}; while ! test -e {go}; do sleep 0.05; done"),
        merge_world.task("feat/cake", {"cake": "1\n"}),
    )
    first = threading.Thread(target=merge_world.merge, args=(slow,))
    second = threading.Thread(target=merge_world.merge, args=(quick,))
    first.start()
    wait_for(log.exists)
    second.start()
    wait_for(lambda: "another merge in coffee goes first" in merge_world.notes)
    go.touch()
    first.join()
    second.join()
    assert (merge_world.status(slow), merge_world.status(quick)) == ("sold", "done")


def test_what_a_check_leaves_running_ends_with_its_trial(merge_world: MergeWorld) -> None:
    log = merge_world.root / "log"
    ref = task(merge_world, f"sleep 1000 >/dev/null 2>&1 & echo $! > {log}")
    assert merge_world.merge(ref).commit == merge_world.tip()
    assert trials(merge_world) == []
    wait_for(lambda: not os.path.exists(f"/proc/{log.read_text().strip()}/cwd"))
