"""The app as a person has it: the installed `orange`, at a real terminal, with nothing but keys and eyes.

The terminal is a pane of a tmux server that nobody but this test knows; the agents of the demo are in another one.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orange_tui.sessions.attaching import BACK_KEY
from support.driver import orange
from support.git import commit, git, make_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 60.0
ORANGE = shlex.quote(str(Path(sys.executable).with_name("orange")))
BRANCHES = ("decaf", "oat-milk", "iced-latte", "cold-brew", "double-shot", "latte-art", "loyalty-card")
HEADER = "Orange  coffee"


class Person:
    """Somebody at a terminal, in an empty home, whose temporary files are all in one place."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.home.mkdir()
        (root / "tmp").mkdir()
        unwanted = ("ORANGE_", "TMUX", "TEXTUAL", "ENV", "NO_COLOR", "COLUMNS", "LINES")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)} | {
            "HOME": str(self.home),
            "TMPDIR": str(root / "tmp"),
            "LC_ALL": "C.UTF-8",
        }
        self._tmux = ("tmux", "-u", "-S", str(root / "terminal"), "-f", "/dev/null")

    def open(self) -> None:
        # With a prefix of its own, or C-b would never come to the tmux that the app shows in here.
        self._ask(
            "new-session", "-d", "-x", "120", "-y", "36", "-c", str(self.home), "env", "PS1=at-the-shell ", "/bin/sh"
        )
        self._ask("set-option", "-g", "prefix", "C-q")
        self.sees("at-the-shell")

    def _ask(self, *words: str) -> str:
        asked = [*self._tmux, *words]
        return subprocess.run(
            asked, check=True, capture_output=True, text=True, env=self.environment, timeout=60
        ).stdout

    def kill_app(self) -> None:
        """What the shell has started is killed, and the terminal is closed and opened anew."""
        shell = self._ask("display-message", "-p", "#{pane_pid}").strip()
        (pid,) = subprocess.run(["pgrep", "-P", shell], check=True, capture_output=True, text=True).stdout.split()
        os.kill(int(pid), signal.SIGKILL)
        self._ask("respawn-pane", "-k", "-c", str(self.home), "env", "PS1=at-the-shell ", "/bin/sh")
        self.sees("at-the-shell")

    def press(self, *keys: str) -> None:
        self._ask("send-keys", *keys)

    def type(self, text: str) -> None:
        self._ask("send-keys", "-l", text)

    def runs(self, command: str) -> None:
        self.type(f"{command}; echo code-$?")
        self.press("Enter")

    @property
    def screen(self) -> str:
        return self._ask("capture-pane", "-p")

    @property
    def rows(self) -> str:
        """The left half: the list."""
        return "\n".join(line.partition("│")[0] for line in self.screen.splitlines()[1:-1])

    @property
    def preview(self) -> str:
        """The right half, without its tabs."""
        return "\n".join(line.partition("│")[2] for line in self.screen.splitlines()[2:-1])

    @property
    def selected(self) -> str:
        found = re.search(r"^▌[^a-z]*([a-z-]+)", self.rows, re.MULTILINE)
        return found[1] if found else ""

    def status(self, branch: str) -> str:
        found = re.search(rf"^[▌ ][^a-z]*{branch} +((?:AI |your )?[a-z]+)", self.rows, re.MULTILINE)
        return found[1] if found else ""

    def until(self, condition: Callable[[], object], told: Callable[[], object] = str) -> None:
        """Look again and again until the condition holds."""
        deadline = time.monotonic() + PATIENCE
        pause = threading.Event()
        while not condition():
            assert time.monotonic() < deadline, f"waited in vain; {told()}; the last that was seen:\n{self.screen}"
            pause.wait(0.05)

    def sees(self, *texts: str) -> None:
        self.until(lambda: all(text in self.screen for text in texts))

    def selects(self, branch: str) -> None:
        self.until(lambda: self.selected == branch)

    def has(self, branch: str, *statuses: str) -> None:
        self.until(lambda: self.status(branch) in statuses)

    def is_back_at_the_shell(self) -> None:
        """The app has left with code 0, and the terminal is as it was: everything on it, and what is typed is seen."""
        self.sees("code-0")
        modes = "#{alternate_on} #{mouse_any_flag} #{keypad_flag} #{cursor_flag}"
        self.until(lambda: self._ask("display-message", "-p", modes).split() == ["0", "0", "0", "1"])
        assert "│" not in self.screen
        self.type("echo two and two is $((2 + 2))")
        self.sees("at-the-shell echo two and two is $((2 + 2))")
        self.press("Enter")
        self.sees("\ntwo and two is 4\n")

    def elsewhere(self, *words: str, **more: str) -> str:
        """The person runs a command at another terminal."""
        done = orange(*words, cwd=self.home, env=self.environment | more)
        assert done.code == 0, done
        return done.out

    def close(self) -> None:
        for socket in (self.root / "terminal", *self.root.glob("tmp/orange-demo-*/tmux")):
            subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False, capture_output=True)


@pytest.fixture
def person() -> Iterator[Person]:
    root = Path(tempfile.mkdtemp(prefix="orange-e2e-", dir="/tmp"))  # a socket's path must be short
    person = Person(root)
    try:
        person.open()
        yield person
    finally:
        person.close()
        shutil.rmtree(root, ignore_errors=True)


class Demo:
    """The world of the demo, seen from another terminal."""

    def __init__(self, person: Person) -> None:
        (self.root,) = person.root.glob("tmp/orange-demo-*")
        self._person = person

    def orange(self, *words: str) -> str:
        home, socket = str(self.root / "home"), str(self.root / "tmux")
        return self._person.elsewhere(*words, ORANGE_HOME=home, ORANGE_TMUX_SOCKET=socket)

    def task(self, branch: str) -> dict[str, Any]:
        tasks: list[dict[str, Any]] = json.loads(self.orange("task", "list", "--all", "--json"))
        return next(task for task in tasks if task["branch"] == branch)

    def history(self, branch: str) -> str:
        return (self.root / "home" / "state" / "coffee" / str(self.task(branch)["id"]) / "history.jsonl").read_text()

    def processes(self) -> list[str]:
        """Whoever knows of this world, by its command or its environment."""
        listed = subprocess.run(["ps", "axeww", "-o", "pid=,command="], check=True, capture_output=True).stdout
        return [line for line in listed.decode(errors="replace").splitlines() if str(self.root) in line]


def test_a_whole_demo_with_attaching_and_merging_and_nothing_left_behind(person: Person) -> None:
    person.runs(f"{ORANGE} demo --pace 0.2")
    person.sees(HEADER, *BRANCHES)
    demo = Demo(person)
    assert demo.processes()
    answer_the_question(person, demo)
    look_at_decaf(person)
    attach_while_others_go_on(person, demo)
    merge_decaf(person)
    open_the_form_and_leave_it(person)
    person.press("q")
    person.is_back_at_the_shell()
    assert list((person.root / "tmp").glob("orange-demo-*")) == []
    person.until(lambda: demo.processes() == [], demo.processes)


def answer_the_question(person: Person, demo: Demo) -> None:
    person.has("iced-latte", "clarification")
    while (before := person.selected) != "iced-latte":
        person.press("n")
        person.until(lambda before=before: person.selected not in {"", before})  # type: ignore[misc]
    person.press("a")
    person.sees("Answer iced-latte", "Send (ctrl+s)")
    person.type("Only for the large cup")
    person.sees("Only for the large cup")
    person.press("C-s")
    person.until(lambda: "Answer iced-latte" not in person.screen)
    person.has("iced-latte", "working", "AI review", "your review")
    assert '"agent.notified"' in demo.history("iced-latte")


def look_at_decaf(person: Person) -> None:
    person.press("/")
    person.until(lambda: "branch, summary, status, agent" in person.screen)
    person.type("decaf")
    person.press("Enter")
    person.until(lambda: "iced-latte" not in person.rows and "decaf" in person.rows)
    person.press("g")  # what is alive comes first
    person.selects("decaf")
    person.press("Escape")
    person.until(lambda: all(branch in person.rows for branch in BRANCHES))
    assert person.selected == "decaf"
    person.has("decaf", "your review")
    person.until(lambda: "Verdict: PASS" in person.preview)
    for seen in ("demo agent", "coffee/decaf.py", "AI review → your review"):  # session, diff, history
        person.press("Tab")
        person.until(lambda seen=seen: seen in person.preview and "Verdict" not in person.preview)  # type: ignore[misc]
    person.press("Tab")
    person.until(lambda: "Verdict: PASS" in person.preview)


def attach_while_others_go_on(person: Person, demo: Demo) -> None:
    person.press("Enter")
    person.until(lambda: "demo agent" in person.screen and HEADER not in person.screen)
    # At another terminal room is made for the next task, whichever that is: the app starts it, and sees it fail.
    demo.orange("task", "cancel", demo.task("oat-milk")["id"], "--yes")
    demo.orange("project", "update", "coffee", "--pool-size", "5")
    person.until(lambda: demo.task("double-shot")["crash_count"] or demo.task("latte-art")["status"] == "stuck")
    assert "demo agent" in person.screen
    assert HEADER not in person.screen
    person.press(BACK_KEY)
    person.sees(HEADER, *BRANCHES)
    person.has("oat-milk", "cancelled")
    person.until(lambda: person.status("double-shot") == "working" or person.status("latte-art") == "stuck")
    assert person.selected == "decaf"
    person.press("G")
    person.until(lambda: person.selected not in {"", "decaf"})


def merge_decaf(person: Person) -> None:
    while (before := person.selected) != "decaf":
        person.press("k")
        person.until(lambda before=before: person.selected not in {"", before})  # type: ignore[misc]
    person.press("m")
    person.sees("Merge decaf?", "Merge (y)")
    person.press("y")
    person.has("decaf", "done")
    person.until(lambda: person.selected not in {"", "decaf"})  # the next that needs the person
    person.press("/")
    person.until(lambda: "branch, summary, status, agent" in person.screen)
    person.type("decaf")
    person.press("Enter")
    person.until(lambda: "iced-latte" not in person.rows and "decaf" in person.rows)
    person.press("G")
    person.selects("decaf")
    person.press("BTab")
    person.until(lambda: "done" in person.preview and "Verdict" not in person.preview)  # history
    person.press("Escape")
    person.until(lambda: "iced-latte" in person.rows)


def open_the_form_and_leave_it(person: Person) -> None:
    person.press("c")
    person.sees("New task", "Create (⏎)")
    person.type("q is only a letter here")
    person.sees("q is only a letter here")
    person.press("Escape")
    person.until(lambda: "New task" not in person.screen and HEADER in person.screen)


def test_a_tmux_server_that_dies_while_its_agent_is_looked_at_leads_back_to_the_app(person: Person) -> None:
    person.runs(f"{ORANGE} demo --pace 0.2")
    person.sees(HEADER, *BRANCHES)
    demo = Demo(person)
    person.has("iced-latte", "clarification")
    while (before := person.selected) != "iced-latte":
        person.press("n")
        person.until(lambda before=before: person.selected not in {"", before})  # type: ignore[misc]
    person.press("Enter")
    person.until(lambda: "demo agent" in person.screen and HEADER not in person.screen)
    # Whether it can still answer "done" before it is gone is tmux's affair.
    subprocess.run(["tmux", "-S", str(demo.root / "tmux"), "kill-server"], check=False)
    person.sees(HEADER, *BRANCHES, "⚡")
    person.press("q")
    person.is_back_at_the_shell()


def test_who_has_nothing_yet_is_welcomed(person: Person) -> None:
    person.runs(ORANGE)
    person.sees("🍊 Orange", "✓ git", "✓ tmux", "h says how", "Watch a demo", "Quit")
    person.press("h")
    person.sees("Doctor", "npm install -g", "esc back")
    person.press("Escape")
    person.sees("Watch a demo")
    person.press("q")
    person.is_back_at_the_shell()
    assert json.loads(person.elsewhere("project", "list", "--json")) == []


def test_who_has_nothing_yet_registers_a_repository_by_its_path(person: Person) -> None:
    make_repository(person.root / "beans")
    person.runs(ORANGE)
    person.sees("r   Register one of your git repositories")
    person.press("r")
    person.type(str(person.root / "nowhere"))
    person.press("Enter")
    person.sees("There is no directory")
    person.press("C-u")
    person.type(str(person.root / "beans"))
    person.press("Enter")
    person.sees("Orange  beans", "No tasks yet.")
    person.press("q")
    person.is_back_at_the_shell()


def test_in_a_new_repository_it_is_registered_and_the_first_task_explained(person: Person) -> None:
    repository = make_repository(person.root / "beans")
    person.runs(f"cd {repository} && {ORANGE}")
    person.sees("Orange  beans", "No tasks yet.", "Press c to create one", "ctrl+p, demo, Enter")
    person.press("C-p")
    person.sees("Search for commands")
    person.type("demo")
    person.sees("Watch the demo")
    person.press("Enter")
    person.sees("Orange  coffee", "iced-latte")
    person.press("q")
    person.sees("Orange  beans", "No tasks yet.")
    person.press("q")
    person.is_back_at_the_shell()
    projects = json.loads(person.elsewhere("project", "list", "--json"))
    assert [(project["name"], project["path"]) for project in projects] == [("beans", str(repository))]


def test_comment_that_is_being_typed_survives_a_killed_app(person: Person) -> None:
    repository = make_repository(person.root / "beans")
    git(repository, "checkout", "--quiet", "-b", "roast")
    commit(repository, "brew.py", "cups = 1\nmilk = 2\n")
    git(repository, "checkout", "--quiet", "main")
    person.elsewhere("project", "add", str(repository))
    created = person.elsewhere(
        "task", "create", "roast", "Roast them", "--project", "beans", "--no-spawn", "--harness", "demo", "--json"
    )
    threads = person.home / "orange" / "state" / "beans" / json.loads(created)["id"] / "threads.json"
    person.runs(f"cd {repository} && {ORANGE}")
    person.sees("Orange  beans", "roast")
    person.press("D")
    person.sees("cups = 1", "viewed 0/1")
    person.press("n", "j", "c")
    person.sees("Comment on brew.py:1")
    person.type("half a thou")
    person.until(lambda: threads.exists() and "half a thou" in threads.read_text())
    person.kill_app()
    person.runs(f"cd {repository} && {ORANGE}")
    person.sees("Orange  beans", "roast")
    person.press("D")
    person.sees("┃ half a thou", "not sent yet")
