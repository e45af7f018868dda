"""How the demo agent is talked to, and how it gets on in places it does not know."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.demo_stage import MENDED, TOLD, wait_for
from support.git import git

if TYPE_CHECKING:
    from pathlib import Path

    from support.demo_stage import Open


def test_plain_lines_to_a_busy_agent_wait_their_turn(stage: Open) -> None:
    it = stage("default", "ask")
    worker = it.start("worker")
    assert worker.process.stdin is not None
    worker.process.stdin.write("Größe: L\r\n\n  \nexit\n".encode())  # before it has even asked
    worker.process.stdin.flush()
    assert worker.end() == 0
    assert it.status == "agent-review"
    assert it.section("Questions").endswith("Answer: Größe: L")


def test_message_of_many_kilobytes_arrives_complete(stage: Open) -> None:
    it = stage("default", "ask")
    worker = it.start("worker", terminal=True)
    worker.waits_after("I'll wait for you here.")
    answer = "\n".join(f"line {number}" for number in range(2000))
    worker.tell(answer)
    it.until("agent-review")
    assert it.section("Questions").endswith("Answer: " + answer.replace("\n", " "))
    assert worker.finish() == 0


@pytest.mark.skipif(shutil.which("tmux") is None, reason="needs tmux")
def test_paste_and_enter_through_tmux_reach_the_agent(stage: Open, tmp_path: Path) -> None:
    it = stage("default", "ask")
    socket = str(tmp_path / "t")
    given = {"ORANGE_TASK": it.ref.id, "ORANGE_TASK_FILE": str(it.directory / "TASK.md"), **it.environment}

    def tmux(*words: str, **options: str) -> str:
        run = ["tmux", "-S", socket, "-f", os.devnull, *words]
        return subprocess.run(run, env=given, capture_output=True, text=True, check=True, timeout=60, **options).stdout  # type: ignore[call-overload,no-any-return]

    agent = [sys.executable, "-m", "orange_tui.demo.agent", it.prompt("worker")]
    tmux("new-session", "-d", "-x", "100", "-y", "30", "-c", str(it.worktree), "--", *agent)
    try:
        it.until("clarification")
        wait_for(lambda: tmux("display-message", "-p", "#{pane_title}").strip() == "demo · asks")
        tmux("load-buffer", "-b", "m", "-", input="Large,\nand tell the barista")
        tmux("paste-buffer", "-p", "-d", "-b", "m")
        tmux("send-keys", "Enter")
        it.until("agent-review")
        wait_for(lambda: tmux("display-message", "-p", "#{pane_title}").strip() == "demo · idle")
        assert it.section("Questions").endswith("Answer: Large, and tell the barista")
    finally:
        tmux("kill-server")


def test_unknown_repository_gets_one_page(stage: Open) -> None:
    it = stage("default", "fail-once")
    shutil.rmtree(it.worktree / "coffee")
    git(it.worktree, "commit", "--quiet", "--all", "--message=no coffee")
    git(it.worktree, "push", "--quiet", "origin", "HEAD:main")
    worker = it.start("worker")
    it.until("agent-review")
    assert it.review() == "working"
    worker.tell(TOLD)
    it.until("agent-review")
    assert worker.finish() == 0
    page = (it.worktree / "demo" / f"{it.ref.id}.md").read_text()
    assert page.startswith("# Oat milk\n")
    assert page.endswith(f"- {MENDED}\n")
    assert git(it.worktree, "diff", "--name-only", "origin/main..HEAD") == f"demo/{it.ref.id}.md"


def test_local_default_branch_is_used_without_a_remote(stage: Open) -> None:
    it = stage("default", "good")
    git(it.worktree, "remote", "remove", "origin")
    assert it.start("worker").finish() == 0
    assert it.review() == "reviewing"
    assert "coffee/oat_milk.py, tests/test_oat_milk.py" in it.section("Review")


def test_label_can_choose_the_behaviour(stage: Open) -> None:
    it = stage("default", "nonsense")
    file = it.directory / "TASK.md"
    file.write_text(file.read_text().replace("labels: []", 'labels: ["demo: dies-silent"]'))
    worker = it.start("worker")
    assert worker.end() == 0
    assert it.status == "working"
    assert "I don't know how to be 'nonsense'" in worker.said


def test_agent_without_a_task_says_so(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "orange_tui.demo.agent", "Task: nothing"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == 1
    assert "There is no task here" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(("number", "terminal"), [(signal.SIGTERM, False), (signal.SIGHUP, True)])
def test_signal_ends_a_waiting_agent(stage: Open, number: signal.Signals, terminal: bool) -> None:
    it = stage("default", "ask")
    worker = it.start("worker", terminal=terminal)
    worker.waits_after("I'll wait for you here.")
    assert worker.signal(number) == 128 + number
    assert "Traceback" not in worker.said


def test_signal_ends_a_thinking_agent(stage: Open) -> None:
    it = stage("default", "good")
    worker = it.start("worker", ORANGE_DEMO_PACE="600")
    worker.waits_after("demo agent")
    assert worker.signal(signal.SIGTERM) == 128 + signal.SIGTERM
