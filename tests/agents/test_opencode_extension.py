"""What opencode asks is asked in Orange, too, and is answered there: the extension itself, run by Node."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from orange_tui.agents.approvals.approvals import ALLOWED, DENIED, FOR_THIS_TASK, Decision
from orange_tui.domain.harnesses.harness import PROMPT, build_command
from orange_tui.domain.harnesses.shipped import OPENCODE
from orange_tui.domain.records import replace
from support.asking import AskingHome, wait_until
from support.opencode import Opencode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from orange_tui.domain.approvals.question import Question

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
REPLY = "/permission/{requestID}/reply"
DENY = Decision(DENIED, "Use make clean.")


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[AskingHome]:
    home = AskingHome(tmp_path)
    yield home
    home.close()


@pytest.fixture
def opencode(asking: AskingHome) -> Iterator[Opencode]:
    started = Opencode(asking)
    yield started
    started.kill()


def questions(asking: AskingHome, count: int) -> list[Question]:
    wait_until(lambda: len(asking.approvals.questions(asking.ref)) == count)
    wait_until(lambda: len(asking.events("approval.asked")) >= count)
    return asking.approvals.questions(asking.ref)


def test_two_questions_at_once_are_answered_each_with_its_own_answer(asking: AskingHome, opencode: Opencode) -> None:
    opencode.asks_to_run("per_1", "touch a")
    first = questions(asking, 1)[0]
    wait_until(lambda: asking.window().get("asks") == "Bash: touch a")
    opencode.asks_to_run("per_2", "touch b")
    second = next(each for each in questions(asking, 2) if each.id != first.id)
    asking.approvals.answer(asking.ref, second, DENY)
    assert opencode.hears() == {"url": REPLY, "requestID": "per_2", "reply": "reject", "message": "Use make clean."}
    asking.approvals.answer(asking.ref, first, Decision(ALLOWED))
    assert opencode.hears() == {"url": REPLY, "requestID": "per_1", "reply": "once"}
    answered = [(each["what"], each["decision"]) for each in asking.events("approval.answered")]
    assert answered == [("touch b", "denied"), ("touch a", "allowed")]


def test_what_is_answered_in_opencode_is_not_asked_any_more(asking: AskingHome, opencode: Opencode) -> None:
    opencode.asks_to_run("per_1", "touch a")
    questions(asking, 1)
    opencode.is_answered_there("per_1")
    wait_until(lambda: asking.approvals.questions(asking.ref) == [])
    wait_until(lambda: [each["decision"] for each in asking.events("approval.answered")] == ["elsewhere"])
    assert opencode.ends() == []
    wait_until(lambda: "question" not in asking.window())


def test_what_a_killed_opencode_asked_is_not_asked_any_more(asking: AskingHome, opencode: Opencode) -> None:
    opencode.asks_to_run("per_1", "touch a")
    questions(asking, 1)
    opencode.kill()
    wait_until(lambda: asking.approvals.questions(asking.ref) == [])


def test_a_file_that_is_allowed_for_the_task_is_not_asked_about_again(asking: AskingHome, opencode: Opencode) -> None:
    for number, tool in enumerate(("write", "write", "edit")):
        about = opencode.calls(f"call {number}", tool, filePath="tea.txt", content=f"{number} cups")
        opencode.asks(f"per_{number}", "edit", metadata={"filepath": "/w/tea.txt", "diff": "…"}, tool=about)
        if number != 1:
            question = questions(asking, 1)[0]
            assert question.full_text() == f"file_path: /w/tea.txt\ncontent: {number} cups"
            asking.approvals.answer(asking.ref, question, Decision(FOR_THIS_TASK))
        assert opencode.hears() == {"url": REPLY, "requestID": f"per_{number}", "reply": "once"}
    answered = [(each["tool"], each["by"]) for each in asking.events("approval.answered")]
    assert answered == [("Write", "person"), ("Write", "rule"), ("Edit", "person")]


def test_all_that_is_known_of_any_other_tool_is_shown(asking: AskingHome, opencode: Opencode) -> None:
    about = opencode.calls("call 1", "bash", command="cat /etc/hostname", description="look")
    opencode.asks("per_1", "external_directory", patterns=["/etc/*"], metadata={"directories": ["/etc"]}, tool=about)
    question = questions(asking, 1)[0]
    assert question.line() == "external_directory: cat /etc/hostname"
    assert question.values == {
        "command": "cat /etc/hostname",
        "description": "look",
        "patterns": ["/etc/*"],
        "tool": "bash",
    }
    opencode.asks("per_2", "doom_loop", patterns=["bash"], metadata={"tool": "bash"})
    shown = [each.full_text() for each in questions(asking, 2) if each.tool == "doom_loop"]
    assert shown == ['patterns:\n[\n "bash"\n]\ntool: bash']


def test_an_opencode_that_takes_no_words_is_told_yes_or_no(asking: AskingHome) -> None:
    older = Opencode(asking, knows="no words")
    older.asks_to_run("per_1", "touch a")
    asking.approvals.answer(asking.ref, questions(asking, 1)[0], DENY)
    assert older.hears()["url"] == REPLY
    assert older.hears() == {"id": "ses_1", "permissionID": "per_1", "response": "reject"}
    assert older.ends() == []


@pytest.mark.parametrize("gone", [{"PATH": os.path.dirname(shutil.which("node") or "")}, {"ORANGE_TASK": ""}])
def test_without_orange_there_is_opencodes_own_dialog(asking: AskingHome, gone: dict[str, str]) -> None:
    alone = Opencode(asking, environment=gone)
    alone.asks_to_run("per_1", "touch a")
    alone.asks_and_is_answered_at_once("per_2")
    assert alone.ends() == []
    assert asking.approvals.questions(asking.ref) == []


@pytest.mark.parametrize("persons_own", ["", '{"model": "own/model"}'])
def test_the_extension_comes_in_a_variable_that_a_person_may_have_set(persons_own: str) -> None:
    values = {"extensions": '/o"/ext'}
    words = build_command(replace(OPENCODE, binary="printenv"), "reduced", values)
    shown = [word for word in words if word not in {"--prompt", PROMPT}]
    environment = {"PATH": os.environ["PATH"], "OPENCODE_CONFIG_CONTENT": persons_own}
    done = subprocess.run(
        [*shown, "OPENCODE_CONFIG_CONTENT"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == (persons_own or '{"plugin":["/o\\"/ext/opencode.js"]}')
