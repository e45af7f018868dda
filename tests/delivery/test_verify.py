"""Checks of the merged result: before anything is pushed or moved, in a place of ours, and gone afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from orange_tui.delivery.merging.forecast import forecast
from orange_tui.delivery.merging.half_moves import finish_half_moves
from orange_tui.outside.processes import processes_in
from support.killing import dies_at
from support.merge_world import MENU, House
from support.office import wait_for

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


def task(house: House, command: str | None, branch: str = "feat/tea", **more: object) -> TaskRef:
    """A task whose workflow wants this command to succeed on what is merged, or has no such gate."""
    folder = house.root / "home" / "workflows"
    folder.mkdir(exist_ok=True)
    gate = MERGED_GATE.format(command=command) if command is not None else ""
    (folder / "checked.yml").write_text(CHECKED.format(gate=gate))
    return house.task(branch, workflow="checked", status="tasting", **more)  # type: ignore[arg-type]


def trials(house: House) -> list[Path]:
    """What there is of worktrees besides those of the house: on disk, and for git."""
    found = list((house.root / "home/.cache/trials/coffee").glob("*"))
    listed = [line for line in house.git("worktree", "list", "--porcelain").splitlines() if "trials" in line]
    return [*found, *map(type(house.root), listed)]


def test_the_command_sees_the_merged_files_before_anything_is_pushed(house: House, cli: Cli) -> None:
    log = house.root / "log"
    before = house.tip()
    seen = f"git -C {house.main} rev-parse main > {log}; ls >> {log}; git rev-parse --is-inside-work-tree >> {log}"
    ref = task(house, seen)
    tip = house.write(house.main, {"cups": "12\n"})
    reply = cli.ok("task", "merge", ref.id, "--json").json()
    assert (reply["strategy"], reply["checks"], before != tip) == ("merge", [seen], True)
    assert log.read_text().split() == [tip, "cups", "menu", "tea", "true"]
    assert house.status(ref) == "sold"
    assert house.there() == house.tip()
    assert trials(house) == []


def test_a_command_that_fails_leaves_everything_as_it_was_and_says_why(house: House) -> None:
    ref = task(house, "echo tea and cups do not go together; exit 3")
    house.write(house.main, {"cups": "12\n"})
    why = house.refused(ref)
    assert "failed on the result of merging feat/tea into main (exit code 3), so nothing was merged" in why
    assert why.endswith("tea and cups do not go together")
    assert house.events(ref, "merge.started") == []
    assert "tea and cups" in house.events(ref, "merge.failed")[-1]["reason"]
    assert trials(house) == []


def test_a_success_is_remembered_for_the_merged_tree_and_a_failure_is_not(house: House) -> None:
    log = house.root / "log"
    ref = task(house, f"echo run >> {log}; test -e {house.root}/well")
    house.refused(ref)
    house.refused(ref)
    (house.root / "well").touch()
    house.hook(house.remote, "hooks/pre-receive", "exit 1")
    assert "rejected" in house.refused(ref)
    assert "rejected" in house.refused(ref)
    assert log.read_text() == "run\n" * 3
    house.write(house.main, {"cups": "12\n"})
    (house.remote / "hooks/pre-receive").unlink()
    house.merge(ref)
    assert log.read_text() == "run\n" * 4


def test_what_was_not_checked_is_not_merged(house: House) -> None:
    """Somebody commits to the branch while the checks run."""
    more = f"cd {house.desk} && git switch -q feat/tea && touch milk && git add milk && git commit -q -m milk"
    ref = task(house, f"env -u GIT_DIR sh -c '{more}'")
    before = house.tip(), house.there()
    with pytest.raises(Exception, match="got new commits while the checks ran"):
        house.merge(ref)
    assert (house.tip(), house.there(), house.status(ref)) == (*before, "tasting")


def test_checks_are_not_run_for_a_merge_that_would_be_refused_anyway(house: House) -> None:
    log = house.root / "log"
    ref = task(house, f"touch {log}", files={"menu": MENU.replace("filter", "tea")})
    (house.main / "menu").write_text("half a thought\n")
    assert "with changes in menu" in house.refused(ref)
    house.git("checkout", "-q", "menu")
    house.write(house.main, {"menu": MENU.replace("filter", "cocoa")})
    assert "conflicts with main" in house.refused(ref)
    assert not log.exists()


def test_asked_for_every_command_gate_is_run_on_the_merged_result(house: House, cli: Cli) -> None:
    ref = task(house, None)
    house.write(house.main, {"burnt": "black\n"})
    assert "`test ! -e burnt` failed on the result" in cli.no("task", "merge", ref.id, "--verify")
    assert "1 commit" in cli.ok("task", "merge", ref.id).out
    plain = house.task("feat/milk", {"milk": "oat\n"}, workflow="minimal")
    assert "has no command gate" in cli.no("task", "merge", plain.id, "--verify")


def test_a_gate_that_asks_for_more_than_the_command_is_held_on_the_merged_result_too(house: House) -> None:
    ref = task(house, 'exit 3", threads: "answered')
    assert "failed on the result" in house.refused(ref)


def test_the_projects_set_up_is_there_for_the_checks(house: House) -> None:
    house.orange.projects.update("coffee", {"copy": [".env"], "setup": "echo ready > deps.log"})
    (house.main / ".env").write_text("KEY=1\n")
    ref = task(house, "grep -q KEY .env && grep -q ready deps.log")
    assert house.merge(ref).checks


def test_the_forecast_names_the_checks(house: House) -> None:
    ref = task(house, None)
    found = forecast(house.orange.tasks, ref)
    assert (found.checks, found.must_check) == (("test ! -e burnt",), False)
    other = task(house, "make taste", "feat/milk", files={"milk": "oat\n"})
    found = forecast(house.orange.tasks, other)
    assert (found.checks, found.must_check) == (("make taste",), True)


def test_killed_at_any_step_nothing_has_changed_or_all_is_merged_and_no_trial_is_left(house: House) -> None:
    ref = task(house, "test -e cups && test -e tea")
    base = house.write(house.main, {"cups": "12\n"})
    house.git("push", "-q")
    for step in range(1, 100):
        shutil.rmtree(house.root / "home/.cache/gates", ignore_errors=True)  # each time the check is run
        dies_at(step, lambda: house.merge(ref))
        assert house.tip() in {base, house.there()}, step
        assert house.git("status", "--porcelain") == "", step
        if house.status(ref) == "sold":
            break
        assert house.there() == base or house.events(ref, "merge.started"), step
        list(finish_half_moves(house.orange.tasks))
        assert trials(house) == [], step
    assert step > 12, "nothing was watched"
    assert house.git("rev-list", "--first-parent", "--count", f"{base}..main") == "1"


def test_a_trial_in_which_a_killed_merge_left_something_running_stays_until_that_has_ended(house: House) -> None:
    log = house.root / "log"
    ref = task(house, f"test -e {log} || {{ touch {log}; exec sleep 1000; }}")
    code = "import sys; from orange_tui.__main__ import main; main()"
    environment = {**os.environ, "ORANGE_HOME": str(house.root / "home")}
    words = [sys.executable, "-c", code, "task", "merge", ref.id]
    merging = subprocess.Popen(words, env=environment, cwd=house.main)
    wait_for(log.exists)
    merging.kill()
    merging.wait()
    (left,) = {path for path in trials(house) if path.is_absolute()}
    sleeping = processes_in(str(left))
    assert house.merge(ref).commit == house.tip()
    assert left.is_dir()
    for process in sleeping:
        os.kill(process.pid, signal.SIGKILL)
    wait_for(lambda: not processes_in(str(left)))
    list(finish_half_moves(house.orange.tasks))
    assert trials(house) == []


def test_whoever_merges_while_another_merge_is_checked_is_told_that_it_waits(house: House) -> None:
    log, go = house.root / "log", house.root / "go"
    slow, quick = (
        task(house, f"touch {log}; while ! test -e {go}; do sleep 0.05; done"),
        house.task("feat/cake", {"cake": "1\n"}),
    )
    first = threading.Thread(target=house.merge, args=(slow,))
    second = threading.Thread(target=house.merge, args=(quick,))
    first.start()
    wait_for(log.exists)
    second.start()
    wait_for(lambda: "another merge in coffee goes first" in house.notes)
    go.touch()
    first.join()
    second.join()
    assert (house.status(slow), house.status(quick)) == ("sold", "done")


def test_what_a_check_leaves_running_ends_with_its_trial(house: House) -> None:
    log = house.root / "log"
    ref = task(house, f"sleep 1000 >/dev/null 2>&1 & echo $! > {log}")
    assert house.merge(ref).commit == house.tip()
    assert trials(house) == []
    wait_for(lambda: not os.path.exists(f"/proc/{log.read_text().strip()}/cwd"))
