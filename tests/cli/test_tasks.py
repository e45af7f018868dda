"""`orange task …` as people and agents type it: what is said, what is done, and with which exit code."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.task import FIELDS
from support.driver import transition
from support.live_board import LiveBoard

if TYPE_CHECKING:
    from support.driver import Cli, World

ESCAPES = "\x1b[2J\x1b]0;owned\x07\x9b31m"


def raw(text: str) -> list[str]:
    """What a terminal would obey."""
    return [character for character in text if not character.isprintable() and character != "\n"]


def test_task_is_created_shown_and_listed(world: World, cli: Cli) -> None:
    made = cli.ok("task", "create", "brew", "Brew it", "--no-spawn", "--project", "coffee", "--json").json()
    assert list(made)[: len(FIELDS)] == list(FIELDS)
    assert (made["branch"], made["summary"], made["status"], made["session"]) == ("brew", "Brew it", "todo", "none")
    shown = cli.ok("task", "show", made["id"], "--json").json()
    assert (shown["body"], [event["type"] for event in shown["history"]]) == ("", ["task.created"])
    assert [row["id"] for row in cli.ok("task", "list", "--project", "coffee", "--json").json()] == [made["id"]]
    assert "coffee/brew  todo" in cli.ok("task", "list", "--all").out
    assert "Brew it" in cli.ok("task", "show", made["id"]).out


def test_cancel_is_undone_and_says_how(world: World, cli: Cli) -> None:
    ref = world.task(branch="brew", status="doing")
    cancelled = cli.ok("task", "cancel", ref.id, "--yes")
    assert f"`orange task undo {ref.id}` brings it back, for a minute" in cancelled.err
    assert cli.ok("task", "undo", ref.id, "--json").json()["status"] == "doing"
    assert "is doing: there is no cancel to undo" in cli.no("task", "undo", ref.id)


def test_create_without_branch_and_summary_uses_defaults(world: World, cli: Cli) -> None:
    made = cli.ok("task", "create", "--no-spawn", "--project", "coffee", "--json").json()
    assert (made["branch"], made["summary"]) == (f"orange-tasks/{made['id']}", "")


def test_one_text_with_spaces_is_the_summary_and_names_the_branch(world: World, cli: Cli) -> None:
    words = ("task", "create", "--no-spawn", "--project", "coffee", "--json")
    made = cli.ok(*words, "Fix the login loop").json()
    assert (made["branch"], made["summary"]) == ("fix-the-login-loop", "Fix the login loop")
    assert cli.ok(*words, "Fix the login loop").json()["branch"] == "fix-the-login-loop-2"
    assert cli.ok(*words, "fix/login").json()["summary"] == ""
    assert "is not a branch name git accepts" in cli.no(
        *words[:-1], "fix the login", "Fix it"
    )  # it was to be the branch
    assert "one line without control characters" in cli.no(*words[:-1], "Fix the\nlogin")


def test_create_stores_every_option(world: World, cli: Cli) -> None:
    first = world.task()
    words = ["--harness", "codex", "--review-harness", "pi", "--effort", "low", "--review-effort", "high"]
    words += ["--blocked-by", first.id[:4], "--blocked-by", first.id, "--parent", first.id, "--status", "checked"]
    made = cli.ok("task", "create", "b", "s", *words, "--no-spawn", "--project", "coffee", "--json").json()
    expected = {"harness": "codex", "review_harness": "pi", "effort": "low", "review_effort": "high"}
    expected |= {"parent": first.id, "status": "checked"}
    assert {key: made[key] for key in expected} == expected
    assert made["blocked_by"] == [first.id]
    evil = ["--harness", "codex", "--effort", "$(touch owned)"]  # the first Orange's shell ran it
    cli.no("task", "create", "c", "s", *evil, "--no-spawn", "--project", "coffee")
    assert not os.path.exists("owned")


def test_context_becomes_a_section_whose_headings_stay_inside_it(world: World, cli: Cli) -> None:
    words = ["task", "create", "b", "s", "--no-spawn", "--project", "coffee", "--json", "--context"]
    made = cli.ok(*words, "-", stdin="# Why\nThirst.\n\n## Handoff\nDONE: no\n").json()
    ref = world.orange.store.find(made["id"])
    assert world.body(ref).startswith("\n## Context\n")
    transition(world.orange, ref, "doing", "agent")
    assert "has no section ## Handoff" in cli.no("task", "update", ref.id, "--status", "checked")
    assert "not UTF-8" in cli.no(*words[:2], "c", *words[3:-2], "--context", "-", stdin=b"\xff")


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["a..b", "s"], "is not a branch name git accepts"),
        (["HEAD", "s"], "is not a branch name git accepts"),
        (["a:b", "s"], "is not a branch name git accepts"),
        (["a b", "s"], "is not a branch name git accepts"),
        (["--", "-b", "s"], "is not a branch name git accepts"),
        (["a", "two\nlines"], "one line without control characters"),
        (["a", ESCAPES], "one line without control characters"),
        (["a", "s", "--status", "doing"], "cannot start as doing; it can start as todo, checked"),
        (["a", "s", "--workflow", "nope"], "there are: autopilot, classic, default, minimal, review-pr, solo, steps"),
        (["a", "s", "--workflow", "../steps"], "There is no workflow"),
        (["a", "s", "--harness", "nope"], "nope"),
        (["a", "s", "--blocked-by", "zzzz"], "There is no task zzzz"),
        (["a", "s", "--parent", "../x"], "is not a task id"),
        (["a", "s", "--project", "nope"], "There is no project nope; registered are: coffee"),
    ],
)
def test_impossible_task_is_refused_with_the_reason(world: World, cli: Cli, words: list[str], why: str) -> None:
    project = [] if "--project" in words else ["--project", "coffee"]
    said = cli.no("task", "create", "--no-spawn", *project, *words)
    assert why in said
    assert raw(said) == []
    assert world.orange.store.refs() == []
    assert cli("task", "create", "--no-spawn", "--json", *project, *words).json()["error"]


def test_branch_has_one_task_until_that_is_finished(world: World, cli: Cli) -> None:
    first = world.task(branch="brew")
    assert f"has a task already: {first.id}" in cli.no("task", "create", "brew", "--project", "coffee", "--no-spawn")
    transition(world.orange, first, "done", "force")
    cli.ok("task", "create", "brew", "--project", "coffee", "--no-spawn")


def test_task_without_a_free_workspace_waits_and_says_so(world: World, cli: Cli) -> None:
    world.effects.without.add("acquire_workspace")
    result = cli.ok("task", "create", "b", "s", "--project", "coffee", "--workflow", "minimal", "--json")
    assert result.json()["status"] == "pending"
    assert "waits in pending: Nothing is free" in result.err


def test_summary_may_begin_with_a_dash(world: World, cli: Cli) -> None:
    for words in (["brew", "-5 degrees"], ["--", "brew2", "-5"], ["brew3", "- one"]):
        made = cli.ok("task", "create", "--json", "--no-spawn", "--project", "coffee", *words).json()
        assert made["summary"] == words[-1]
    cli.ok("task", "update", made["id"], "--summary=-n")
    assert cli.ok("task", "show", made["id"], "--json").json()["summary"] == "-n"


def test_escape_sequences_never_reach_the_terminal(world: World, cli: Cli) -> None:
    ref = world.task(body=f"\n## Notes\n{ESCAPES}\r\n\ttabbed\n")
    world.edit(ref, "summary: ", f"summary: {json.dumps(ESCAPES)} # ")
    world.edit(ref, "attention: null", f"attention: {json.dumps(ESCAPES)}")
    world.edit(ref, "---\nid", f"---\n{json.dumps(ESCAPES)}: {json.dumps(ESCAPES)}\nid")
    world.effects.failing.add("push_branch")
    (world.root / "tasks/coffee" / ESCAPES.replace("/", "")).mkdir()
    (world.root / f"workflows/{ESCAPES}.yml").write_text("name: x\n")
    results = [
        cli("task", "list", "--all"),
        cli("task", "show", ref.id),
        cli("task", "update", ref.id, "--status", ESCAPES),
        cli("task", "update", ref.id, "--status", "doing"),
        cli("task", "show", ESCAPES),
        cli("workflow", "check"),
        cli("workflow", "show", ESCAPES),
        cli("log"),
        cli("project", "list"),
        cli("__complete", "task", "show", ""),
        cli(ESCAPES),
    ]
    for result in results:
        assert [c for c in raw(result.out + result.err) if c != "\t"] == [], result
    assert "        tabbed" in results[1].out


def test_id_prefix_is_enough_and_an_ambiguous_one_lists_the_matches(world: World, cli: Cli) -> None:
    world.project("tea", "/elsewhere")
    for project, name in (("coffee", "abc"), ("coffee", "abcd"), ("tea", "abd")):
        directory = world.root / "tasks" / project / name
        directory.mkdir(parents=True)
        (directory / "TASK.md").write_text("---\nworkflow: steps\nstatus: todo\n---\n")
    assert cli.ok("task", "show", "abcd", "--json").json()["id"] == "abcd"
    assert cli.ok("task", "show", "abc", "--json").json()["id"] == "abc"  # exact
    assert "abc (coffee), abcd (coffee), abd (tea)" in cli.no("task", "show", "ab")
    assert cli.ok("task", "show", "ab", "--project", "tea", "--json").json()["id"] == "abd"
    assert "There is no task x; " in cli.no("task", "show", "x")
    assert "is not a task id" in cli.no("task", "show", "../abc")


def test_task_is_found_by_its_branch_after_ids_and_an_ambiguous_branch_says_so(world: World, cli: Cli) -> None:
    world.project("tea", "/elsewhere")
    old = world.task(branch="fix/login", status="cancelled")
    assert cli.ok("task", "show", "fix/login", "--json").json()["id"] == old.id  # nobody else has it
    new = world.task(branch="fix/login")
    assert cli.ok("task", "show", "fix/login", "--json").json()["id"] == new.id  # a finished one gave it up
    other = world.task(project="tea", branch="fix/login")
    said = cli.no("task", "show", "fix/login")
    assert "Several tasks have the branch fix/login" in said
    assert f"{new.id} (coffee)" in said
    assert cli.ok("task", "cancel", "fix/login", "--yes", "--project", "tea").out.startswith(other.id)
    world.task(branch=new.id)
    assert cli.ok("task", "show", new.id, "--json").json()["id"] == new.id  # an id goes first


def test_agent_changes_no_task_by_a_branch_which_could_be_renamed_in_between(
    world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = world.task(branch="mine")
    monkeypatch.setenv("ORANGE_TASK", own.id)
    assert cli.ok("task", "show", "mine", "--json").json()["id"] == own.id
    assert "There is no task mine" in cli.no("task", "update", "mine", "--summary", "Mine")


@pytest.mark.parametrize("project", ["../..", "/etc", ".hidden", "a/b"])
def test_project_option_takes_a_name_and_never_a_path(world: World, cli: Cli, tmp_path: Path, project: str) -> None:
    outside = tmp_path / "abc"
    outside.mkdir()
    (outside / "TASK.md").write_text("---\nworkflow: steps\nstatus: todo\n---\n")
    cli.no("task", "update", "abc", "--project", project, "--status", "doing")
    assert os.listdir(outside) == ["TASK.md"]


def test_agent_can_leave_out_its_tasks_id(world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    mine, other = world.task(status="doing", workspace="coffee--1"), world.task()
    assert "Which task?" in cli.no("task", "update", "--status", "todo", code=2)
    inside = world.root / "workspaces/coffee--1/src/deep"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    cli.ok("task", "update", "--summary", "found by its worktree")
    assert world.read(mine).summary == "found by its worktree"
    (world.root / "workspaces/coffee--1/TASK.md").symlink_to(world.file(mine))
    cli.ok("task", "update", "--summary", "found by its link")
    assert world.read(mine).summary == "found by its link"
    monkeypatch.setenv("ORANGE_TASK", other.id)
    cli.ok("task", "update", "--summary", "found by its window")
    assert world.read(other).summary == "found by its window"


def test_list_has_unfinished_tasks_first_then_the_newest(world: World, cli: Cli) -> None:
    old, finished, new = world.task(summary="old"), world.task(status="done"), world.task(summary="new")
    assert [row["id"] for row in cli.ok("task", "list", "--all", "--json").json()] == [new.id, old.id, finished.id]


def test_list_is_of_this_project_or_all_and_filtered_by_status(
    world: World, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "tea/src").mkdir(parents=True)
    world.project("tea", str(tmp_path / "tea"))
    coffee, tea, doing = world.task(), world.task(project="tea"), world.task(project="tea", status="doing")

    def listed(*words: str) -> set[str]:
        return {row["id"] for row in cli.ok("task", "list", "--json", *words).json()}

    assert listed() == listed("--all") == {coffee.id, tea.id, doing.id}
    monkeypatch.chdir(tmp_path / "tea/src")
    assert listed() == {tea.id, doing.id}
    assert listed("--status", "doing") == {doing.id}
    assert listed("--project", "coffee") == {coffee.id}
    assert listed("--all", "--status", "todo") == {coffee.id, tea.id}
    assert "cannot be used together" in cli.no("task", "list", "--all", "--project", "tea", code=2)


def test_ready_lists_tasks_that_have_not_started_and_are_not_blocked(world: World, cli: Cli) -> None:
    first = world.task()
    waiting, gone = world.task(blocked_by=(first.id,)), world.task(blocked_by=("zzz",))

    def ready() -> list[str]:
        return [row["id"] for row in cli.ok("task", "list", "--all", "--ready", "--json").json()]

    assert ready() == [first.id]
    transition(world.orange, first, "done", "force")
    assert ready() == [waiting.id]
    assert gone.id not in ready()


def test_blocker_that_is_done_stays_so_when_its_workflow_changes_or_breaks(world: World, cli: Cli) -> None:
    text = (world.root / "workflows" / "steps.yml").read_text()
    world.workflow("once", text.replace("name: steps", "name: once"))
    first = world.task(workflow="once")
    waiting = world.task(blocked_by=(first.id,))
    transition(world.orange, first, "done", "force")
    for later in ("name: once\nstates: 7\n", text.replace("done", "shipped"), text):
        world.workflow("once", later)
        assert [row["id"] for row in cli.ok("task", "list", "--all", "--ready", "--json").json()] == [waiting.id]
        snapshot = list(LiveBoard(world.orange, None).scan())[-1]
        assert [row.waits for row in snapshot.rows if row.ref == waiting] == [None]


def test_only_finished_tasks_are_deleted_and_only_after_a_yes(world: World, cli: Cli) -> None:
    ref = world.task()
    assert "only done or cancelled tasks can be deleted" in cli.no("task", "delete", ref.id, "--yes")
    transition(world.orange, ref, "cancelled", "person")
    assert "add --yes" in cli.no("task", "delete", ref.id)
    assert world.file(ref).exists()
    assert cli.ok("task", "delete", ref.id[:5], "--yes", "--json").json()["deleted"] is True
    assert not world.directory(ref).exists()


def test_failed_hook_is_reported_and_the_move_stands(world: World, cli: Cli) -> None:
    ref = world.task()
    world.effects.failing.add("create_pr")
    result = cli.ok("task", "update", ref.id, "--status", "doing", "--json")
    assert result.json()["hook_errors"] == ["create_pr: no luck with create_pr"]
    assert result.json()["hooks_run"][0] == "push_branch"
    assert result.json()["status"] == "doing"
    assert "The task has moved, but create_pr: no luck" in result.err


@pytest.mark.parametrize(
    ("workflow", "body", "outcome", "target"),
    [
        ("default", "\n## Handoff\nDONE: all\n", None, "agent-review"),
        ("classic", "\n## Handoff\nall\n", None, "agent-review"),
        ("minimal", "\n## Handoff\nall\n", None, "reviewing"),
        ("solo", "", "passed", "reviewing"),
    ],
)
def test_complete_moves_a_task_forward_in_every_shipped_workflow(
    world: World, cli: Cli, workflow: str, body: str, outcome: str | None, target: str
) -> None:
    ref = world.task(workflow=workflow, status="working")
    assert "needs more" in cli.no("task", "complete", ref.id)
    world.write_body(ref, body)
    if outcome:
        (world.directory(ref) / ".orange-outcome").write_text(json.dumps({"id": ref.id, "outcome": outcome}))
    assert cli.ok("task", "complete", ref.id, "--json").json()["status"] == target
    finished = world.task(workflow=workflow, status="done")
    assert "nothing for an agent to complete" in cli.no("task", "complete", finished.id)


@pytest.mark.parametrize(
    ("workflow", "status"), [("default", "stuck"), ("classic", "stuck"), ("minimal", "working"), ("solo", "stuck")]
)
def test_stuck_moves_to_stuck_if_there_is_such_a_state_and_always_needs_attention(
    world: World, cli: Cli, workflow: str, status: str
) -> None:
    ref = world.task(workflow=workflow, status="working")
    if workflow == "solo":
        (world.directory(ref) / ".orange-outcome").write_text(json.dumps({"id": ref.id, "outcome": "stuck"}))
    now = cli.ok("task", "stuck", ref.id, "--reason", "No database", "--json").json()
    assert now["status"] == status
    assert "No database" in now["attention"]


def test_stuck_without_a_reason_takes_the_one_in_the_outcome(world: World, cli: Cli) -> None:
    """As solo's prompt has it: the reason is in .orange-outcome, and the command says only that it is there."""
    ref = world.task(workflow="solo", status="working")
    said = {"id": ref.id, "outcome": "stuck", "reason": "No license server"}
    (world.directory(ref) / ".orange-outcome").write_text(json.dumps(said))
    now = cli.ok("task", "stuck", ref.id, "--json").json()
    assert (now["status"], now["attention"]) == ("stuck", "The agent is stuck: No license server")
    again = cli.ok("task", "stuck", ref.id, "--json").json()  # the supervisor may have seen the file first
    assert again["attention"] == "The agent is stuck: No license server"


def test_reason_of_several_lines_is_stored_as_one(world: World, cli: Cli) -> None:
    ref = world.task(workflow="default", status="working")
    now = cli.ok("task", "stuck", ref.id, "--reason", "No database:\n  it refuses\x1b[2J us\n", "--json").json()
    assert now["attention"] == "The agent is stuck: No database: it refuses\\x1b[2J us"


def test_task_on_the_default_branch_is_refused_and_not_created(world: World, cli: Cli) -> None:
    said = cli.no("task", "create", "main", "Brew", "--no-spawn", "--project", "coffee")
    assert "main is the default branch of coffee; a task needs one of its own" in said
    assert cli.ok("task", "list", "--project", "coffee", "--json").json() == []


def test_long_id_is_shortened_in_the_message(world: World, cli: Cli) -> None:
    said = cli.no("task", "show", "a" * 100_000)
    assert "is not a task id" in said
    assert len(said) < 300


def test_group_alone_names_every_command(world: World, cli: Cli) -> None:
    said = cli("task")
    assert said.code == 2
    assert all(f"\n  {word}" in said.err for word in ("create", "start", "merge", "restore"))


def test_help_and_version_end_with_one_newline(world: World, cli: Cli) -> None:
    for words in (["--version"], ["help"], ["task", "list", "--help"]):
        said = cli.ok(*words).out
        assert said.endswith("\n")
        assert not said.endswith("\n\n")


@pytest.mark.parametrize("words", [("update", "--summary", "x"), ("spawn",), ("complete",), ("delete", "--yes")])
def test_command_on_an_unreadable_task_names_its_file(world: World, cli: Cli, words: tuple[str, ...]) -> None:
    ref = world.task()
    world.file(ref).write_text("---\nid: [\n---\n")
    assert f"{world.file(ref)}:3: this is not YAML" in cli.no("task", words[0], ref.id, *words[1:])


def test_list_says_so_where_something_else_is_in_the_place_of_all_tasks(world: World, cli: Cli) -> None:
    tasks = Path(world.orange.home.tasks)
    world.task()
    tasks.rename(tasks.with_name("aside"))
    os.mkfifo(tasks)
    assert f"{tasks} is no directory" in cli.no("task", "list", "--all")
    tasks.unlink()
    tasks.with_name("aside").rename(tasks)
    assert len(cli.ok("task", "list", "--all", "--json").json()) == 1


def test_prefix_of_very_many_tasks_names_some_of_them(world: World, cli: Cli) -> None:
    for number in range(30):
        world.task(id=f"zz{number:02d}x")
    said = cli.no("task", "show", "zz")
    assert "zz could be any of zz00x (coffee), zz01x (coffee)" in said
    assert "zz19x (coffee) and 10 more; type more of it" in said
