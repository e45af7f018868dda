"""What the screens look like, at three sizes. A picture is looked at before it is accepted."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

import pytest
from textual.app import App
from textual.widgets import Input

from orange_tui.domain.approvals.question import make_question
from orange_tui.domain.review.thread import Thread, ThreadReply
from orange_tui.home.paths import Home
from orange_tui.jobs.jobs import JobRequest
from orange_tui.orange import assemble
from orange_tui.review.threads_file import ThreadsFile
from orange_tui.store.store import StoredTask
from orange_tui.tui.app import OrangeApp
from orange_tui.tui.approvals.dialog import ApprovalDialog
from orange_tui.tui.screens.review import ReviewScreen
from support.lively import lively
from support.pictures import Album
from support.stage import Scene, Stage
from support.usage import used, write_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion
    from textual.pilot import Pilot

    from orange_tui.store.store import TaskRef

    Compare = Callable[..., bool]
    Size = tuple[int, int]


SIZES = [(200, 60), (120, 40), (80, 24)]
EVERY_SIZE = pytest.mark.parametrize("size", SIZES, ids=["200x60", "120x40", "80x24"])
WIDE = 100


class Pictures(Protocol):
    """Press keys, wait until something can be read, and compare with the accepted pictures, one for each size.

    Keys for a narrow terminal are pressed when it is so narrow.
    """

    def __call__(self, *keys: str, sees: str, narrow: tuple[str, ...] = ()) -> None: ...


class Picture(Protocol):
    """The same for one size, from the start: where what is seen depends on the size that the terminal had before."""

    def __call__(self, size: Size, *keys: str, sees: str) -> None: ...


@pytest.fixture
def lively_stage(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A home in full swing, to take pictures of."""
    lively(stage, monkeypatch)
    return stage


@pytest.fixture
def album(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> Album:
    return Album(snapshot, request)


@pytest.fixture
def pictures(lively_stage: Stage, album: Album) -> Pictures:
    return lambda *keys, sees, narrow=(): take_each(lively_stage.app(), album, keys, sees, narrow)


@pytest.fixture
def picture(lively_stage: Stage, snap_compare: Compare) -> Picture:
    return lambda size, *keys, sees: take(lively_stage.app(), snap_compare, size, keys, sees)


def take(app: OrangeApp, snap_compare: Compare, size: Size, keys: tuple[str, ...], sees: str) -> None:
    async def pose(pilot: Pilot[str]) -> None:
        scene = Scene(app, pilot)
        await begin(scene)
        await press(scene, keys, sees)

    assert snap_compare(app, terminal_size=size, run_before=pose)


def take_each(
    app: OrangeApp,
    album: Album,
    keys: tuple[str, ...],
    sees: str,
    narrow: tuple[str, ...] = (),
    sizes: Sequence[Size] = SIZES,
) -> None:
    """Pictures at several sizes in one run of the app."""
    taken: dict[Size, str] = {}

    async def pose(pilot: Pilot[Any]) -> None:
        scene = Scene(app, pilot)
        await begin(scene)
        for size in sizes:
            if size != sizes[0]:
                await scene.resize(*size)
                await scene.until(lambda size=size: is_laid_out(app, size))  # type: ignore[misc]
            first = keys if size == sizes[0] else ()
            await press(scene, (*first, *(narrow if size[0] < WIDE else ())), sees)
            await rest(scene, pilot)
            taken[size] = app.export_screenshot(title=app.title, simplify=True)
        app.exit()

    app.run(headless=True, size=sizes[0], auto_pilot=pose)
    names = {f"{width}x{height}": svg for (width, height), svg in taken.items()}
    assert len(names) == len(sizes)
    assert [name for name, svg in names.items() if not album.has(svg, name)] == []


async def begin(scene: Scene) -> None:
    app = scene.app
    await scene.until(lambda: scene.is_ready() and is_measured(app))
    if app.snapshot and app.snapshot.rows:
        await scene.sees("login")
    await scene.until(lambda: is_drawn(app))


async def press(scene: Scene, keys: tuple[str, ...], sees: str) -> None:
    app = scene.app
    for key in keys:
        await scene.press(key)
        await scene.until(lambda: is_drawn(app))
    await scene.sees(sees)
    for field in app.screen.query(Input):
        field.cursor_blink = False
    await scene.until(lambda: is_drawn(app))
    app.screen.refresh()  # who read the screen has drawn a dialog without what is below it


async def rest(scene: Scene, pilot: Pilot[str]) -> None:
    """Until nothing moves any more, as `snap_compare` waits, nor has begun to since."""
    await pilot.pause()
    await pilot.wait_for_scheduled_animations()
    await pilot.pause()
    while not is_drawn(scene.app):
        await scene.until(lambda: is_drawn(scene.app))
        await pilot.pause()
    await pilot.wait_for_scheduled_animations()


def is_laid_out(app: OrangeApp, size: Size) -> bool:
    """Whether everything that is to be seen has heard of the size."""
    return all(tuple(screen.size) == size for screen in (app.screen, *app._background_screens))


def is_measured(app: OrangeApp) -> bool:
    """Whether git has told what it has to tell."""
    rows = app.snapshot.rows if app.snapshot else ()
    return not any(row.task and row.task.branch in {"login-fix", "rate-limit"} and row.stats is None for row in rows)


def is_drawn(app: OrangeApp) -> bool:
    """Whether the preview has nothing more to draw, nor a review to read."""
    is_read = not isinstance(app.screen, ReviewScreen) or app.screen.code is not None
    groups = {"preview", "diff", "comments"}
    if isinstance(app.screen, ApprovalDialog) and not app.screen.query(".buttons.-ready"):
        return False
    return is_read and all(worker.is_finished for worker in app.workers if worker.group in groups)


@EVERY_SIZE
def test_the_dashboard(stage: Stage, picture: Picture, size: Size) -> None:
    in_the_usual_order(stage)
    picture(size, sees="Limit requests by key")


def in_the_usual_order(stage: Stage) -> None:
    """As for somebody who has never chosen another."""
    (stage.root / "home" / "view.json").unlink()


def test_marked_tasks_in_groups(stage: Stage, pictures: Pictures) -> None:
    in_the_usual_order(stage)
    pictures("z", "j", "space", "space", "space", sees="3 marked")


def test_the_list_alone_in_a_wide_terminal(stage: Stage, picture: Picture) -> None:
    spend(stage)
    stage.report(stage.orange.store.refs("coffee")[0], last="31 passed in 0.4s [bold]")
    in_the_usual_order(stage)
    picture((200, 60), "left", sees="31 passed")


def test_a_question_about_all_marked_tasks(picture: Picture) -> None:
    picture((120, 40), "space", "space", "G", "space", "x", sees="Cancel 2 tasks?")


def test_pull_requests(stage: Stage, pictures: Pictures) -> None:
    known: tuple[dict[str, Any], ...] = (
        {"checks": "failed"},
        {"checks": "running", "draft": True},
        {"checks": "passed", "review": "approved"},
        {},
        {"checks": "passed", "review": "changes requested"},
    )
    for number, (ref, more) in enumerate(zip(stage.orange.store.refs("coffee"), known, strict=False)):
        stage.pull_request(ref, 96 + 2 * number, **more)
    pictures(sees="#96")


def test_costs(stage: Stage, pictures: Pictures) -> None:
    spend(stage)
    pictures(sees="$3.58")


def test_usage(stage: Stage, pictures: Pictures) -> None:
    spend(stage)
    pictures("U", sees="Unknown price")


def test_no_usage(pictures: Pictures) -> None:
    pictures("U", sees="No agent has used anything yet")


def spend(stage: Stage) -> None:
    """What most of the agents have used, one of them with a model whose price nobody knows."""
    refs = stage.orange.store.refs("coffee")
    of_reviewer = used(0.37, window="review-1", agent="codex", model="gpt-5-codex", input=90_000)
    unpriced = used(None, agent="opencode", model="qwen3-coder", input=2_345_678)
    rows = [
        [used(3.21, input=1_150_000, output=45_000, turns=61), of_reviewer],
        [used(12.34, day="2026-11-14", input=20_000, cache_read=7_800_000, turns=310)],
        [unpriced],
        [used(0.002), used(1.5, day="2026-11-10")],
    ]
    for ref, own in zip(refs, rows, strict=False):
        write_usage(stage.orange.home, "coffee", ref.id, *own, context=43.2)
    write_usage(stage.orange.home, "coffee", ".chat", used(0.11, window="chat"))


def test_a_task_in_the_preview(pictures: Pictures) -> None:
    pictures("j", "j", sees="A search box on every page", narrow=("right",))


def test_the_session_of_a_task(pictures: Pictures) -> None:
    pictures("tab", sees="31 passed", narrow=("right",))


def test_the_diff_of_a_task(pictures: Pictures) -> None:
    pictures("tab", "tab", sees="from auth.state import signed", narrow=("right",))


def test_the_history_of_a_task(pictures: Pictures) -> None:
    pictures("tab", "tab", "tab", sees="reated", narrow=("right",))


@EVERY_SIZE
def test_a_review_with_comments(stage: Stage, picture: Picture, size: Size) -> None:
    comment_on(stage)
    picture(size, "D", "n", *["j"] * 7, "shift+down", "shift+down", sees="redirect() drops")


@EVERY_SIZE
def test_a_comment_that_is_being_written(picture: Picture, size: Size) -> None:
    picture(size, "D", "n", *["j"] * 8, "c", sees="Comment on auth/login.py:7")


def test_the_question_before_a_review_is_sent(stage: Stage, pictures: Pictures) -> None:
    comment_on(stage, "rate-limit")
    pictures(*["j"] * 4, "D", "r", sees="Send rate-limit back")


def comment_on(stage: Stage, branch: str = "login-fix") -> None:
    """Comments of everybody, in every state."""
    fixed = ThreadReply(
        "agent", "It does not: redirect() drops the old query.", state="fixed", commit="4be1c9d0aa11", author="worker"
    )
    declined = ThreadReply("agent", "The state is always there.", state="declined", author="worker")

    def thread(path: str, line: int | None, text: str, by: str, state: str, **more: Any) -> Thread:
        return Thread("", path, line, None, more.pop("quote", ""), None, by, text, state, **more)

    threads = [
        thread("auth/login.py", 7, "Does the query survive a second login?", "person", "fixed", replies=(fixed,)),
        thread("auth/login.py", 9, "signed() may raise.", "reviewer", "declined", replies=(declined,)),
        thread(
            "auth/login.py",
            3,
            "[b]Unused[/b] import?",
            "github",
            "open",
            quote="import os",
            author="octocat",
            outdated=True,
        ),
        thread("", None, "Please mention this in the README.", "person", "draft"),
        thread("auth/state.py", 6, "What if SECRET is empty?", "person", "resolved"),
    ]
    stored = (each for each in stage.orange.store.read_all() if isinstance(each, StoredTask))
    ref = next(each.ref for each in stored if each.task.branch == branch)
    ThreadsFile(stage.orange.home, ref.project, ref.id).change(lambda _: threads)


def test_what_needs_you(pictures: Pictures) -> None:
    pictures("f", "f", "f", sees="needs you")


def test_a_search(pictures: Pictures) -> None:
    pictures("slash", "s", "e", "a", sees="A search box on every page")


def test_nothing_found(pictures: Pictures) -> None:
    pictures("slash", *"xyz", sees="Nothing found")


def test_the_whole_diff(pictures: Pictures) -> None:
    pictures("D", sees="from auth.state import signed")


def test_the_workspace_view(pictures: Pictures) -> None:
    pictures("w", sees="esc back")


def test_reading_task_md(pictures: Pictures) -> None:
    pictures("v", sees="APPROACH")


def test_the_form_for_a_new_task(pictures: Pictures) -> None:
    pictures("c", sees="New task")


def test_everything_that_can_be_said_of_a_new_task(pictures: Pictures) -> None:
    pictures("c", "tab", sees="choose demo as the agent")


def test_a_new_task_that_cannot_be(pictures: Pictures) -> None:
    pictures("c", "tab", *"login-fix", sees="has a task already")


def test_a_question_before_something_is_cancelled(pictures: Pictures) -> None:
    pictures("x", sees="Cancel login-fix?")


def test_a_question_before_a_forced_merge(pictures: Pictures) -> None:
    pictures("m", sees="into main")


def test_an_answer_for_an_agent(pictures: Pictures) -> None:
    pictures("a", sees="Next: the old cookie")  # the agent's screen is read once the dialog is there


def test_sending_work_back(pictures: Pictures) -> None:
    pictures("j", "j", "j", "j", "r", sees="Request changes on")


@EVERY_SIZE
def test_a_key_that_cannot_be_used_now(picture: Picture, size: Size) -> None:
    picture(size, "d", sees="Only done and cancelled")  # which goes by itself


def test_help(pictures: Pictures) -> None:
    pictures("question_mark", sees="Send the agent")


def test_the_workflow_as_a_picture(pictures: Pictures) -> None:
    pictures("W", sees="planning")


def test_the_projects(pictures: Pictures) -> None:
    pictures("P", sees="POOL")


def test_the_settings(pictures: Pictures) -> None:
    pictures("O", sees="Whether the terminal rings")


def test_no_saved_work(pictures: Pictures) -> None:
    pictures("S", sees="No saved work:")


def test_the_log(stage: Stage, pictures: Pictures) -> None:
    stage.orange.log.write("info", "task created", task="task001", project="coffee")
    stage.orange.log.write("warning", "coffee was not fetched: there is no network", project="coffee")
    pictures("L", sees="no network")


def test_a_task_found_in_the_command_palette(pictures: Pictures) -> None:
    pictures("ctrl+p", *"csv", sees="coffee/csv-export")


@EVERY_SIZE
def test_the_command_palette(picture: Picture, size: Size) -> None:
    picture(size, "ctrl+p", sees="Search")


def test_no_tasks_yet(stage: Stage, album: Album) -> None:
    take_each(stage.app(), album, (), "No tasks yet")


def test_a_task_that_cannot_be_read(stage: Stage, pictures: Pictures) -> None:
    (stage.root / "home" / "tasks" / "coffee" / "task004" / "TASK.md").write_text("---\nstatus: [\n---\n")
    pictures(sees="TASK.md")


def test_work_on_a_task_goes_on(stage: Stage, pictures: Pictures, album: Album) -> None:
    app = stage.app()
    app.work.running[stage.orange.store.refs("coffee")[0]] = "Merging: pushing …"
    take_each(app, album, (), "Merging: pushing")


@EVERY_SIZE
def test_the_welcome(tmp_path: Path, fixed: None, snap_compare: Compare, size: Size) -> None:
    app = OrangeApp(assemble(Home(str(tmp_path / "nothing"))), None, supervises=False)
    assert snap_compare(app, terminal_size=size)


JOBS: tuple[tuple[str, str, dict[str, object]], ...] = (
    ("0 7 * * MON-FRI", "Update the dependencies", {"last_run": "2026-11-16T06:00:00Z", "last_task": "task001"}),
    ("@daily", "Sort the new issues and answer what is a question", {"enabled": False}),
    (
        "*/30 * * * *",
        "Look at failed builds",
        {
            "last_run": "2026-11-16T09:30:00Z",
            "last_task": "task005",
            "skipped": {"run": "2026-11-16T09:30:00Z", "reason": "its last task, task005, is under way"},
        },
    ),
)


def test_the_jobs(stage: Stage, pictures: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    for cron, summary, more in JOBS:
        job = stage.orange.jobs.add(JobRequest(cron, summary, "coffee"))
        stage.orange.jobs.file.update(job.id, more)
    pictures("J", sees="skipped")


def test_the_form_for_a_new_job(pictures: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    pictures("J", "c", *"30 9 * * mon", sees="2026-12-07 09:30 CET")


@pytest.mark.parametrize("theme", ["orange-light", "ansi-dark", "nord"])
def test_the_dashboard_in_another_theme(picture: Picture, theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEXTUAL_THEME", theme)
    monkeypatch.setattr(App.theme, "_default", theme)  # what Textual makes of it where it is set before the start
    picture((120, 40), sees="APPROACH")


def test_the_dashboard_without_colour(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    picture((120, 40), sees="APPROACH")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_a_tree_of_tasks(stage: Stage, snap_compare: Compare, size: Size) -> None:
    stage.task(0, branch="login", summary="Fix the redirect loop on mobile", status="working")
    plan = stage.task(20, branch="coffee-bar", summary="A bar of our own", status="delegated")
    parts = (("order-beans", "done"), ("日本語-cups", "working"), ("grinder", "delegated"), ("milk", "clarification"))
    refs = {
        branch: stage.task(12 - number, branch=branch, summary=f"Part {number}", status=status, parent=plan.id)
        for number, (branch, status) in enumerate(parts)
    }
    burrs = stage.task(2, branch="burrs", summary="Sharp ones", status="pending", parent=refs["grinder"].id)
    for parent, children in ((plan, [refs["日本語-cups"].id, refs["milk"].id]), (refs["grinder"], [burrs.id])):
        with stage.orange.store.open(parent) as opened:
            opened.change("task.updated", {"blocked_by": children})
    seen = "A bar of our own" if size[0] < WIDE else "Subtasks: 1 of 4 done"
    app = stage.app()
    keys = ("t", "G", "k", "k", "k", "k", "k")
    take(app, snap_compare, size, keys, seen)


def test_a_permission_that_is_asked_for(stage: Stage, pictures: Pictures) -> None:
    command = "npm run migrate -- --database production \\\n  && rm -rf ./backups/2026-*  # make room\necho done"
    given = {"command": command, "description": "Apply the new schema and clean up"}
    login_fix, rate_limit = (stage.orange.store.refs("coffee")[number] for number in (0, 4))
    pipes = [ask(stage, ref, given) for ref in (login_fix, rate_limit)]
    pictures("A", sees="Allow once (y)")
    for pipe in pipes:
        os.close(pipe)


def ask(stage: Stage, ref: TaskRef, given: dict[str, str]) -> int:
    """Have the worker of a task ask; returns the pipe that keeps the question open."""
    report = {"tool_name": "Bash", "tool_input": given, "cwd": "/home/ada/orange/workspaces/coffee--1"}
    stamp = "2026-11-16T09:23:00.000000Z"
    question = make_question(report, question_id=f"q-{ref.id}", window="worker", agent="claude", asked_at=stamp)
    assert question is not None
    pipe = stage.orange.approvals.files(ref).publish(question)
    stage.orange.approvals.note(ref, "worker", None)
    return pipe
