"""Starting agents, ending them, and talking to them, in a real tmux."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.agents import launch
from orange_tui.domain.errors import Refused
from orange_tui.engine.creation import NewTask
from orange_tui.home import clock
from orange_tui.outside.git_guard import brought
from orange_tui.outside.tmux.server import Tmux
from orange_tui.sessions.liveness import Sessions
from support.live_home import started

if TYPE_CHECKING:
    from orange_tui.outside.tmux.server import Pane
    from support.driver import Cli
    from support.live_home import LiveHome

PAIR = """\
name: pair
states:
  new: {}
  working: {agent: worker, respawn_prompt: go}
  checking: {agent: reviewer}
  checked: {agent: reviewer}
  done: {terminal: true}
initial:
  new: {}
  working: {hooks: [acquire_workspace, {action: spawn_agent, prompt: go}]}
transitions:
  - {from: new, to: working}
  - {from: working, to: checking, hooks: [{action: spawn_reviewer, prompt: go}]}
  - {from: checking, to: checked, hooks: [kill_reviewer]}
  - {from: checked, to: done}
prompts: {go: Begin}
"""


def add_pair_workflow(live_home: LiveHome) -> None:
    (live_home.root / "home" / "workflows").mkdir(exist_ok=True)
    (live_home.root / "home" / "workflows" / "pair.yml").write_text(PAIR)


def test_an_agent_starts_in_its_worktree_with_its_task_in_the_environment(live_home: LiveHome) -> None:
    seen = live_home.harness()
    ref = live_home.create("fix/login", harness="recorder")
    live_home.wait((seen / "starts").exists)
    environment = dict(line.split("=", 1) for line in (seen / "environment").read_text().splitlines() if "=" in line)
    assert environment["ORANGE_TASK"] == ref.id
    assert environment["ORANGE_TASK_FILE"] == str(live_home.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md")
    assert environment["ORANGE_HOME"] == str(live_home.root / "home")
    assert (seen / "directory").read_text().strip() == str(live_home.worktree(ref))
    assert subprocess.run(["sh", "-c", "orange --version"], env=environment, check=False).returncode == 0


def test_session_that_an_agent_says_is_its_own_is_neither_typed_into_nor_ended(live_home: LiveHome) -> None:
    """Sessions carry the mark of their task; the name in the history is for people."""
    victim, mine = started(live_home, "fix/login"), started(live_home, "fix/tea")
    engine = live_home.task(mine).engine_fields() | {"tmux_session": live_home.task(victim).tmux_session}
    line = {"type": "hook.done", "timestamp": clock.now(), "index": 0, "action": "spawn_agent", "engine": engine}
    with open(f"{live_home.orange.store.state_directory(mine)}/history.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")
    assert live_home.task(mine).tmux_session == live_home.task(victim).tmux_session  # nobody could tell by the line
    own, theirs = (live_home.orange.sessions.windows(ref.id, fresh=True) for ref in (mine, victim))
    assert {pane.session_id for pane in own}.isdisjoint(pane.session_id for pane in theirs)
    with live_home.orange.engine.open(mine) as opened:
        live_home.orange.engine.cancel(opened)
    live_home.orange.recover()
    assert live_home.windows(mine) == []
    assert live_home.windows(victim) == ["worker"]


def test_agent_counts_as_alive_in_any_locale(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> None:
    live_home.harness(orders='echo "grüße 🍊"; exec cat')
    for name in ("TMUX", "LANG", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "C")  # as cron and many a server have it
    ref = live_home.create("fix/茶", harness="recorder")
    assert live_home.windows(ref) == ["worker"]
    assert live_home.task(ref).tmux_session == "coffee/fix/茶"
    pane = live_home.orange.sessions.windows(ref.id)[0]
    live_home.wait(lambda: "grüße 🍊" in (live_home.orange.tmux.screen(pane.pane_id) or ""))


def test_a_prompt_reaches_the_agent_to_the_letter(live_home: LiveHome) -> None:
    seen = live_home.harness()
    nasty = "$(touch owned) `touch owned` \"quoted\" 'single' \\n %s #{pid} ; end; — 日本語 🍊"
    ref = live_home.create("fix/quoting", harness="recorder", summary=nasty)
    live_home.wait((seen / "starts").exists)
    assert f"{nasty}" in (seen / "prompt").read_text()
    assert not (live_home.worktree(ref) / "owned").exists()


def test_a_prompt_too_long_for_an_argument_is_read_from_its_file(live_home: LiveHome) -> None:
    seen = live_home.harness()
    ref = live_home.create("fix/long", harness="recorder", summary="x" * 150_000)
    live_home.wait((seen / "starts").exists)
    told = (seen / "prompt").read_text()
    copy = live_home.root / "home" / "tasks" / "coffee" / ref.id / ".orange-prompt-worker.md"  # which it may read
    assert str(copy) in told
    assert "x" * 150_000 in copy.read_text()


@pytest.mark.parametrize(
    "branch", ["feat/x.y", "a;b;", "percent%d", "hash#{pid}", "日本語", "semi;", "quote'd", "v1.2_3"]
)
def test_task_with_any_legal_branch_name_gets_a_session(live_home: LiveHome, branch: str) -> None:
    ref = live_home.create(branch, demo="good", harness=live_home.harness().name)
    assert live_home.windows(ref) == ["worker"]
    assert live_home.task(ref).tmux_session in [session.session_name for session in live_home.tmux.sessions]
    assert live_home.orange.tasks.session_state(live_home.task(ref)) == "active"


def test_two_branches_that_tmux_cannot_tell_apart_have_two_sessions(live_home: LiveHome) -> None:
    name = live_home.harness().name
    one, other = live_home.create("feat/x.y", harness=name), live_home.create("feat/x_y", harness=name)
    assert live_home.windows(one) == live_home.windows(other) == ["worker"]
    assert live_home.task(one).tmux_session != live_home.task(other).tmux_session


def test_reviewer_is_not_started_in_another_tasks_session_that_has_got_the_id_of_its_own(
    live_home: LiveHome, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is killed in the middle of its start; the ids begin again, and the first one goes to another task."""
    add_pair_workflow(live_home)
    pair = {"harness": live_home.harness().name, "workflow": "pair", "status": "working"}
    ref, other = live_home.create("fix/login", **pair), live_home.create("fix/tea", **pair)
    asked, listed = Sessions.every_window, []

    def ask_and_restart_tmux(sessions: Sessions, task: str) -> list[Pane]:
        found = asked(sessions, task)
        if task == ref.id:
            listed.append([pane.window for pane in found])
        if task == ref.id and len(listed) == 1:
            subprocess.run(["tmux", "-L", live_home.socket, "kill-server"], check=True)
            live_home.wait(lambda: asked(sessions, other.id) == [])
            cli.ok("task", "restart", other.id)
            assert asked(sessions, other.id)[0].session_id == found[0].session_id
        return found

    monkeypatch.setattr(Sessions, "every_window", ask_and_restart_tmux)

    cli.ok("task", "update", ref.id, "--status", "checking")

    assert live_home.windows(other) == ["worker"]
    assert live_home.windows(ref) == ["review-1"]
    assert listed == [["worker"], []]


def test_reviewer_starts_in_its_tasks_session_while_another_thread_hears_an_older_answer_of_tmux(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_pair_workflow(live_home)
    ref = live_home.create("fix/pair", harness=live_home.harness().name, workflow="pair", status="working")
    assert live_home.windows(ref) == ["worker"]
    write_launcher = launch.write_launcher

    def write_while_the_board_looks(*words: Any) -> launch.LaunchCommands:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Tmux, "panes", lambda _: [])  # as it was before there was a session
            board = Thread(target=lambda: live_home.orange.sessions.panes(fresh=True))
            board.start()
            board.join()
        return write_launcher(*words)

    monkeypatch.setattr(launch, "write_launcher", write_while_the_board_looks)
    live_home.orange.tasks.update(ref, status="checking")
    panes = live_home.orange.sessions.windows(ref.id, fresh=True)
    assert sorted(pane.window for pane in panes) == ["review-1", "worker"]
    assert len({pane.session_id for pane in panes}) == 1


def test_command_that_starts_or_ends_an_agent_tells_whether_it_is_alive_now(live_home: LiveHome, cli: Cli) -> None:
    add_pair_workflow(live_home)
    words = ("Brew", "--workflow", "pair", "--status", "working", "--harness", live_home.harness().name)
    created = cli("task", "create", "fix/alive", *words, "--project", "coffee", "--json").json()
    assert created["session"] == "active"
    for status, session in (("checking", "active"), ("checked", "dead")):
        assert cli("task", "update", created["id"], "--status", status, "--json").json()["session"] == session


def test_creating_a_task_does_not_touch_a_session_whose_name_begins_alike(live_home: LiveHome) -> None:
    name = live_home.harness().name
    feature = live_home.create("feature", harness=name)
    live_home.create("feat", harness=name)
    assert live_home.windows(feature) == ["worker"]


def test_cancelling_ends_the_session_releases_the_workspace_and_keeps_the_commits(live_home: LiveHome) -> None:
    ref = live_home.create("fix/cancel", harness=live_home.harness().name)
    worktree = live_home.worktree(ref)
    (worktree / "done.txt").write_text("committed\n")
    live_home.git("add", ".", at=worktree)
    live_home.git("commit", "-qm", "Work", at=worktree)
    (worktree / "draft.txt").write_text("not committed\n")
    live_home.orange.tasks.cancel(ref)
    task = live_home.task(ref)
    assert (task.status, task.workspace, task.tmux_session) == ("cancelled", None, None)
    assert live_home.windows(ref) == []
    assert live_home.git("show", "fix/cancel:done.txt") == "committed"
    saved = live_home.events(ref, "work.saved")[0]["ref"]
    assert live_home.git("show", f"{saved}:draft.txt") == "not committed"
    assert not (worktree / "draft.txt").exists()


def test_task_whose_agent_is_not_installed_says_so_and_releases_its_workspace(live_home: LiveHome) -> None:
    seen = live_home.harness("absent")
    (seen / "agent").unlink()
    ref = live_home.create("fix/absent", harness="absent")
    task = live_home.task(ref)
    assert task.workspace is None
    assert "not installed" in (task.attention or "")
    assert all(slot.state == "free" for slot in live_home.orange.pool.slots())


def test_task_waits_while_the_pool_file_is_unreadable_and_starts_once_it_is_repaired(live_home: LiveHome) -> None:
    pool = live_home.root / "home" / "workspaces" / ".pool.json"
    pool.parent.mkdir(parents=True, exist_ok=True)
    pool.write_text("[")
    made = live_home.orange.tasks.create(NewTask(project="coffee", branch="fix/pool", summary="Brew", harness="demo"))
    assert f"{pool}:1 is not JSON" in (made.waits or "")
    assert live_home.status(made.ref) == "pending"
    pool.unlink()
    live_home.supervised(lambda: live_home.rests(made.ref, "reviewing"))


def test_a_task_that_finds_no_workspace_waits_and_the_pool_says_who_has_them(live_home: LiveHome) -> None:
    name = live_home.harness().name
    live_home.create("one", harness=name)
    live_home.create("two", harness=name)
    third = live_home.create("three", harness=name)
    assert live_home.status(third) == "pending"
    assert "no free workspace" in live_home.events(third, "task.waiting")[0]["reason"]
    with pytest.raises(Refused, match="no free workspace"):
        live_home.orange.tasks.spawn(third)


def test_a_message_arrives_as_one_whatever_is_in_it(live_home: LiveHome) -> None:
    seen = live_home.harness(orders='echo ready; exec cat >"$here/heard"')
    ref = live_home.create("fix/answer", harness="recorder")
    live_home.orange.agents.answer(ref, "!rm -rf /\nsecond line \x1b[201~ third")
    live_home.supervised(lambda: bool(live_home.events(ref, "agent.notified")))
    live_home.wait(lambda: "third" in (seen / "heard").read_text())
    assert (seen / "heard").read_text().splitlines()[-2:] == ["!rm -rf /", "second line [201~ third"]


def test_output_of_a_window_is_kept_in_its_log(live_home: LiveHome) -> None:
    seen = live_home.harness(orders="echo hello from the agent")
    ref = live_home.create("fix/log", harness="recorder")
    log = live_home.root / "home" / "state" / "coffee" / ref.id / "logs" / "worker.log"
    live_home.wait(lambda: log.exists() and "hello from the agent" in log.read_text())
    assert seen.exists()


def test_a_start_runs_each_program_once_and_no_other(live_home: LiveHome, monkeypatch: pytest.MonkeyPatch) -> None:
    live_home.harness()
    live_home.orange.pool.init(live_home.orange.projects.get("coffee"))
    first, second = (live_home.create(branch, harness="recorder", spawn=False) for branch in ("one", "two"))
    live_home.orange.tasks.spawn(first)  # what is asked once only is asked here
    words, real = [], subprocess.Popen.__init__

    def starting(process: subprocess.Popen[bytes], command: list[str], **options: Any) -> None:
        words.append(command)
        real(process, command, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", starting)

    live_home.orange.tasks.spawn(second)

    known = {"fetch", "status", "switch", "list-panes", "new-session"}
    assert [" ".join(word for word in command if word in known) for command in words] == [
        *("fetch", "status", "switch"),
        *("list-panes", "new-session"),
    ]


def test_a_start_looks_once_at_each_of_its_steps_at_what_the_repository_brings_along(
    live_home: LiveHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    live_home.harness()
    ref = live_home.create("brew", harness="recorder", spawn=False)
    read, real = Counter[str](), brought.read_file

    def reading(path: str, most: int) -> bytes | None:
        read[os.path.relpath(path, live_home.repository)] += 1
        return real(path, most)

    monkeypatch.setattr(brought, "read_file", reading)

    live_home.orange.tasks.spawn(ref)

    steps = ("before the task moves", "before it is given the workspace", "before that is prepared")
    assert read[".git/refs/remotes/origin/main"] == len(steps)
