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
from orange_tui.outside.tmux import Tmux
from orange_tui.sessions.liveness import Sessions
from support.office import started

if TYPE_CHECKING:
    from orange_tui.outside.tmux import Pane
    from support.driver import Cli
    from support.office import Office

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


def add_pair_workflow(office: Office) -> None:
    (office.root / "home" / "workflows").mkdir(exist_ok=True)
    (office.root / "home" / "workflows" / "pair.yml").write_text(PAIR)


def test_an_agent_starts_in_its_worktree_with_its_task_in_the_environment(office: Office) -> None:
    seen = office.harness()
    ref = office.create("fix/login", harness="recorder")
    office.wait((seen / "starts").exists)
    environment = dict(line.split("=", 1) for line in (seen / "environment").read_text().splitlines() if "=" in line)
    assert environment["ORANGE_TASK"] == ref.id
    assert environment["ORANGE_TASK_FILE"] == str(office.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md")
    assert environment["ORANGE_HOME"] == str(office.root / "home")
    assert (seen / "directory").read_text().strip() == str(office.worktree(ref))
    assert subprocess.run(["sh", "-c", "orange --version"], env=environment, check=False).returncode == 0


def test_session_that_an_agent_says_is_its_own_is_neither_typed_into_nor_ended(office: Office) -> None:
    """Sessions carry the mark of their task; the name in the history is for people."""
    victim, mine = started(office, "fix/login"), started(office, "fix/tea")
    engine = office.task(mine).engine_fields() | {"tmux_session": office.task(victim).tmux_session}
    line = {"type": "hook.done", "timestamp": clock.now(), "index": 0, "action": "spawn_agent", "engine": engine}
    with open(f"{office.orange.store.state_directory(mine)}/history.jsonl", "a") as file:
        file.write(json.dumps(line) + "\n")
    assert office.task(mine).tmux_session == office.task(victim).tmux_session  # nobody could tell by the line
    own, theirs = (office.orange.sessions.windows(ref.id, fresh=True) for ref in (mine, victim))
    assert {pane.session_id for pane in own}.isdisjoint(pane.session_id for pane in theirs)
    with office.orange.engine.open(mine) as opened:
        office.orange.engine.cancel(opened)
    office.orange.recover()
    assert office.windows(mine) == []
    assert office.windows(victim) == ["worker"]


def test_agent_counts_as_alive_in_any_locale(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.harness(orders='echo "grüße 🍊"; exec cat')
    for name in ("TMUX", "LANG", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_ALL", "C")  # as cron and many a server have it
    ref = office.create("fix/茶", harness="recorder")
    assert office.windows(ref) == ["worker"]
    assert office.task(ref).tmux_session == "coffee/fix/茶"
    pane = office.orange.sessions.windows(ref.id)[0]
    office.wait(lambda: "grüße 🍊" in (office.orange.tmux.screen(pane.pane_id) or ""))


def test_a_prompt_reaches_the_agent_to_the_letter(office: Office) -> None:
    seen = office.harness()
    nasty = "$(touch owned) `touch owned` \"quoted\" 'single' \\n %s #{pid} ; end; — 日本語 🍊"
    ref = office.create("fix/quoting", harness="recorder", summary=nasty)
    office.wait((seen / "starts").exists)
    assert f"{nasty}" in (seen / "prompt").read_text()
    assert not (office.worktree(ref) / "owned").exists()


def test_a_prompt_too_long_for_an_argument_is_read_from_its_file(office: Office) -> None:
    seen = office.harness()
    ref = office.create("fix/long", harness="recorder", summary="x" * 150_000)
    office.wait((seen / "starts").exists)
    told = (seen / "prompt").read_text()
    copy = office.root / "home" / "tasks" / "coffee" / ref.id / ".orange-prompt-worker.md"  # which it may read
    assert str(copy) in told
    assert "x" * 150_000 in copy.read_text()


@pytest.mark.parametrize(
    "branch", ["feat/x.y", "a;b;", "percent%d", "hash#{pid}", "日本語", "semi;", "quote'd", "v1.2_3"]
)
def test_task_with_any_legal_branch_name_gets_a_session(office: Office, branch: str) -> None:
    ref = office.create(branch, demo="good", harness=office.harness().name)
    assert office.windows(ref) == ["worker"]
    assert office.task(ref).tmux_session in [session.session_name for session in office.tmux.sessions]
    assert office.orange.tasks.session_state(office.task(ref)) == "active"


def test_two_branches_that_tmux_cannot_tell_apart_have_two_sessions(office: Office) -> None:
    name = office.harness().name
    one, other = office.create("feat/x.y", harness=name), office.create("feat/x_y", harness=name)
    assert office.windows(one) == office.windows(other) == ["worker"]
    assert office.task(one).tmux_session != office.task(other).tmux_session


def test_reviewer_is_not_started_in_another_tasks_session_that_has_got_the_id_of_its_own(
    office: Office, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is killed in the middle of its start; the ids begin again, and the first one goes to another task."""
    add_pair_workflow(office)
    pair = {"harness": office.harness().name, "workflow": "pair", "status": "working"}
    ref, other = office.create("fix/login", **pair), office.create("fix/tea", **pair)
    asked, listed = Sessions.every_window, []

    def ask_and_restart_tmux(sessions: Sessions, task: str) -> list[Pane]:
        found = asked(sessions, task)
        if task == ref.id:
            listed.append([pane.window for pane in found])
        if task == ref.id and len(listed) == 1:
            subprocess.run(["tmux", "-L", office.socket, "kill-server"], check=True)
            office.wait(lambda: asked(sessions, other.id) == [])
            cli.ok("task", "restart", other.id)
            assert asked(sessions, other.id)[0].session_id == found[0].session_id
        return found

    monkeypatch.setattr(Sessions, "every_window", ask_and_restart_tmux)

    cli.ok("task", "update", ref.id, "--status", "checking")

    assert office.windows(other) == ["worker"]
    assert office.windows(ref) == ["review-1"]
    assert listed == [["worker"], []]


def test_reviewer_starts_in_its_tasks_session_while_another_thread_hears_an_older_answer_of_tmux(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_pair_workflow(office)
    ref = office.create("fix/pair", harness=office.harness().name, workflow="pair", status="working")
    assert office.windows(ref) == ["worker"]
    write_launcher = launch.write_launcher

    def write_while_the_board_looks(*words: Any) -> launch.LaunchCommands:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Tmux, "panes", lambda _: [])  # as it was before there was a session
            board = Thread(target=lambda: office.orange.sessions.panes(fresh=True))
            board.start()
            board.join()
        return write_launcher(*words)

    monkeypatch.setattr(launch, "write_launcher", write_while_the_board_looks)
    office.orange.tasks.update(ref, status="checking")
    panes = office.orange.sessions.windows(ref.id, fresh=True)
    assert sorted(pane.window for pane in panes) == ["review-1", "worker"]
    assert len({pane.session_id for pane in panes}) == 1


def test_command_that_starts_or_ends_an_agent_tells_whether_it_is_alive_now(office: Office, cli: Cli) -> None:
    add_pair_workflow(office)
    words = ("Brew", "--workflow", "pair", "--status", "working", "--harness", office.harness().name)
    created = cli("task", "create", "fix/alive", *words, "--project", "coffee", "--json").json()
    assert created["session"] == "active"
    for status, session in (("checking", "active"), ("checked", "dead")):
        assert cli("task", "update", created["id"], "--status", status, "--json").json()["session"] == session


def test_creating_a_task_does_not_touch_a_session_whose_name_begins_alike(office: Office) -> None:
    name = office.harness().name
    feature = office.create("feature", harness=name)
    office.create("feat", harness=name)
    assert office.windows(feature) == ["worker"]


def test_cancelling_ends_the_session_releases_the_workspace_and_keeps_the_commits(office: Office) -> None:
    ref = office.create("fix/cancel", harness=office.harness().name)
    worktree = office.worktree(ref)
    (worktree / "done.txt").write_text("committed\n")
    office.git("add", ".", at=worktree)
    office.git("commit", "-qm", "Work", at=worktree)
    (worktree / "draft.txt").write_text("not committed\n")
    office.orange.tasks.cancel(ref)
    task = office.task(ref)
    assert (task.status, task.workspace, task.tmux_session) == ("cancelled", None, None)
    assert office.windows(ref) == []
    assert office.git("show", "fix/cancel:done.txt") == "committed"
    saved = office.events(ref, "work.saved")[0]["ref"]
    assert office.git("show", f"{saved}:draft.txt") == "not committed"
    assert not (worktree / "draft.txt").exists()


def test_task_whose_agent_is_not_installed_says_so_and_releases_its_workspace(office: Office) -> None:
    seen = office.harness("absent")
    (seen / "agent").unlink()
    ref = office.create("fix/absent", harness="absent")
    task = office.task(ref)
    assert task.workspace is None
    assert "not installed" in (task.attention or "")
    assert all(slot.state == "free" for slot in office.orange.pool.slots())


def test_task_waits_while_the_pool_file_is_unreadable_and_starts_once_it_is_repaired(office: Office) -> None:
    pool = office.root / "home" / "workspaces" / ".pool.json"
    pool.parent.mkdir(parents=True, exist_ok=True)
    pool.write_text("[")
    made = office.orange.tasks.create(NewTask(project="coffee", branch="fix/pool", summary="Brew", harness="demo"))
    assert f"{pool}:1 is not JSON" in (made.waits or "")
    assert office.status(made.ref) == "pending"
    pool.unlink()
    office.supervised(lambda: office.rests(made.ref, "reviewing"))


def test_a_task_that_finds_no_workspace_waits_and_the_pool_says_who_has_them(office: Office) -> None:
    name = office.harness().name
    office.create("one", harness=name)
    office.create("two", harness=name)
    third = office.create("three", harness=name)
    assert office.status(third) == "pending"
    assert "no free workspace" in office.events(third, "task.waiting")[0]["reason"]
    with pytest.raises(Refused, match="no free workspace"):
        office.orange.tasks.spawn(third)


def test_a_message_arrives_as_one_whatever_is_in_it(office: Office) -> None:
    seen = office.harness(orders='echo ready; exec cat >"$here/heard"')
    ref = office.create("fix/answer", harness="recorder")
    office.orange.agents.answer(ref, "!rm -rf /\nsecond line \x1b[201~ third")
    office.supervised(lambda: bool(office.events(ref, "agent.notified")))
    office.wait(lambda: "third" in (seen / "heard").read_text())
    assert (seen / "heard").read_text().splitlines()[-2:] == ["!rm -rf /", "second line [201~ third"]


def test_output_of_a_window_is_kept_in_its_log(office: Office) -> None:
    seen = office.harness(orders="echo hello from the agent")
    ref = office.create("fix/log", harness="recorder")
    log = office.root / "home" / "state" / "coffee" / ref.id / "logs" / "worker.log"
    office.wait(lambda: log.exists() and "hello from the agent" in log.read_text())
    assert seen.exists()


def test_a_start_runs_each_program_once_and_no_other(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    office.harness()
    office.orange.pool.init(office.orange.projects.get("coffee"))
    first, second = (office.create(branch, harness="recorder", spawn=False) for branch in ("one", "two"))
    office.orange.tasks.spawn(first)  # what is asked once only is asked here
    words, real = [], subprocess.Popen.__init__

    def starting(process: subprocess.Popen[bytes], command: list[str], **options: Any) -> None:
        words.append(command)
        real(process, command, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", starting)

    office.orange.tasks.spawn(second)

    known = {"fetch", "status", "switch", "list-panes", "new-session"}
    assert [" ".join(word for word in command if word in known) for command in words] == [
        *("fetch", "status", "switch"),
        *("list-panes", "new-session"),
    ]


def test_a_start_looks_once_at_each_of_its_steps_at_what_the_repository_brings_along(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.harness()
    ref = office.create("brew", harness="recorder", spawn=False)
    read, real = Counter[str](), brought.read_file

    def reading(path: str, most: int) -> bytes | None:
        read[os.path.relpath(path, office.repository)] += 1
        return real(path, most)

    monkeypatch.setattr(brought, "read_file", reading)

    office.orange.tasks.spawn(ref)

    steps = ("before the task moves", "before it is given the workspace", "before that is prepared")
    assert read[".git/refs/remotes/origin/main"] == len(steps)
