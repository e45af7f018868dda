"""One key leads back from an agent, inside tmux and outside; the person's other sessions know nothing of it."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import TYPE_CHECKING

from orange_tui.sessions.attaching import BACK_KEY
from support.live_home import started
from support.person import ORANGE

if TYPE_CHECKING:
    from support.driver import Cli
    from support.live_home import LiveHome
    from support.person import Terminal

HINT = f"{BACK_KEY} back to Orange"


def ask(live_home: LiveHome, *words: str) -> str:
    return subprocess.run(["tmux", "-L", live_home.socket, *words], check=True, capture_output=True, text=True).stdout


def inside(live_home: LiveHome, terminal: Terminal, *settings: str) -> None:
    """A person in a tmux of their own, in which agents run too, with settings of their own."""
    terminal.type(f"TMUX= tmux -L {live_home.socket} new-session -s person 'PS1=inside- exec /bin/sh'; echo code-$?")
    terminal.shows("inside-")
    for setting in settings:
        ask(live_home, *setting.split())


def test_help_names_the_key(cli: Cli) -> None:
    assert f"{BACK_KEY} leads back" in cli.ok("task", "attach", "--help").out


def test_the_key_leads_back_to_the_shell_that_attached_and_is_named_all_the_time(
    live_home: LiveHome, terminal: Terminal
) -> None:
    ref = started(live_home, "fix/attach")
    terminal.type(f"{ORANGE} task attach {ref.id}; echo code-$?")
    terminal.shows(HINT)
    terminal.type("typed by a person")
    terminal.shows("typed by a person\ntyped by a person")  # the terminal's echo, and what the agent says to it
    assert HINT in terminal.screen()
    terminal.press(BACK_KEY)
    terminal.shows("code-0")
    assert HINT not in terminal.screen().partition("code-0")[2]
    other = started(live_home, "fix/other")
    (live_home.root / "home" / "config.yml").write_text(
        "back_key: ctrl+g\n"
    )  # an agent or a terminal may need the other
    terminal.type(f"clear; {ORANGE} task attach {other.id}; echo code-$?")
    terminal.shows("ctrl+g back to Orange")
    assert f" {BACK_KEY} " not in ask(live_home, "list-keys", "-T", "orange")  # it is the agent's again
    assert "ctrl+g back" in ask(live_home, "show-options", "-t", f"={live_home.task(ref).tmux_session}:", "status-left")
    terminal.press("C-g")
    terminal.shows("code-0")
    assert live_home.windows(ref) == live_home.windows(other) == ["worker"]


def test_inside_the_same_tmux_the_key_leads_back_also_by_a_detour_and_the_persons_settings_hold_elsewhere(
    live_home: LiveHome, terminal: Terminal
) -> None:
    ref, other = started(live_home, "fix/attach"), started(live_home, "fix/other")
    settings = "status off", "status-position top", "prefix C-a", "mouse on"
    inside(
        live_home, terminal, *(f"set-option -g {setting}" for setting in settings), "bind-key -n F7 rename-window mine"
    )
    before = ask(live_home, "show-options", "-g"), ask(live_home, "list-keys")
    terminal.type(f"{ORANGE} task attach {ref.id}")
    terminal.shows(HINT)
    assert HINT in terminal.screen().splitlines()[0]  # at the top, where the person has it
    table = ask(live_home, "list-keys", "-T", "orange")
    assert "WheelUpPane" in table  # what is bound without a prefix is so here, too
    assert "rename-window mine" in table
    ask(live_home, "switch-client", "-t", live_home.task(other).tmux_session or "")
    live_home.wait(lambda: "fix/other" in ask(live_home, "list-clients", "-F", "#{session_name}"))
    ask(live_home, "switch-client", "-l")
    terminal.shows(HINT)
    terminal.press(BACK_KEY)  # the session before is the other agent's: the way back is to where the person came from
    terminal.shows("inside-")
    live_home.wait(lambda: ask(live_home, "list-clients", "-F", "#{session_name}") == "person\n")
    assert HINT not in terminal.screen()
    keys = "".join(line for line in ask(live_home, "list-keys").splitlines(keepends=True) if "-T orange" not in line)
    assert (ask(live_home, "show-options", "-g"), keys) == before
    assert ask(live_home, "show-options", "-v", "-t", "=person:", "key-table") == ""


def test_enter_in_the_app_and_back_and_nothing_is_left_of_the_key_though_the_app_was_killed_meanwhile(
    live_home: LiveHome, terminal: Terminal
) -> None:
    ref, note = started(live_home, "fix/attach"), live_home.root / "pid"
    inside(live_home, terminal)
    before = ask(live_home, "list-keys"), ask(live_home, "show-hooks", "-g")
    terminal.type(f"/bin/sh -c 'echo $$ >{note}; exec {ORANGE} --project coffee'")
    terminal.shows("⏎ attach")
    for _ in range(2):
        terminal.press_until("Enter", HINT)
        terminal.press(BACK_KEY)
        terminal.shows("⏎ attach")
    terminal.press_until("Enter", HINT)
    os.kill(int(note.read_text()), signal.SIGKILL)
    terminal.press(BACK_KEY)  # where the app was, there is the shell that it was started from
    terminal.shows("Killed")
    (pane,) = live_home.orange.sessions.windows(ref.id, fresh=True)
    os.kill(pane.pid, signal.SIGKILL)
    live_home.wait(lambda: (ask(live_home, "list-keys"), ask(live_home, "show-hooks", "-g")) == before)


def test_the_key_leads_back_though_the_window_it_came_from_is_gone(live_home: LiveHome, terminal: Terminal) -> None:
    ref = started(live_home, "fix/attach")
    inside(live_home, terminal)
    terminal.type(f"tmux new-window 'exec {ORANGE} task attach {ref.id}'")  # it is gone as soon as it has switched
    terminal.shows(HINT)
    terminal.press(BACK_KEY)
    terminal.shows("inside-")
