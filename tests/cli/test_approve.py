"""`orange task approve`: a person says yes or no on the command line, to what is printed there, and no agent does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.asking import AskingHome, decision_of, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.driver import Cli
    from support.live_home import LiveHome


@pytest.fixture
def asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[AskingHome]:
    monkeypatch.setenv("ORANGE_TMUX_SOCKET", f"orange-test-none-{tmp_path.name}")
    home = AskingHome(tmp_path)
    monkeypatch.setenv("ORANGE_HOME", home.home.root)
    yield home
    home.close()


def test_the_only_question_is_answered_and_printed_in_full(cli: Cli, asking: AskingHome) -> None:
    hook = asking.hook(tool_input={"command": "echo a\nrm -rf \x1b[2Kbuild", "description": "tidy up"})
    asking.question()
    said = cli.ok("task", "approve").out
    assert said.startswith(f"allowed: {asking.ref.id}  claude in worker asks for Bash")
    assert "    echo a\n    rm -rf \\u{1b}[2Kbuild\n    (The agent's own words: tidy up)" in said
    assert decision_of(hook) == {"behavior": "allow"}


def test_json_says_what_was_answered_and_how(cli: Cli, asking: AskingHome) -> None:
    asking.hook()
    question = asking.question()
    listed = cli.ok("task", "approve", "--list", "--json").json()
    assert [each["question"] for each in listed] == [question.id]
    said = cli.ok("task", "approve", asking.ref.id, "--always", "--json").json()
    assert said["failed"] == {}
    assert [(each["input"]["command"], each["decision"]) for each in said["answered"]] == [
        ("rm -rf build", "allowed for this task")
    ]
    shown = cli.ok("task", "show", asking.ref.id, "--json").json()
    assert shown["allowed"] == ["exactly this Bash again\nin /w:\nrm -rf build"]
    assert "allowed: exactly this Bash again ⏎ in /w: ⏎ rm -rf build" in cli.ok("task", "show", asking.ref.id).out


def test_a_denial_takes_words_or_none(cli: Cli, asking: AskingHome) -> None:
    hook = asking.hook()
    asking.question()
    assert cli.ok("task", "approve", asking.ref.id, "--deny", "Keep it").out.startswith("denied: ")
    assert decision_of(hook) == {"behavior": "deny", "message": "Keep it"}
    hook = asking.hook()
    asking.question()
    cli.ok("task", "approve", asking.ref.id, "--deny", "")
    assert decision_of(hook) == {"behavior": "deny", "message": "The person denied this."}


def test_of_several_none_is_answered_unless_one_is_named(cli: Cli, asking: AskingHome) -> None:
    other = asking.add()
    hooks = [asking.hook(), asking.hook(other, tool_input={"command": "make"})]
    first, second = asking.question(), asking.question(other)
    why = cli.no("task", "approve")
    assert "2 questions are open, and none was answered" in why
    assert f"--question {first.id}  Bash: rm -rf build" in why
    cli.ok("task", "approve", "--question", second.id)
    assert decision_of(hooks[1]) == {"behavior": "allow"}
    cli.ok("task", "approve")
    assert decision_of(hooks[0]) == {"behavior": "allow"}


def test_equal_ones_of_the_project_are_answered_together(cli: Cli, asking: AskingHome) -> None:
    equal, of_another_project, different = asking.add(), asking.add("tea"), asking.add()
    hooks = [asking.hook(), asking.hook(equal, cwd="/elsewhere", tool_input={"command": "rm -rf build"})]
    asking.hook(of_another_project)
    asking.hook(different, tool_input={"command": "rm -rf /"})
    for ref in (asking.ref, equal, of_another_project, different):
        asking.question(ref)
    said = cli.ok("task", "approve", asking.ref.id, "--equal", "--json").json()
    assert {each["id"] for each in said["answered"]} == {asking.ref.id, equal.id}
    assert [decision_of(hook) for hook in hooks] == [{"behavior": "allow"}] * 2
    assert len(asking.approvals.everywhere()) == 2


def test_where_nothing_is_asked_that_is_said(cli: Cli, asking: AskingHome) -> None:
    assert cli.no("task", "approve").startswith("No agent asks for permission")
    assert cli.no("task", "approve", asking.ref.id) == f"{asking.ref.id} asks for nothing now"
    assert "no open question q7" in cli.no("task", "approve", "--question", "q7")
    assert cli.ok("task", "approve", "--list").out == "No agent asks for permission\n"


def test_an_agent_cannot_answer_itself(cli: Cli, asking: AskingHome, monkeypatch: pytest.MonkeyPatch) -> None:
    asking.hook()
    asking.question()
    monkeypatch.setenv("ORANGE_TASK", asking.ref.id)
    for words in ((), (asking.ref.id,), (asking.ref.id, "--always"), ("--list",)):
        assert "is for a person" in cli.no("task", "approve", *words)
    assert len(asking.approvals.questions(asking.ref)) == 1


def test_an_agent_that_hides_whose_window_it_is_cannot_either(live_home: LiveHome, tmp_path: Path) -> None:
    said = tmp_path / "said"
    live_home.harness(
        orders=f'env -u ORANGE_TASK orange task approve --list >"{said}.new" 2>&1; mv "{said}.new" "{said}"'
    )
    live_home.create("fix", harness="recorder")
    wait_until(said.exists)
    assert "this runs in the window of an agent" in said.read_text()


def test_an_agent_cannot_ask_for_another_task(asking: AskingHome) -> None:
    other = asking.add()
    asking.hook(other, task=asking.ref.id, ORANGE_TASK=asking.ref.id)
    assert asking.question(other).window == "worker"
    assert asking.approvals.questions(asking.ref) == []
