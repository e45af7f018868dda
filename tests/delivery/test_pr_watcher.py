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
from support.live_home import PATIENCE, LiveHome

if TYPE_CHECKING:
    from collections.abc import Callable

    from orange_tui.orange import Orange
    from orange_tui.store.store import TaskRef
    from support.merge_world import MergeWorld


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


def with_pull_request(merge_world: MergeWorld, github: GitHub, branch: str = "feat/tea") -> tuple[TaskRef, int]:
    ref = merge_world.task(branch)
    merge_world.git("push", "-q", "origin", branch)
    made = github.open_pull_request(branch, head_commit=merge_world.tip(branch))
    return linked(merge_world.orange, ref, github.url(made.number)), made.number


def supervised(merge_world: MergeWorld, condition: Callable[[], bool]) -> None:
    assert merge_world.orange.new_supervisor().run_until(condition, PATIENCE), list(merge_world.orange.log.entries())


def status(merge_world: MergeWorld, ref: TaskRef) -> PullRequestStatus:
    return pr_status.read_status(
        merge_world.orange.store.state_directory(ref), merge_world.stored(ref).task.pr_url or ""
    )


def is_known(merge_world: MergeWorld, ref: TaskRef) -> bool:
    """Whether the status is how it is now."""
    return bool(status(merge_world, ref).state) and not status(merge_world, ref).problem


def logged(merge_world: MergeWorld, words: str) -> int:
    return sum(words in entry["message"] for entry in merge_world.orange.log.entries())


@pytest.mark.usefixtures("real_gh")
def test_status_follows_state_checks_and_review(merge_world: MergeWorld, github: GitHub) -> None:
    ref, number = with_pull_request(merge_world, github)
    supervised(merge_world, lambda: is_known(merge_world, ref))
    assert str(status(merge_world, ref)) == "open"
    there = github.pull_requests[number]
    there.checks = "PENDING"
    supervised(merge_world, lambda: status(merge_world, ref).checks == "running")
    there.checks, there.review, there.draft = "FAILURE", "CHANGES_REQUESTED", True
    supervised(merge_world, lambda: status(merge_world, ref).checks == "failed")
    assert str(status(merge_world, ref)) == "open, a draft · checks failed · changes requested"
    assert status(merge_world, ref).needs() == f"Changes are requested on pull request #{number}"
    there.checks, there.review, there.draft = "SUCCESS", "APPROVED", False
    supervised(merge_world, lambda: status(merge_world, ref).checks == "passed")
    assert str(status(merge_world, ref)) == "open · checks passed · approved"
    assert status(merge_world, ref).needs() is None


def test_unchanged_status_is_not_written_again(merge_world: MergeWorld, github: GitHub) -> None:
    ref, _ = with_pull_request(merge_world, github)
    supervised(merge_world, lambda: is_known(merge_world, ref))
    path = merge_world.root / "home/state/coffee" / ref.id / "runtime.json"
    before, asked = read_signature(str(path)), len(github.requests)
    supervised(merge_world, lambda: len(github.requests) > asked + 3)
    assert read_signature(str(path)) == before


def test_merged_pull_request_finishes_its_task_and_deletes_the_remote_branch(
    merge_world: MergeWorld, github: GitHub
) -> None:
    ref, number = with_pull_request(merge_world, github)
    commit = merge_world.elsewhere({"tea": "green\n"})
    github.merge(number, commit)
    supervised(merge_world, lambda: merge_world.status(ref) == "done" and status(merge_world, ref).state == "merged")
    assert merge_world.attention(ref) is None
    assert merge_world.there("feat/tea") is None
    (merged,) = merge_world.events(ref, "pr.merged")
    assert (merged["url"], merged["commit"]) == (github.url(number), commit)
    assert [event["commit"] for event in merge_world.events(ref, "task.merged")] == [commit]


def test_interrupted_end_of_a_task_is_finished_by_the_next_refresh(
    merge_world: MergeWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, number = with_pull_request(merge_world, github)
    github.merge(number, merge_world.elsewhere({"tea": "green\n"}))
    with monkeypatch.context() as killed:
        killed.setattr(Merger, "finish_merged", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            pr_status.refresh(merge_world.orange.tasks, ref)
    assert (merge_world.status(ref), len(merge_world.events(ref, "pr.merged"))) == ("reviewing", 1)
    assert pr_status.refresh(assemble(merge_world.orange.home).tasks, ref) == f"Pull request #{number}: merged"
    assert (merge_world.status(ref), len(merge_world.events(ref, "pr.merged"))) == ("done", 1)
    assert pr_status.refresh(merge_world.orange.tasks, ref) == f"Pull request #{number}: merged"


def test_closed_pull_request_cancels_its_task_and_saves_its_work(live_home: LiveHome, github: GitHub) -> None:
    live_home.harness()
    ref = live_home.create("feat/tea", harness="recorder")
    made = github.open_pull_request("feat/tea")
    linked(live_home.orange, ref, github.url(made.number))
    (live_home.worktree(ref) / "notes").write_text("half done\n")
    assert live_home.windows(ref)
    github.close_pull_request(made.number)
    live_home.supervised(lambda: live_home.rests(ref, "cancelled"))
    (saved,) = live_home.events(ref, "work.saved")
    assert live_home.git("show", f"{saved['ref']}:notes") == "half done"
    assert [event["url"] for event in live_home.events(ref, "pr.closed")] == [github.url(made.number)]
    assert live_home.windows(ref) == []
    assert live_home.task(ref).workspace is None


def test_all_pull_requests_are_read_with_one_query(merge_world: MergeWorld, github: GitHub) -> None:
    refs = [with_pull_request(merge_world, github, branch)[0] for branch in ("feat/tea", "feat/milk", "feat/mocha")]
    supervised(merge_world, lambda: all(is_known(merge_world, ref) for ref in refs))
    polls = github.queries("{...known}")  # a slow machine polls again before the first answer is on disk
    assert {query.count("pullRequest(number:") for query in polls} == {3}


def test_without_pull_requests_nothing_is_asked(merge_world: MergeWorld, github: GitHub) -> None:
    merge_world.task()
    done = linked(merge_world.orange, merge_world.task("feat/milk"), github.url(7))
    merge_world.orange.tasks.cancel(done)
    looks = count()
    supervised(merge_world, lambda: next(looks) > 9)  # ten times as long as it takes to ask
    assert github.requests == []


def test_missing_pull_request_is_reported_and_the_others_go_on(merge_world: MergeWorld, github: GitHub) -> None:
    gone, number = with_pull_request(merge_world, github)
    elsewhere = linked(
        merge_world.orange, merge_world.task("feat/cocoa"), f"https://github.com/nobody/nothing/pull/{number}"
    )
    nonsense = linked(merge_world.orange, merge_world.task("feat/mocha"), "https://example.org/7")
    other, other_number = with_pull_request(merge_world, github, "feat/milk")
    del github.pull_requests[number]
    github.pull_requests[other_number].checks = "SUCCESS"
    refs = (gone, elsewhere, nonsense)
    supervised(
        merge_world, lambda: is_known(merge_world, other) and all(status(merge_world, ref).problem for ref in refs)
    )
    assert status(merge_world, gone).problem == "this pull request is no longer on GitHub"
    assert "no longer on GitHub, or you have no access" in status(merge_world, elsewhere).problem
    assert status(merge_world, nonsense).problem == "this is not the address of a pull request"
    asked = len(github.requests)
    supervised(merge_world, lambda: len(github.requests) > asked + 3)
    assert logged(merge_world, "pull request is no longer") == 2  # once by each of the two supervisors
    assert merge_world.status(gone) == "reviewing"


def test_number_that_is_too_long_to_read_does_not_stop_the_others(merge_world: MergeWorld, github: GitHub) -> None:
    """An agent may write anything into TASK.md."""
    odd = linked(merge_world.orange, merge_world.task("feat/odd"), f"{github.url(7)}{'7' * 5000}")
    ref, _ = with_pull_request(merge_world, github)
    supervised(merge_world, lambda: is_known(merge_world, ref) and bool(status(merge_world, odd).problem))


def test_pull_request_of_another_repository_does_not_end_its_task(merge_world: MergeWorld, github: GitHub) -> None:
    """Its agent may have written the address into the history; only a person can have merged what is here."""
    ref, number = with_pull_request(merge_world, github)
    github.merge(number, merge_world.elsewhere({"tea": "green\n"}))
    merge_world.git("remote", "add", "github", "git@github.com:somebody/else.git")
    assert "the repository of coffee" in refusal(lambda: pr_status.refresh(merge_world.orange.tasks, ref))
    assert "the repository of coffee" in refusal(lambda: merge_world.merge(ref))
    assert merge_world.status(ref) == "reviewing"
    merge_world.git("remote", "set-url", "github", f"git@work:{github.owner.upper()}/{github.name}.git")
    pr_status.refresh(merge_world.orange.tasks, ref)
    assert merge_world.status(ref) == "done"


def test_merged_pull_request_in_a_renamed_repository_ends_its_task(merge_world: MergeWorld, github: GitHub) -> None:
    github.adopt(merge_world.main)
    ref, number = with_pull_request(merge_world, github)
    github.rename("o", "tearoom")
    github.merge(number, merge_world.elsewhere({"tea": "green\n"}))
    pr_status.refresh(merge_world.orange.tasks, ref)
    assert merge_world.status(ref) == "done"


def test_pull_request_in_a_renamed_repository_is_followed(merge_world: MergeWorld, github: GitHub) -> None:
    ref, number = with_pull_request(merge_world, github)
    github.rename("o", "tearoom")
    supervised(
        merge_world, lambda: merge_world.stored(ref).task.pr_url == github.url(number) and is_known(merge_world, ref)
    )
    assert github.url(number) == f"https://github.com/o/tearoom/pull/{number}"
    assert [event["url"] for event in merge_world.events(ref, "pr.moved")] == [github.url(number)]


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
    merge_world: MergeWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch, trouble: str, words: str
) -> None:
    ref, number = with_pull_request(merge_world, github)
    github.pull_requests[number].checks = "SUCCESS"
    supervised(merge_world, lambda: is_known(merge_world, ref))

    def has_come_back() -> bool:
        """Three failures in, it answers again."""
        if status(merge_world, ref).problem and len(tries) > 3 and github.trouble != "":
            seen.append(str(status(merge_world, ref)))
            github.trouble = ""
            if trouble == "offline":
                github.come_back()
        return bool(seen) and is_known(merge_world, ref)

    tries, seen = waits(monkeypatch), list[str]()
    github.trouble = trouble
    if trouble == "offline":
        github.go_offline()
    supervised(merge_world, has_come_back)
    assert words in seen[0]
    assert "(before: open · checks passed)" in seen[0]
    assert tries == sorted(tries)
    assert tries[-1] > tries[0]
    assert logged(merge_world, "cannot be followed") == 1
    assert logged(merge_world, "can be followed again") == 1


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
    merge_world: MergeWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GH_ENTERPRISE_TOKEN", "anything")
    here, number = with_pull_request(merge_world, github)
    there = linked(merge_world.orange, merge_world.task("feat/milk"), github.url(number, host=OTHER_HOST))
    github.trouble, github.trouble_at = "unauthorized", OTHER_HOST
    supervised(
        merge_world, lambda: is_known(merge_world, here) and "gh auth login" in status(merge_world, there).problem
    )
    github.trouble = None
    supervised(merge_world, lambda: is_known(merge_world, there))
    assert {request.host for request in github.requests} == {"api.github.com", OTHER_HOST}


def test_answer_about_a_deleted_task_does_not_bring_it_back(merge_world: MergeWorld, github: GitHub) -> None:
    ref, _ = with_pull_request(merge_world, github)
    url = github.url(7)
    shutil.rmtree(merge_world.orange.store.directory(ref))
    for answer in (PullRequest(url, "merged"), PullRequest(url, "open"), "GitHub cannot be reached"):
        with pytest.raises(OrangeError, match="does not exist"):
            pr_status.apply_answer(merge_world.orange.tasks, ref, url, answer)
    assert merge_world.orange.store.refs() == []


def test_answer_from_another_host_neither_moves_the_pull_request_nor_ends_the_task(
    merge_world: MergeWorld, github: GitHub
) -> None:
    ref, number = with_pull_request(merge_world, github)
    url, elsewhere = github.url(number), github.url(number, host=OTHER_HOST)
    answer = PullRequest(elsewhere, "merged", commit=merge_world.tip())
    found = pr_status.apply_answer(merge_world.orange.tasks, ref, url, answer)
    assert (found.url, found.problem) == (
        url,
        f"it is now at {elsewhere}, on another host, where Orange does not follow it",
    )
    assert (merge_world.status(ref), merge_world.stored(ref).task.pr_url) == ("reviewing", url)


def test_host_is_left_alone_for_as_long_as_it_asks() -> None:
    host = pr_watcher.HostBackoff()
    host.failed("rate limit", 120.0)
    first = host.due
    host.failed("rate limit", 0.0)
    assert first - host.due > 100.0


def test_without_gh_the_status_says_so_and_the_task_stays(
    merge_world: MergeWorld, github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref, _ = with_pull_request(merge_world, github)
    programs = merge_world.root / "few"
    programs.mkdir()
    for name in ("git", "tmux"):
        (programs / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(programs))
    supervised(merge_world, lambda: "gh is not installed" in status(merge_world, ref).problem)
    assert "gh is not installed" in refusal(lambda: pr_status.refresh(merge_world.orange.tasks, ref))
    assert merge_world.status(ref) == "reviewing"


def test_of_two_supervisors_only_one_polls(merge_world: MergeWorld, github: GitHub) -> None:
    ref, _ = with_pull_request(merge_world, github)
    first, second = merge_world.orange.new_supervisor(), assemble(merge_world.orange.home).new_supervisor()
    asked_by: list[str] = []
    for name, supervisor in (("first", first), ("second", second)):
        real = supervisor._pull_requests._poll

        async def ask(host: str, refs: dict[TaskRef, str], name: str = name, real: object = real) -> None:
            asked_by.append(name)
            await real(host, refs)  # type: ignore[operator]

        supervisor._pull_requests._poll = ask  # type: ignore[method-assign,assignment]

    async def both() -> None:
        enough = lambda: len(asked_by) > 4 and is_known(merge_world, ref)  # noqa: E731
        await asyncio.gather(first.run(enough, PATIENCE), second.run(enough, PATIENCE))

    asyncio.run(both())
    assert len(set(asked_by)) == 1


def test_refresh_returns_the_status_or_refuses_with_the_reason(merge_world: MergeWorld, github: GitHub) -> None:
    ref, number = with_pull_request(merge_world, github)
    github.pull_requests[number].checks = "SUCCESS"
    assert pr_status.refresh(merge_world.orange.tasks, ref) == f"Pull request #{number}: open · checks passed"
    github.go_offline()
    assert refusal(lambda: pr_status.refresh(merge_world.orange.tasks, ref)) == "GitHub cannot be reached"
    assert status(merge_world, ref).checks == "passed"
    other = merge_world.task("feat/milk")
    assert refusal(lambda: pr_status.refresh(merge_world.orange.tasks, other)) == "It has no pull request; p makes one"


def test_merged_pull_request_of_a_task_that_cannot_be_merged_needs_the_person(
    merge_world: MergeWorld, github: GitHub
) -> None:
    (merge_world.root / "home/workflows").mkdir()
    (merge_world.root / "home/workflows/slow.yml").write_text(SLOW)
    ref = merge_world.task(workflow="slow", status="new")
    number = github.open_pull_request("feat/tea").number
    linked(merge_world.orange, ref, github.url(number))
    github.merge(number, merge_world.elsewhere({"tea": "green\n"}))
    supervised(merge_world, lambda: "the task could not be ended" in status(merge_world, ref).problem)
    assert merge_world.status(ref) == "new"
    assert "can't be merged from new (workflow slow)" in (status(merge_world, ref).needs() or "")
