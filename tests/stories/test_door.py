"""Confined agents in real windows: they reach Orange through their door alone, with nobody else at work."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

from support.live_home import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.store import TaskRef
    from support.live_home import LiveHome

PAIR = """\
name: pair
states:
  working: {agent: worker, respawn_prompt: go}
  checking: {agent: reviewer}
  checked: {agent: worker}
  done: {terminal: true}
initial:
  working: {hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}
transitions:
  - {from: working, to: checking, hooks: [{action: spawn_reviewer, prompt: go}]}
  - from: checking
    to: checked
    gate: {section: "## Review", required: true}
    hooks: [kill_reviewer, {action: set_field, field: labels, value: [seen]}]
  - {from: checked, to: done}
prompts: {go: Begin}
"""
# What an agent sees that has nothing of Orange but its door.
ALONE = "export ORANGE_HOME=/nowhere ORANGE_TMUX_SOCKET=none ORANGE_TASK=forged ORANGE_WINDOW=worker; unset TMUX\n"


def reviewed(live_home: LiveHome, orders: str) -> tuple[TaskRef, Path]:
    """A task whose reviewer, which is confined, does as it is told."""
    (live_home.root / "home" / "workflows").mkdir(exist_ok=True)
    (live_home.root / "home" / "workflows" / "pair.yml").write_text(PAIR)
    live_home.harness("recorder")
    seen = live_home.harness("reviewer", orders)
    ref = live_home.create("fix/door", harness="recorder", review_harness="reviewer", workflow="pair")
    live_home.orange.tasks.update(ref, status="checking")
    live_home.wait((seen / "starts").exists)
    return ref, seen


def reviewer(live_home: LiveHome, ref: TaskRef) -> Pane:
    pane = live_home.orange.sessions.window(ref.id, "review-1")
    assert pane is not None
    return pane


def members(session: int) -> list[str]:
    """The processes of a window's terminal."""
    return subprocess.run(
        ["ps", "-s", str(session), "-o", "pid="], capture_output=True, text=True, check=False
    ).stdout.split()


def test_reviewer_comments_hands_in_and_ends_its_own_window_through_its_door(live_home: LiveHome) -> None:
    orders = (
        f"{ALONE}orange task comment {{}} . 'Strong enough' >$here/said 2>&1\n"
        "printf '\\n## Review\\n\\nVerdict: PASS\\n' >>TASK.md\n"
        "exec orange task update --status checked >>$here/said 2>&1\n"
    )
    ref, seen = reviewed(live_home, orders.replace("{}", "$(basename $(dirname $ORANGE_TASK_FILE))"))
    live_home.wait(lambda: live_home.rests(ref, "checked"))
    assert live_home.windows(ref) == ["worker"]
    assert (seen / "said").read_text().startswith("t1  open  ")
    assert live_home.task(ref).labels == ("seen",)  # what comes after the end of its window was done
    assert [event["by"] for event in live_home.events(ref, "status.changed")][-1] == "agent"


def test_refused_gate_reaches_the_reviewer_in_words(live_home: LiveHome) -> None:
    orders = "orange task update --status checked >$here/said 2>&1; echo $? >$here/new; mv $here/new $here/code\n"
    ref, seen = reviewed(live_home, f"{ALONE}{orders}")
    live_home.wait((seen / "code").exists)
    assert (seen / "code").read_text() == "1\n"
    assert "## Review" in (seen / "said").read_text()
    assert live_home.status(ref) == "checking"


def test_only_a_confined_agent_has_a_door(live_home: LiveHome) -> None:
    ref, seen = reviewed(live_home, "")
    worker = (live_home.root / "recorder" / "environment").read_text()
    assert "ORANGE_DOOR=" not in worker
    assert f"/{ref.id}/door/review-1/socket\n" in (seen / "environment").read_text()
    assert "ORANGE_CONFINED" not in (seen / "environment").read_text()


def test_agent_hears_that_its_window_is_closed_and_nothing_of_it_is_left(live_home: LiveHome) -> None:
    orders = "trap 'echo closed >$here/heard; exit' HUP; echo >$here/ready; while :; do sleep 0.05; done\n"
    ref, seen = reviewed(live_home, orders)
    wait_for((seen / "ready").exists)
    pane = reviewer(live_home, ref)
    live_home.orange.tmux.kill_window(pane)
    wait_for((seen / "heard").exists)
    wait_for(lambda: members(pane.pid) == [])


def test_agent_ends_with_its_launcher(live_home: LiveHome) -> None:
    ref, _ = reviewed(live_home, "exec sleep 1000\n")
    pane = reviewer(live_home, ref)
    launcher = subprocess.run(["pgrep", "-P", str(pane.pid)], capture_output=True, text=True, check=True).stdout
    os.kill(int(launcher), signal.SIGKILL)
    wait_for(lambda: members(pane.pid) == [])
    assert live_home.windows(ref) == ["worker"]


def test_exit_code_of_a_confined_agent_is_noted(live_home: LiveHome) -> None:
    ref, _ = reviewed(live_home, "exit 3\n")
    wait_for(lambda: live_home.windows(ref) == ["worker"])
    [note] = (live_home.root / "home").rglob("review-1.exit")
    assert note.read_text() == "3\n"


def test_keys_and_the_size_of_the_window_reach_the_agent_and_the_door_stays(live_home: LiveHome) -> None:
    orders = (
        "trap 'echo int >>$here/heard' INT\n"
        "trap 'stty size >$here/size' WINCH\n"
        "echo >$here/ready\n"
        "while [ ! -e $here/heard ] || [ ! -e $here/size ]; do sleep 0.05; done\n"
        f"{ALONE}orange task list --all >$here/listed 2>&1; exec cat\n"
    )
    ref, seen = reviewed(live_home, orders)
    wait_for((seen / "ready").exists)
    pane = reviewer(live_home, ref)
    live_home.orange.tmux.press(pane, "C-c")
    live_home.orange.tmux.ask("resize-window", "-t", pane.window_id, "-x", "90", "-y", "30")
    wait_for(lambda: (seen / "listed").exists() and ref.id in (seen / "listed").read_text())
    assert (seen / "size").read_text().split() == ["30", "90"]


def test_agent_that_stops_itself_as_at_ctrl_z_is_continued(live_home: LiveHome) -> None:
    orders = (
        "trap 'echo >$here/continued' CONT\n"
        "kill -TSTP 0\n"
        "while [ ! -e $here/continued ]; do sleep 0.05; done\n"
        "exec cat\n"
    )
    _, seen = reviewed(live_home, orders)
    wait_for((seen / "continued").exists)


def test_restarted_worker_is_confined(live_home: LiveHome) -> None:
    live_home.harness("recorder")
    (live_home.root / "home" / "workflows").mkdir(exist_ok=True)
    (live_home.root / "home" / "workflows" / "pair.yml").write_text(PAIR)
    ref = live_home.create("fix/again", harness="recorder", workflow="pair")
    seen = live_home.root / "recorder"
    wait_for(lambda: (seen / "starts").exists() and "started" in (seen / "starts").read_text())
    pane = live_home.orange.sessions.window(ref.id, "worker")
    assert pane is not None
    live_home.orange.sessions.end_window(pane)
    live_home.orange.agents.respawn(ref)
    wait_for(lambda: (seen / "starts").read_text().count("started") == 2)
    assert "/door/worker/socket\n" in (seen / "environment").read_text()
