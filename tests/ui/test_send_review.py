"""The review of somebody else's pull request, in the app: made from the form for a new task, sent with a key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from orange_tui.delivery.send_review import ReviewSender, SentReview
from orange_tui.engine.creation import Created
from support.stage import Stage, story

if TYPE_CHECKING:
    import pytest

    from orange_tui.store.store import TaskRef

URL = "https://github.com/o/r/pull/12"


@story
async def test_a_key_sends_the_review_with_a_text_and_a_verdict(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[tuple[str, str]] = []

    def send(_sender: ReviewSender, _ref: TaskRef, text: str, verdict: str) -> SentReview:
        calls.append((text, verdict))
        return SentReview(f"{URL}#review", verdict, 2, 0)

    monkeypatch.setattr(ReviewSender, "send", send)
    ref = stage.task(branch="review/pr-12", summary="Review #12", status="reviewing", workflow="review-pr")
    stage.pull_request(ref, 12)
    async with stage.open() as scene:
        await scene.sees("V send review")
        await scene.press("V")
        await scene.sees("as one review")
        await scene.press(*"Hm", "escape")
        await scene.until(lambda: "as one review" not in scene.text)
        await scene.press("V")
        await scene.sees("Send the review of review/pr-12", "as one review", "Hm")
        await scene.click("#changes", (2, 0))
        await scene.until(lambda: bool(calls))
        assert calls == [("Hm", "request changes")]
        await scene.says(f"review/pr-12: review sent (request changes), 2 comments on lines: {URL}#review")


@story
async def test_what_is_written_in_the_review_of_a_pull_request_is_sent_from_there(stage: Stage) -> None:
    ref = stage.task(branch="review/pr-12", summary="Review #12", status="reviewing", workflow="review-pr")
    stage.pull_request(ref, 12)
    async with stage.open() as scene:
        await scene.press("D")
        await scene.sees("r send")
        await scene.press("r")
        await scene.sees("Send the review of review/pr-12", "as one review")


@story
async def test_the_address_of_a_pull_request_in_the_form_has_it_reviewed(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def create(_tasks: object, request: Any) -> Created:
        asked.append(request)
        return Created(stage.task(branch="review/pr-12", status="pending", workflow="review-pr"), None, None)

    monkeypatch.setattr("orange_tui.tui.forms.task_form.create_review", create)
    async with stage.open() as scene:
        await scene.press("c")
        await scene.sees("New task")
        await scene.press(*URL)
        await scene.sees("it is fetched and reviewed")
        await scene.press("ctrl+s")
        await scene.until(lambda: [(each.project, each.pull_request) for each in asked] == [("coffee", URL)])
        await scene.sees("review/pr-12")
