"""Pull requests that change on GitHub: what a task shows, and how it ends."""

from __future__ import annotations

import asyncio
import shutil
from itertools import count
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from orange_tui.delivery import pr_status, pr_watcher
from orange_tui.delivery.merging.merge import Merger
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.pull_request import PullRequest, PullRequestStatus
from orange_tui.home.files import read_signature
from orange_tui.orange import assemble
from support.driver import refusal
from support.github.server import OTHER_HOST, GitHub
from support.office import PATIENCE, Office

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from support.merge_world import House


SLOW = """\
name: slow
version: 1
states: {new: {agent: none}, tasted: {agent: none}, done: {terminal: true}}
initial: {new: {}}
transitions:
  - {from: new, to: tasted}
  - {from: tasted, to: done}
"""


@pytest.fixture(autouse=True)
def _restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits half a minute here."""
    monkeypatch.setattr(pr_watcher, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(pr_watcher, "MAX_BACKOFF_SECONDS", 0.4)


def linked(orange: Orange, ref: TaskRef, url: str) -> TaskRef:
    with orange.store.open(ref) as opened:
        opened.change("pr.created", {"pr_url": url}, url=url)
    return ref


def with_pull_request(house: House, github: GitHub, branch: str = "feat/tea") -> tuple[TaskRef, int]:
    ref = house.task(branch)
    house.git("push", "-q", "origin", branch)
    made = github.open_pull_request(branch, head_commit=house.tip(branch))
    return linked(house.orange, ref, github.url(made.number)), made.number


def supervised(house: House, condition: Callable[[], bool]) -> None:
    assert house.orange.new_supervisor().run_until(condition, PATIENCE), list(house.orange.log.entries())


def status(house: House, ref: TaskRef) -> PullRequestStatus:
    return pr_status.read_status(house.orange.store.state_directory(ref), house.stored(ref).task.pr_url or "")


def is_known(house: House, ref: TaskRef) -> bool:
    """Whether the status is how it is now."""
    return bool(status(house, ref).state) and not status(house, ref).problem


def logged(house: House, words: str) -> int:
    return sum(words in entry["message"] for entry in house.orange.log.entries())


@pytest.mark.usefixtures("real_gh")
def test_status_follows_state_checks_and_review(house: House, github: GitHub) -> None:
    ref, number = with_pull_request(house, github)
    supervised(house, lambda: is_known(house, ref))
    assert str(status(house, ref)) == "open"
    there = github.pull_requests[number]
    there.checks = "PENDING"
    supervised(house, lambda: status(house, ref).checks == "running")
    there.checks, there.review, there.draft = "FAILURE", "CHANGES_REQUESTED", True
    supervised(house, lambda: status(house, ref).checks == "failed")
    assert str(status(house, ref)) == "open, a draft · checks failed · changes requested"
    assert status(house, ref).needs() == f"Changes are requested on pull request #{number}"
    there.checks, there.review, there.draft = "SUCCESS", "APPROVED", False
    supervised(house, lambda: status(house, ref).checks == "passed")
    assert str(status(house, ref)) == "open · checks passed · approved"
    assert status(house, ref).needs() is None


def test_unchanged_status_is_not_written_again(house: House, github: GitHub) -> None:
    ref, _ = with_pull_request(house, github)
    supervised(house, lambda: is_known(house, ref))
    path = house.root / "home/state/coffee" / ref.id / "runtime.json"
    before, asked = read_signature(str(path)), len(github.requests)
    supervised(house, lambda: len(github.requests) > asked + 3)
    assert read_signature(str(path)) == before


def test_merged_pull_request_finishes_its_task_and_deletes_the_remote_branch(house: House, github: GitHub) -> None:
    ref, number = with_pull_request(house, github)
    commit = house.elsewhere({"tea": "green\n"})
    github.merge(number, commit)
    supervised(house, lambda: house.status(ref) == "done" and status(house, ref).state == "merged")
    assert house.attention(ref) is None
    assert house.there("feat/tea") is None
    (merged,) = house.events(ref, "pr.merged")
    assert (merged["url"], merged["commit"]) == (github.url(number), commit)
    assert [event["commit"] for event in house.events(ref, "task.merged")] == [commit]


def test_interrupted_end_of_a_task_is_finished_by_the_next_refresh(
    house: House, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, number = with_pull_request(house, github)
    github.merge(number, house.elsewhere({"tea": "green\n"}))
    with monkeypatch.context() as killed:
        killed.setattr(Merger, "finish_merged", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            pr_status.refresh(house.orange.tasks, ref)
    assert (house.status(ref), len(house.events(ref, "pr.merged"))) == ("reviewing", 1)
    assert pr_status.refresh(assemble(house.orange.home).tasks, ref) == f"Pull request #{number}: merged"
    assert (house.status(ref), len(house.events(ref, "pr.merged"))) == ("done", 1)
    assert pr_status.refresh(house.orange.tasks, ref) == f"Pull request #{number}: merged"


def test_closed_pull_request_cancels_its_task_and_saves_its_work(office: Office, github: GitHub) -> None:
    office.harness()
    ref = office.create("feat/tea", harness="recorder")
    made = github.open_pull_request("feat/tea")
    linked(office.orange, ref, github.url(made.number))
    (office.worktree(ref) / "notes").write_text("half done\n")
    assert office.windows(ref)
    github.close_pull_request(made.number)
    office.supervised(lambda: office.rests(ref, "cancelled"))
    (saved,) = office.events(ref, "work.saved")
    assert office.git("show", f"{saved['ref']}:notes") == "half done"
    assert [event["url"] for event in office.events(ref, "pr.closed")] == [github.url(made.number)]
    assert office.windows(ref) == []
    assert office.task(ref).workspace is None


def test_all_pull_requests_are_read_with_one_query(house: House, github: GitHub) -> None:
    refs = [with_pull_request(house, github, branch)[0] for branch in ("feat/tea", "feat/milk", "feat/mocha")]
    supervised(house, lambda: all(is_known(house, ref) for ref in refs))
    polls = github.queries("{...known}")  # a slow machine polls again before the first answer is on disk
    assert {query.count("pullRequest(number:") for query in polls} == {3}


def test_without_pull_requests_nothing_is_asked(house: House, github: GitHub) -> None:
    house.task()
    done = linked(house.orange, house.task("feat/milk"), github.url(7))
    house.orange.tasks.cancel(done)
    looks = count()
    supervised(house, lambda: next(looks) > 9)  # ten times as long as it takes to ask
    assert github.requests == []


def test_missing_pull_request_is_reported_and_the_others_go_on(house: House, github: GitHub) -> None:
    gone, number = with_pull_request(house, github)
    elsewhere = linked(house.orange, house.task("feat/cocoa"), f"https://github.com/nobody/nothing/pull/{number}")
    nonsense = linked(house.orange, house.task("feat/mocha"), "https://example.org/7")
    other, other_number = with_pull_request(house, github, "feat/milk")
    del github.pull_requests[number]
    github.pull_requests[other_number].checks = "SUCCESS"
    refs = (gone, elsewhere, nonsense)
    supervised(house, lambda: is_known(house, other) and all(status(house, ref).problem for ref in refs))
    assert status(house, gone).problem == "this pull request is no longer on GitHub"
    assert "no longer on GitHub, or you have no access" in status(house, elsewhere).problem
    assert status(house, nonsense).problem == "this is not the address of a pull request"
    asked = len(github.requests)
    supervised(house, lambda: len(github.requests) > asked + 3)
    assert logged(house, "pull request is no longer") == 2  # once by each of the two supervisors
    assert house.status(gone) == "reviewing"


def test_number_that_is_too_long_to_read_does_not_stop_the_others(house: House, github: GitHub) -> None:
    """An agent may write anything into TASK.md."""
    odd = linked(house.orange, house.task("feat/odd"), f"{github.url(7)}{'7' * 5000}")
    ref, _ = with_pull_request(house, github)
    supervised(house, lambda: is_known(house, ref) and bool(status(house, odd).problem))


def test_pull_request_of_another_repository_does_not_end_its_task(house: House, github: GitHub) -> None:
    """Its agent may have written the address into the history; only a person can have merged what is here."""
    ref, number = with_pull_request(house, github)
    github.merge(number, house.elsewhere({"tea": "green\n"}))
    house.git("remote", "add", "github", "git@github.com:somebody/else.git")
    assert "the repository of coffee" in refusal(lambda: pr_status.refresh(house.orange.tasks, ref))
    assert "the repository of coffee" in refusal(lambda: house.merge(ref))
    assert house.status(ref) == "reviewing"
    house.git("remote", "set-url", "github", f"git@work:{github.owner.upper()}/{github.name}.git")
    pr_status.refresh(house.orange.tasks, ref)
    assert house.status(ref) == "done"


def test_merged_pull_request_in_a_renamed_repository_ends_its_task(house: House, github: GitHub) -> None:
    github.adopt(house.main)
    ref, number = with_pull_request(house, github)
    github.rename("o", "tearoom")
    github.merge(number, house.elsewhere({"tea": "green\n"}))
    pr_status.refresh(house.orange.tasks, ref)
    assert house.status(ref) == "done"


def test_pull_request_in_a_renamed_repository_is_followed(house: House, github: GitHub) -> None:
    ref, number = with_pull_request(house, github)
    github.rename("o", "tearoom")
    supervised(house, lambda: house.stored(ref).task.pr_url == github.url(number) and is_known(house, ref))
    assert github.url(number) == f"https://github.com/o/tearoom/pull/{number}"
    assert [event["url"] for event in house.events(ref, "pr.moved")] == [github.url(number)]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("rate limited", "rate limit"),
        ("slow down", "rate limit"),
        ("unauthorized", "run `gh auth login`"),
        ("broken", "gh says: gh: HTTP 502"),
        ("offline", "GitHub cannot be reached"),
    ],
)
def test_github_without_an_answer_is_asked_less_often_and_logged_once(
    house: House, github: GitHub, monkeypatch: pytest.MonkeyPatch, trouble: str, words: str
) -> None:
    ref, number = with_pull_request(house, github)
    github.pull_requests[number].checks = "SUCCESS"
    supervised(house, lambda: is_known(house, ref))

    def has_come_back() -> bool:
        """Three failures in, it answers again."""
        if status(house, ref).problem and len(tries) > 3 and github.trouble != "":
            seen.append(str(status(house, ref)))
            github.trouble = ""
            if trouble == "offline":
                github.come_back()
        return bool(seen) and is_known(house, ref)

    tries, seen = waits(monkeypatch), list[str]()
    github.trouble = trouble
    if trouble == "offline":
        github.go_offline()
    supervised(house, has_come_back)
    assert words in seen[0]
    assert "(before: open · checks passed)" in seen[0]
    assert tries == sorted(tries)
    assert tries[-1] > tries[0]
    assert logged(house, "cannot be followed") == 1
    assert logged(house, "can be followed again") == 1


def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long the host is left alone, each time it fails."""
    found: list[float] = []
    real = pr_watcher.HostBackoff.failed

    def failed(host: pr_watcher.HostBackoff, problem: str, pause: float) -> bool:
        is_news = real(host, problem, pause)
        found.append(round(host._pause, 3))
        return is_news

    monkeypatch.setattr(pr_watcher.HostBackoff, "failed", failed)
    return found


@pytest.mark.usefixtures("real_gh")
def test_problem_of_one_host_does_not_stop_another(
    house: House, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "anything")
    here, number = with_pull_request(house, github)
    there = linked(house.orange, house.task("feat/milk"), github.url(number, host=OTHER_HOST))
    github.trouble, github.trouble_at = "unauthorized", OTHER_HOST
    supervised(house, lambda: is_known(house, here) and "gh auth login" in status(house, there).problem)
    github.trouble = None
    supervised(house, lambda: is_known(house, there))
    assert {request.host for request in github.requests} == {"api.github.com", OTHER_HOST}


def test_answer_about_a_deleted_task_does_not_bring_it_back(house: House, github: GitHub) -> None:
    ref, _ = with_pull_request(house, github)
    url = github.url(7)
    shutil.rmtree(house.orange.store.directory(ref))
    for answer in (PullRequest(url, "merged"), PullRequest(url, "open"), "GitHub cannot be reached"):
        with pytest.raises(OrangeError, match="does not exist"):
            pr_status.apply_answer(house.orange.tasks, ref, url, answer)
    assert house.orange.store.refs() == []


def test_answer_from_another_host_neither_moves_the_pull_request_nor_ends_the_task(
    house: House, github: GitHub
) -> None:
    ref, number = with_pull_request(house, github)
    url, elsewhere = github.url(number), github.url(number, host=OTHER_HOST)
    answer = PullRequest(elsewhere, "merged", commit=house.tip())
    found = pr_status.apply_answer(house.orange.tasks, ref, url, answer)
    assert (found.url, found.problem) == (
        url,
        f"it is now at {elsewhere}, on another host, where Orange does not follow it",
    )
    assert (house.status(ref), house.stored(ref).task.pr_url) == ("reviewing", url)


def test_host_is_left_alone_for_as_long_as_it_asks() -> None:
    host = pr_watcher.HostBackoff()
    host.failed("rate limit", 120.0)
    first = host.due
    host.failed("rate limit", 0.0)
    assert first - host.due > 100.0


def test_without_gh_the_status_says_so_and_the_task_stays(
    house: House, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, _ = with_pull_request(house, github)
    programs = house.root / "few"
    programs.mkdir()
    for name in ("git", "tmux"):
        (programs / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(programs))
    supervised(house, lambda: "gh is not installed" in status(house, ref).problem)
    assert "gh is not installed" in refusal(lambda: pr_status.refresh(house.orange.tasks, ref))
    assert house.status(ref) == "reviewing"


def test_of_two_supervisors_only_one_polls(house: House, github: GitHub) -> None:
    ref, _ = with_pull_request(house, github)
    first, second = house.orange.new_supervisor(), assemble(house.orange.home).new_supervisor()
    asked_by: list[str] = []
    for name, supervisor in (("first", first), ("second", second)):
        real = supervisor._pull_requests._poll

        async def ask(host: str, refs: dict[TaskRef, str], name: str = name, real: object = real) -> None:
            asked_by.append(name)
            await real(host, refs)  # type: ignore[operator]

        supervisor._pull_requests._poll = ask  # type: ignore[method-assign,assignment]

    async def both() -> None:
        enough = lambda: len(asked_by) > 4 and is_known(house, ref)  # noqa: E731
        await asyncio.gather(first.run(enough, PATIENCE), second.run(enough, PATIENCE))

    asyncio.run(both())
    assert len(set(asked_by)) == 1


def test_refresh_returns_the_status_or_refuses_with_the_reason(house: House, github: GitHub) -> None:
    ref, number = with_pull_request(house, github)
    github.pull_requests[number].checks = "SUCCESS"
    assert pr_status.refresh(house.orange.tasks, ref) == f"Pull request #{number}: open · checks passed"
    github.go_offline()
    assert refusal(lambda: pr_status.refresh(house.orange.tasks, ref)) == "GitHub cannot be reached"
    assert status(house, ref).checks == "passed"
    other = house.task("feat/milk")
    assert refusal(lambda: pr_status.refresh(house.orange.tasks, other)) == "It has no pull request; p makes one"


def test_merged_pull_request_of_a_task_that_cannot_be_merged_needs_the_person(house: House, github: GitHub) -> None:
    (house.root / "home/workflows").mkdir()
    (house.root / "home/workflows/slow.yml").write_text(SLOW)
    ref = house.task(workflow="slow", status="new")
    number = github.open_pull_request("feat/tea").number
    linked(house.orange, ref, github.url(number))
    github.merge(number, house.elsewhere({"tea": "green\n"}))
    supervised(house, lambda: "the task could not be ended" in status(house, ref).problem)
    assert house.status(ref) == "new"
    assert "can't be merged from new (workflow slow)" in (status(house, ref).needs() or "")
