"""What is typed into the form for a new task, and what comes of it: no app is needed to tell."""

from __future__ import annotations

from orange_tui.domain.task import Task
from orange_tui.tui.forms._new_task import Known, TypedTask

TASKS = (Task(id="abc123", branch="brew"), Task(id="abd456", branch="fix-the-tap"))
KNOWN = Known(TASKS, frozenset({"main", "feat/milk", "latte"}), {"claude": ("low", "high")}, ("pending",), "main")


def typed(**fields: str) -> TypedTask:
    return TypedTask({"harness": "claude", **fields}, KNOWN)


def test_a_branch_is_free_in_git_and_among_the_tasks() -> None:
    wanted = {"Fix the tap": "fix-the-tap-2", "Feat!": "feat-2", "Main": "main-2", "Latte": "latte-2", "New": "new"}
    assert {summary: typed(summary=summary).branch for summary in wanted} == wanted
    assert typed(summary="🍊").branch == ""
    assert typed(summary="Fix the tap", branch="own").branch == "own"


def test_each_mistake_is_told_in_a_sentence() -> None:
    mistakes = {
        "is not a branch name": {"branch": "bad.."},
        "has a task already: abc123": {"branch": "brew"},
        "Git has branches below feat/": {"branch": "feat"},
        "its levels are low, high": {"effort": "huge"},
        "is not a model's name": {"model": "two words"},
        "is not a budget": {"budget": "much"},
        "There is no unfinished task tea": {"blocked_by": "brew, tea"},
        "could be any of": {"blocked_by": "ab"},
        "one line without control characters": {"summary": "a\x1bb"},
    }
    for sentence, fields in mistakes.items():
        assert sentence in typed(**fields).problem()
    broken = TypedTask({}, Known(states="Workflow odd can't be used: it is odd"))
    assert broken.problem() == "Workflow odd can't be used: it is odd"


def test_who_has_no_agent_is_told_before_the_task_is_created() -> None:
    without = Known(lacks_agent=True)
    assert "starts its agent" in typed().remark()
    assert "starts its agent" in TypedTask({"harness": "demo"}, without).remark()
    for fields in ({}, {"summary": "Fix it"}):
        assert "press tab and choose demo" in TypedTask(fields, without).remark()
        assert "For a try, choose demo" in TypedTask(fields, without).remark(is_open=True)


def test_everything_that_can_be_said_of_a_task_reaches_it() -> None:
    new = typed(
        summary="Fix it",
        context="Mind the cat.",
        model="opus",
        effort="high",
        review_harness="codex",
        blocked_by="brew, abd",
        labels='chore, big one, chore, "here, now"',
        budget="2.50",
        workflow="autopilot",
        state="default:new",
        worktree="no",
        start="no",
    )
    assert new.problem() == ""
    task = new.new_task("coffee")
    assert (task.project, task.branch, task.names_branch, task.summary) == ("coffee", None, True, "Fix it")
    assert (task.context, task.model, task.effort, task.review_harness) == ("Mind the cat.", "opus", "high", "codex")
    assert (task.blocked_by, task.labels, task.budget) == (("abc123", "abd456"), ("chore", "big one", "here, now"), 2.5)
    assert (task.workflow, task.status, task.fields, task.spawn) == ("autopilot", None, {"worktree": False}, False)
    assert typed(state="reviewing").new_task("coffee").status == "reviewing"


def test_what_is_good_to_know_is_said() -> None:
    assert typed(branch="latte").remark() == "Branch latte already exists: the task continues on it."
    assert typed(summary="Fix it").remark() == "Branch: fix-it"
    assert typed(summary="🍊").remark() == "Branch: orange-tasks/ and its id"
    assert "Esc keeps what you typed" in typed().remark()
