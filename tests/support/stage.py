"""What the stories about the app are told with: a home with tasks in it, keys to press, a screen to read."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
import uuid
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest_textual_snapshot
from textual import events

from orange_tui.delivery import pr_status
from orange_tui.domain.pull_request import PullRequest
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.sessions.runtime import Runtime
from orange_tui.store.store import Store, TaskRef
from orange_tui.tui import typing_ahead
from orange_tui.tui.app import OrangeApp
from orange_tui.tui.dashboard import Dashboard
from orange_tui.tui.widgets.task_list import TaskList
from support.frames import Frames
from support.git import git

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Mapping

    import pytest
    from syrupy.location import PyTestLocation
    from textual.pilot import Pilot
    from textual.widget import Widget

NOW = "2026-11-16T09:30:00.000000Z"
PLAN = """
## Context

The loop happens on mobile only, see the report of last week.

## Plan

APPROACH: keep the return address in the signed state
TOUCHING: auth/login.py, auth/state.py

- read the state before the session
- keep the old cookie for a release
"""
BEFORE = {
    "auth/login.py": """def login(request):
    user = find(request.form["name"])
    if user is None:
        return redirect("/login")
    request.session["user"] = user.id
    return redirect(request.args["next"])


def logout(request):
    request.session.clear()
    return redirect("/")
""",
    "auth/old.py": "COOKIE = 'legacy'\n",
    "README": "coffee\n",
}
WORK: dict[str, str | None] = {
    "auth/login.py": """from auth.state import signed


def login(request):
    user = find(request.form["name"])
    if user is None:
        return redirect("/login?again")
    request.session["user"] = user.id
    return redirect(signed(request).target)


def logout(request):
    request.session.clear()
    return redirect("/bye")
""",
    "auth/state.py": """\"\"\"The address to return to, signed, so that nobody can send people elsewhere.\"\"\"


def signed(request):
    # 日本語: wide characters stay in their columns
    return State.load(request.args["state"], key=SECRET)
""",
    "auth/old.py": None,
}
TASKS: tuple[dict[str, Any], ...] = (
    {"branch": "login-fix", "summary": "Fix the redirect loop on mobile", "status": "working", "review_round": 1},
    {"branch": "csv-export", "summary": "Export orders as CSV", "status": "agent-review", "review_round": 1},
    {"branch": "search-box", "summary": "A search box on every page", "status": "clarification"},
    {"branch": "dark-mode", "summary": "Dark mode, at last", "status": "pending"},
    {"branch": "rate-limit", "summary": "Limit requests by key", "status": "reviewing", "review_round": 2},
    {"branch": "日本語-search", "summary": "Search in Japanese texts 🍣", "status": "working"},
    {"branch": "old-cleanup", "summary": "Throw away the old importer", "status": "done"},
    {"branch": "no-way", "summary": "Rewrite it all", "status": "cancelled"},
)
_LOOKS_WITHOUT_A_FRAME = 20


class Stage:
    """One home and the app on it."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (root / "home").mkdir(exist_ok=True)
        self._tmux_socket = f"orange-test-{uuid.uuid4().hex[:12]}"
        monkeypatch.setenv("ORANGE_TMUX_SOCKET", self._tmux_socket)
        monkeypatch.setenv("HOME", str(root))
        numbers = iter(range(1, 10_000))
        monkeypatch.setattr(Store, "free_id", lambda _store: f"task{next(numbers):03d}")
        monkeypatch.setattr(typing_ahead, "_MOST_LOOKS", 60)  # stories are told on busy machines, too
        self.root = root
        self.orange = assemble(Home(str(root / "home")))
        (root / "coffee").mkdir()
        entry = {"name": "coffee", "path": str(root / "coffee"), "default_branch": "main", "pool_size": 4}
        self.orange.projects.add(entry)
        # Stories go by the order in which tasks were made, unless they are about another one.
        (root / "home" / "view.json").write_text('{"order": "newest"}')

    def close(self) -> None:
        """End the agents that were started, and the server they are in."""
        folder = Path(os.environ.get("TMUX_TMPDIR", "/tmp"))
        if (folder / f"tmux-{os.getuid()}" / self._tmux_socket).exists():
            subprocess.run(["tmux", "-L", self._tmux_socket, "kill-server"], check=False, capture_output=True)

    def tasks(self, *tasks: dict[str, Any]) -> list[TaskRef]:
        """Write tasks down; each is a minute older than the one before it."""
        return [self.task(minute, **values) for minute, values in enumerate(tasks or TASKS)]

    def task(self, minutes_old: int = 0, body: str = PLAN, **values: Any) -> TaskRef:
        given = {"workflow": "default", "harness": "demo", **values}
        with self.orange.store.project_lock("coffee"):
            ref = self.orange.store.add("coffee", given, body)
        stamp = f"2026-11-16T09:{29 - minutes_old % 30:02d}:00.000000Z"
        path = self.root / "home" / "tasks" / "coffee" / ref.id / "TASK.md"
        path.write_text(path.read_text().replace(NOW, stamp))
        history = self.root / "home" / "state" / "coffee" / ref.id / "history.jsonl"
        history.write_text(history.read_text().replace(NOW, stamp))
        return ref

    def pull_request(self, ref: TaskRef, number: int, **more: Any) -> str:
        """A task gets a pull request, of which GitHub has said something; returns its address."""
        url = f"https://github.com/o/r/pull/{number}"
        with self.orange.store.open(ref) as opened:
            opened.change("pr.created", {"pr_url": url}, url=url)
        pr_status.apply_answer(self.orange.tasks, ref, url, PullRequest(url, **{"state": "open", **more}))
        return url

    def report(self, ref: TaskRef, window: str = "worker", **values: Any) -> None:
        """A window's agent, or whoever reads its files, tells something."""
        Runtime(self.orange.store.state_directory(ref)).update(window, **values)

    def work(self, branch: str, *, files: Mapping[str, str | None]) -> None:
        """Let a branch change files of a real repository; None deletes one."""
        here = self.root / "coffee"
        if not (here / ".git").exists():
            for name, before in BEFORE.items():
                self._write(here / name, before)
            self._git("init", "--quiet", "--initial-branch=main")
            self._commit("first")
        self._git("checkout", "--quiet", "-b", branch, "main")
        for name, text in files.items():
            if text is None:
                (here / name).unlink()
            else:
                self._write(here / name, text)
        self._commit("work")
        self._git("checkout", "--quiet", "main")

    def _write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def _commit(self, message: str) -> None:
        self._git("add", "--all")
        self._git("commit", "--quiet", f"--message={message}")

    def _git(self, *words: str) -> None:
        git(self.root / "coffee", "-c", "user.name=Stage", "-c", "user.email=stage@example.org", *words)

    def app(self, project: str | None = "coffee") -> OrangeApp:
        return _Listening(self.orange, project, supervises=False)

    @asynccontextmanager
    async def open(
        self, size: tuple[int, int] = (120, 36), project: str | None = "coffee", *, shows_notices: bool = False
    ) -> AsyncIterator[Scene]:
        app = self.app(project)
        async with app.run_test(size=size, notifications=shows_notices) as pilot:
            scene = Scene(app, pilot)
            await scene.until(scene.is_ready)
            yield scene


class _Listening(OrangeApp):
    """The app, and a memory for what it said: a slow machine looks when a notice has gone."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.told: list[str] = []
        super().__init__(*given, **more)

    def notify(self, message: str, **how: Any) -> None:
        self.told.append(message)
        super().notify(message, **how)


class Scene:
    """The running app."""

    def __init__(self, app: OrangeApp, pilot: Pilot[str]) -> None:
        self.app, self._pilot = app, pilot

    def is_ready(self) -> bool:
        """Whether the whole list is there to be used."""
        snapshot, lists = self.app.snapshot, self.app.screen.query(TaskList)
        if snapshot is None or not snapshot.complete or not lists:
            return False
        return lists.first().count() == len(snapshot.rows)

    async def press(self, *keys: str) -> None:
        await self._pilot.press(*keys)
        await self._pilot.pause()

    async def resize(self, width: int, height: int) -> None:
        """Make the terminal another size."""
        await self._pilot.resize_terminal(width, height)
        await self._pilot.pause()

    async def click(self, widget: type[Widget] | str, offset: tuple[int, int], times: int = 1) -> None:
        await self._pilot.click(widget, offset=offset, times=times)
        await self._pilot.pause()

    async def wheel(self, widget: str, offset: tuple[int, int]) -> None:
        """Turn the mouse wheel down by a step."""
        await self._pilot._post_mouse_events([events.MouseScrollDown], widget, offset)
        await self._pilot.pause()

    async def drag(self, widget: str, start: tuple[int, int], end: tuple[int, int]) -> None:
        """Hold the mouse button from one place to another."""
        await self._pilot.mouse_down(widget, offset=start)
        await self._pilot.hover(widget, offset=end)
        await self._pilot.mouse_up(widget, offset=end)
        await self._pilot.pause()

    async def until(self, condition: Callable[[], bool], seconds: float = 60.0) -> None:
        """Let the app run until something is so."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, self.text
            await self._pilot.pause(0.01)
            await asyncio.sleep(0)

    async def sees(self, *words: str) -> None:
        """Wait until the words are on the screen."""
        await self._read_until(lambda: all(word in self.text for word in words))

    async def reads(self, sentence: str) -> None:
        """Wait until a sentence is on the screen, wherever its lines are broken: a path in it may be of any length."""
        await self._read_until(lambda: "".join(sentence.split()) in self._unbroken())

    async def _read_until(self, condition: Callable[[], bool]) -> None:
        """Read the screen until something is on it: when it has changed, and now and then anyway."""
        read_at, looks = -1, 0

        def is_there() -> bool:
            nonlocal read_at, looks
            looks += 1
            if read_at == Frames.count and looks % _LOOKS_WITHOUT_A_FRAME:
                return False
            read_at = Frames.count
            return condition()

        await self.until(is_there)

    def _unbroken(self) -> str:
        """The rightmost column of the screen without any space."""
        return "".join("".join(line.rpartition("│")[2] for line in self.text.splitlines()).split())

    @property
    def text(self) -> str:
        """The screen, as a person reads it."""
        lines = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in lines)

    @property
    def selected(self) -> str:
        """The branch under the cursor."""
        dashboard = next(screen for screen in self.app.screen_stack if isinstance(screen, Dashboard))
        row = dashboard.query_one(TaskList).selected
        return row.task.branch if row is not None and row.task is not None else ""

    async def says(self, sentence: str) -> None:
        """Wait until something was said in a corner of the screen."""
        await self.until(lambda: sentence in self.told())

    def told(self) -> list[str]:
        """What was said in a corner of the screen, also what has gone from there since."""
        if isinstance(self.app, _Listening):
            return self.app.told
        return [notification.message for notification in self.app._notifications]


class _InSnapshots(pytest_textual_snapshot.SVGImageExtension):  # type: ignore[misc]
    """Pictures live in `snapshots/` at the top, where people look for them."""

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        root = test_location.filepath.split("/tests/")[0]
        return f"{root}/snapshots/{test_location.basename}"


pytest_textual_snapshot.SVGImageExtension = _InSnapshots


def story(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is a story in an event loop of its own."""

    @wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        asyncio.run(test(*args, **kwargs))

    return run
