"""What the demo works on: a home, a small repository with a remote, and seven tasks."""

from __future__ import annotations

import json
import os
import sys

from orange_tui.demo.clean_up import home_in
from orange_tui.domain.errors import OrangeError
from orange_tui.domain.harnesses.shipped import SHIPPED
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.tables import ALL, OFF
from orange_tui.home.paths import Home
from orange_tui.orange import assemble
from orange_tui.outside.programs import run
from orange_tui.outside.sandbox.bwrap import why_no_sandbox

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from orange_tui.domain.harnesses.harness import ScreenPatterns

PROJECT = "coffee"
POOL_SIZE = 4
AGENT = "demo"
SECOND_AGENT = "demo-2"  # the same with an account of its own: its limit holds up nobody else
_ABSENT = "not-in-the-demo"  # the program of every agent that is none of the demo's
_BARISTA = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in {"NAME": "Ada Barista", "EMAIL": "ada@coffee.invalid"}.items()
}
# Merges use git's own identity, which may not be set yet, or may sign.
_SETTINGS = {"user.name": "Ada Barista", "user.email": "ada@coffee.invalid", "commit.gpgsign": "false"}

# One commit each: its message, and the files it writes.
_COMMITS: tuple[tuple[str, Mapping[str, str]], ...] = (
    (
        "Open the bar",
        {
            "README.md": "# coffee\n\nA very small coffee bar.\n\nToday's special: flat white\n",
            ".gitignore": "__pycache__/\n",
            "coffee/__init__.py": '"""A very small coffee bar."""\n',
        },
    ),
    (
        "Write the menu",
        {
            "coffee/menu.py": (
                '"""What there is, and what it costs, in cents."""\n\n'
                'MENU = {"espresso": 220, "flat white": 340, "filter": 280}\n\n\n'
                "def price(drink: str, cups: int = 1) -> int:\n"
                '    """What so many cups cost."""\n'
                "    return MENU[drink] * cups\n"
            ),
        },
    ),
    (
        "Count the change",
        {
            "tests/__init__.py": "",
            "tests/test_menu.py": (
                "import unittest\n\nfrom coffee.menu import price\n\n\n"
                "class PriceTest(unittest.TestCase):\n"
                "    def test_two_cups_cost_twice_as_much(self) -> None:\n"
                '        self.assertEqual(price("espresso", 2), 440)\n'
            ),
        },
    ),
    (
        "Tell newcomers how to help",
        {"AGENTS.md": "Small files, one for each drink. Run `python -m unittest` before you commit.\n"},
    ),
)


@record
class DemoWorld:
    """Where the demo's home and repository are."""

    home: str
    repository: str

    def git(self, *words: str) -> str:
        """Run git in the repository, as the person who owns it."""
        environment = {**os.environ, **_BARISTA, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
        finished = run(
            ["git", "-c", "commit.gpgsign=false", *words], directory=self.repository, environment=environment
        )
        if finished.code != 0:
            raise OrangeError(f"git {' '.join(words)}: {finished.message}")
        return finished.output.strip()


def make_world(root: str) -> DemoWorld:
    """A home, a repository with a bare `origin` next to it, and the project registered."""
    world = DemoWorld(home_in(root), os.path.join(root, PROJECT))
    origin = os.path.join(root, "origin.git")
    os.makedirs(world.home)
    os.makedirs(world.repository)
    world.git("init", "--quiet", "--bare", "--initial-branch=main", origin)
    world.git("init", "--quiet", "--initial-branch=main")
    for name, value in _SETTINGS.items():
        world.git("config", name, value)
    for message, files in _COMMITS:
        _write(world.repository, files)
        world.git("add", "--all")
        world.git("commit", "--quiet", "-m", message)
    world.git("remote", "add", "origin", origin)
    world.git("push", "--quiet", "--set-upstream", "origin", "main")
    world.git("remote", "set-head", "origin", "main")
    _add_second_agent(world)
    _register(world)
    return world


def _add_second_agent(world: DemoWorld) -> None:
    """Have two agents, as people do, and none that is real: nobody pays for the demo. JSON is YAML, too."""
    demo = SHIPPED[AGENT]
    patterns = {name: _given(getattr(demo, name)) for name in ("screen", "window_title")}
    commands = {name: list(getattr(demo, name)) for name in ("full", "reduced", "one_shot", "one_shot_work")}
    entry = {"binary": sys.executable, "title": "Another demo agent", **commands, **patterns}
    absent = {name: {"binary": _ABSENT} for name in SHIPPED if name != AGENT}
    _write(world.home, {"harnesses.yml": json.dumps({SECOND_AGENT: entry, **absent}, indent=2)})


def _given(patterns: ScreenPatterns) -> dict[str, list[str]]:
    return {state: list(found) for state, found in vars(patterns).items() if found}


def _write(root: str, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


def _register(world: DemoWorld) -> None:
    """The project, with its agents in a sandbox where there can be one: nobody should notice."""
    sandbox = ALL if why_no_sandbox() is None else OFF
    place = {"name": PROJECT, "path": world.repository, "default_branch": "main"}
    entry = {**place, "pool_size": POOL_SIZE, "sandbox": sandbox}
    assemble(Home(world.home)).projects.add(entry)


@record
class DemoTask:
    """One task of the demo; its context says how the demo agent will behave."""

    branch: str
    summary: str
    context: str
    after: str | None = None  # the branch of the task it waits for
    agent: str = AGENT


DEMO_TASKS = (
    DemoTask(
        "decaf",
        "Offer decaf, for those who would like to sleep",
        "People ask for it after four o'clock.\n\n"
        "Its agent is in a hurry, and two mistakes are left in coffee/decaf.py when it is yours to review. Press D to"
        " read it, c to comment on a line, r to send it back; the agent answers every comment. Then i shows only what"
        " is new, and m merges it.\n\ndemo: hurried",
    ),
    DemoTask(
        "oat-milk",
        "Take orders with oat milk",
        "The reviewer is strict about this one.\n\ndemo: fail-once",
    ),
    DemoTask(
        "iced-latte",
        "Something cold for the summer",
        "Not very precise, so expect a question.\n\ndemo: ask",
    ),
    DemoTask(
        "cold-brew",
        "Cold brew, for those who can wait",
        "Its agent reaches the limit of its account, waits ten seconds for it to end, and goes on.\n\ndemo: limit",
        agent=SECOND_AGENT,
    ),
    DemoTask(
        "double-shot",
        "Let people order a double shot",
        "Too much coffee: the first agent will not survive it.\n\ndemo: crash",
    ),
    DemoTask(
        "latte-art",
        "Draw a swan on every latte",
        "Nobody knows how. The agent will give up and say so.\n\ndemo: stuck",
    ),
    DemoTask(
        "loyalty-card",
        "Every tenth decaf is free",
        "This needs decaf first.\n\ndemo: good",
        after="decaf",
    ),
)
