"""Stories about pull requests in the app: what is seen of one, and where `p` and `R` lead."""

from __future__ import annotations

import webbrowser
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.delivery import pr_status, pull_requests
from orange_tui.domain.pull_request import PullRequest
from support.stage import WORK, Stage, story

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef


URL = "https://github.com/o/r/pull/12"


def linked(stage: Stage, ref: TaskRef, **more: Any) -> TaskRef:
    stage.pull_request(ref, 12, **more)
    return ref


@story
async def test_pull_request_column_appears_with_the_first_and_stays_while_others_are_listed(stage: Stage) -> None:
    refs = stage.tasks()
    async with stage.open() as scene:
        await scene.sees("login-fix", "±")
        assert "PR " not in scene.text
        linked(stage, refs[0], checks="passed", review="approved")
        await scene.sees(" PR ", "#12 ✓+", "Pull request #12: open · checks passed · approved")
        await scene.press("slash", *"csv", "enter")
        await scene.until(lambda: "#12" not in scene.text)
        assert " PR " in scene.text.splitlines()[1]


@story
async def test_row_shows_checks_and_review_as_github_reports_them(stage: Stage) -> None:
    ref = linked(stage, stage.tasks()[0], checks="running")
    async with stage.open() as scene:
        await scene.sees("#12 …", "checks running")
        pr_status.apply_answer(stage.orange.tasks, ref, URL, PullRequest(URL, "open", checks="failed"))
        await scene.sees("#12 ✗", "! The checks of pull request #12 failed")
        pr_status.apply_answer(
            stage.orange.tasks, ref, URL, PullRequest(URL, "open", checks="passed", review="changes requested")
        )
        await scene.sees("#12 ✓↩", "Changes are requested on pull request #12")
        pr_status.apply_answer(stage.orange.tasks, ref, URL, "GitHub cannot be reached")
        await scene.sees("#12 ?", "GitHub cannot be reached (before:", "open · checks passed · changes requested)")


@story
async def test_a_failed_check_rings_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    ref = linked(stage, stage.tasks()[0], checks="running")
    async with stage.open() as scene:
        rung: list[str] = []
        monkeypatch.setattr(scene.app, "bell", lambda: rung.append("ring"))
        pr_status.apply_answer(stage.orange.tasks, ref, URL, PullRequest(URL, "open", checks="failed"))
        await scene.sees("#12 ✗")
        pr_status.apply_answer(stage.orange.tasks, ref, URL, "GitHub cannot be reached")
        await scene.sees("#12 ?")
        pr_status.apply_answer(stage.orange.tasks, ref, URL, PullRequest(URL, "open", checks="failed"))
        await scene.sees("#12 ✗")
        assert rung == ["ring"]


@story
async def test_refresh_key_asks_github_now_and_shows_the_answer(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    linked(stage, stage.tasks()[0])
    monkeypatch.setattr(pull_requests, "read_pull_request", lambda url: PullRequest(url, "open", checks="passed"))
    async with stage.open() as scene:
        await scene.sees("#12")
        await scene.press("R")
        await scene.sees("#12 ✓")
        await scene.until(lambda: "Pull request #12: open · checks passed" in scene.told())


@story
async def test_refresh_key_without_a_pull_request_says_how_to_create_one(stage: Stage) -> None:
    started = {"branch": "login-fix", "status": "working", "workspace": "coffee--1"}
    stage.tasks(started, {"branch": "old", "status": "done"})
    async with stage.open() as scene:
        await scene.press("R")
        assert scene.told() == ["No pull request yet; p creates one"]
        await scene.press("j", "R")
        assert scene.told()[1:] == ["No pull request yet"]


@story
async def test_pull_request_is_created_after_a_confirmation(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.tasks({"branch": "login-fix", "summary": "Fix it", "status": "working", "workspace": "coffee--1"})
    made: list[TaskRef] = []

    def create(_tasks: object, ref: TaskRef) -> str:
        made.append(linked(stage, ref))
        return URL

    monkeypatch.setattr(pull_requests, "create_pull_request", create)
    async with stage.open() as scene:
        await scene.press("p")
        await scene.sees("Create a pull request for login-fix?")
        await scene.press("escape")
        assert made == []
        await scene.press("p", "y")
        await scene.sees("#12")
        await scene.until(lambda: URL in scene.told())
        assert len(made) == 1


@story
async def test_existing_pull_request_is_opened_or_its_address_copied(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked(stage, stage.tasks()[0])
    opened: list[str] = []

    class Window(webbrowser.BaseBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            opened.append(url)
            return True

    monkeypatch.setattr(webbrowser, "get", lambda *_names: Window())
    monkeypatch.setattr(webbrowser, "open", Window().open)
    async with stage.open() as scene:
        await scene.press("p")
        await scene.until(lambda: opened == [URL])
        monkeypatch.setattr(webbrowser, "get", lambda *_names: webbrowser.GenericBrowser("w3m"))
        await scene.press("p")
        await scene.until(lambda: f"Copied {URL}" in scene.told())
        assert opened == [URL]


@story
async def test_what_is_not_in_the_pull_request_yet_is_pushed_by_the_key_that_opens_it(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ref,) = stage.tasks({"branch": "login-fix", "status": "reviewing"})
    stage.work("login-fix", files=WORK)
    stage._git("update-ref", "refs/remotes/origin/login-fix", "main")
    linked(stage, ref)
    pushed: list[TaskRef] = []

    def push(_tasks: object, ref: TaskRef) -> str:
        pushed.append(ref)
        stage._git("update-ref", "refs/remotes/origin/login-fix", "login-fix")
        return URL

    monkeypatch.setattr(pull_requests, "create_pull_request", push)
    async with stage.open() as scene:
        await scene.sees("1 commit is not in pull request #12 yet: p pushes", "open · 1 commit not pushed")
        await scene.press("p")
        await scene.sees("Push to pull request #12?", "is pushed: 1 commit.")
        await scene.press("escape")
        assert pushed == []
        await scene.press("p", "y")
        await scene.says("Pull request #12 has everything now; p opens it.")
        assert pushed == [ref]
        await scene.until(lambda: "not pushed" not in scene.text)


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "vscode://evil/run", "-oProxyCommand=x", "https://", "javascript:x"]
)
@story
async def test_address_of_another_scheme_is_not_opened(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr("orange_tui.domain.engine_values.check_web_address", str)  # should it ever be let through
    with stage.orange.store.open(stage.tasks()[0]) as opened:
        opened.change("pr.created", {"pr_url": address}, url=address)
    tried: list[str] = []

    class Window(webbrowser.BaseBrowser):
        def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
            tried.append(url)
            return True

    monkeypatch.setattr(webbrowser, "get", lambda *_names: Window())
    monkeypatch.setattr(webbrowser, "open", Window().open)
    async with stage.open() as scene:
        await scene.press("p")
        await scene.until(lambda: any(f"{address} is not a web address" in text for text in scene.told()))
        assert (tried, scene.app.clipboard) == ([], "")
