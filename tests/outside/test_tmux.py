"""Every operation on a real tmux server of its own, run by ourselves and run by libtmux: the outcome is the same."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import uuid
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from orange_tui.domain.errors import CannotTell, NotFound, Refused
from orange_tui.domain.records import replace
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.outside.processes import is_tmux_server
from orange_tui.outside.programs import Finished
from orange_tui.outside.tmux import libtmux_runner
from orange_tui.outside.tmux import server as tmux_module
from orange_tui.outside.tmux.libtmux_runner import run_with_libtmux
from orange_tui.outside.tmux.screens import read_screens
from orange_tui.outside.tmux.server import WINDOW_SIZE, Tmux, run_tmux
from orange_tui.outside.tmux.windows import Window
from orange_tui.sessions.attaching import attach_command
from orange_tui.sessions.pane_sizes import fit_window
from support.live_home import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orange_tui.outside.tmux.server import Pane, Runner

RUNNERS = {"ourselves": run_tmux, "libtmux": run_with_libtmux}
PAINT = r"printf '\033[31mred\033[0m  caf\303\251 \360\237\215\212   \033[44m   \033[0m\n\n\n'; exec cat"
IN_AN_APP = """
import sys
from textual.app import App
from orange_tui.home.paths import Home
from orange_tui.orange import assemble

class Small(App):
    def on_mount(self):
        orange.use_libtmux()
        self.exit()

orange = assemble(Home(sys.argv[1]))
Small().run(headless=True)
print(orange.tmux._run.__name__)
"""
INTERRUPTED = """
import os, signal, sys, threading
from orange_tui.outside.tmux.libtmux_runner import run_with_libtmux
server = ["-L", sys.argv[1]]

def interrupt():
    os.killpg(0, signal.SIGINT)
    run_with_libtmux([*server, "wait-for", "-S", "interrupted"])

signal.signal(signal.SIGINT, lambda *_: None)
threading.Timer(0.5, interrupt).start()
print(run_with_libtmux([*server, "wait-for", "interrupted"]).code)
"""


@pytest.fixture(params=list(RUNNERS))
def runner(request: pytest.FixtureRequest) -> Runner:
    found: Runner = RUNNERS[request.param]
    return found


@pytest.fixture
def tmux(runner: Runner, tmp_path: Path) -> Iterator[Tmux]:
    socket = f"orange-test-{uuid.uuid4().hex[:12]}"
    yield Tmux(socket, runner)
    subprocess.run(["tmux", "-L", socket, "kill-server"], check=False, capture_output=True)


def window(tmp_path: Path, script: str = "exec cat", name: str = "worker", task: str = "task1") -> Window:
    return Window(str(tmp_path), task, name, "spawn1", str(tmp_path), ("/bin/sh", "-c", script), "cat >/dev/null")


def raw(tmux: Tmux, *words: str) -> bytes:
    done = subprocess.run(["tmux", "-u", "-L", str(tmux.socket), *words], check=True, capture_output=True)
    return done.stdout


def shows(tmux: Tmux, pane: Pane, text: str) -> None:
    wait_for(lambda: text in (tmux.screen(pane.pane_id) or ""))


def test_a_session_and_its_windows_are_known_by_what_orange_has_marked(tmux: Tmux, tmp_path: Path) -> None:
    first = tmux.start_session("coffee/fix.it", window(tmp_path))
    second = tmux.start_window(first.session_id, window(tmp_path, name="review-1"))
    found = {pane.pane_id: pane for pane in tmux.panes()}
    assert {pane.pane_id: (pane.task, pane.window, pane.spawn, pane.home) for pane in found.values()} == {
        first.pane_id: ("task1", "worker", "spawn1", str(tmp_path)),
        second.pane_id: ("task1", "review-1", "spawn1", str(tmp_path)),
    }
    assert {pane.session for pane in found.values()} == {"coffee/fix_it"}
    assert found[first.pane_id] == first
    tmux.kill_window(second)
    assert [pane.pane_id for pane in tmux.panes()] == [first.pane_id]
    tmux.kill_session(first)
    assert tmux.panes() == []


def test_a_name_that_is_taken_gets_the_tasks_id(tmux: Tmux, tmp_path: Path) -> None:
    tmux.start_session("coffee/fix", window(tmp_path))
    other = tmux.start_session("coffee/fix", window(tmp_path, task="task2"))
    assert other.session == "coffee/fix~task2"
    assert tmux.rename_session(other, "coffee/tea") == "coffee/tea"
    assert tmux.rename_session(other, "coffee/fix") == "coffee/fix~task2"


def test_a_server_without_sessions_and_no_server_have_no_windows(tmux: Tmux, tmp_path: Path) -> None:
    assert tmux.panes() == []
    pane = tmux.start_session("coffee", window(tmp_path))
    tmux.kill_session(pane)
    assert (tmux.panes(), tmux.screen(pane.pane_id)) == ([], None)


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("above", [0, 5])
def test_a_screen_is_read_byte_for_byte_in_any_locale(
    tmux: Tmux, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locale: str, above: int
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    pane = tmux.start_session("coffee", window(tmp_path, f"seq 60; {PAINT}"))
    shows(tmux, pane, "café")
    more = ("-S", f"-{above}") if above else ()
    for colour, flags in ((False, ()), (True, ("-e",))):
        expected = raw(tmux, "capture-pane", "-p", *flags, *more, "-t", pane.pane_id).decode()
        assert tmux.screen(pane.pane_id, colour=colour, above=above) == expected
        assert "café 🍊" in expected
        assert expected.endswith("\n\n")


def test_many_screens_are_read_at_once_each_with_its_title(tmux: Tmux, tmp_path: Path) -> None:
    script = "printf '\\033]2;title %s\\007text %s\\n' {0} {0}; exec cat"
    session = tmux.start_session("coffee/main", window(tmp_path, script.format(0), "w0"))
    panes = [
        session,
        *(tmux.start_window(session.session_id, window(tmp_path, script.format(n), f"w{n}")) for n in range(1, 12)),
    ]
    for number, pane in enumerate(panes):
        shows(tmux, pane, f"text {number}")
    screens = read_screens(tmux, [pane.pane_id for pane in panes])
    found = [(screens[pane.pane_id].title, screens[pane.pane_id].text.strip()) for pane in panes]
    assert found == [(f"title {number}", f"text {number}") for number in range(12)]
    assert read_screens(tmux, ["%99"]) == read_screens(tmux, []) == {}


@pytest.mark.parametrize("lines", [3, 2000])
def test_a_message_is_pasted_whole_without_what_could_press_keys(tmux: Tmux, tmp_path: Path, lines: int) -> None:
    received = tmp_path / "received"
    pane = tmux.start_session(
        "coffee", window(tmp_path, f"stty raw -echo; exec 3>'{received}'; echo ready; exec cat >&3")
    )
    shows(tmux, pane, "ready")
    assert tmux.paste(pane, "caf\x1b[201~é;\n" * lines)
    expected = "caf[201~é;\n".replace("\n", "\r").encode() * lines
    wait_for(lambda: received.read_bytes() == expected)
    assert tmux.press(pane, "x")
    wait_for(lambda: received.read_bytes() == expected + b"x")
    gone = replace(pane, pane_id="%99")
    assert not tmux.paste(gone, "nobody")
    assert not tmux.press(gone, "x")


def test_session_is_started_once_the_server_that_was_ending_has_ended(tmux: Tmux, tmp_path: Path) -> None:
    answers = [Finished(1, "", "server exited unexpectedly\n"), Finished(1, "", "server exited\n")]
    ending = Tmux(tmux.socket, lambda words, **given: answers.pop() if answers else run_tmux(words, **given))
    assert ending.start_session("coffee", window(tmp_path)) in tmux.panes()
    assert answers == []


def test_nothing_is_done_to_what_has_the_ids_of_a_window_of_an_earlier_tmux(tmux: Tmux, tmp_path: Path) -> None:
    earlier = tmux.start_session("coffee", window(tmp_path))
    raw(tmux, "kill-server")
    wait_for(lambda: not is_tmux_server(earlier.server.partition(".")[0]))
    wait_for(lambda: tmux.ask("new-session", "-d", "-s", "theirs", "exec cat").code == 0)  # it may still be ending
    raw(tmux, "rename-window", "-t", "theirs", "cat")
    ids = raw(tmux, "list-panes", "-a", "-F", "#{session_id} #{window_id} #{pane_id}").decode().split()
    assert ids == [earlier.session_id, earlier.window_id, earlier.pane_id]
    assert not tmux.paste(earlier, "rm -rf .\n")
    assert not tmux.press(earlier, "x")
    assert tmux.rename_session(earlier, "coffee/tea") == ""
    before = raw(tmux, "list-windows", "-a", "-F", WINDOW_SIZE)
    fit_window(tmux, earlier, 90, 30)
    assert raw(tmux, "list-windows", "-a", "-F", WINDOW_SIZE) == before
    tmux.kill_window(earlier)
    tmux.kill_session(earlier)
    assert raw(tmux, "list-windows", "-a", "-F", "#{session_name} #{window_name}") == b"theirs cat\n"
    assert raw(tmux, "capture-pane", "-p", "-t", earlier.pane_id).strip() == b""
    assert raw(tmux, "list-buffers") == b""


def test_a_conversation_is_found_by_its_project(tmux: Tmux, tmp_path: Path) -> None:
    talk = replace(window(tmp_path, name="chat", task=""), chat="coffee")
    pane = tmux.start_session("chat", talk)
    assert tmux.chat(str(tmp_path), "coffee") == (pane.session_id, "spawn1")
    assert tmux.chat(str(tmp_path), "tea") is None
    assert tmux.panes() == []


def test_a_window_is_not_opened_in_a_session_that_is_gone_or_another_tasks(tmux: Tmux, tmp_path: Path) -> None:
    pane = tmux.start_session("coffee", window(tmp_path))
    for session_id, task in (("$99", "task1"), (pane.session_id, "task2")):
        why = f"tmux could not open window review-1: its session {session_id} is not there any more"
        with pytest.raises(Refused, match=re.escape(why)):
            tmux.start_window(session_id, window(tmp_path, name="review-1", task=task))
    assert tmux.panes() == [pane]


def test_the_command_of_a_second_window_is_taken_to_the_letter(tmux: Tmux, tmp_path: Path) -> None:
    first = tmux.start_session("coffee", window(tmp_path))
    script = "printf '%s\\n' 'a\"b $HOME ~ #{pid} {x} 日本'\nprintf 'it\\047s %%if;'; exec cat;"
    pane = tmux.start_window(first.session_id, window(tmp_path, script, "review-1"))
    shows(tmux, pane, "a\"b $HOME ~ #{pid} {x} 日本\nit's %if;")


def test_a_new_session_is_marked_also_when_orange_runs_in_a_window_of_the_same_server(
    tmux: Tmux, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmux.start_session("mine", window(tmp_path, task="mine"))
    monkeypatch.setenv("TMUX", f"{raw(tmux, 'display-message', '-p', '#{socket_path}').decode().strip()},1,0")
    monkeypatch.setenv("TMUX_PANE", own.pane_id)
    pane = tmux.start_session("coffee", window(tmp_path))
    other = tmux.start_window(pane.session_id, window(tmp_path, name="review-1"))
    tasks = {each.pane_id: (each.task, each.window) for each in tmux.panes()}
    assert tasks == {
        own.pane_id: ("mine", "worker"),
        pane.pane_id: ("task1", "worker"),
        other.pane_id: ("task1", "review-1"),
    }
    command = attach_command(tmux, pane.session_id, "F9")
    assert (command.switches, command.environment["TMUX_PANE"]) == (True, own.pane_id)
    monkeypatch.setenv("TMUX", "/elsewhere,1,0")
    command = attach_command(tmux, pane.session_id, "F9")
    assert (command.switches, "TMUX" in command.environment, "TMUX_PANE" in command.environment) == (False,) * 3


def fake_tmux(tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "tmux").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "tmux").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_a_wedged_tmux_is_ended_and_leaves_neither_process_nor_thread(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_tmux(tmp_path, f"echo $$ >'{tmp_path}/pid'; exec sleep 600", monkeypatch)
    for module in (tmux_module, libtmux_runner):
        monkeypatch.setattr(module, "TIMEOUT_SECONDS", 1.0)
    threads = threading.active_count()
    with pytest.raises(Refused, match=r"list-panes.* took longer than 1 s and was ended"):
        Tmux("x", runner).panes()
    assert threading.active_count() == threads
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_machine_without_tmux_says_how_to_get_it(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="tmux is not installed; on Debian or Ubuntu: apt-get install tmux"):
        Tmux(None, runner).panes()
    assert Tmux(None, runner).version() is None


def test_tmux_says_which_version_it_is(runner: Runner) -> None:
    assert str(Tmux(None, runner).version()).startswith("tmux ")


def test_a_ctrl_c_for_orange_does_not_make_tmux_fail_under_it(tmux: Tmux, tmp_path: Path) -> None:
    tmux.start_session("coffee", window(tmp_path))
    words = [sys.executable, "-c", INTERRUPTED, str(tmux.socket)]
    done = subprocess.run(words, capture_output=True, text=True, start_new_session=True, check=False)
    assert done.stdout == "0\n", done.stderr


def test_whoever_shares_a_server_uses_libtmux_once_it_is_loaded(tmp_path: Path) -> None:
    orange = assemble(Home(str(tmp_path)))
    sessions = orange.sessions
    orange.use_libtmux()
    assert sessions.tmux is orange.engine.parts.tmux is orange.tmux
    assert sessions.tmux._run is run_with_libtmux


def test_an_app_that_catches_what_is_printed_uses_libtmux_too(tmp_path: Path) -> None:
    words = [sys.executable, "-c", IN_AN_APP, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["run_with_libtmux"], done.stdout + done.stderr


def test_libtmux_leaves_our_signals_as_they_were() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    run_with_libtmux(["-V"])
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before


def test_a_wedged_tmux_behind_a_script_is_ended_with_it(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has a script of their own in place of tmux: its end alone leaves tmux, and us, waiting."""
    pid = tmp_path / "pid"
    pid.touch()
    fake_tmux(tmp_path, f"(echo $$ >/dev/null; sleep 600 & echo $! >'{pid}'; wait); true", monkeypatch)
    for module in (tmux_module, libtmux_runner):
        monkeypatch.setattr(module, "TIMEOUT_SECONDS", 1.0)
    problems: list[BaseException] = []

    def ask() -> None:
        try:
            Tmux("x", runner).panes()
        except Refused as problem:
            problems.append(problem)

    while not pid.read_text():  # on a busy machine it may be ended before it has begun
        problems.clear()
        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        asking.join(60)
    left = int(pid.read_text())
    try:
        assert "took longer than 1 s" in str(problems)
        wait_for(lambda: not Path(f"/proc/{left}/cwd").exists())
    finally:
        with suppress(ProcessLookupError):
            os.kill(left, signal.SIGKILL)


@pytest.mark.parametrize("errors", ["server exited unexpectedly\n", "error connecting to /x (Permission denied)\n", ""])
def test_tmux_that_fails_does_not_say_that_nothing_runs(errors: str) -> None:
    failing = Tmux("none", lambda _words, stdin=None: Finished(1, "", errors))
    with pytest.raises(CannotTell, match="tmux did not tell which windows there are"):
        failing.panes()


def test_server_that_ends_while_it_is_asked_is_asked_again() -> None:
    answers = iter(["server exited unexpectedly\n", "server exited unexpectedly\n", "no server running on /x\n"])
    ending = Tmux("none", lambda _words, stdin=None: Finished(1, "", next(answers)))
    assert ending.panes() == []


def test_tmux_that_does_not_answer_in_time_does_not_say_that_nothing_runs() -> None:
    def wait(words: Sequence[str], *, stdin: bytes | None = None) -> Finished:
        raise Refused(f"`{words[0]}` took longer than 60 s and was ended ({stdin!r})")

    with pytest.raises(CannotTell, match="took longer"):
        Tmux("none", wait).panes()


def test_no_windows_are_found_without_a_server_without_a_session_and_after_it_was_killed(tmux: Tmux) -> None:
    assert tmux.panes() == []
    server = ["tmux", "-L", str(tmux.socket)]
    subprocess.run([*server, "start-server", ";", "set-option", "-s", "exit-empty", "off"], check=True)
    assert tmux.panes() == []
    subprocess.run([*server, "new-session", "-d", "cat"], check=True)
    pid = subprocess.run([*server, "display-message", "-p", "#{pid}"], check=True, capture_output=True).stdout
    os.kill(int(pid), signal.SIGKILL)
    wait_for(lambda: subprocess.run([*server, "list-sessions"], check=False, capture_output=True).returncode != 0)
    assert tmux.panes() == []
