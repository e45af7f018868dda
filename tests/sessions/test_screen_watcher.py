"""What is seen on agents' screens reaches the board, the command line and runtime.json, and costs next to nothing."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record, replace
from orange_tui.home import clock
from orange_tui.orange import assemble
from orange_tui.outside.tmux.server import Pane
from orange_tui.sessions.agent_state import AgentStatus, judge
from orange_tui.sessions.runtime import Runtime
from orange_tui.sessions.screen_watcher import ScreenWatcher
from orange_tui.store.store import TaskRef
from support.live_home import started

if TYPE_CHECKING:
    from orange_tui.sessions.agent_state import State
    from support.driver import Cli
    from support.live_home import LiveHome


@record
class Found:
    """A task of the index, as far as a watcher wants it."""

    ref: TaskRef


class Screens:
    """One window, whose screen a test draws."""

    def __init__(self, root: Path) -> None:
        self.sessions = self.store = self
        self.state_directory = lambda _: str(root)
        self.log = root / "logs" / "worker.log"
        self.log.parent.mkdir()
        self.log.write_text("")
        self.runtime = Runtime(str(root))
        self.shown: AgentStatus | None = AgentStatus("idle")
        self.looks = self.asked = 0
        self.problem: str | None = None
        self.said: list[str] = []
        self.windows = ["worker"]
        self.settled: list[str | None] = []

    def settle(self, _ref: TaskRef, window: str, past: str | None) -> None:
        assert window == "worker"
        self.settled.append(past)

    def panes(self) -> list[Pane]:
        numbered = enumerate(self.windows, start=1)
        return [Pane("$1", f"@{n}", f"%{n}", 7, "", "t1", window, "start", "s", "srv", "") for n, window in numbered]

    def forget_panes(self) -> None:
        self.asked += 1

    def look(self, panes: Any) -> dict[str, AgentStatus]:
        asked = [pane.pane_id for _, pane in panes]
        self.looks += len(asked)
        if self.problem:
            raise Refused(self.problem)
        return dict.fromkeys(asked, self.shown) if self.shown is not None else {}

    def write(self, level: str, sentence: str) -> None:
        self.said.append(f"{level}: {sentence}")

    def prints(self) -> None:
        with self.log.open("a") as file:
            file.write("x")

    @property
    def status(self) -> AgentStatus:
        return judge(self.runtime.window("worker"))

    @property
    def values(self) -> dict[str, Any]:
        return self.runtime.window("worker")


@pytest.fixture
def screens(tmp_path: Path) -> Screens:
    return Screens(tmp_path)


@pytest.fixture
def watcher(screens: Screens) -> ScreenWatcher:
    return ScreenWatcher(screens, lambda task: Found(TaskRef("coffee", task)), screens.settle, screens)  # type: ignore[arg-type, return-value]


def settle(watcher: ScreenWatcher, now: float = 0.0) -> None:
    """Until what the watcher itself has written is no news to it."""
    while watcher.tick(now):
        pass


def ago(seconds: float) -> str:
    return clock.at(int(((clock.in_seconds(clock.now()) or 0.0) - seconds) * 1e9))


def test_last_line_is_written_down_now_and_then_while_the_agent_prints(
    screens: Screens, watcher: ScreenWatcher
) -> None:
    screens.shown = AgentStatus("busy", last_line="one")
    settle(watcher, 100.0)
    assert screens.values["last"] == "one"
    written = []
    for second in range(1, 21):
        screens.shown = AgentStatus("busy", last_line=f"line {second}")
        screens.prints()
        before = screens.values["last"]
        settle(watcher, 100.0 + second)
        if screens.values["last"] != before:
            written.append(second)
    assert written == [5, 10, 15, 20]
    assert screens.values["last"] == "line 20"


def test_a_screen_that_stands_still_is_looked_at_once_and_written_down_once(
    screens: Screens, watcher: ScreenWatcher
) -> None:
    settle(watcher)
    written, looks = screens.values, screens.looks
    assert (screens.status.state, written["seen"]) == ("idle", "idle")
    assert [watcher.tick(second) for second in range(1, 15)] == [0] * 14
    screens.prints()
    assert (watcher.tick(15.0), screens.looks, screens.values) == (1, looks + 1, written)  # the same as before


def test_what_changes_on_a_screen_is_seen_at_the_next_tick(screens: Screens, watcher: ScreenWatcher) -> None:
    settle(watcher)
    screens.shown = AgentStatus("permission", "rm -rf build", "Attach.")
    screens.prints()
    assert watcher.tick(1.0)
    assert screens.status == screens.shown
    screens.shown = AgentStatus("busy")
    screens.prints()
    assert watcher.tick(2.0)
    assert screens.status == screens.shown
    assert "asks" not in screens.values


def test_an_agent_that_reports_its_work_is_left_in_peace_until_it_falls_silent(
    screens: Screens, watcher: ScreenWatcher
) -> None:
    screens.shown = AgentStatus("busy")
    screens.runtime.update("worker", state="busy", event_at=ago(9))
    settle(watcher)
    looked = []
    for second in range(1, 11):
        screens.prints()
        looked.append(watcher.tick(float(second)))
    assert looked == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    screens.prints()
    assert not watcher.tick(11.0)
    screens.shown = AgentStatus("idle")  # Esc: of that it reports nothing, but it prints no more
    assert watcher.tick(12.0)
    assert screens.status.state == "idle"


def test_a_question_is_believed_before_it_is_drawn_and_not_after_it_is_gone(
    screens: Screens, watcher: ScreenWatcher
) -> None:
    screens.shown = AgentStatus("busy")
    settle(watcher)
    screens.runtime.update("worker", state="permission", event_at=clock.now(), asks="rm -rf build")
    assert watcher.tick(1.0)
    assert screens.status == AgentStatus("permission", "rm -rf build")  # the dialog is about to come
    screens.shown = AgentStatus("idle")
    screens.prints()
    watcher.tick(2.0)
    screens.runtime.update("worker", event_at=ago(2.1))  # the grace is over
    settle(watcher, 3.0)
    assert screens.status == AgentStatus("idle")


def test_what_was_seen_with_a_report_is_looked_at_again_when_it_counts(
    screens: Screens, watcher: ScreenWatcher
) -> None:
    settle(watcher)
    screens.runtime.update("worker", state="permission", event_at=clock.now())
    now = time.monotonic()
    settle(watcher, now)
    assert [bool(watcher.tick(now + later)) for later in (0.5, 2.1)] == [False, True]


def test_a_report_of_the_future_keeps_no_watcher_busy(screens: Screens, watcher: ScreenWatcher) -> None:
    screens.runtime.update("worker", state="permission", event_at="9999-12-31T23:59:59Z")
    settle(watcher)
    assert screens.status.state == "idle"
    assert [watcher.tick(second) for second in range(1, 15)] == [0] * 14


def test_a_window_that_was_closed_makes_tmux_be_asked_anew(screens: Screens, watcher: ScreenWatcher) -> None:
    screens.shown = None
    assert watcher.tick(0.0)
    assert screens.asked == 1
    screens.shown = AgentStatus("busy")
    assert watcher.tick(1.0)
    assert screens.status.state == "busy"


@pytest.mark.parametrize("has_log", [True, False])
def test_a_window_whose_log_tells_nothing_is_looked_at_now_and_then(
    screens: Screens, watcher: ScreenWatcher, has_log: bool
) -> None:
    if not has_log:
        screens.log.unlink()
    settle(watcher)
    assert sum(watcher.tick(float(second)) for second in range(1, 61)) == 2
    screens.shown = AgentStatus("busy")
    settle(watcher, 90.0)
    assert sum(watcher.tick(float(second)) for second in range(91, 121)) == 10
    screens.shown = AgentStatus("idle")
    settle(watcher, 123.0)
    assert screens.status.state == "idle"


def test_screens_that_stand_still_are_looked_at_together_whenever_they_began_to(
    screens: Screens, watcher: ScreenWatcher
) -> None:
    settle(watcher, 2.0)
    screens.windows.append("review-1")
    settle(watcher, 9.0)
    assert [watcher.tick(float(second)) for second in (10, 29, 30, 31, 59, 60)] == [0, 0, 2, 0, 0, 2]


def test_a_runtime_file_that_was_deleted_is_written_again(screens: Screens, watcher: ScreenWatcher) -> None:
    settle(watcher)
    os.unlink(screens.runtime.path)
    settle(watcher, 1.0)
    assert screens.status.state == "idle"


def test_trouble_is_said_once(screens: Screens, watcher: ScreenWatcher) -> None:
    screens.problem = "tmux took too long"
    for second in range(3):
        screens.prints()
        watcher.tick(float(second))
    assert screens.said == ["warning: agents' screens were not looked at: tmux took too long"]


def test_history_that_cannot_be_read_is_no_other_screens_trouble(live_home: LiveHome) -> None:
    broken, whole = started(live_home, "fix/one"), started(live_home, "fix/two")
    history = Path(live_home.orange.store.state_directory(broken)) / "history.jsonl"
    history.rename(history.with_suffix(".kept"))
    os.mkfifo(history)
    refs = {broken.id: broken, whole.id: whole}
    try:
        panes = live_home.orange.sessions.panes(fresh=True)
        found = live_home.orange.screens.look((refs[pane.task], pane) for pane in panes)
        assert len(found) == len(panes) == len(refs)
    finally:
        history.with_suffix(".kept").rename(history)


def test_file_of_one_that_cannot_be_written_is_no_others_trouble(
    screens: Screens, watcher: ScreenWatcher, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "other" / "runtime.json").mkdir(parents=True)
    [pane] = screens.panes()
    others = [
        replace(pane, pane_id=f"%{number}", task=task) for number, task in [(0, "other"), (1, "t1"), (2, "other")]
    ]
    monkeypatch.setattr(screens, "panes", lambda: others)
    monkeypatch.setattr(screens, "look", lambda _: {each.pane_id: AgentStatus("busy") for each in others})
    screens.state_directory = lambda ref: str(tmp_path / "other" if ref.id == "other" else tmp_path)
    for second in range(0, 30, 4):
        watcher.tick(float(second))
    assert screens.status.state == "busy"
    assert len(screens.said) == 2


# It works, asks, and is idle, each time until a file tells it to go on.
PLAYS = """\
show() { printf '\\033[2J\\033[H%s\\n' "$1"; until [ -e "$here/$2" ]; do sleep 0.05; done; }
show "Working hard" ask
show "May I remove build?" rest
show Ready never
"""


def test_board_and_command_line_say_what_an_agent_does_that_reports_nothing(live_home: LiveHome, cli: Cli) -> None:
    folder = live_home.harness(orders=PLAYS)
    with (live_home.root / "home" / "harnesses.yml").open("a") as file:
        file.write('  screen: {busy: [Working], permission: [May I], idle: [Ready]}\n  asks: ["May I (.*)[?]"]\n')
    live_home.orange = assemble(live_home.orange.home)
    ref = live_home.create("fix/plays", harness="recorder")
    index = live_home.orange.new_index()
    index.refresh_all()
    boards = live_home.orange.new_boards(index)

    def row() -> tuple[str | None, str | None, str | None]:
        found = boards.refresh([ref]).rows[0]
        return found.agent, found.asks, found.needs

    def said(*words: str) -> tuple[str | None, str | None]:
        found = json.loads(cli.ok("task", *words, "--json").out)
        task = found[0] if isinstance(found, list) else found
        return task["agent"], task["asks"]

    live_home.supervised(lambda: row() == ("busy", None, None))
    assert said("list") == said("show", ref.id) == ("busy", None)
    (folder / "ask").touch()
    live_home.wait(lambda: said("list") == ("permission", "remove build"))  # without a supervisor
    assert row()[0] == "busy"  # nobody has looked for the board since
    live_home.supervised(lambda: row() == ("permission", "remove build", "The agent asks for permission: remove build"))
    (folder / "rest").touch()
    live_home.supervised(lambda: row() == ("idle", None, None))
    assert "idle" in cli.ok("task", "show", ref.id).out
    live_home.tmux.kill()
    assert said("list") == (None, None)


# ── a question that can be answered in Orange ──


def asks_something(screens: Screens, *, seconds_ago: float, **values: object) -> None:
    stamp = datetime.fromtimestamp(time.time() - seconds_ago, UTC).isoformat()
    screens.runtime.update("worker", state="permission", question="q1", event_at=stamp, **values)


def test_a_question_whose_dialog_is_on_the_screen_is_left_open(screens: Screens, watcher: ScreenWatcher) -> None:
    asks_something(screens, seconds_ago=60)
    screens.shown = AgentStatus("permission", "rm -rf build")
    watcher.tick(0)
    assert screens.settled == [None]
    assert watcher.pause(100) < 2, "a person who answers it in the window sees it go at once"


@pytest.mark.parametrize("state", ["busy", "idle", "error"])
def test_a_question_whose_dialog_is_gone_was_answered_there(
    screens: Screens, watcher: ScreenWatcher, state: State
) -> None:
    asks_something(screens, seconds_ago=60)
    screens.shown = AgentStatus(state)
    watcher.tick(0)
    assert screens.settled == ["q1"]


def test_a_dialog_that_is_not_drawn_yet_counts_for_nothing(screens: Screens, watcher: ScreenWatcher) -> None:
    asks_something(screens, seconds_ago=0)
    screens.shown = AgentStatus("busy")
    watcher.tick(0)
    assert screens.settled == [None]


def test_an_agent_that_holds_its_dialog_back_is_not_past_it(screens: Screens, watcher: ScreenWatcher) -> None:
    asks_something(screens, seconds_ago=60, held=True)
    screens.shown = AgentStatus("busy")
    watcher.tick(0)
    assert screens.settled == [None]
    assert screens.status.state == "permission", "it says that it works, and waits all the same"
