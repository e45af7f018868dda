"""The demo agent answers comments: it mends what was commented on, or says why not, and hands in again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orange_tui.domain.review.thread import Thread, sent
from orange_tui.domain.text.quoting import fenced
from orange_tui.review.batch import open_batch
from orange_tui.review.threads_file import ThreadsFile
from support.driver import orange

if TYPE_CHECKING:
    from support.demo_stage import Open, Stage

AGAIN = "Changes were asked for. Read ## Feedback, then run: orange task update --status agent-review"


def line_of(it: Stage, words: str) -> int:
    lines = (it.worktree / "coffee/oat_milk.py").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if words in line)


def say(it: Stage, *words: str) -> None:
    done = orange("task", *words, env=it.environment)
    assert done.code == 0, done


def send_back(it: Stage, words: str = "") -> None:
    """What `orange task request-changes` does, on a stage where nobody is notified."""
    file = ThreadsFile(it.orange.home, "coffee", it.ref.id)
    batch = open_batch(it.ref.id, file.change(lambda before: [sent(each) for each in before]))
    with (it.directory / "TASK.md").open("a") as task:
        task.write(f"\n## Feedback\n\n{words}\n\n{fenced(batch)}\n")
    it.person("working")


def threads(it: Stage) -> dict[str, Thread]:
    return {each.id: each for each in ThreadsFile(it.orange.home, "coffee", it.ref.id).read()}


def test_hurried_worker_mends_what_is_commented_on_defends_what_is_right_and_hands_in_again(stage: Open) -> None:
    it = stage("default", "hurried")
    worker = it.start("worker")
    it.until("agent-review")
    assert it.review() == "reviewing"
    path = "coffee/oat_milk.py"
    for words, text in (
        ("range(1, cups)", "One cup is missing"),
        ('return ""', "Why is this not said?"),
        ("if cups < 1:", "Is this needed?"),
        ("CENTS = 260", "Where does the price come from?"),
    ):
        say(it, "comment", it.ref.id, f"{path}:{line_of(it, words)}", text)
    send_back(it)
    worker.tell(AGAIN)
    it.until("agent-review")
    answers = {each.id: (each.state, each.replies[-1]) for each in threads(it).values()}
    assert [state for state, _ in answers.values()] == ["fixed", "fixed", "declined", "fixed"]
    assert "I would keep this" in answers["t3"][1].text
    commits = [reply.commit for state, reply in answers.values() if state == "fixed"]
    assert all(commits)
    assert len(set(commits)) == 3
    text = (it.worktree / path).read_text()
    assert "for _ in range(cups):" in text
    assert 'raise ValueError(f"{text!r} is no order") from problem' in text
    assert "# Where does the price come from?\nCENTS = 260" in text
    assert "(5 tests, all pass)" in it.section("Handoff")
    assert it.review("review-2") == "reviewing"
    assert worker.finish() == 0
    assert it.is_clean()


def test_comment_about_nothing_in_particular_and_words_besides_are_both_heeded(stage: Open) -> None:
    it = stage("default", "good")
    worker = it.start("worker")
    it.until("agent-review")
    it.review()
    say(it, "comment", it.ref.id, ".", "More tests, please")
    send_back(it, "And a better name")
    worker.tell(AGAIN)
    it.until("agent-review")
    assert [each.state for each in threads(it).values()] == ["fixed"]
    assert [subject for subject in it.subjects() if "better name" in subject]
    assert worker.finish() == 0
