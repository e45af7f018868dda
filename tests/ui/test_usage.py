"""What the app shows of what agents use: the column, the header, the task's page, and the usage screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.stage import Stage, story
from support.usage import used, write_usage

if TYPE_CHECKING:
    from orange_tui.store.store import TaskRef


def use(stage: Stage, ref: TaskRef | str, *costs: float | None, context: float | None = None, **how: Any) -> None:
    task = ref if isinstance(ref, str) else ref.id
    write_usage(stage.orange.home, "coffee", task, *(used(cost, **how) for cost in costs), context=context)


@story
async def test_costs_are_in_the_list_and_in_the_header_where_there_is_room(stage: Stage) -> None:
    first, second, *_ = stage.tasks()
    use(stage, first, 0.42)
    use(stage, second, None, model="llama")
    async with stage.open(size=(160, 36)) as scene:
        await scene.sees("cost", "$0.42", "today $0.42+?")
        await scene.resize(79, 24)
        await scene.sees("$0.42")
        assert "today" not in scene.text
        await scene.resize(54, 24)
        await scene.until(lambda: "cost" not in scene.text)


@story
async def test_list_without_any_use_has_no_column_for_it(stage: Stage) -> None:
    stage.tasks()
    async with stage.open(size=(160, 36)) as scene:
        await scene.sees("login-fix")
        assert "cost" not in scene.text
        assert "today" not in scene.text


@story
async def test_new_use_is_shown_as_soon_as_it_is_told(stage: Stage) -> None:
    (ref,) = stage.tasks({"branch": "login-fix", "summary": "Fix it", "status": "working"})
    async with stage.open(size=(200, 36)) as scene:
        await scene.sees("login-fix")
        use(stage, ref, 3.21, context=43.4, input=1_150_000, output=45_000)
        stage.report(ref, usage_at="2026-11-16T09:30:00.000000Z")
        await scene.sees("today $3.21")
        await scene.reads("claude-sonnet-4-5 · 1.1M in · 45.0k out · $3.21 · context 43 %")


@story
async def test_task_that_has_used_most_of_its_budget_says_so(stage: Stage) -> None:
    first, second = stage.tasks(
        {"branch": "brew", "status": "working", "budget": 10}, {"branch": "grind", "status": "working", "budget": 10}
    )
    use(stage, first, 8.5)
    use(stage, second, 8.0)
    async with stage.open(size=(100, 30)) as scene:
        await scene.sees("85 % of its budget of $10.00 is used")
        assert "80 %" not in scene.text


@story
async def test_page_of_a_task_tells_worker_and_reviewers_apart(stage: Stage) -> None:
    (ref,) = stage.tasks({"branch": "login-fix", "summary": "Fix it", "status": "working"})
    rows = [used(1.0), used(0.5, window="worker-2"), used(0.25, window="review-1", agent="codex", model="gpt-5")]
    router = used(None, window="router", model="llama")
    write_usage(stage.orange.home, "coffee", ref.id, *rows, router, context=71)
    async with stage.open(size=(200, 36)) as scene:
        await scene.sees(
            "Worker: claude-sonnet-4-5 · 2.0k in · 400 out · $1.50",
            "Reviewers: gpt-5 · 1.0k in · 200 out · $0.25",
            "Router: llama · 1.0k in · 200 out · cost unknown",
            "Together: over $1.75 · context 71 %",
            "Unknown price: llama.",
        )


@story
async def test_usage_screen_groups_by_what_is_chosen_for_the_period_that_is_chosen(stage: Stage) -> None:
    first, second, *_ = stage.tasks()
    use(stage, first, 2.0)
    write_usage(stage.orange.home, "coffee", second.id, used(1.0, agent="codex", model="gpt-5", day="2026-11-11"))
    write_usage(stage.orange.home, "coffee", "gone", used(4.0, day="2026-10-25"))
    write_usage(stage.orange.home, "tea", "other", used(64.0))
    async with stage.open(size=(100, 30)) as scene:
        await scene.press("U")
        await scene.sees("login-fix", "csv-export", "$3.00")
        assert "gone, deleted" not in scene.text
        assert "64" not in scene.text, "another project's"
        await scene.press("f")
        await scene.sees("gone, deleted", "$7.00")
        await scene.press("tab", "tab")
        await scene.sees("claude", "codex")
        await scene.press("right")
        await scene.sees("claude-sonnet-4-5", "gpt-5")
        await scene.press("tab")
        await scene.sees("2026-11-16", "2026-11-11", "2026-10-25")
        assert scene.text.index("2026-11-16") < scene.text.index("2026-10-25")
        await scene.press("f", "f")
        await scene.until(lambda: "2026-11-11" not in scene.text)
        await scene.press("shift+tab", "left", "left", "left", "escape")
        await scene.sees("Fix the redirect loop")


@story
async def test_usage_screen_follows_agents_and_takes_clicks(stage: Stage) -> None:
    first, second, *_ = stage.tasks()
    use(stage, first, 2.0)
    async with stage.open(size=(100, 30)) as scene:
        await scene.press("U")
        await scene.sees("login-fix", "$2.00")
        await scene.click("#groups", (len("task   project   a"), 0))
        await scene.sees("agent  ", "claude")
        await scene.click("#periods", (0, 0))
        use(stage, second, 8.0, agent="codex")
        stage.report(second, usage_at="2026-11-16T09:30:00.000000Z")
        await scene.sees("codex", "$10.00")


@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=["80x24", "200x60"])
def test_usage_screen_without_any_use_says_where_it_would_come_from(stage: Stage, size: tuple[int, int]) -> None:
    @story
    async def told() -> None:
        stage.tasks()
        async with stage.open(size=size) as scene:
            await scene.press("U")
            await scene.sees("No agent has used anything yet", "Start a task")
            use(stage, "task001", 1.0, day="2026-01-01")
            stage.report(stage.orange.store.refs("coffee")[0], usage_at="2026-11-16T09:30:00.000000Z")
            await scene.sees("Nothing was used in this time. f shows another.")

    told()


@story
async def test_usage_that_cannot_be_read_is_named(stage: Stage) -> None:
    first, *_ = stage.tasks()
    use(stage, first, 2.0)
    path = stage.root / "home" / "state" / "coffee" / "task002" / "usage.json"
    path.write_text("{")
    async with stage.open(size=(200, 30)) as scene:
        await scene.press("U")
        await scene.sees("$2.00", "Not counted, it can't be read:", "task002/usage.json")
