"""A permission is asked for, seen, and answered once: by a person, by a rule, in the agent's window, or by nobody."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.agents.approvals.approvals import ALLOWED, DENIED, FOR_THIS_TASK, Decision
from orange_tui.agents.approvals.question_files import ELSEWHERE
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.records import replace
from orange_tui.home.locks import locked
from support.asking import AskingHome, decision_of, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ALLOW, DENY = Decision(ALLOWED), Decision(DENIED, "Use the other one.")


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[AskingHome]:
    home = AskingHome(tmp_path)
    yield home
    home.close()


def test_a_person_sees_the_question_and_allows_it_once(asking: AskingHome) -> None:
    hook = asking.hook()
    question = asking.question()
    wait_until(lambda: bool(asking.events("approval.asked")))
    assert (asking.window()["state"], asking.window()["asks"]) == ("permission", "Bash: rm -rf build")
    asking.approvals.answer(asking.ref, question, ALLOW)
    assert decision_of(hook) == {"behavior": "allow"}
    answered = asking.events("approval.answered")[0]
    assert (answered["by"], answered["decision"], answered["what"]) == ("person", "allowed", "rm -rf build")
    assert asking.window()["state"] == "busy"
    assert "question" not in asking.window()
    assert asking.left_files() == []


def test_a_denial_reaches_the_agent_with_the_persons_words(asking: AskingHome) -> None:
    hook = asking.hook()
    asking.approvals.answer(asking.ref, asking.question(), DENY)
    assert decision_of(hook) == {"behavior": "deny", "message": "Use the other one."}
    assert asking.events("approval.answered")[0]["words"] == "Use the other one."


def test_of_two_answers_at_once_the_first_counts_and_the_second_is_told(asking: AskingHome) -> None:
    hook = asking.hook()
    question = asking.question()
    told: list[str] = []

    def answer(decision: Decision) -> None:
        try:
            asking.approvals.answer(asking.ref, question, decision)
        except Refused as problem:
            told.append(str(problem))

    threads = [threading.Thread(target=answer, args=(each,)) for each in (ALLOW, DENY)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answered = asking.events("approval.answered")
    assert len(answered) == len(told) == 1
    assert "no longer asks that" in told[0]
    behaviour = {"allowed": "allow", "denied": "deny"}[answered[0]["decision"]]
    assert (decision_of(hook) or {})["behavior"] == behaviour


def test_the_answer_to_one_question_is_never_given_to_another(asking: AskingHome) -> None:
    first = asking.hook()
    shown = asking.question()
    first.kill()
    first.communicate()
    asking.hook(tool_input={"command": "rm -rf /"})
    wait_until(lambda: any("rm -rf /" in each.given for each in asking.approvals.questions(asking.ref)))
    with pytest.raises(Refused, match="no longer asks that"):
        asking.approvals.answer(asking.ref, shown, ALLOW)
    forged = replace(asking.question(), given=shown.given)
    with pytest.raises(Refused, match="no longer asks that"):
        asking.approvals.answer(asking.ref, forged, ALLOW)
    assert asking.events("approval.answered") == []


def test_a_question_whose_process_was_killed_is_open_no_more(asking: AskingHome) -> None:
    hook = asking.hook()
    asking.question()
    wait_until(lambda: bool(asking.events("approval.asked")))
    hook.kill()
    hook.communicate()
    assert asking.approvals.questions(asking.ref) == []
    asking.approvals.settle(asking.ref, "worker", None)
    assert asking.left_files() == []
    assert "question" not in asking.window()
    assert asking.events("approval.answered")[0]["decision"] == "elsewhere"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_an_agent_that_ends_its_hook_leaves_nothing_behind(asking: AskingHome, how: signal.Signals) -> None:
    hook = asking.hook()
    asking.question()
    wait_until(lambda: bool(asking.events("approval.asked")))
    hook.send_signal(how)
    assert decision_of(hook) is None
    assert asking.left_files() == []
    assert asking.events("approval.answered")[0]["decision"] == "elsewhere"


def test_a_hook_whose_agent_is_gone_ends_by_itself(asking: AskingHome) -> None:
    hook = asking.hook()
    asking.question()
    assert hook.stdout is not None
    hook.stdout.close()
    hook.stdout = None
    hook.wait(timeout=60)
    assert asking.left_files() == []


def test_what_was_said_on_the_agents_own_screen_takes_the_question_away(asking: AskingHome) -> None:
    hook = asking.hook()
    asking.approvals.settle(asking.ref, "worker", asking.question().id)
    assert decision_of(hook) is None
    assert asking.left_files() == []


def test_an_agent_that_asks_something_else_was_answered_on_its_screen(asking: AskingHome) -> None:
    first = asking.hook()
    asking.question()
    files = asking.approvals.files(asking.ref)
    later = replace(asking.question(), id="later", asked_at="2100-01-01T00:00:00+00:00")
    os.close(files.publish(later))
    asking.approvals.withdraw_before(asking.ref, later)
    assert decision_of(first) is None


def test_questions_that_can_be_open_together_stay_open(asking: AskingHome) -> None:
    asking.hook(tool_name="WebFetch", tool_input={"url": "https://one"})
    fetch = asking.question()
    another = replace(fetch, id="other", conversation="s1 sub", asked_at="2100-01-01T00:00:00+00:00")
    pipes = [asking.approvals.files(asking.ref).publish(another)]
    asking.approvals.withdraw_before(asking.ref, another)
    assert {each.id for each in asking.approvals.questions(asking.ref)} == {fetch.id, "other"}
    os.close(pipes[0])


# ── for this task ──


def test_what_is_allowed_for_a_task_is_not_asked_again(asking: AskingHome) -> None:
    first = asking.hook()
    asking.approvals.answer(asking.ref, asking.question(), Decision(FOR_THIS_TASK))
    assert decision_of(first) == {"behavior": "allow"}
    assert decision_of(asking.hook(tool_input={"command": "rm -rf build", "description": "again"})) == {
        "behavior": "allow"
    }
    assert asking.events("approval.answered")[-1]["by"] == "rule"
    assert (asking.window()["state"], asking.window().get("asks")) == ("busy", None)
    assert len(asking.approvals.rules(asking.ref)) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"tool_input": {"command": "rm -rf build /"}},
        {"tool_input": {"command": "rm -rf build", "dangerouslyDisableSandbox": True}},
        {"tool_name": "Other"},
        {"cwd": "/elsewhere"},
    ],
)
def test_what_differs_in_anything_is_asked(asking: AskingHome, changed: dict[str, Any]) -> None:
    hook = asking.hook()
    asking.approvals.answer(asking.ref, asking.question(), Decision(FOR_THIS_TASK))
    decision_of(hook)
    asking.hook(**changed)
    asking.question()


def test_another_task_is_not_allowed_what_one_was(asking: AskingHome) -> None:
    hook = asking.hook()
    asking.approvals.answer(asking.ref, asking.question(), Decision(FOR_THIS_TASK))
    decision_of(hook)
    other = asking.add()
    asking.hook(other)
    asking.question(other)


def test_a_file_that_became_a_link_is_another_file(asking: AskingHome, tmp_path: Path) -> None:
    file, secret = tmp_path / "notes.md", tmp_path / "secret"
    file.write_text("")
    secret.write_text("")
    edit: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": str(file), "old_string": "a", "new_string": "b"},
    }
    hook = asking.hook(**edit)
    asking.approvals.answer(asking.ref, asking.question(), Decision(FOR_THIS_TASK))
    decision_of(hook)
    again: dict[str, Any] = {
        "tool_name": "Edit",
        "tool_input": {"file_path": str(file), "old_string": "c", "new_string": "d"},
    }
    assert decision_of(asking.hook(**again)) == {"behavior": "allow"}
    file.unlink()
    file.symlink_to(secret)
    asking.hook(**again)
    asking.question()


def test_rules_that_cannot_be_read_allow_nothing(asking: AskingHome) -> None:
    path = asking.home.task_state("coffee", asking.ref.id)
    os.makedirs(path, exist_ok=True)
    with open(os.path.join(path, "allowed.json"), "w", encoding="utf-8") as file:
        file.write('[{"kind": "input", "tool"')
    assert decision_of(asking.hook()) is None, "the agent's own dialog is to be answered"
    with pytest.raises(OrangeError, match=r"allowed\.json"):
        asking.approvals.rules(asking.ref)


# ── nobody there, nothing to ask ──


def test_codex_shows_its_own_dialog_at_once_where_no_orange_acts(asking: AskingHome) -> None:
    assert decision_of(asking.hook(agent="codex")) is None


def test_codex_waits_for_as_long_as_an_orange_acts(asking: AskingHome) -> None:
    with locked(os.path.join(asking.home.root, ".supervisor.lock"), what="the supervisor"):
        hook = asking.hook(agent="codex")
        asking.question()
        wait_until(lambda: asking.window().get("held") is True)
        assert hook.poll() is None
    assert decision_of(hook) is None, "its Orange is gone"


def test_who_attaches_finds_the_dialog_that_was_held_back(asking: AskingHome) -> None:
    with locked(os.path.join(asking.home.root, ".supervisor.lock"), what="the supervisor"):
        hook = asking.hook(agent="codex")
        asking.question()
        wait_until(lambda: bool(asking.events("approval.asked")))
        asking.approvals.leave_to_dialog(asking.ref)
        assert decision_of(hook) is None


@pytest.mark.parametrize("report", [{"tool_input": "text"}, {"tool_name": ""}, {"tool_input": {"x": "y" * 600_000}}])
def test_what_cannot_be_shown_is_left_to_the_agents_own_dialog(asking: AskingHome, report: dict[str, Any]) -> None:
    assert decision_of(asking.hook(**report)) is None


def test_more_words_than_fit_are_refused_before_anything_is_answered(asking: AskingHome) -> None:
    asking.hook()
    question = asking.question()
    with pytest.raises(Refused, match="4,000 characters"):
        asking.approvals.answer(asking.ref, question, Decision(DENIED, "x" * 5000))
    assert asking.approvals.questions(asking.ref) == [question]


def test_a_pipe_or_a_link_in_place_of_a_question_is_no_question(asking: AskingHome, tmp_path: Path) -> None:
    files = asking.approvals.files(asking.ref)
    os.makedirs(files.directory)
    os.mkfifo(os.path.join(files.directory, "a.json"))
    os.symlink(tmp_path / "elsewhere", os.path.join(files.directory, "b.pipe"))
    (tmp_path / "elsewhere").write_text("")
    assert files.open_questions() == []
    assert not files.send("b", {"decision": ALLOWED})
    assert (tmp_path / "elsewhere").read_text() == ""


def test_a_question_that_is_left_to_its_dialog_can_be_answered_here_no_more(asking: AskingHome) -> None:
    hook = asking.hook()
    question = asking.question()
    wait_until(lambda: bool(asking.events("approval.asked")))
    asking.pause(hook)  # it has not looked yet
    asking.approvals.settle(asking.ref, "worker", question.id)
    with pytest.raises(Refused, match="no longer asks that"):
        asking.approvals.answer(asking.ref, question, ALLOW)
    hook.send_signal(signal.SIGCONT)
    assert decision_of(hook) is None
    assert [event["decision"] for event in asking.events("approval.answered")] == ["elsewhere"]
    assert asking.left_files() == []


def test_of_two_lines_that_cross_in_the_pipe_the_first_counts(asking: AskingHome) -> None:
    hook = asking.hook()
    question, files = asking.question(), asking.approvals.files(asking.ref)
    wait_until(lambda: bool(asking.events("approval.asked")))
    asking.pause(hook)
    assert files.send(question.id, {"decision": ALLOWED})
    assert files.send(question.id, {"decision": ELSEWHERE})
    hook.send_signal(signal.SIGCONT)
    assert decision_of(hook) == {"behavior": "allow"}
